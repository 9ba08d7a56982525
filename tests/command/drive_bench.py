"""Drives `clfold bench` as a user does.

usage: drive_bench.py COMMAND WRONG_READ PART, as run_part of cases.py has it

No time is too long or too short for these.
"""

import json
import os
import re

from cases import Skip, check, help_names, needs_gnuplot, objects, run_part, write
from charts import Chart
from drive_ladder import BYTES, Driver, types_of
from drive_tune import FIRST, STRANGER, key_of

KEYS = [
    "op", "fold", "algorithm", "policy", "type", "count", "seconds", "spread", "runs",
    "event_seconds", "gbps", "opencl_gbps", "native_gbps", "roofline_gbps", "roofline",
    "roofline_broken", "fraction", "sets", "set_bytes", "sets_few", "ok", "device", "driver",
    "machine",
]  # fmt: skip
AGAINST_KEYS = ["against_seconds", "against_ratio", "against_low", "against_high"]
MEMORY_KEYS = [
    "memory_read_gbps", "memory_copy_gbps", "memory_moved", "device", "driver", "machine",
]  # fmt: skip
FOLDS = ["add", "min", "max", "arg-min", "compensated", "reproducible"]
WAYS = ["plain", "prefetched", "non-temporal", "non-temporal, prefetched", "by quarter lines",
        "driver's copy"]
MIB = 1 << 20
SPEED = re.compile(r"(?:at|and) ([\d.e+]+)")
MOVED = "clfold: warning: the memory's speed changed by more than 15 %"


def bench(d, device, *words, **options):
    """On little, and as short as can be: five rounds."""
    words = ["--device", device["index"], "--seconds", 0, *words]
    return d.good("bench", *words, **options)


def sizes(line):
    """In bytes, of an element and of what a scan makes of it."""
    names = line["type"].split(":")
    return BYTES[names[0]], BYTES[names[-1]]


def check_figures(line):
    size_in, size_out = sizes(line)
    moved = line["count"] * (size_in + (size_out if line["op"] == "scan" else 0))
    # seconds has nine digits after the point, and speeds have six in all
    off = 1e-9 / line["seconds"] + 1e-5
    check(abs(line["gbps"] * 1e9 * line["seconds"] / moved - 1) < off, f"{line}")
    check(abs(line["fraction"] * line["roofline_gbps"] / line["gbps"] - 1) < 3e-5, f"{line}")
    kernels, native = line["opencl_gbps"], line["native_gbps"] or 0
    is_native = native > kernels and moved >= 32 * MIB
    check(line["roofline_gbps"] == (native if is_native else kernels), f"{line}")
    check(line["roofline"].removeprefix("native ") in WAYS, f"{line}")
    check(line["roofline"].startswith("native ") == is_native, f"{line}")
    check(line["roofline_broken"] == (is_native and kernels < 0.9 * native), f"{line}")


def check_line(line, device):
    check(line["op"] in ["reduce", "scan"] and line["fold"] in FOLDS, f"{line}")
    check(line["algorithm"].startswith(line["op"]) or line["algorithm"] == "reduce_then_scan",
          f"{line}")  # fmt: skip
    check(line["policy"] and isinstance(line["policy"], str), f"{line}")
    check(0 < line["seconds"] < 60 and line["spread"] >= 0 and line["runs"] >= 5, f"{line}")
    check(line["event_seconds"] is None or 0 < line["event_seconds"] < 60, f"{line}")
    check(line["native_gbps"] is None or line["native_gbps"] > 0, f"{line}")
    check(line["native_gbps"] is None or device["type"] == "cpu", f"{line}")
    check(line["ok"] is True and line["device"] == device["name"], f"{line}")
    check(line["driver"] == device["driver_version"], f"{line}")
    check(line["machine"] or not os.path.exists("/proc/cpuinfo"), f"{line}")
    size_in, size_out = sizes(line)
    lines = -(-line["count"] * size_in // 64)
    each = lines * 64 // size_in * (size_in + (size_out if line["op"] == "scan" else 0))
    check(line["set_bytes"] == each, f"{line}")
    enough = line["sets"] == 128 or line["sets"] * each >= 512 * MIB
    check(line["sets"] > 0 and enough != line["sets_few"], f"{line}")
    check_figures(line)


def read_lines(text, device, against=()):
    lines = objects(text, lambda _: [*KEYS[:-3], *against, *KEYS[-3:]])
    for line in lines:
        check_line(line, device)
    return lines


def machine_of(d, device):
    words = ["--json", "--max", 64, "--op", "reduce", "--folds", "add", "--types", "i32"]
    return json.loads(bench(d, device, *words))["machine"]


def rows_of(text):
    """The table's lines after its head."""
    lines = text.splitlines()
    return lines[[line.split()[0] for line in lines].index("op") + 1 :]


def every_fold(d, device):
    """All results are right, though each type has folds of its own. The unit test figures has the
    cases of more lines, and made_data what the command expects."""
    for words in [
        [], ["--types", "all", "--folds", "add"],
        ["--types", "u8,i32:u64", "--folds", "min,max,arg-min"],
        ["--types", "u8,f32", "--folds", "compensated,reproducible"],
    ]:  # fmt: skip
        lines = read_lines(bench(d, device, "--json", "--max", 5003, *words), device)
        told = [(line["op"], line["fold"], line["type"]) for line in lines]
        check(len(told) > 2 and {line["count"] for line in lines} == {5003}, f"{lines}")
        if not words:
            check({fold for op, fold, _ in told if op == "reduce"} == set(FOLDS), f"{told}")
            check({fold for op, fold, _ in told if op == "scan"} == {"add", "max"}, f"{told}")
        if words == ["--types", "all", "--folds", "add"]:
            names = sorted(types_of(device))
            check(sorted(told) == [(op, "add", name) for op in ["reduce", "scan"]
                                   for name in names], f"{told}")  # fmt: skip


def counts(d, device):
    """From one item to more than one tile, and to fewer sets than the most."""
    for low, high, expected in [
        (1, 1, [1]),
        (1, 20, [1, 4, 16, 20]),
        ("2^18", "2^20", [1 << 18, 1 << 20]),
    ]:
        words = ["--json", "--types", "i64", "--folds", "add", "--min", low, "--max", high]
        lines = read_lines(bench(d, device, *words), device)
        check([line["count"] for line in lines] == 2 * expected, f"{lines}")
    check(lines[-1]["sets"] <= 32, f"{lines[-1]}")


def table(d, device):
    words = ["--types", "f32,u8:u32", "--folds", "add", "--min", 256, "--max", "2^10"]
    text = bench(d, device, *words)
    head = f"{device['name']}, driver {device['driver_version']}; "
    head += "medians of 5 to 101 rounds, in 0 s\n"
    machine = machine_of(d, device)
    head += f"{machine}\nop " if machine else "op "
    check(text.startswith(head) and "ok=no" not in text, text)
    rows = [line.split() for line in rows_of(text)]
    cases = [("reduce", "add", "f32"), ("reduce", "add", "u8:u32"), ("scan", "add", "f32"),
             ("scan", "add", "u8:u32")]
    told = [(*case, count) for case in cases for count in ["256", "2^10"]]
    check([tuple(row[:4]) for row in rows] == told, f"{rows}")
    for row in rows:
        milliseconds, spread, runs, speed, limit, part = row[4:10]
        check(float(milliseconds) > 0 and spread.endswith("%") and int(runs) == 5, f"{row}")
        # three digits after the point of the share, and three in all, or five after it, of speeds
        off = 0.001 * float(limit) + 0.02 * float(speed) + 2e-5
        check(abs(float(speed) - float(part) * float(limit)) < off, f"{row}")


def chart(d, device):
    needs_gnuplot()
    machine = machine_of(d, device)
    words = ["bench", "--device", device["index"], "--seconds", 0, "--folds", "add", "--min",
             "2^14", "--max", "2^20", "--json"]  # fmt: skip
    titles = {"reduce": "reduce: bytes read", "scan": "scan: bytes read and written"}
    limits = {"reduce": "roofline: read", "scan": "roofline: copy"}
    for more, types in [
        (["--types", "f32,u8:u32"], ["f32", "u8:u32"]),
        (["--types", "i32,f32", "--op", "reduce", "--min", "2^20"], ["i32", "f32"]),
        (["--types", "all", "--op", "scan", "--max", "2^16"], types_of(device)),
    ]:
        seen = Chart(d, *words, *more)
        lines = read_lines(seen.told, device)
        title = "bench: medians, bands of the middle half"
        seen.check_title(title, device, machine, d.good("--version").strip())
        ops, told = (list(dict.fromkeys(line[key] for line in lines)) for key in ["op", "type"])
        check(sorted(told) == sorted(types), f"{told}")
        seen.check_axes(len(ops), is_log=False)
        counts = sorted({line["count"] for line in lines})
        for place, op in enumerate(ops):
            rows = {f"add {name}": [line for line in lines
                                    if line["op"] == op and line["type"] == name]
                    for name in told}  # fmt: skip
            drawn = {name: [row["gbps"] for row in mine] for name, mine in rows.items()}
            drawn[limits[op]] = [max(pair["roofline_gbps"] for pair in pairs)
                                 for pairs in zip(*rows.values(), strict=True)]  # fmt: skip
            bands = seen.check_panel(place, titles[op], counts, drawn)
            check(len(bands) == len(types), f"{bands}")
            for name, ends in bands.items():
                for (low, high), row in zip(ends, rows[name], strict=True):
                    spread = row["gbps"] / low - row["gbps"] / high
                    check(abs(spread - row["spread"]) < 1e-4, f"from {low} to {high}: {row}")
                    check(low <= row["gbps"] * 1.00001 and row["gbps"] <= high * 1.00001, f"{row}")


def wrong_results(d, device):
    """Every third read has a wrong bit, and there is one for each case."""
    environment = {**os.environ, "LD_PRELOAD": d.wrong_read}
    words = ["bench", "--device", device["index"], "--seconds", 0, "--max", 1000]
    for more, first in [
        (["--op", "reduce", "--types", "i32,f32,u8,i64", "--folds", "add"], "reduce add u8"),
        (["--op", "scan", "--types", "i32,f32,u8,i64", "--folds", "max"], "scan max u8"),
    ]:
        done = d.run(*words, *more, "--json", env=environment)
        told = [json.loads(line)["ok"] for line in done.stdout.splitlines()]
        check(told == [True, True, False, True], f"{told}")
        text = done.stderr.decode()
        check(
            done.returncode == 1
            and re.fullmatch(
                rf"clfold: 1 of 4 cases are wrong: {first} at 1000: 1 of [^\n]* differ "
                r"from the host's[^\n.]*\n",
                text,
            ),
            f"exit {done.returncode}, {text!r}",
        )
        done = d.run(*words, *more, env=environment)
        check(done.returncode == 1 and done.stdout.count(b"ok=no\n") == 1, f"{done}")


def explained(d, device, *words, **options):
    told = d.good("explain", *words, "--json", "--device", device["index"], **options)
    return json.loads(told)


def against(d, device):
    """The file's row has a turn in each round, and another case has none. Launches that come
    late tell which way round the ratio is."""
    row = "reduce 4 2^15..2^17 tile_bytes=256 lane_bytes=16 groups=16"
    path = write(d.path("tuning"), f"{FIRST}{STRANGER}{row} on {key_of(d, device)}\n")
    words = ["--op", "reduce", "--folds", "add", "--types", "i64,f32", "--min", "2^16"]
    words += ["--max", "2^16", "--against", path]
    launches = [
        explained(d, device, "reduce", "--count", "2^16", "--type", "f32", **options)["launches"]
        for options in [{}, {"env": {**os.environ, "CLFOLD_TUNING": path}}]
    ]
    late = {**os.environ, "LD_PRELOAD": d.wrong_read, "CLFOLD_TEST_LATE": "20"}
    for options, wrong in [({}, False), ({"env": late}, True)]:
        done = d.run("bench", *words, "--device", device["index"], "--seconds", 0, "--json",
                     **options)  # fmt: skip
        told = [json.loads(line) for line in done.stdout.splitlines()]
        # the third result that is read is the row's
        check([line["ok"] for line in told] == [True, not wrong], f"{done}")
        check(done.returncode == wrong and told[1]["policy"] != "tuned", f"{done}")
        check([told[0][key] for key in AGAINST_KEYS] == 4 * [None], f"{told[0]}")
        seconds, ratio, low, high = (told[1][key] for key in AGAINST_KEYS)
        check(seconds > 0 and 0 < low <= ratio <= high, f"{told[1]}")
        expected = launches[0] / launches[1] if wrong else ratio
        check(abs(ratio / expected - 1) < 0.3, f"{ratio}, launches {launches}")
    lines = read_lines(bench(d, device, *words, "--json"), device, AGAINST_KEYS)
    check(len(lines) == 2, f"{lines}")
    text = bench(d, device, *words)
    check(rows_of(text)[1].strip() == "the file has no row for it", text)
    said = r"by the file's row [\d.]+ ms, [\d.]+ \([\d.]+ to [\d.]+\) times as fast"
    check(re.fullmatch(said, rows_of(text)[3].strip()), text)
    # a file that cannot be used is told of first
    words = ["bench", "--device", device["index"], "--max", 64, "--against"]
    for content, part in [("mine\n", "does not begin with"), (FIRST + "x", "line 2: ")]:
        d.bad(1, part, *words, write(path, content))
    d.bad(1, "No such file", *words, d.path("none"))


def broken_roofline(d, device):
    """Kernels that come late by 30 ms, for what native loops do in a few."""
    environment = {**os.environ, "LD_PRELOAD": d.wrong_read, "CLFOLD_TEST_LATE": "30"}
    words = ["bench", "--device", device["index"], "--seconds", 0, "--min", "2^23"]
    words += ["--max", "2^23", "--op", "reduce", "--types", "f32", "--folds", "add"]
    done = d.run(*words, "--json", env=environment)
    *told, _ = done.stdout.decode().splitlines()
    [line] = read_lines("\n".join(told), device)
    text = "".join(line for line in done.stderr.decode().splitlines(True) if MOVED not in line)
    check(done.returncode == 0 and line["seconds"] > 0.03, f"{done}")
    if line["native_gbps"] is None:
        check(not line["roofline_broken"] and not text, f"{line} {text!r}")
        raise Skip("there are no native loops for it")
    check(line["roofline_broken"], f"{line}")
    said = re.fullmatch(
        r"clfold: warning: 1 of 1 rooflines of kernels are broken: for reduce add f32 "
        r"at 2\^23 kernels reach (\S+) GB/s, and native loops (\S+)\n",
        text,
    )
    check(said, text)
    for told, key in zip(said.groups(), ["opencl_gbps", "native_gbps"], strict=True):
        check(abs(float(told) / line[key] - 1) < 1e-3, f"{text} {line}")
    text = d.run(*words, env=environment).stdout.decode()
    rows = rows_of(text)
    check(len(rows) == 3 and re.search(r"\d! .*; native [a-z]+$", rows[0]), text)
    check(re.search(r"the roofline of kernels is broken, only [\d.]+ GB/s$", rows[1]), text)


def memory(d, device):
    """Its state is told where 32 MiB are moved, and so is one that the clock makes up."""
    words = ["bench", "--device", device["index"], "--seconds", 0, "--op", "reduce", "--folds",
             "add", "--types", "i32"]  # fmt: skip
    less = d.good(*words, "--max", (1 << 23) - 1, "--min", (1 << 23) - 1)
    check(len(rows_of(less)) == 1, less)
    words += ["--max", "2^23", "--min", "2^23"]
    for more in [{}, {"LD_PRELOAD": d.wrong_read, "CLFOLD_TEST_CLOCK": "1"}]:
        done = d.run(*words, "--json", env={**os.environ, **more})
        row, last = done.stdout.decode().splitlines()
        check(done.returncode == 0 and read_lines(row, device), f"{done}")
        told = json.loads(last)
        check(list(told) == MEMORY_KEYS and told["device"] == device["name"], last)
        pairs = [told["memory_read_gbps"], told["memory_copy_gbps"]]
        most = max(max(pair) / min(pair) for pair in pairs)
        check(told["memory_moved"] == (most > 1.15) or abs(most - 1.15) < 1e-4, last)
        check(told["memory_moved"] or not more, last)
        said = [line for line in done.stderr.decode().splitlines() if MOVED in line]
        check(len(said) == told["memory_moved"], f"{done}")
        for line in said:
            off = [abs(float(a) / b - 1) for a, b in zip(SPEED.findall(line), sum(pairs, []))]
            check(len(off) == 4 and max(off) < 0.006, f"{line} {last}")
    text = d.run(*words).stdout.decode()
    last = rows_of(text)[-1]
    check(last.startswith("memory: ") and len(SPEED.findall(last)) == 4, text)


def unwritable(d, _):
    d.refuse_files(["bench", "--max", "2^60"])


HELP = help_names("bench", [*FOLDS, *BYTES, *KEYS, *AGAINST_KEYS, *MEMORY_KEYS, "2^26"])
RESULTS = [], [every_fold, counts, wrong_results, against, broken_roofline]
FORMS = [HELP, unwritable], [table, chart, memory]


if __name__ == "__main__":
    run_part(Driver, __doc__, RESULTS, FORMS)

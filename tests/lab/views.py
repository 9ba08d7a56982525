"""Drives the views of the lab on a device, as a user does. usage: views.py COMMAND SCRIPTS PART:
the built clfold, the folder of clfold-bench and its kin, and `quick` or `wide`. Prints TAP; 77: there
is no device."""

import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools"))
# pylint: disable=wrong-import-position
import faults  # noqa: E402
from cases import Skip, check, help_names, objects, read, run_cases, write  # noqa: E402
from lab import bench, programs  # noqa: E402

SHORT = ["--rounds", 1, "--once"]
KEYS = ["case", "type", "count", "device", "driver", "ok", "checked", "algorithm", "policy", "seconds",
        "spread", "rounds", "event_seconds", "gbps", "quartiles_gbps", "opencl_gbps", "native_gbps",
        "roofline_gbps", "roofline", "roofline_broken", "fraction", "sets", "set_bytes", "sets_few"]
COMPARE_KEYS = ["case", "type", "count", "program", "device", "ok", "checked", "rounds", "seconds",
                "gbps", "range_gbps", "quartiles_gbps", "ratio"]  # fmt: skip
# A view with another list of cases.
PICKED = """import json, sys
sys.path.insert(0, sys.argv.pop(1))
from lab import bench, programs, view
programs.FOLDER = sys.argv.pop(1)
bench.CASES["picked"] = json.loads(sys.argv.pop(1))
view.run(bench.main)"""
UNCHECKED = {"min-max"}  # of which numpy cannot tell the results


class Views(faults.Lab):
    def on(self, device, view, *words):
        """With that device, before the words of a case."""
        return [view, "--device", device["index"], *words]

    def bench_of(self, device, rows, *words):
        """The lines of bench of such cases, in one run."""
        tools = os.path.join(HERE, "../../tools")
        command = [sys.executable, "-c", PICKED, tools, self.scripts, json.dumps(rows), "--device",
                   device["index"], *SHORT, "--json", *words, "picked"]  # fmt: skip
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        bad = [line for line in lines if not line.get("ok", True)]
        check(done.returncode == 0, f"exit {done.returncode}, {bad} {done.stderr!r}")
        return lines


def check_line(line, device):
    check(list(line) == KEYS and line["device"] == device["name"], f"{line}")
    check(line["ok"] and line["checked"] and line["rounds"] == 1, f"{line}")
    check(0 < line["seconds"] < 60 and line["spread"] == 0 and line["sets"] == 1, f"{line}")
    check(line["algorithm"] and line["gbps"] > 0 and line["opencl_gbps"] > 0, f"{line}")
    check((line["native_gbps"] is None) == (device["type"] != "cpu") or line["native_gbps"] is None,
          f"{line}")  # fmt: skip
    share = line["gbps"] / line["roofline_gbps"]
    check(abs(line["fraction"] / share - 1) < 1e-9, f"{line}")
    check(line["event_seconds"] is None or 0 < line["event_seconds"] < 60, f"{line}")


def every_list(d, device):
    """A case of each list of bench; and each shows and checks what it measures."""
    picked = [(rows[-1][0], rows[-1][1].split()[0]) for rows in bench.CASES.values()]
    picked = [(words, kind) for words, kind in dict.fromkeys(picked) if device["fp64"] or
              "64" not in kind[:3] or kind[0] != "f"]  # fmt: skip
    lines = d.bench_of(device, picked, "--counts", "3000", "--events")
    check([(line["case"], line["type"]) for line in lines] == picked, f"{lines}")
    for line in lines:
        check_line(line, device)
    check({line["count"] for line in lines} <= {3000, 2912, 0} | {3000 // 4096 * 4096, 4096}, lines)


def all_lists(d, device):
    rows = bench.CASES["all"]
    if not device["fp64"]:
        rows = [(words, " ".join(kind for kind in kinds.split() if "f64" not in kind) or "f32")
                for words, kinds in rows]  # fmt: skip
    for count in ("1", "70001"):
        lines = d.bench_of(device, rows, "--counts", count)
        check(len(lines) == sum(len(kinds.split()) for _, kinds in rows), f"{len(lines)} lines")
        for line in lines:
            check_line(line, device)


def table(d, device):
    told = d.good(*d.on(device, "bench", *SHORT, "--types", "f32,u8:u64", "--counts", "1000,2^10"),
                  "reduce").splitlines()  # fmt: skip
    check(told[0].split()[:4] == ["case", "type", "count", "GB/s"], f"{told}")
    rows = [line.split()[:3] for line in told[1:]]
    check(rows == [["reduce", kind, count] for kind in ("f32", "u8:u64")
                   for count in ("1000", "2^10")], f"{rows}")  # fmt: skip


def memory(d, device):
    """Its speed is told where much is moved."""
    told = d.good(*d.on(device, "bench", *SHORT, "--counts", "2^23", "--json"), "map").splitlines()
    row, last = map(json.loads, told)
    check(row["count"] == 1 << 23, f"{row}")
    check(list(last) == ["memory_read_gbps", "memory_copy_gbps", "memory_moved", "device", "driver",
                         "machine"] and last["memory_read_gbps"][1] > 0, f"{last}")  # fmt: skip


def against(d, device):
    """A tuning file's call has its turn, and its ratio is of the same rounds."""
    path = write(d.path("tuning"), "clfold tuning 5\n")
    told = d.good(*d.on(device, "tune", "--show", "--file", path))
    key = re.fullmatch(re.escape(path) + ": 0 rows, 0 for (.*)\n", told)[1]
    write(path, f"clfold tuning 5\nreduce 4 2^15..2^17 tile_bytes=256 groups=1 on {key}\n")
    words = ["--rounds", 5, "--once", "--counts", "2^16", "--types", "f32,i64", "--against", path]
    rows = d.rows(0, *d.on(device, "bench", *words), "reduce")
    ratio, low, high = rows[0]["ratio"]
    check(rows[0]["against"] > 0 and 0 < low <= ratio <= high, f"{rows}")
    check(rows[0]["policy"] != "tuned", f"{rows}")  # the first is the library's own
    none = "the file has no row for it"
    check(rows[1]["against"] == none and rows[1]["ratio"] is None, f"{rows}")
    told = d.good(*d.on(device, "bench", *words), "reduce").splitlines()
    check(told[0].endswith("as fast") and re.search(r" \(.* to .*\)$", told[1]) and
          told[2].endswith(none), f"{told}")  # fmt: skip
    d.bad(1, "is not a tuning file", *d.on(device, "bench", *words[:-1], write(path, "mine\n")))
    d.bad(1, "none", *d.on(device, "bench", *words[:-1], "none"), "reduce")


def compared(d, device):
    """clfold, peers and the roofline: each has its line, and is right."""
    peers = ["loop", "openmp", "numpy"]
    cases = [("reduce", "f32"), ("select --where 'x > 0' --rest", "i32"),
             ("reduce --by offsets:u32 --segments 0-3", "f32")]  # fmt: skip
    for words, kind in cases:
        rows = d.rows(0, *d.on(device, "compare", "--rounds", 3, "--once", "--types", kind, "--counts",
                               5001, "--peers", ",".join(peers)), words)  # fmt: skip
        check([row["program"] for row in rows] == ["clfold", *peers, "roofline"], f"{rows}")
        for row in rows[:-1]:
            check(list(row) == COMPARE_KEYS and row["ok"] and row["checked"], f"{row}")
            check((row["ratio"] is None) == (row["program"] == "clfold"), f"{row}")
            least, most = row["range_gbps"]
            check(0 < least <= row["gbps"] <= most and row["rounds"] == 3, f"{row}")


def ladder(d, device):
    names = [*(f"reduce{n}" for n in range(7)), "auto"]
    words = d.on(device, "ladder", *SHORT, "--counts", "2^12,2^14")
    rows = d.rows(0, *words, "--op", "max")
    check([row["kernel"] for row in rows] == 2 * names and all(row["ok"] for row in rows), f"{rows}")
    check(all(row["bytes"] == 4 * row["count"] and row["read_gbps"] > 0 for row in rows), f"{rows}")
    environment = {**os.environ, "CLFOLD_COMMAND": d.command}
    told = d.good(*words, env=environment)
    shown = [line.split() for line in told.splitlines()]
    last = [line for line in shown if line[1:] and line[0] in names and line[1] != "is"]
    check([line[0] for line in last] == names, told)
    group, steps, barriers = map(int, last[0][5:8])
    check(1 << steps == group and barriers == steps + 1, f"{last[0]}")


def trace(d, device):
    words = d.on(device, "trace", "--count", "2^18")
    for op, kind in (("add", "f32"), ("max", "i64")):
        *tiles, whole = d.rows(0, *words, "--op", op, "--type", kind)
        check(len(tiles) == whole["tiles"] == -(-(1 << 18) // int(whole["tile_size"])), f"{whole}")
        check([tile["tile"] for tile in tiles] == list(range(len(tiles))), f"{tiles[:3]}")
        check(min(tile["started"] for tile in tiles) == 0 and whole["ok"], f"{whole}")
        check(all(tile["started"] <= tile["aggregate"] <= tile["prefix"] for tile in tiles), whole)
        depths = [tile["depth"] for tile in tiles]
        check(abs(whole["mean_depth"] - sum(depths) / len(depths)) < 1e-9, f"{whole}")
    told = d.good(*words, "--algorithm", "scan_chained")
    check("scan_chained" in told and re.search(r"^ +0 +P ", told, re.M), told)


def small(d, device):
    rows = d.rows(0, *d.on(device, "small", "--rounds", 5, "--counts", "1,64"),
                  "reduce --combine 'a + b' --identity 0")
    for row in rows:
        check(row["ok"] and row["seconds"] > 0 and row["empty_seconds"] > 0, f"{row}")
    check([row["count"] for row in rows] == [1, 64], f"{rows}")
    check("us" in d.good(*d.on(device, "small", "--rounds", 1, "--counts", 1), "scan"), "a table")


def tuned(d, device):
    """A search of a moment; its row serves the library, and rows of others stay."""
    stranger = "scan 8 2^3..2^5 groups=7 on some; other; device\n"
    path = write(d.path("tuning"), "clfold tuning 5\n" + stranger)
    words = ["--types", "i32", "--counts", "2^16", "--seconds", 4, "--file", path]
    told = d.good(*d.on(device, "tune", *words), "scan").splitlines()
    row = told[1]
    check(row.split()[:3] == ["scan", "i32", "2^16"] and len(told) == 3, f"{told}")
    is_better = "=" in row
    check(told[2].startswith(f"{int(is_better)} of 1 are faster"), f"{told}")
    text = read(path).decode()
    check(text.startswith("clfold tuning 5\n" + stranger) and text.count("\n") == 2 + is_better, text)
    shown = d.good(*d.on(device, "tune", "--show", "--file", path)).splitlines()
    check([line[:6].strip() for line in shown[:-1]] == ["-"] + ["serves"] * is_better, f"{shown}")
    explained = subprocess.run([d.command, "explain", "scan", "--type", "i32", "--acc", "i32", "--count",
                                "2^16", "--device", str(device["index"]), "--json"], check=True,
                               capture_output=True, env={**os.environ, "CLFOLD_TUNING": path})
    policy = json.loads(explained.stdout)["why"]
    check(("by the tuning file" in policy) == is_better, f"{policy} {row}")


def needs_matplotlib(d):
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], check=False,
                      capture_output=True).returncode:  # fmt: skip
        check(not os.environ.get("CLFOLD_REQUIRED_TOOLS"),
              "there is no matplotlib, and CLFOLD_REQUIRED_TOOLS is set")  # fmt: skip
        d.bad(1, "python3-matplotlib", "bench", "--svg", d.path("x.svg"))
        raise Skip("there is no matplotlib")


def charts(d, device):
    """One line for each series, with a title and names of the axes."""
    needs_matplotlib(d)
    svg, png = d.path("a.svg"), d.path("a.png")
    short = ["--svg", svg, "--png", png, *SHORT]
    two = ["--counts", "2^10,2^12,2^14"]
    for words, lines, panels in (
        (d.on(device, "bench", *short, *two, "--types", "f32,i32", "reduce"), ["clfold", "roofline"], 2),
        (d.on(device, "compare", *short, *two, "--peers", "numpy", "map"),
         ["clfold", "numpy", "roofline"], 1),
        (d.on(device, "ladder", *short, *two, "--json"), ["reduce0", "reduce6", "clfold: auto"], 1),
        (d.on(device, "trace", "--count", "2^16", *short[:4]), ["prefix published"], 1),
    ):  # fmt: skip
        d.good(*words)
        xml.parse(svg)
        text = read(svg).decode()
        said = re.findall("<!-- (.*?) -->", text)
        for name in lines:
            check(said.count(name) == panels, f"{name}: {said}")
        check(any(f"{device['name']}, clfold {words[0]}" in one for one in said), f"{said}")
        if words[0] != "trace":
            check(said.count("number of elements n") == panels and
                  said.count("GB/s, higher is better") == panels, f"{said}")  # fmt: skip
            # each has a marker at each count
            paths = [path.count("L") for path in re.findall('<path d="(M[^"]*)" clip-path', text)]
            drawn = [num for num in paths if num == 2]
            check(len(drawn) >= panels * len(lines), f"{words}: {paths}")
        check(read(png)[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
        os.remove(svg), os.remove(png)
    check(d.left() == [], f"{d.left()}")


USAGE = {
    ("bench", "--counts", "x"): "--counts x:", ("bench", "--types", "f31"): "--types f31:",
    ("bench", "--rounds", "0"): "--rounds 0:", ("bench", "--seconds", "nan"): "--seconds nan:",
    ("bench", "--svg", ""): "--svg needs a file", ("bench", "--svg"): "--svg",
    ("bench", "--none"): "--none", ("compare", "--peers", "nobody"): "--peers nobody",
    ("compare", "--peers", "x="): "--peers x=", ("ladder", "--op", "none"): "--op",
    ("trace", "--op", "mul"): "--op", ("tune", "--file", "-"): "--file needs a file",
    ("small", "--limit", "0"): "--limit 0:", ("bench", "--count", "5"): "--count",
}  # fmt: skip
WRONG = {("bench", "sum"): "sum is not one of", ("bench", "reduce --op"): "--op needs a value",
         ("bench", "--svg", "/none/x.svg"): "/none/x.svg:", ("compare", "--png", "/"): "/:",
         ("ladder", "--svg", "/none/x"): "/none/x:", ("trace", "--svg", "/none/x"): "/none/x:",
         ("bench", "--device", "none of these", "map"): "none of these"}  # fmt: skip


def refused(d, _):
    """Before anything is measured."""
    for status, wrong in ((2, USAGE), (1, WRONG)):
        for words, part in wrong.items():
            if os.geteuid() or words[1:] != ("--png", "/"):
                d.bad(status, part, *words)


def closed(d, device):
    """The output."""
    words = d.on(device, "bench", *SHORT, "--counts", "1", "--types", "f32,i32,u8", "reduce")
    with subprocess.Popen(d.command_of(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.readline()
        run.stdout.close()
        check(run.wait(120) == 1 and not run.stderr.read(), "a closed output")
    d.fill_output(*words)


HELP = [help_names(view, ["--device", "--help", "--json"] * (view != "tune") + ["clfold " + view])
        for view in ("bench", "compare", "ladder", "small", "trace", "tune")]  # fmt: skip
PARTS = {"quick": ([*HELP, refused],
                   [every_list, table, against, compared, ladder, trace, small, tuned, closed]),
         "wide": ([], [all_lists, memory, charts])}  # fmt: skip

if __name__ == "__main__":
    programs.FOLDER = os.path.abspath(sys.argv[2])
    run_cases(Views(*map(os.path.abspath, sys.argv[1:3])), *PARTS[sys.argv[3]])

"""Drives the views of the lab on a device, as a user does. usage: views.py COMMAND SCRIPTS PART:
the built clfold, the folder of clfold-bench and its kin, and `quick` or `wide`. Prints TAP; 77:
there is no device."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
# pylint: disable=wrong-import-position
import faults  # noqa: E402
from cases import Skip, check, help_names, read, run_cases, write  # noqa: E402
from lab import bench  # noqa: E402

SHORT = ["--rounds", 1, "--once"]
KEYS = ["case", "type", "count", "program", "device", "driver", "ok", "checked", "rounds",
        "seconds", "spread", "event_seconds", "gbps", "range_gbps", "quartiles_gbps", "ratio",
        "algorithm", "policy", "sets", "set_bytes", "sets_few"]  # fmt: skip
OWN = ["opencl_gbps", "native_gbps", "roofline_gbps", "roofline", "roofline_broken", "fraction"]
RUNGS = [*(f"reduce{n}" for n in range(7)), "auto"]


def on(device, view, *words):
    return [view, "--device", device["index"], *words]


def check_bench(d, device, rows, count, *words):
    """Of such cases, in one run: each is right, and told as it should be."""
    parts = json.dumps([d.scripts, None, rows])
    command = [sys.executable, "-c", faults.BENCH, faults.TOOLS, parts,
               *on(device, "--json", *SHORT, "--counts", count, *words, "picked")]  # fmt: skip
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    bad = [line for line in lines if not (line["ok"] and line["checked"])]
    check(done.returncode == 0 and not bad, f"exit {done.returncode}, {bad} {done.stderr!r}")
    told = [(line["case"], line["type"]) for line in lines]
    check(told == [(words, kind) for words, kinds in rows for kind in kinds.split()], f"{told}")
    for line in lines:
        check(list(line) == KEYS + OWN and line["device"] == device["name"], f"{line}")
        check(0 < line["seconds"] < 60 and line["rounds"] == line["sets"] == 1, f"{line}")
        check(line["gbps"] > 0 and line["opencl_gbps"] > 0 and line["algorithm"], f"{line}")
        check(line["native_gbps"] is None or device["type"] == "cpu", f"{line}")
        share = line["gbps"] / line["roofline_gbps"]
        check(abs(line["fraction"] / share - 1) < 1e-9, f"{line}")
        check(line["event_seconds"] is None or 0 < line["event_seconds"] < 60, f"{line}")


def rows_for(device, rows):
    """Those of its types."""
    picked = [(words, [kind for kind in kinds.split() if device["fp64"] or "f64" not in kind])
              for words, kinds in rows]  # fmt: skip
    return [(words, " ".join(kinds)) for words, kinds in picked if kinds]


def every_list(d, device):
    """The last case of each list of bench."""
    rows = dict((rows[-1][0], rows[-1][1].split()[0]) for rows in bench.CASES.values())
    check_bench(d, device, rows_for(device, rows.items()), 3000, "--events")


def all_lists(d, device):
    for count in (1, 70001):
        check_bench(d, device, rows_for(device, bench.CASES["all"]), count)


def table(d, device):
    words = on(device, "bench", *SHORT, "--types", "f32,u8:u64", "--counts", "1000,2^10", "reduce")
    head, *rows, _, last = [line.split() for line in d.good(*words).splitlines()]
    check(head[:4] == ["case", "type", "count", "GB/s"], f"{head}")
    told = [["reduce", kind, num] for kind in ("f32", "u8:u64") for num in ("1000", "2^10")]
    check([row[:3] for row in rows] == told, f"{rows}")
    check(" ".join(last).startswith(device["name"]), f"{last}")


def against(d, device):
    """A tuning file's call has its turn, and its ratio is of the same rounds."""
    path = write(d.path("tuning"), "clfold tuning 5\n")
    told = d.good(*on(device, "tune", "--show", "--file", path))
    key = re.fullmatch(re.escape(path) + ": 0 rows, 0 for (.*)\n", told)[1]
    write(path, f"clfold tuning 5\nreduce 4 2^15..2^17 tile_bytes=256 groups=1 on {key}\n")
    words = on(device, "bench", "--rounds", 6, "--once", "--counts", "2^16", "--types", "f32,i64")
    mine, none = d.rows(0, *words, "--against", path, "reduce")
    ratio, low, high = mine["ratio"]
    check(mine["against"] > 0 and 0 < low <= ratio <= high and mine["policy"] != "tuned", f"{mine}")
    why = "the file has no row for it"
    check(none["against"] == why and none["ratio"] is None, f"{none}")
    head, *rows, _, _ = d.good(*words, "--against", path, "reduce").splitlines()
    check("as fast" in head and re.search(r" \(.* to .*\) ", rows[0]) and why in rows[1], rows)
    d.bad(1, "is not a tuning file", *words, "--against", write(path, "mine\n"))
    d.bad(1, "none", *words, "--against", "none")


def compared(d, device):
    """clfold, peers and the roofline: each has its line, and is right."""
    peers = ["loop", "openmp", "numpy"]
    words = on(device, "compare", "--rounds", 3, "--once", "--counts", 5001,
               "--peers", ",".join(peers))  # fmt: skip
    for kind, one in (("f32", "reduce"), ("i32", "select --where 'x > 0' --rest"),
                      ("f32", "reduce --by offsets:u32 --segments 0-3")):  # fmt: skip
        rows = d.rows(0, *words, "--types", kind, one)
        check([row["program"] for row in rows] == ["clfold", *peers, "roofline"], f"{rows}")
        for row in rows[:-1]:
            check(list(row) == KEYS and row["ok"] and row["checked"], f"{row}")
            check((row["ratio"] is None) == (row["program"] == "clfold"), f"{row}")
            least, most = row["range_gbps"]
            check(0 < least <= row["gbps"] <= most and row["rounds"] == 3, f"{row}")


def ladder(d, device):
    """Each rung has its tree, and what clfold predict says of it."""
    words = on(device, "ladder", *SHORT, "--predict", "h100", "--counts")
    rows = d.rows(0, *words, "2^12,2^14", "--op", "max")
    check([row["kernel"] for row in rows] == 2 * RUNGS, f"{rows}")
    for row in rows:
        check(row["ok"] and row["bytes"] == 4 * row["count"] + 4 and row["read_gbps"] > 0, f"{row}")
        if row["kernel"] != "auto":
            check(1 << row["steps"] == row["group_size"], f"{row}")
            check(row["barriers"] == row["steps"] + 1 and "h100" in row["predicted_device"].lower(),
                  f"{row}")  # fmt: skip
    nest = ["predict", "reduce0", "--json", "--device", "h100", "--set", "n=4096", "--set", "T=4"]
    nest += [] if device["type"] == "cpu" else ["--set", f"B={rows[0]['group_size']:.0f}"]
    told = subprocess.run([d.command, *nest], check=True, capture_output=True).stdout
    seconds = json.loads(told.splitlines()[-1])["seconds"]
    check(f'{rows[0]["predicted_seconds"]:.9g}' == f"{seconds:.9g}", f"{rows[0]} and {seconds}")
    told = [line.split()[:3] for line in d.good(*words, "2^12").splitlines()[1:9]]
    check(told == [["i32", "2^12", rung] for rung in RUNGS], f"{told}")
    d.bad(1, "none", *on(device, "ladder", *SHORT, "--predict", "none", "--counts", "2^12"))


def trace(d, device):
    words = on(device, "trace", "--count", "2^18")
    done = d.run(*words)
    if b"unsupported" in done.stderr:
        raise Skip(done.stderr.decode().strip())
    for op, kind in (("add", "f32"), ("max", "i64"), ("logical-or", "i32")):
        tiles, whole = d.rows(0, *words, "--op", op, "--type", kind), d.last
        check(len(tiles) == whole["tiles"] == -(-(1 << 18) // int(whole["tile_size"])), f"{whole}")
        check([tile["tile"] for tile in tiles] == list(range(len(tiles))), f"{tiles[:3]}")
        check(min(tile["started"] for tile in tiles) == 0 and whole["ok"], f"{whole}")
        check(all(tile["started"] <= tile["aggregate"] <= tile["prefix"] for tile in tiles), whole)
        depth = sum(tile["depth"] for tile in tiles) / len(tiles)
        check(abs(whole["mean_depth"] - depth) < 1e-9, f"{whole}")
        d.good(*words, "--op", op, "--type", kind)
    told = d.good(*words, "--algorithm", "scan_chained", "--type", "u8:u32")
    check("scan_chained" in told and re.search(r"^ +0 +P +(\d+) +\1$", told, re.M), told)
    told = d.good(*words, "--type", "u8:f32", "--count", "2^20")  # which depends on the order
    check("; result not checked\n" in told and re.search(r" +P +\S+ +-\n", told), told)
    d.bad(1, "folds integers only", *words, "--op", "bit-and")


def small(d, device):
    words = on(device, "small", "--rounds", 5, "--counts", "1,64")
    rows = d.rows(0, *words, "reduce --combine 'a + b' --identity 0")
    check([row["count"] for row in rows] == [1, 64], f"{rows}")
    for row in rows:
        check(row["ok"] and row["seconds"] > 0 and row["empty_seconds"] > 0, f"{row}")
    check(d.good(*words, "scan").splitlines()[1].split()[:3] == ["scan", "f32", "1"], "a table")


def tuned(d, device):
    """A search of a moment; its row serves the library, and rows of others stay."""
    path = write(d.path("tuning"), faults.FIRST)
    words = on(device, "tune", "--file", path)
    told = d.good(*words, "--types", "i32", "--counts", "2^16", "--seconds", 3, "scan").splitlines()
    better = "=" in told[1]
    check(told[1].split()[:3] == ["scan", "i32", "2^16"] and len(told) == 5, f"{told}")
    check(told[4].startswith(f"{int(better)} of 1 are faster"), f"{told}")
    text = read(path).decode()
    check(text.startswith(faults.FIRST) and text.count("\n") == 2 + better, text)
    shown = d.good(*words, "--show").splitlines()
    check([line.split()[0] for line in shown[:-1]] == ["-"] + ["serves"] * better, f"{shown}")
    words = on(device, "explain", "scan", "--type", "i32", "--count", "2^16", "--json")
    told = subprocess.run([d.command, *map(str, words)], check=True, capture_output=True,
                          env={**os.environ, "CLFOLD_TUNING": path}).stdout  # fmt: skip
    check(("by the tuning file" in json.loads(told)["why"]) == better, f"{told}")


def charts(d, device):
    """One line for each series, with a title and names of the axes."""
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True,
                      check=False).returncode:  # fmt: skip
        check(not os.environ.get("CLFOLD_REQUIRED_TOOLS"), "there is no matplotlib")
        raise Skip("there is no matplotlib")
    svg, png = d.path("a.svg"), d.path("a.bitmap")
    short = [*SHORT, "--counts", "2^10,2^12,2^14"]
    for view, lines, panels, words in (
        ("bench", ["clfold", "roofline"], 2, [*short, "--types", "f32,i32", "reduce"]),
        ("compare", ["clfold", "numpy", "roofline"], 1, [*short, "--peers", "numpy", "map"]),
        ("ladder", ["roofline: read", *RUNGS[:-1], "clfold: auto"], 1, [*short, "--json"]),
        ("small", ["clfold", "roofline: empty kernel"], 1, [*short, "--types", "f32", "map"]),
        ("tune", ["clfold: tuned", "default"], 1, [*short[2:], "--file", d.path("t"), "--types",
                                                   "f32", "--seconds", 1, "map"]),
        ("trace", ["prefix published"], 1, ["--count", "2^16"]),
    ):  # fmt: skip
        done = d.run(*on(device, view, "--svg", svg, "--png", png, *words))
        if b"unsupported" in done.stderr:
            continue
        check(done.returncode == 0 and not done.stderr, f"{done}")
        xml.parse(svg)
        text = read(svg).decode()
        said = re.findall("<!-- (.*?) -->", text)
        check(all(said.count(name) == panels for name in lines), f"{lines}: {said}")
        check(any(f"{device['name']}, clfold {view}" in one for one in said), f"{said}")
        axes = ["tile"] if view == "trace" else ["number of elements n", {
            "small": "microseconds, lower is better"}.get(view, "GB/s, higher is better")]
        check(all(said.count(name) == panels + (view == "trace") for name in axes), f"{said}")
        paths = [path.count("L") for path in re.findall('<path d="(M[^"]*)" clip-path', text)]
        # grids have one part, lines of three counts two, if they are not straight
        lines = [name for name in lines if name != "roofline: read" and view != "trace"]
        check(paths.count(2) >= panels * len(lines), f"{view}: {paths}")
        check(read(png)[:8] == b"\x89PNG\r\n\x1a\n", f"{view}: no PNG")
        check({*d.left()} - {"t"} == {"a.bitmap", "a.svg"}, f"{d.left()}")


USAGE = {
    "bench --counts x": "--counts x:", "bench --types f31": "--types f31:", "bench --svg": "--svg",
    "bench --rounds 0": "--rounds 0:", "bench --seconds nan": "--seconds nan:", "bench --none":
    "--none", "bench --svg=": "--svg needs a file", "compare --peers nobody": "--peers nobody",
    "compare --peers x=": "--peers x=", "ladder --op none": "--op", "trace --op mul": "--op",
    "tune --file -": "--file needs a file", "small --limit 0": "--limit 0:", "bench --count 5":
    "--count",
}  # fmt: skip
WRONG = {"bench sum": "sum is not one of", "bench reduce --op": "--op needs a value", "bench --svg "
         "/none/x.svg": "/none/x.svg:", "compare --png /": "/:", "ladder --svg /none/x": "/none/x:",
         "trace --svg /none/x": "/none/x:", "bench --device nothing map": "nothing"}  # fmt: skip


def refused(d, _):
    """Before anything is measured."""
    for status, wrong in ((2, USAGE), (1, WRONG)):
        for words, part in wrong.items():
            d.bad(status, part, *words.split())


def closed(d, device):
    """The output; and one that is full."""
    words = on(device, "bench", *SHORT, "--counts", "1", "--types", "f32,i32,u8", "reduce")
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(d.command_of(*words), **pipe) as run:
        run.stdout.readline()
        run.stdout.close()
        check(run.wait(120) == 1 and not run.stderr.read(), "a closed output")
    d.fill_output(*words)


HELP = [help_names(view, ["--device", "--help", f"clfold {view}"])
        for view in ("bench", "compare", "ladder", "small", "trace", "tune")]  # fmt: skip
QUICK = [every_list, table, against, compared, ladder, trace, small, tuned, closed]
PARTS = {"quick": ([*HELP, refused], QUICK), "wide": ([], [all_lists, charts])}

if __name__ == "__main__":
    run_cases(faults.Lab(*map(os.path.abspath, sys.argv[1:3])), *PARTS[sys.argv[3]])

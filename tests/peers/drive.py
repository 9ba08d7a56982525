"""Drives tools/compare as a user does.

usage: drive.py COMMAND COMPARE BUILD WRONG PEER...

COMMAND is the built clfold, COMPARE tools/compare, BUILD the build's folder, WRONG a program whose
loops are wrong, and each PEER one that was built there. Prints TAP. Exits 0 when all passed, 1 when
something failed, 77 when there is no OpenCL device. What faults there may be is planted
(planted.py), with a planted clfold beside them; the built ones run on each device.
"""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "command"))
# pylint: disable=wrong-import-position
from cases import check, needs_gnuplot, run_cases  # noqa: E402
from charts import Chart  # noqa: E402

PLANTED = f"{shlex.quote(sys.executable)} {shlex.quote(os.path.join(HERE, 'planted.py'))}"
SECONDS = 10  # a planted program answers in less
# What stands in the table for each fault.
FAULTS = {
    "no_device": "no device: there is none of these",
    "fails": 'failed: it says "no" twice',
    "wrong_at_once": "WRONG: item 5 is 3 and not 4",
    "unsupported": "unsupported: it folds in no order",
    "wrong": "WRONG: item 7 is 1 and not 2",
    "quits": "ended with 3: out of sorts",
    "crashes": "ended by SIGSEGV",
    "hangs": f"no answer in {SECONDS} s",
    "hangs_at_once": f"no answer in {SECONDS} s",
    "elsewhere": "ran on another device, another",
    "chatters": "answered hello",
    "says_nothing": 'answered {"nothing": 1}',
    "back_in_time": "took -1 s",
}
KEYS = ["op", "operator", "type", "count", "implementation", "ok"]
GOOD_KEYS = [
    *KEYS, "device", "rounds", "seconds", "gbps", "least_gbps", "most_gbps", "quartiles_gbps",
    "ratio",
]  # fmt: skip
PEERS = ["boost_compute", "pyopencl", "numpy", "scipy", "onetbb", "openmp", "loop", "cub"]
REORDER = ["openmp", "pyopencl", "cub"]
LENGTHS = [f"offsets-{one}" for one in ("3", "0-3", "8", "64", "1000", "pareto")]
OPS = ["reduce", "scan", "segments", "map", "rows", *LENGTHS]
SELECTS = ["select-1", "select-50", "select-99", "partition", "unique-1", "unique-4", "unique-1000",
           "rle-4", "by-keys-8"]  # fmt: skip
OPERATORS = ["add", "dual", "affine", "squares", "dot", "above"]
HEAD = [
    "op", "operator", "type", "count", "implementation", "GB/s", "from", "-", "to", "clfold/peer",
]  # fmt: skip


class Driver:
    def __init__(self, command, compare, build, wrong, *peers):
        self.command, self.compare = os.path.abspath(command), os.path.abspath(compare)
        self.build, self.peers = os.path.abspath(build), peers
        self.wrong = os.path.abspath(wrong)
        words = [sys.executable, "-c", "import numpy"]
        self.has_numpy = subprocess.run(words, capture_output=True, check=False).returncode == 0
        self.folder = None
        self.devices = []

    def good(self, *words):
        """Of the command clfold."""
        done = subprocess.run([self.command, *words], capture_output=True, timeout=240, check=True)
        return done.stdout.decode()

    def run(self, *words, build=None, **options):
        # By this Python, for a PATH that has none.
        command = [sys.executable, self.compare, "--build", build or self.folder, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False,
                              stdin=subprocess.DEVNULL, **options)

    def write_program(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)

    def plant(self, name, fault="none"):
        self.write_program(f"tools/peers/peer_{name}", f'exec {PLANTED} {fault} "$@"')

    def rows(self, status, *words, **options):
        """By implementation, of one case."""
        done = self.run("--json", *words, **options)
        check(done.returncode == status, f"{words}: exit {done.returncode}, {done.stderr!r}")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        for row in rows:
            check(list(row) == (GOOD_KEYS if row["ok"] else [*KEYS, "why"]), f"{row}")
        return {row["implementation"]: row for row in rows}


ONE = ["--ops", "scan", "--types", "f32", "--counts", "1000000", "--rounds", "3"]


# Words of a command that is refused, and what its sentence names.
REFUSED = {
    "--ops reduce,sum": "'sum'", "--operators affine,mul": "'mul'", "--types u8": "'u8'",
    "--counts 2^": "'2^'", "--counts 0": "'0'", "--counts 1,2^41": "'2^41'", "--rounds 0": "'0'",
    "--rounds 1e3": "'1e3'", "--limit 0": "'0'", "--peers loop,thrust": "'thrust'",
    "--peers a=": "'a='", "--peers clfold=x": "'clfold=x'", "--device": "--device",
    "--svg -": "'-'", "--svg ": "''", "x": "x", "--round 3": "--round",
}  # fmt: skip


def refused(d, _):
    """Usage errors, in one sentence that names the value."""
    text = d.run("--help").stdout
    for word in ["--ops", "--operators", "--types", "--counts", "--rounds", "--device", "--peers",
                 "--limit", "--build", "--no-build", "--json", "--svg", "2^26", "NAME=COMMAND",
                 "Exit status", *PEERS]:  # fmt: skip
        check(word in text, f"--help does not name {word}")
    for words, part in REFUSED.items():
        done = d.run("--no-build", *words.split(" "))
        last = done.stderr.splitlines()[-1]
        check(done.returncode == 2 and not done.stdout and last.startswith("compare: error: ")
              and part in last, f"{words}: exit {done.returncode}, {done.stderr!r}")  # fmt: skip


def faults(d, _):
    """Each is reported in its line, and does not affect the others."""
    d.plant("clfold")
    peers = ",".join(f"{fault}={PLANTED} {fault}" for fault in FAULTS)
    peers += f",slower={PLANTED} slower,nowhere={d.folder}/nowhere"
    words = ["--no-build", "--limit", SECONDS, *ONE, "--peers", peers]
    rows = d.rows(0, *words)
    check(list(rows) == ["clfold", *FAULTS, "slower", "nowhere"], f"{list(rows)}")
    for fault, why in {**FAULTS, "nowhere": "does not start: No such file or directory"}.items():
        check(rows[fault]["why"] == why, f"{fault}: {rows[fault]}")
    # 8 MB in 1, 2 and 4 ms, and in 3, 4 and 5
    for name, speeds in {"clfold": (4, 2, 8, [2.667, 5.333], 1),
                         "slower": (2, 1.6, 2.667, [1.778, 2.286], 2)}.items():  # fmt: skip
        row = rows[name]
        found = tuple(row[key] for key in GOOD_KEYS[-5:])
        check(row["ok"] and row["rounds"] == 3 and found == speeds, f"{row}")


def table(d, _):
    d.plant("clfold")
    peers = f"slower={PLANTED} slower,crashes={PLANTED} crashes,cub"
    done = d.run("--no-build", *ONE, "--peers", peers)
    lines = [line.split(maxsplit=5) for line in done.stdout.splitlines()]
    case = ["scan", "add", "f32", "1000000"]
    check(
        done.returncode == 0 and not done.stderr and lines == [
            [*HEAD[:5], "GB/s         from - to  clfold/peer"],
            [*case, "clfold", "4.00       2.00 - 8.00         1.00"],
            [*case, "slower", "2.00       1.60 - 2.67         2.00"],
            [*case, "crashes", "ended by SIGSEGV"],
            [*case, "cub", f"not built in {d.folder}"],
            [],
            ["OpenCL", "device:", "planted;", "medians", "of", "3 rounds, all in turn"],
        ],
        f"{done.returncode} {done.stderr!r} {lines}",
    )  # fmt: skip


def look_at(path, *words):
    """That it is a whole chart with these words in it."""
    root = ElementTree.parse(path).getroot()
    check(root.tag == "{http://www.w3.org/2000/svg}svg", root.tag)
    parts = [part for part in root.iter() if part.tag.endswith("}text")]
    text = "\n".join("".join(part.itertext()) for part in parts)
    for word in words:
        check(word in text, f"{path} is without {word}: {text}")


BENCH_ROW = '{"device": "planted", "runs": 5, "roofline_gbps": 8.5}'


def chart(d, _):
    """Correct programs have a line, and the command bench's numbers of the device."""
    needs_gnuplot()
    d.plant("clfold")
    d.write_program("tools/clfold/clfold",
                    f"[ \"$1 $2\" = 'bench --json' ] && echo '{BENCH_ROW}'")
    path = os.path.join(d.folder, "it's.svg")
    with open(path, "w", encoding="utf-8"):
        pass
    os.chmod(path, 0o600)
    before = sorted(os.listdir(d.folder))
    words = ["--no-build", *ONE, "--counts", "1000000,2000000", "--peers",
             f"slower={PLANTED} slower,crashes={PLANTED} crashes", "--svg"]  # fmt: skip
    done = d.run(*words, path)
    lines = [line.split() for line in done.stdout.splitlines()]
    check(done.returncode == 0 and not done.stderr, f"{done}")
    check(["scan", "add", "f32", "2000000", "roofline", "8.50"] in lines, f"{lines}")
    look_at(path, "planted, compare: medians of 3 rounds, bands of the middle half, clfold 0.",
            "scan add f32", "clfold", "slower", "roofline")  # fmt: skip
    check("crashes" not in open(path, encoding="utf-8").read(), "a line of what crashed")
    seen = Chart(path)
    found = seen.check_panel(0, "scan add f32", ["clfold", "slower", "roofline"])
    check([one.text for one in seen.texts if one.bold][1:] == ["clfold"], "clfold alone is bold")
    check({name for name, line in found.items() if line.dashed} == {"roofline"}, f"{found}")
    heights = {name: [seen.panels[0][3] - y for _, y in line.points]
               for name, line in found.items()}  # fmt: skip
    check(all(abs(a - 2 * b) < 0.1 for a, b in zip(heights["clfold"], heights["slower"],
                                                   strict=True)), f"{heights}")  # fmt: skip
    for name, shares in {"clfold": (2 / 3, 4 / 3), "slower": (8 / 9, 8 / 7)}.items():
        band = seen.band_of(found[name], seen.panels[0])
        for i, height in enumerate(heights[name]):
            ends = sorted(seen.panels[0][3] - band[k][1] for k in (i, 3 - i))
            check(all(abs(end - share * height) < 0.1 for end, share in
                      zip(ends, shares, strict=True)), f"{name}: {band}")  # fmt: skip
    check(sorted(os.listdir(d.folder)) == before, f"{os.listdir(d.folder)}")
    check(os.stat(path).st_mode & 0o777 == 0o600, f"{os.stat(path)}")

    # The roofline fails: its line says so, and the rest is complete. A link stays.
    os.symlink(path, path + ".link")
    for script, why in [("exit 1", "clfold bench: ended with 1"),
                        ("echo '{}'", "clfold bench: ended with 0"),
                        ("echo no device >&2; exit 1", "clfold bench: no device"),
                        (f"echo '{BENCH_ROW}' | sed s/8.5/null/", "clfold bench: ended with 0"),
                        (f"echo '{BENCH_ROW}' | sed s/8.5/0/", "clfold bench: ended with 0"),
                        (f"echo '{BENCH_ROW}' | sed s/runs/x/", "clfold bench: ended with 0")]:
        d.write_program("tools/clfold/clfold", script)
        rows = d.rows(0, "--no-build", *ONE, "--peers", f"slower={PLANTED} slower",
                      "--svg", path + ".link")  # fmt: skip
        check(rows["roofline"]["why"] == why and rows["slower"]["ok"], f"{rows}")
        look_at(path, "clfold", "slower")
        check(os.path.islink(path + ".link"), "the link is gone")
        check("roofline" not in open(path, encoding="utf-8").read(), "a roofline that is none")


def no_chart(d, _):
    """A chart that cannot be drawn is reported before anything runs, and an old file stays."""
    needs_gnuplot()
    d.plant("clfold")
    words = ["--no-build", *ONE, "--peers", f"slower={PLANTED} slower", "--svg"]
    path = os.path.join(d.folder, "x.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write("as it was")
    os.makedirs(os.path.join(d.folder, "empty"))
    bare = dict(os.environ, PATH=os.path.join(d.folder, "empty"))
    for part, name, environment in [
        ("is not a regular file", d.folder, None),
        ("is not a regular file", "/dev/null", None),
        ("no file can be made in", os.path.join(d.folder, "nowhere", "x.svg"), None),
        ("needs the program gnuplot", path, bare),
    ]:
        done = d.run(*words, name, env=environment)
        check(done.returncode == 1 and not done.stdout and part in done.stderr
              and len(done.stderr.splitlines()) == 1, f"{done}")  # fmt: skip
    for script, part in [("exit 3", "failed with status 3"), ("echo '<svg>'", "is not complete")]:
        d.write_program("bin/gnuplot", script)
        before = sorted(os.listdir(d.folder))
        environment = dict(os.environ, PATH=f"{d.folder}/bin:{os.environ['PATH']}")
        done = d.run(*words, path, env=environment)
        check(done.returncode == 1 and part in done.stderr and "slower" in done.stdout, f"{done}")
        check(sorted(os.listdir(d.folder)) == before, f"{os.listdir(d.folder)}")
    os.remove(os.path.join(d.folder, "bin", "gnuplot"))
    check(open(path, encoding="utf-8").read() == "as it was", "the chart of before is gone")


def clfold_itself(d, _):
    """Where it fails, so does the comparison, and the others are shown all the same."""
    words = ["--no-build", *ONE, "--peers", f"slower={PLANTED} slower"]
    rows = d.rows(1, *words)
    check(rows["clfold"]["why"] == f"not built in {d.folder}" and rows["slower"]["ok"], f"{rows}")
    for fault in ["wrong", "crashes", "fails"]:
        d.plant("clfold", fault)
        rows = d.rows(1, *words)
        check(rows["clfold"]["why"] == FAULTS[fault], f"{rows}")
        check(rows["slower"]["ok"] and rows["slower"]["ratio"] is None, f"{rows}")
    d.write_program("tools/peers/peer_clfold", "exit 4$POCL_AFFINITY")
    bare = {name: value for name, value in os.environ.items() if name != "POCL_AFFINITY"}
    for given, found in [({}, 1), ({"POCL_AFFINITY": "0"}, 0)]:
        rows = d.rows(1, *words, env={**bare, **given})
        check(rows["clfold"]["why"] == f"ended with 4{found}", f"{rows}")


def builds(d, _):
    """With a ninja that cannot build everything: its first error stands in the line."""
    d.plant("clfold")
    d.plant("loop", "slower")
    d.plant("openmp")
    with open(os.path.join(d.folder, "build.ninja"), "w", encoding="utf-8"):
        pass
    # ninja -C DIR TARGET, and ninja -C DIR -t query TARGET
    d.write_program("bin/ninja", """case "$3 $5" in
*peer_cub) exit 1 ;;
peers*|tools/peers/peer_openmp*|tools/clfold/clfold*)
    printf '%s\\n' building 'x.c:1: error: planted' stopped
    exit 1 ;;
esac""")
    environment = dict(os.environ, PATH=f"{d.folder}/bin:{os.environ['PATH']}")
    rows = d.rows(0, *ONE, "--peers", "loop,openmp,cub", env=environment)
    check(rows["clfold"]["ok"] and rows["loop"]["ok"], f"{rows}")
    check(rows["openmp"]["why"] == "does not build: x.c:1: error: planted", f"{rows}")
    check(rows["cub"]["why"] == "not installed: needs CUDA's nvcc", f"{rows}")
    needs_gnuplot()
    rows = d.rows(0, *ONE, "--peers", "loop", "--svg", os.path.join(d.folder, "x.svg"),
                  env=environment)  # fmt: skip
    said = "clfold does not build: x.c:1: error: planted"
    check(rows["roofline"]["why"] == said and rows["loop"]["ok"], f"{rows}")


def built(d, device):
    """What this build has, on small counts: every line is there, and right."""
    words = ["--no-build", "--device", device["index"], "--rounds", 3, "--peers", ",".join(d.peers)]
    counts = {"1000": "1000", "2^13": "2^13", "100003": "100003"}
    done = d.run(*words, "--counts", ",".join(counts), build=d.build)
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and lines[0].split() == HEAD, f"{done}")
    wanted = [
        [op, "add", kind, count, name]
        for op in ["reduce", "scan"] for kind in ["f32", "i32"]
        for count in counts.values() for name in ["clfold", *d.peers]
    ]  # fmt: skip
    check([line.split()[:5] for line in lines[1:-2]] == wanted, f"{lines}")
    for line in lines[1:-2]:
        check(re.fullmatch(r" +\d+\.\d\d +\d+\.\d\d - \d+\.\d\d +\d+\.\d\d", line[57:]), line)
    check(device["name"] in lines[-1], lines[-1])


# Pairs, by function or text; what an element gives; segments, maps, rows and selects.
ALL = [
    ("scan", "add", "i64"), ("scan", "add", "f64"),
    *itertools.product(["reduce", "scan"], ["dual", "affine"], ["f32", "i64"]),
    ("reduce", "squares", "f32"), ("reduce", "dot", "i64"), ("reduce", "above", "f32"),
    ("scan", "dot", "f32"), ("segments", "add", "f32"), ("segments", "dot", "i32"),
    ("segments", "affine", "i64"), ("map", "above", "i64"), ("map", "affine", "f32"),
    ("rows", "add", "f32"), ("rows", "dot", "i32"), ("rows", "affine", "f32"),
    *((op, "add", "f32") for op in LENGTHS), ("offsets-0-3", "dot", "i32"),
    ("offsets-pareto", "affine", "i64"), ("offsets-8", "above", "f32"),
    *((op, "add", ["f32", "i64"][i % 2]) for i, op in enumerate(SELECTS)),
]  # fmt: skip


def all_right(d, device):
    """Every program is right, or says that it reorders what does not commute."""
    for op, operator, kind in ALL:
        if kind == "f64" and not device["fp64"]:
            continue
        rows = d.rows(0, "--no-build", "--device", device["index"], "--rounds", 1, "--ops", op,
                      "--operators", operator, "--types", kind, "--counts", "70001", "--peers",
                      ",".join(d.peers), build=d.build)  # fmt: skip
        ordered = operator == "affine" and op not in ("scan", "segments", "map")
        for name, row in rows.items():
            check(row["operator"] == operator, f"{row}")
            if ordered and name in REORDER:
                why = "unsupported: it reduces in any order, and affine does not commute"
                check(row.get("why") == why, f"{row}")
            else:
                check(row["ok"], f"{row}")
        check(rows["clfold"]["device"] == device["name"], f"{rows}")


def wrong_results(d, _):
    """Each operation with each operator: no wrong result is believed, of C or of Python, and
    numpy is right, or says what it lacks. They need no device."""
    d.plant("clfold")
    planted = os.path.join(HERE, "wrong_numpy.py")
    peers = ["numpy", f"wrong={shlex.quote(d.wrong)}",
             f"wrong_numpy={shlex.quote(sys.executable)} {shlex.quote(planted)}"]  # fmt: skip
    cases = [*itertools.product(OPS, OPERATORS), *itertools.product(SELECTS, ["add"])]
    for op, operator in cases:
        rows = d.rows(0, "--no-build", "--rounds", 1, "--ops", op, "--operators", operator,
                      "--types", "i32", "--counts", 5001, "--peers",
                      ",".join(peers if d.has_numpy else peers[1:2]))  # fmt: skip
        check(re.match("WRONG: [a-z ]+ [0-9]+ is .* and not ", rows["wrong"].get("why", "")),
              f"{rows['wrong']}")  # fmt: skip
        if not d.has_numpy:
            continue
        lacks = None
        if operator in ("dual", "affine"):
            lacks = "unsupported: it has no operator of the user's"
        elif op == "segments":
            lacks = "unsupported: it has no segmented scan"
        elif op == "scan" and operator != "add":
            lacks = "unsupported: its scans are of what memory holds"
        check(rows["numpy"].get("why") == lacks, f"{rows['numpy']}")
        place = {"reduce": "the fold of items up to 5000", "rows": "the fold of items up to 3999"}
        found = f"WRONG: {place.get(op, 'item 2500')} is "
        if op in LENGTHS:
            found = "WRONG: the fold of segment "
        if op in SELECTS:
            found = "WRONG: what is kept as number "
        if op == "segments":
            lacks = None  # wrong_numpy.py has them
        check(rows["wrong_numpy"].get("why", "").startswith(lacks or found),
              f"{rows['wrong_numpy']}")  # fmt: skip


def moved(d, _):
    """GB/s are of what each case must read and write: 2 ms for 10^6 elements."""
    d.plant("clfold")
    for op, speeds in {"reduce": [2, 4, 4, 2, 4, 2], "rows": [2, 4, 4, 2, 4, 2],
                       "offsets-8": [2, 4, 4, 2, 4, 2],
                       "scan": [4, 8, 8, 4, 6, 4], "map": [4, 8, 8, 4, 6, 4],
                       "segments": [4.5, 8.5, 8.5, 4.5, 6.5, 4.5], "partition": [4],
                       "unique-4": [2.5], "rle-4": [3.5], "by-keys-8": [4.5]}.items():
        for operator, speed in zip(OPERATORS, speeds, strict=len(speeds) > 1):
            row = d.rows(0, "--no-build", "--rounds", 3, "--ops", op, "--operators", operator,
                         "--types", "f32", "--counts", 1000000, "--peers",
                         f"slower={PLANTED} slower")["clfold"]  # fmt: skip
            check(row["gbps"] == speed, f"{row}")


def drawn(d, device):
    """The roofline of this device, on counts that take no time."""
    needs_gnuplot()
    path = os.path.join(d.folder, "drawn.svg")
    rows = d.rows(0, "--no-build", "--device", device["index"], "--rounds", 1, "--ops", "reduce",
                  "--types", "i32", "--counts", "100003", "--peers", "loop", "--svg", path,
                  build=d.build)  # fmt: skip
    check(list(rows) == ["clfold", "loop", "roofline"], f"{rows}")
    check(rows["roofline"]["ok"] and rows["roofline"]["gbps"] > 0, f"{rows}")
    check(rows["roofline"]["device"] == device["name"], f"{rows}")
    look_at(path, device["name"], "reduce add i32", "clfold", "loop", "roofline")


def no_such_device(d, _):
    rows = d.rows(1, "--no-build", "--device", "no such device", *ONE, "--peers", "loop",
                  build=d.build)
    check(rows["clfold"]["why"].startswith("no device: --device no such device"), f"{rows}")
    check(rows["loop"]["ok"], f"{rows}")


def unread(d, _):
    """If its output is closed, as by `| head`, it ends without a message."""
    d.plant("clfold")
    words = ["--no-build", *ONE, "--counts", "1,2,3,4", "--peers", f"slower={PLANTED} slower"]
    with subprocess.Popen([d.compare, "--build", d.folder, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:  # fmt: skip
        run.stdout.close()
        said = run.stderr.read()
        check(run.wait(240) == 1 and not said, f"exit {run.returncode}, {said!r}")


WITHOUT = [refused, faults, table, chart, no_chart, clfold_itself, builds, unread, wrong_results,
           moved]  # fmt: skip
WITH = [built, all_right, drawn, no_such_device]


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    run_cases(Driver(*sys.argv[1:]), WITHOUT, WITH)

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
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "command"))
# pylint: disable=wrong-import-position
from cases import Skip, check, needs_gnuplot, read, run_cases, write  # noqa: E402
from charts import rows_of  # noqa: E402

PLANTED = f"{shlex.quote(sys.executable)} {shlex.quote(os.path.join(HERE, 'planted.py'))}"
SECONDS = 10  # a planted program answers in less
# What stands in the table for each fault.
FAULTS = {
    "unsupported": "unsupported: it folds in no order",
    "wrong": "WRONG: item 7 is 1 and not 2",
    "quits": "ended with 3: out of sorts",
    "crashes": "ended by SIGSEGV",
    "hangs": f"no answer in {SECONDS} s",
    "elsewhere": "ran on another device, another",
    "chatters": "answered hello",
    "back_in_time": "took -1 s",
}
KEYS = ["op", "operator", "type", "count", "implementation", "ok"]
GOOD_KEYS = [
    *KEYS, "device", "rounds", "seconds", "gbps", "least_gbps", "most_gbps", "quartiles_gbps",
    "ratio",
]  # fmt: skip
REORDER = ["openmp", "pyopencl", "cub"]
LENGTHS = [f"offsets-{one}" for one in ("3", "0-3", "8", "64", "1000", "pareto")]
OPS = ["reduce", "scan", "segments", "map", "rows", *LENGTHS]
SELECTS = ["select-1", "select-50", "select-99", "partition", "unique-1", "unique-4", "unique-1000",
           "rle-4", "by-keys-8"]  # fmt: skip
OPERATORS = ["add", "dual", "affine", "squares", "dot", "above"]
BENCH_ROW = '{"device": "planted", "runs": 5, "roofline_gbps": 8.5}'


class Driver:
    def __init__(self, command, compare, build, wrong, *peers):
        self.command, self.compare = os.path.abspath(command), os.path.abspath(compare)
        self.build, self.peers = os.path.abspath(build), peers
        self.wrong = os.path.abspath(wrong)
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
    "--ops reduce,sum": "'sum'", "--counts 1,2^41": "'2^41'", "--rounds 1e3": "'1e3'",
    "--peers clfold=x": "'clfold=x'", "--svg -": "'-'",
}  # fmt: skip


def refused(d, _):
    """Usage errors, in one sentence that names the value."""
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


# Of each line its look, and by count its GB/s and their middle half: 8 MB and 16 MB as in `faults`.
DRAWN = {
    "clfold": ("linespoints linetype 1", [[1e6, 4, 2.667, 5.333], [2e6, 8, 5.333, 10.667]]),
    "slower": ("linespoints linetype 2", [[1e6, 2, 1.778, 2.286], [2e6, 4, 3.556, 4.571]]),
    "roofline": ("lines linestyle 20", [[1e6, 8.5], [2e6, 8.5]]),
}
# What becomes of a chart where gnuplot is this script, or none.
UNDRAWN = {"exit 3": "gnuplot failed with status 3: it does not say why",
           "echo '<svg>'": "gnuplot's chart is not complete",
           None: "--svg needs the program gnuplot, and there is none in PATH"}  # fmt: skip


def chart(d, _):
    """Correct programs have a line, and the command bench's number of the device."""
    needs_gnuplot()
    d.plant("clfold")
    d.write_program("tools/clfold/clfold", f"echo '{BENCH_ROW}'")
    words = ["--no-build", *ONE, "--counts", "1000000,2000000", "--peers",
             f"slower={PLANTED} slower,crashes={PLANTED} crashes", "--svg"]  # fmt: skip
    path, kept = os.path.join(d.folder, "it's.svg"), os.path.join(d.folder, "script")
    d.write_program("bin/gnuplot", f'tee {kept} | {shutil.which("gnuplot")} "$@"')
    environment = dict(os.environ, PATH=f"{d.folder}/bin:{os.environ['PATH']}")
    done = d.run(*words, path, env=environment)
    lines = [line.split() for line in done.stdout.splitlines()]
    check(done.returncode == 0 and not done.stderr, f"{done}")
    for row in (["clfold", "4.00", "2.00", "-", "8.00", "1.00"], ["crashes", "ended", "by"],
                ["roofline", "8.50"]):  # fmt: skip
        check(any(line[4 : 4 + len(row)] == row for line in lines), f"{row} is not in {lines}")
    shown = ["".join(text.itertext()).strip() for text in xml.parse(path).getroot().iter()
             if text.tag.endswith("}text")]  # fmt: skip
    check({"scan add f32", *DRAWN} <= {*shown} and "crashes" not in shown, f"{shown}")
    script = read(kept).decode()
    labels = re.findall(r"^set label '(?:{/:Bold )?(\w+)\b.* left textcolor (.*)$", script, re.M)
    check(labels == [(name, look.split(" ", 1)[1]) for name, (look, _) in DRAWN.items()], script)
    for i, (name, (look, values)) in enumerate(DRAWN.items()):
        check(rows_of(script, f"values{i}") == values, f"{name}: {script}")
        check(f"$values{i} using 1:2 with {look}" in script, f"{name}: {script}")
        band = f"$values{i} using 1:3:4 with filledcurves {look.split(' ', 1)[1]} "
        check((band in script) == (name != "roofline"), f"{name}: {script}")


def undrawn(d, _):
    """Why there is no chart, before anything runs if it can be; the old one stays."""
    d.plant("clfold")
    d.write_program("tools/clfold/clfold", f"echo '{BENCH_ROW}'")
    words = ["--no-build", *ONE, "--peers", f"slower={PLANTED} slower", "--svg"]
    path = write(os.path.join(d.folder, "x.svg"), "the old one")
    for script, said in UNDRAWN.items():
        folder = os.path.join(d.folder, "bin")
        if script:
            d.write_program("bin/gnuplot", script)
            folder += ":" + os.environ["PATH"]
        else:
            os.remove(os.path.join(folder, "gnuplot"))
        done = d.run(*words, path, env=dict(os.environ, PATH=folder))
        check(done.returncode == 1 and done.stderr == f"compare: {said}\n"
              and bool(done.stdout) == bool(script), f"{script}: {done}")  # fmt: skip
        check(read(path) == b"the old one" and
              sorted(os.listdir(d.folder)) == ["bin", "tools", "x.svg"], f"{script}: {done}")
    d.write_program("bin/gnuplot", "exit 3")
    done = d.run(*words, d.folder, env=dict(os.environ, PATH=folder))
    check(done.returncode == 1 and not done.stdout and "not a regular file" in done.stderr,
          f"{done}")


def clfold_itself(d, _):
    """Where it fails, so does the comparison, and the others are shown all the same."""
    d.plant("clfold", "wrong")
    rows = d.rows(1, "--no-build", *ONE, "--peers", f"slower={PLANTED} slower,cub")
    check(rows["clfold"]["why"] == FAULTS["wrong"], f"{rows}")
    check(rows["slower"]["ok"] and rows["slower"]["ratio"] is None, f"{rows}")
    check(rows["cub"]["why"] == f"not built in {d.folder}", f"{rows}")


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
peers*|tools/peers/peer_openmp*)
    printf '%s\\n' building 'x.c:1: error: planted' stopped
    exit 1 ;;
esac""")
    environment = dict(os.environ, PATH=f"{d.folder}/bin:{os.environ['PATH']}")
    rows = d.rows(0, *ONE, "--peers", "loop,openmp,cub", env=environment)
    check(rows["clfold"]["ok"] and rows["loop"]["ok"], f"{rows}")
    check(rows["openmp"]["why"] == "does not build: x.c:1: error: planted", f"{rows}")
    check(rows["cub"]["why"] == "not installed: needs CUDA's nvcc", f"{rows}")


# Pairs, by function or text; what an element gives; segments, maps, rows and selects.
ALL = [
    *itertools.product(["reduce", "scan"], ["add", "dual", "affine"], ["f32", "i64"]),
    ("scan", "add", "f64"),
    ("reduce", "squares", "f32"), ("reduce", "dot", "i64"), ("reduce", "above", "f32"),
    ("scan", "dot", "f32"), ("segments", "add", "f32"), ("segments", "dot", "i32"),
    ("segments", "affine", "i64"), ("map", "above", "i64"), ("map", "affine", "f32"),
    ("rows", "add", "f32"), ("rows", "dot", "i32"), ("rows", "affine", "f32"),
    *((op, "add", "f32") for op in LENGTHS), ("offsets-0-3", "dot", "i32"),
    ("offsets-pareto", "affine", "i64"), ("offsets-8", "above", "f32"),
    *((op, "add", ["f32", "i64"][i % 2]) for i, op in enumerate(SELECTS)),
]  # fmt: skip


def all_right(d, device):
    """What this build has: every program is right, or says that it reorders what does not
    commute."""
    for op, operator, kind in ALL:
        if kind == "f64" and not device["fp64"]:
            continue
        rows = d.rows(0, "--no-build", "--device", device["index"], "--rounds", 1, "--ops", op,
                      "--operators", operator, "--types", kind, "--counts", "70001", "--peers",
                      ",".join(d.peers), build=d.build)  # fmt: skip
        check(list(rows) == ["clfold", *d.peers], f"{list(rows)}")
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
    """No wrong result is believed of any operation and operator. They need no device."""
    d.plant("clfold")
    for op, operator in [*itertools.product(OPS, OPERATORS), *itertools.product(SELECTS, ["add"])]:
        rows = d.rows(0, "--no-build", "--rounds", 1, "--ops", op, "--operators", operator,
                      "--types", "i32", "--counts", 5001, "--peers",
                      f"wrong={shlex.quote(d.wrong)}")  # fmt: skip
        check(re.match("WRONG: [a-z ]+ [0-9]+ is .* and not ", rows["wrong"].get("why", "")),
              f"{rows['wrong']}")  # fmt: skip


def wrong_python(d, _):
    """The same of Python."""
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True,
                      check=False).returncode:  # fmt: skip
        raise Skip("numpy is not installed")
    d.plant("clfold")
    planted = os.path.join(HERE, "wrong_numpy.py")
    for op, found in {"reduce": "the fold of items up to 5000", "scan": "item 2500",
                      "offsets-8": "the fold of segment ", "map": "item 2500",
                      "select-50": "what is kept as number "}.items():  # fmt: skip
        rows = d.rows(0, "--no-build", "--rounds", 1, "--ops", op, "--types", "i32", "--counts",
                      5001, "--peers", f"wrong={shlex.quote(sys.executable)} "
                      f"{shlex.quote(planted)}")  # fmt: skip
        check(rows["wrong"].get("why", "").startswith(f"WRONG: {found}"), f"{rows}")


def moved(d, _):
    """GB/s are of what each case must read and write: 2 ms for 10^6 elements."""
    d.plant("clfold")
    for (op, operator), speed in {
        ("reduce", "dot"): 4, ("rows", "add"): 2, ("offsets-8", "dual"): 4, ("scan", "dot"): 6,
        ("map", "dual"): 8, ("segments", "add"): 4.5, ("partition", "add"): 4,
        ("unique-4", "add"): 2.5, ("rle-4", "add"): 3.5, ("by-keys-8", "add"): 4.5,
    }.items():  # fmt: skip
        row = d.rows(0, "--no-build", "--rounds", 3, "--ops", op, "--operators", operator,
                     "--types", "f32", "--counts", 1000000, "--peers",
                     f"slower={PLANTED} slower")["clfold"]  # fmt: skip
        check(row["gbps"] == speed, f"{row}")


WITHOUT = [refused, faults, chart, undrawn, clfold_itself, builds, wrong_results, wrong_python,
           moved]  # fmt: skip
WITH = [all_right]


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    run_cases(Driver(*sys.argv[1:]), WITHOUT, WITH)

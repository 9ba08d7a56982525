"""Drives tools/compare as a user does.

usage: drive.py COMMAND COMPARE BUILD PEER...

COMMAND is the built clfold, COMPARE tools/compare, BUILD the build's folder, and each PEER one
that was built there. Prints TAP. Exits 0 when all passed, 1 when something failed, 77 when there
is no OpenCL device. What faults there may be is planted (planted.py), with a planted clfold beside
them; the built ones run on each device.
"""

import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "command"))
# pylint: disable=wrong-import-position
from cases import check, run_cases  # noqa: E402

PLANTED = f"{shlex.quote(sys.executable)} {shlex.quote(os.path.join(HERE, 'planted.py'))}"
SECONDS = 10  # a planted program answers in less
# What stands in the table for each fault.
FAULTS = {
    "no_device": "no device: there is none of these",
    "fails": 'failed: it says "no" twice',
    "wrong_at_once": "WRONG: item 5 is 3 and not 4",
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
KEYS = ["op", "type", "count", "implementation", "ok"]
GOOD_KEYS = [
    *KEYS, "device", "rounds", "seconds", "gbps", "least_gbps", "most_gbps", "ratio",
]  # fmt: skip
PEERS = ["boost_compute", "pyopencl", "onetbb", "openmp", "loop", "cub"]
HEAD = ["op", "type", "count", "implementation", "GB/s", "from", "-", "to", "clfold/peer"]


class Driver:
    def __init__(self, command, compare, build, *peers):
        self.command, self.compare = os.path.abspath(command), os.path.abspath(compare)
        self.build, self.peers = os.path.abspath(build), peers
        self.folder = None
        self.devices = []

    def good(self, *words):
        """Of the command clfold."""
        done = subprocess.run([self.command, *words], capture_output=True, timeout=240, check=True)
        return done.stdout.decode()

    def run(self, *words, build=None, **options):
        command = [self.compare, "--build", build or self.folder, *map(str, words)]
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


def refused(d, _):
    """Usage errors, in one sentence that names the value."""
    text = d.run("--help").stdout
    for word in ["--ops", "--types", "--counts", "--rounds", "--device", "--peers", "--limit",
                 "--build", "--no-build", "--json", "2^26", "NAME=COMMAND", *PEERS]:  # fmt: skip
        check(word in text, f"--help does not tell of {word}")
    check("Exit status" in text, text)
    for part, *words in [
        ("'sum'", "--ops", "reduce,sum"),
        ("'u8'", "--types", "u8"),
        ("'2^'", "--counts", "2^"),
        ("'0'", "--counts", "0"),
        ("'2^41'", "--counts", "1,2^41"),
        ("'0'", "--rounds", "0"),
        ("'1e3'", "--rounds", "1e3"),
        ("'0'", "--limit", "0"),
        ("'thrust'", "--peers", "loop,thrust"),
        ("'a='", "--peers", "a="),
        ("'clfold=x'", "--peers", "clfold=x"),
        ("--device", "--device"),
        ("x", "x"),
        ("--round", "--round", "3"),
    ]:  # fmt: skip
        done = d.run("--no-build", *words)
        last = done.stderr.splitlines()[-1]
        check(
            done.returncode == 2 and not done.stdout and last.startswith("compare: error: ")
            and part in last,
            f"{words}: exit {done.returncode}, {done.stderr!r}",
        )  # fmt: skip


def faults(d, _):
    """Each is told in its line, and none touches the others."""
    d.plant("clfold")
    peers = ",".join(f"{fault}={PLANTED} {fault}" for fault in FAULTS)
    peers += f",slower={PLANTED} slower,nowhere={d.folder}/nowhere"
    words = ["--no-build", "--limit", SECONDS, *ONE, "--peers", peers]
    rows = d.rows(0, *words)
    check(list(rows) == ["clfold", *FAULTS, "slower", "nowhere"], f"{list(rows)}")
    for fault, why in {**FAULTS, "nowhere": "does not start: No such file or directory"}.items():
        check(rows[fault]["why"] == why, f"{fault}: {rows[fault]}")
    # 8 MB in 1, 2 and 4 ms, and in 3, 4 and 5
    for name, speeds in {"clfold": (4, 2, 8, 1), "slower": (2, 1.6, 2.667, 2)}.items():
        row = rows[name]
        found = row["gbps"], row["least_gbps"], row["most_gbps"], row["ratio"]
        check(row["ok"] and row["rounds"] == 3 and found == speeds, f"{row}")


def table(d, _):
    d.plant("clfold")
    peers = f"slower={PLANTED} slower,crashes={PLANTED} crashes,cub"
    done = d.run("--no-build", *ONE, "--peers", peers)
    lines = [line.split(maxsplit=4) for line in done.stdout.splitlines()]
    case = ["scan", "f32", "1000000"]
    check(
        done.returncode == 0 and not done.stderr and lines == [
            [*HEAD[:4], "GB/s         from - to  clfold/peer"],
            [*case, "clfold", "4.00       2.00 - 8.00         1.00"],
            [*case, "slower", "2.00       1.60 - 2.67         2.00"],
            [*case, "crashes", "ended by SIGSEGV"],
            [*case, "cub", f"not built in {d.folder}"],
            [],
            ["OpenCL", "device:", "planted;", "medians", "of 3 rounds, all in turn"],
        ],
        f"{done.returncode} {done.stderr!r} {lines}",
    )  # fmt: skip


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


def built(d, device):
    """What this build has, on small counts: every line is there, and right."""
    words = ["--no-build", "--device", device["index"], "--rounds", 3, "--peers", ",".join(d.peers)]
    counts = {"1000": "1000", "2^13": "2^13", "100003": "100003"}
    done = d.run(*words, "--counts", ",".join(counts), build=d.build)
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and lines[0].split() == HEAD, f"{done}")
    wanted = [
        [op, kind, count, name]
        for op in ["reduce", "scan"] for kind in ["f32", "i32"]
        for count in counts.values() for name in ["clfold", *d.peers]
    ]  # fmt: skip
    check([line.split()[:4] for line in lines[1:-2]] == wanted, f"{lines}")
    for line in lines[1:-2]:
        check(re.fullmatch(r" +\d+\.\d\d +\d+\.\d\d - \d+\.\d\d +\d+\.\d\d", line[40:]), line)
    check(device["name"] in lines[-1], lines[-1])


def wide_types(d, device):
    types = ["i64", "f64"] if device["fp64"] else ["i64"]
    for kind in types:
        rows = d.rows(0, "--no-build", "--device", device["index"], "--rounds", 1, "--ops", "scan",
                      "--types", kind, "--counts", "70001", "--peers", ",".join(d.peers),
                      build=d.build)  # fmt: skip
        check(all(row["ok"] for row in rows.values()), f"{rows}")
        check(rows["clfold"]["device"] == device["name"], f"{rows}")


def no_such_device(d, _):
    rows = d.rows(1, "--no-build", "--device", "no such device", *ONE, "--peers", "loop",
                  build=d.build)
    check(rows["clfold"]["why"].startswith("no device: --device no such device"), f"{rows}")
    check(rows["loop"]["ok"], f"{rows}")


def unread(d, _):
    """Where nobody reads on, as behind `| head`, it ends without a word."""
    d.plant("clfold")
    words = ["--no-build", *ONE, "--counts", "1,2,3,4", "--peers", f"slower={PLANTED} slower"]
    with subprocess.Popen([d.compare, "--build", d.folder, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:  # fmt: skip
        run.stdout.close()
        said = run.stderr.read()
        check(run.wait(240) == 1 and not said, f"exit {run.returncode}, {said!r}")


WITHOUT = [refused, faults, table, clfold_itself, builds, unread]
WITH = [built, wide_types, no_such_device]


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    run_cases(Driver(*sys.argv[1:]), WITHOUT, WITH)

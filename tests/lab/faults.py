"""Views of programs with planted faults, which need no device. usage: faults.py COMMAND SCRIPTS:
the built clfold, and the folder of clfold-bench and its kin. Prints TAP."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../command"))
# pylint: disable=wrong-import-position
from cases import SIGNALS, Count, Runner, check, obey, read, run_command, write  # noqa: E402

PLANTED = shlex.join([sys.executable, os.path.join(HERE, "planted.py")])
LIMIT = 2
HANGS = {"hangs": f"no answer in {LIMIT} s", "endless": f"no answer in {LIMIT} s",
         "mute": f"closed its output and ran on for {LIMIT} s"}  # fmt: skip
# What stands in the table for each fault.
FAULTS = {
    "unsupported": "unsupported: it folds in no order", "wrong": "WRONG: result 0 is .* and not .*",
    "wrong number": "WRONG: how many there are, 0 is .* and not .*", "short":
    "wrote 4007 bytes of results and not 4008", "writes nothing":
    "wrote 0 bytes of results and not 4008", "quits": "ended with 3: out of sorts",
    "dies": "ended by SIGSEGV", "text": "answered 'hello'", "list": r"answered '\[1\]'",
    "other key": "answered '{\"minutes\": 1}'", "zero": "took 0 s", "nan": "took nan s",
    "minus": "took -1 s", "word": "took 1 s", "/nowhere":
    "does not start: No such file or directory", "no device": "no device: there is none",
    "elsewhere": "ran on another device, planted",
}  # fmt: skip
ABSENT = ("unsupported", "no device", "elsewhere")  # which do not fail
LAST = ["device", "driver", "machine", "memory_read_gbps", "memory_copy_gbps"]
WORDS = ["--counts", 1000, "--rounds", 6, "--once", "--types", "i32", "--limit"]
CASE = ["select", "--where", "x > 0"]


class Lab(Runner):
    def __init__(self, command, scripts):
        super().__init__(command)
        self.scripts, self.planted = scripts, False
        os.environ["CLFOLD_COMMAND"] = command

    def command_of(self, view, *words):
        folder = self.folder if self.planted else self.scripts
        start = [self.command, view] if view == "devices" else [f"{folder}/clfold-{view}"]
        return [*start, *map(str, words)]

    def run(self, view, *words, **options):
        options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        return run_command(self.command_of(view, *words), **options)

    def plant(self, fault="none", roofline="roofline"):
        """A folder of views, with such programs beside them."""
        self.planted = True
        for name in os.listdir(self.scripts):
            if re.fullmatch("clfold-[a-z]+", name):
                shutil.copy(os.path.join(self.scripts, name), self.folder)
        for name, planted in {"clfold": fault, "roofline": roofline}.items():
            path = write(self.path(f"lab_{name}"), f"#!/bin/sh\nexec {PLANTED} '{planted}'\n")
            os.chmod(path, 0o755)

    def rows(self, status, view, *words, said=b"", **options):
        """Those before the last one, which is of the machine."""
        done = self.run(view, "--json", *words, **options)
        heard = re.sub(b"clfold: warning: the memory's .*\n", b"", done.stderr)
        check(done.returncode == status and heard == said, f"{view} {words}: {done}")
        *rows, self.last = [json.loads(line) for line in done.stdout.splitlines()]
        check(list(self.last)[-len(LAST) :] == LAST, f"{self.last}")
        check(re.search(r", \d+ CPUs?, L1", self.last["machine"]), f"{self.last}")
        return rows


def peers_of(names):
    return ",".join(f"{name}=" + (name if name[0] == "/" else f"{PLANTED} '{name}'")
                    for name in names)  # fmt: skip


def in_compare(d, _):
    """Each is shown in its row, and does not affect the others."""
    d.plant()
    for faults, limit in ((FAULTS, 120), (HANGS, LIMIT)):
        rows = d.rows(1, "compare", *WORDS, limit, "--peers", peers_of(["slower", *faults]), *CASE)
        names = ["clfold", "slower", *faults, "roofline"]
        check([row["program"] for row in rows] == names, f"{rows}")
        for row, right in zip(rows[2:-1], faults.values()):
            check(not row["ok"] and re.fullmatch(right, row["why"]), f"{row}")
        for row, ratio, seconds in zip(rows, (None, [2, 2, 2]), (0.002, 0.004)):
            check(row["ok"] and row["checked"] and row["ratio"] == ratio, f"{row}")
            check(row["rounds"] == 6 and row["seconds"] == seconds, f"{row}")
    moved = rows[0]["gbps"] * rows[0]["seconds"] * 1e9  # what is read, and what is kept
    check(4000 < moved < 8000 and round(moved) % 4 == 0, f"{moved} bytes")
    d.rows(0, "compare", *WORDS, 120, "--peers", peers_of(ABSENT), *CASE)
    beside = ["compare", *WORDS, 120, "--peers", peers_of(["slower"]), "map"]
    told = d.good(*beside, "--load", "exp(x)")
    check(len(re.findall(r" (planted|slower|clfold) .* result not checked\n", told)) == 2, told)
    rows = d.rows(1, *beside, "--result", "x")
    check([row["why"] for row in rows[:2]] == ["unsupported: it has no --result"] * 2, f"{rows}")
    for fault in ("dies", "wrong", "hangs"):
        done = d.run("compare", *WORDS, LIMIT, "--peers", peers_of([fault]), *CASE)
        check(done.returncode == 1 and not done.stderr, f"{fault}: {done}")
        line = f" {fault} +{ {**FAULTS, **HANGS}[fault]}$"
        check(re.search(line, done.stdout.decode(), re.M), f"{done}")


def figures(d, _):
    """Of rounds that differ; warnings, once each; and where the data and PoCL's workers are."""
    d.plant()
    *_, row, _ = d.rows(0, "compare", *WORDS, 120, "--peers", peers_of(["varies"]), "map")
    moved = 8e-6 * row["count"]
    check(row["ratio"] == [1.5, 0.5, 2.5] and abs(row["seconds"] - 0.003) < 1e-9, f"{row}")
    for name, slow, fast in (("range_gbps", 5, 1), ("quartiles_gbps", 3.75, 2.25)):
        check(np.allclose(row[name], [moved / slow, moved / fast]), f"{name}: {row}")
    [row] = d.rows(0, "bench", "--counts", 1000, "--rounds", 1, "map")
    check((row["sets"], row["policy"], row["driver"]) == (128, "sets: 128", "1"), f"{row}")
    placed = {**os.environ, "POCL_AFFINITY": "0"}
    [row] = d.rows(0, "bench", *WORDS, 120, "map", env=placed)
    check((row["sets"], row["policy"], row["driver"]) == (1, "sets: 1", "0"), f"{row}")
    check(d.last["memory_read_gbps"] is None, f"{d.last}")
    d.rows(0, "bench", "--counts", "2^20", "--rounds", 1, "map")
    for name, size in (("read", 1 << 28), ("copy", 1 << 29)):
        check(d.last[f"memory_{name}_gbps"] == [size / 2e6] * 2, f"{d.last}")
    d.plant("warns")
    d.rows(0, "bench", *WORDS, 120, "--counts", "9,10", "map", said=b"clfold: warning: rain\n")


VALGRIND = r"""#!{}
import subprocess, sys
out, command = sys.argv[2].partition("=")[2], sys.argv[4:]
lines = sys.stdin.read()
calls = int(lines.split()[-1])
sys.stdout.write(subprocess.run(command, input=lines, stdout=-1, text=True).stdout)
open(out, "w").write(f"cob=(1) /x/libclfold.so.0\ncalls=5 1\n3 70\nob=(1)\n+2 {{9 * calls}}\n"
                     "calls=5 1\n* 4000\nob=(2) /x/libc.so\n5 {{1000 * calls}}\n")
"""


def counted(d, _):
    """By callgrind, in libclfold only."""
    d.plant()
    path = write(d.path("valgrind"), VALGRIND.format(sys.executable))
    os.chmod(path, 0o755)
    words = ["small", "--instructions", "--counts", "8,64", "map"]
    for row in d.rows(0, *words, env={**os.environ, "PATH": d.folder}):
        check(row["instructions"] == 9, f"{row}")
    d.bad(1, "Debian's package valgrind", *words, env={**os.environ, "PATH": "/none"})


def packages(d, _):
    """What is not installed, by its package."""
    d.plant()
    for name in ("numpy", "matplotlib"):
        os.mkdir(d.path(name))
        write(d.path(f"{name}/{name}.py"), f"raise ImportError(name='{name}')\n")
        without = {**os.environ, "PYTHONPATH": d.path(name)}
        d.bad(1, f"python3-{name}", "bench", "--svg", d.path("x"), "map", env=without)


# bench with other folders and another list of cases
BENCH = """import json, sys
sys.path.insert(0, sys.argv.pop(1))
from lab import bench, programs, view
programs.FOLDER, programs.ROOT, bench.CASES["picked"] = json.loads(sys.argv.pop(1))
view.run(bench.main)"""
TOOLS = os.path.join(HERE, "../../tools")
MESON = """custom_target(input: 'program.sh', output: 'lab_clfold', command:
              ['cp', '@INPUT@', '@OUTPUT@'])
"""
SOURCES = {
    "meson.build": "project('planted')\nsubdir('tools/lab')\n", "tools/lab/meson.build": MESON,
    "meson_options.txt": "".join(f"option('{name}', type: 'feature')\n"
                                 for name in ("tests", "examples", "mpi", "tools")),
    "tools/lab/program.sh": f"#!/bin/sh\nexec {PLANTED} none\n",
}  # fmt: skip


def of_commit(d, _):
    """Another version is built once, in the cache, and has its turns beside this one."""
    d.plant("slower")
    root = d.path("root")
    git = ["git", "-C", root, "-c", "user.name=n", "-c", "user.email=e"]
    for name, text in SOURCES.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        write(os.path.join(root, name), text)
    os.chmod(os.path.join(root, "tools/lab/program.sh"), 0o755)
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "none"], ["add", "."],
                  ["commit", "-q", "-m", "all"]):  # fmt: skip
        subprocess.run([*git, *words], check=True)
    start = [sys.executable, "-c", BENCH, TOOLS, json.dumps([d.folder, root, []])]
    bench = [*start, "--json", *map(str, WORDS), "120"]
    built = set()
    for _ in range(2):
        done = run_command([*bench, "--against", "HEAD", "map"], stdout=subprocess.PIPE)
        check(done.returncode == 0, f"{done}")
        row = json.loads(done.stdout.splitlines()[0])
        check(row["against"] == 0.002 and row["ratio"] == [2, 2, 2], f"{row}")
        built |= {os.stat(path).st_mtime_ns
                  for path in glob.glob(f"{os.environ['XDG_CACHE_HOME']}/clfold/lab/*/build")}
    check(len(built) == 1, f"built {len(built)} times")
    for commit in ("HEAD~1", "nowhere", "--help"):
        done = run_command([*bench, f"--against={commit}", "map"], stdout=subprocess.PIPE)
        said = f"clfold: --against {commit}: is neither a file nor a commit that can be built: "
        check(done.returncode == 1 and done.stderr.decode().startswith(said), f"{done}")
        check(not done.stdout and done.stderr.count(b"\n") == 1, f"{done}")


def in_clfold(d, _):
    """Where clfold fails, rows go on and the status is 1."""
    for fault in ("wrong number", "unsupported", "dies", "other key", "quits", "hangs"):
        d.plant(fault)
        limit = LIMIT if fault == "hangs" else 120
        rows = d.rows(1, "bench", *WORDS, limit, "--counts", "1000,1000", *CASE)
        right = {**FAULTS, **HANGS}[fault]
        check(len(rows) == 2 and all(re.fullmatch(right, row["why"]) for row in rows), f"{rows}")
        check(not any(row["ok"] for row in rows), f"{rows}")
    d.plant(f"dies once {d.path('died')}")
    rows = d.rows(1, "bench", *WORDS, 120, "--counts", "1000,1000", *CASE)
    check([row["ok"] for row in rows] == [False, True], f"{rows}")
    d.plant("wrong")
    rows = d.rows(1, "compare", *WORDS, 120, "--peers", peers_of(["slower"]), *CASE)
    check(rows[0]["why"].startswith("WRONG") and rows[1]["ok"] and rows[1]["ratio"] is None, rows)
    for view, one in (("small", ["reduce"]), ("ladder", [])):
        rows = d.rows(1, view, *WORDS, 120, *one)
        check(rows and all(row["why"].startswith("WRONG: result 0") for row in rows), f"{rows}")
    d.plant("none", "quits")
    d.bad(1, "ended with 3: out of sorts", "bench", *WORDS, 120)
    d.plant("none", "roofline dies")
    [row] = d.rows(0, "bench", *WORDS, 120, *CASE)
    check(row["ok"] and row["roofline_gbps"] is None and row["fraction"] is None, f"{row}")
    check("planted, sets: 1; no roofline" in d.good("bench", *WORDS, 120, *CASE), "table")
    os.remove(d.path("lab_clfold"))
    [row] = d.rows(1, "bench", *WORDS, 120, *CASE)
    check(row["why"] == f"not built: {d.path('lab_clfold')} is not there", f"{row}")


FIRST = "clfold tuning 5\nscan 8 2^3..2^5 groups=7 on some; other; device\n"
ROWS = FIRST + "reduce 4 2^9..2^11 tile=tile_vector tile_bytes=1024 on planted; 1\n"
TUNE = ["--counts", 1000, "--types", "i32", "--once", "--seconds"]


def in_tune(d, _):
    """A failure or a signal leaves the file as it was, and no other files."""
    path = write(d.path("tuning"), ROWS)
    words = ["tune", "--file", path, *TUNE, 1, "reduce"]
    for fault in ("wrong", "dies", "nan", "quits", "other key"):
        d.plant(fault)
        done = d.run(*words)
        said = rf"clfold: (reduce, i32: )?{FAULTS[fault]}\n"
        check(done.returncode == 1 and re.fullmatch(said, done.stderr.decode()), f"{done}")
        check(read(path).decode() == ROWS, f"{fault}: {read(path)}")
    d.plant("hangs")
    for number in SIGNALS:
        with subprocess.Popen(d.command_of(*words), stdout=subprocess.PIPE, preexec_fn=obey) as run:
            run.stdout.readline()  # the head of the table
            time.sleep(0.5)
            run.send_signal(number)
            check(run.wait(60) == 128 + number, f"signal {number}: exit {run.returncode}")
        check(read(path).decode() == ROWS, f"{number}: {read(path)}")
        left = [*glob.glob(f"{path}.*"), *glob.glob(f"/dev/shm/clfold-lab-{run.pid}-*")]
        check(not left, f"signal {number} left {left}")


def tuned(d, _):
    """What does not win leaves the default; rows of others stay."""
    path = d.path("tuning")
    d.plant()
    told = d.good("tune", "--file", path, *TUNE, 30, "reduce")
    check(not os.path.exists(path) and "the default" in told and "0 of 1 are faster" in told, told)
    for seconds, left, said in ((0.01, ROWS, "no time to try others"), (30, FIRST, "the default")):
        write(path, ROWS)
        told = d.good("tune", "--file", path, *TUNE, seconds, "reduce")
        check(said in told and read(path).decode() == left, f"{told} {read(path)}")
    write(path, ROWS)
    shown = d.good("tune", "--show", "--file", path).splitlines()
    check([line.split()[0] for line in shown[:2]] == ["-", "serves"], f"{shown}")
    check(shown[2] == f"{path}: 2 rows, 1 for planted; 1", f"{shown}")
    for said in ("removed", "there was no such file"):
        check(d.good("tune", "--reset", "--file", path) == f"{path}: {said}\n", "reset")
    check("there is no such file" in d.good("tune", "--show", "--file", path), "show")
    d.bad(1, "is not a tuning file", "tune", "--reset", "--file", write(path, "mine\n"))
    check(read(path) == b"mine\n", "it is gone")
    home = {**os.environ, "XDG_DATA_HOME": d.path("data"), "HOME": ""}
    told = d.good("tune", "--reset", env=home)
    check(told == f"{d.path('data/clfold/tuning')}: there was no such file\n", told)
    for data, owner in (("", ""), ("data", ""), ("data", "home"), ("", ".")):
        none = {**os.environ, "XDG_DATA_HOME": data, "HOME": owner}
        d.bad(2, "--file names", "tune", "--reset", env=none)


if __name__ == "__main__":
    driver, count = Lab(*map(os.path.abspath, sys.argv[1:3])), Count()
    for one in (in_compare, figures, counted, packages, of_commit, in_clfold, in_tune, tuned):
        count.run_case(one, driver, None)
    print(f"1..{count.run}")
    sys.exit(count.failed > 0)

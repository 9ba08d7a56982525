#!/usr/bin/env python3
"""drive.py LISTER NAME=ALGORITHM=FILE,...=PROGRAM...: every fault must be found.

CLFOLD_MUTANTS, if set, names the files whose faults are tried, with spaces.

Each PROGRAM is a mutant.c with the fault NAME built into it, or for an ALGORITHM such as
lookback/test_seeds a program of tests/device or tests/fault, of which this test is run: look-back's
on PoCL by many workers, or by one on each core, so that groups run side by side; others first on
the device whose compiler is the quickest. It is found if under Oclgrind, which mutant.c is tried by
first since it needs no compiler, or on some device, a result is wrong, the program dies, or
Oclgrind reports a race or an access outside; then no further device is tried. A program
that takes too long is found as well, and the point says so: no result was seen to be wrong. The one
named "none" has no fault, and must be right, and in time, wherever a fault of mutant.c was found,
by the same algorithm: that shows that it was not found by mistake. For tests of a folder of their
own these tests show it. Reports to Meson in TAP.
"""

import os
import shutil
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
import run_devices  # noqa: E402

LIMIT_SECONDS = 300  # each takes at most 60 on a quiet machine
BY_TIME = "by time alone"
LOOKBACK = "lookback/"
OCLGRIND = ["--data-races", "--uninitialized", "--max-errors", "3",
            "--build-options", "-cl-opt-disable"]


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


def refuse_broken(program, done):
    """A mutant that does not build, or is called wrongly, is not found: it is not a mutant."""
    if done.status == 2:
        sys.exit(f"{os.path.basename(program)}: {done.err.strip()}")


def fault_of(done):
    """What the run showed, or None; a test that skips shows nothing."""
    if done.status == run_devices.SKIP:
        return None
    if done.late:
        return f"{BY_TIME}: it {done.fault}"
    return first_line(done.out) or done.fault if done.fault else None


def on_device(tap, device, program, algorithm):
    """What was found there, or None."""
    environment = {**device.environment(), "CLFOLD_TEST_MUTANT": "1"}
    if algorithm == LOOKBACK + "test_in_place":
        environment["POCL_AFFINITY"] = "1"
    elif algorithm.startswith(LOOKBACK):
        environment["POCL_MAX_PTHREAD_COUNT"] = "16"
    test = algorithm.partition("/")[2] or algorithm
    test = os.path.join(ROOT, test) if "/" in test else test  # a page that is compared
    done = run_devices.Run([program, test], environment, LIMIT_SECONDS)
    refuse_broken(program, done)
    tap.comment(f"{device.name}: {done.programs(device)}")
    return fault_of(done)


def under_oclgrind(program, algorithm):
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as log:
        done = run_devices.Run(["oclgrind", *OCLGRIND, "--log", log.name, program, algorithm],
                          dict(os.environ), LIMIT_SECONDS)
        refuse_broken(program, done)
        found = first_line(log.read())
    return found or fault_of(done)


def mutant_of(argument):
    """Its name, what shows it, which may be words with = in them, its files and its program."""
    name, rest = argument.split("=", 1)
    return name, *rest.rsplit("=", 2)


def main(arguments):
    mutants = [mutant_of(argument) for argument in arguments[1:]]
    programs = {name: program for name, *_, program in mutants}
    wanted = set(os.environ.get("CLFOLD_MUTANTS", "").split())
    tap = run_devices.Tap()
    for file in sorted(wanted - {file for *_, files, _ in mutants for file in files.split(",")}):
        tap.point(False, f"CLFOLD_MUTANTS: no mutant is of {file}")
    with tempfile.TemporaryDirectory(prefix="clfold-mutants-") as scratch:
        places = run_devices.devices(arguments[0], scratch)
        quickest = sorted(places, key=lambda place: run_devices.QUICKEST not in place.name)
        oclgrind = [None] if shutil.which("oclgrind") else []
        if not places and not oclgrind:
            print("1..0 # SKIP neither an OpenCL device nor oclgrind")
            return 0

        def find(name, algorithm, place):
            where = place.name if place else "Oclgrind"
            what = (on_device(tap, place, programs[name], algorithm) if place
                    else under_oclgrind(programs[name], algorithm))
            tap.comment(f"{name} in {algorithm} on {where}: {what or 'nothing found'}")
            return what

        used = {}
        for name, algorithm, files, _ in mutants:
            if name == "none" or wanted and not wanted & set(files.split(",")):
                continue
            is_test = "/" in algorithm
            what = None
            for place in (places if algorithm.startswith(LOOKBACK)
                          else quickest if is_test else oclgrind + places):
                what = find(name, algorithm, place)
                if what:
                    break
            how = f" {BY_TIME}" if what and what.startswith(BY_TIME) else ""
            tap.point(bool(what), f"{name} in {algorithm} is found{how}")
            if what and not is_test:
                used[algorithm, place] = True
        for algorithm, place in used:
            tap.point(not find("none", algorithm, place),
                      f"{algorithm} without a fault is right")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

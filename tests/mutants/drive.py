#!/usr/bin/env python3
"""drive.py LISTER NAME=TEST=FILE,...=PROGRAM...: every fault must be found.

CLFOLD_MUTANTS, if set, names the files whose faults are tried, with spaces.

Each PROGRAM is one of tests/device or tests/fault with the fault NAME built into it, of which TEST,
such as lookback/test_seeds, is run: look-back's on PoCL by many workers, or by one on each core, so
that groups run side by side; those of simulated/, which are trials, under Oclgrind first, since it
needs no compiler; others first on the device whose compiler is the quickest. It is found if under
Oclgrind or on some device a result is wrong, the program dies, or Oclgrind reports a race or an
access outside; then no further device is tried. Of some Oclgrind must say what SAID has: this shows
that its silence in tests/oclgrind proves something. A program that takes too long is found as well,
and the point says so: no result was seen to be wrong. The one named "none" has no fault, and must
be right, and in time, wherever a fault was found by trials of simulated/, with the same words: that
shows that it was not found by mistake. For others these tests show it. Reports to Meson in TAP.
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
LOOKBACK, SIMULATED = "lookback/", "simulated/"
OCLGRIND = ["--max-errors", "3", "--build-options", "-cl-opt-disable", "--num-threads", "1"]
# What Oclgrind says of faults, and by which option if not by the first.
SAID = {
    "scan_barrier_lost": ("--data-races", "data race at local memory"),
    "wrong_output_index": ("--data-races", "data race at global memory"),
    "load_without_bound": ("--data-races", "Invalid read of size"),
    "neighbour_not_there": ("--uninitialized", "ninitialized value"),
}


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


def on_device(tap, device, program, test):
    """What was found there, or None."""
    environment = {**device.environment(), "CLFOLD_TEST_MUTANT": "1"}
    if test == LOOKBACK + "test_in_place":
        environment["POCL_AFFINITY"] = "1"
    elif test.startswith(LOOKBACK):
        environment["POCL_MAX_PTHREAD_COUNT"] = "16"
    test = test.partition("/")[2]
    test = os.path.join(ROOT, test) if "/" in test else test  # a page that is compared
    done = run_devices.Run([program, test], environment, LIMIT_SECONDS)
    refuse_broken(program, done)
    tap.comment(f"{device.name}: {done.programs(device)}")
    return fault_of(done)


def under_oclgrind(name, program, words):
    option, said = SAID.get(name, ("--data-races", ""))
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as log:
        done = run_devices.Run(["oclgrind", option, *OCLGRIND, "--log", log.name, program, words],
                               {**os.environ, "CLFOLD_TEST_MUTANT": "1"}, LIMIT_SECONDS)
        refuse_broken(program, done)
        report = log.read()
    if said and said not in report:
        sys.exit(f"{name}: Oclgrind does not say \"{said}\": {report}")
    return first_line(report) or fault_of(done)


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

        def find(name, test, place):
            where = place.name if place else "Oclgrind"
            what = (on_device(tap, place, programs[name], test) if place
                    else under_oclgrind(name, programs[name], test[len(SIMULATED):]))
            tap.comment(f"{name} in {test} on {where}: {what or 'nothing found'}")
            return what

        used = {}
        for name, test, files, _ in mutants:
            if name == "none" or wanted and not wanted & set(files.split(",")):
                continue
            is_simulated = test.startswith(SIMULATED)
            what = None
            for place in (places if test.startswith(LOOKBACK)
                          else oclgrind + quickest if is_simulated else quickest):
                what = find(name, test, place)
                if what:
                    break
            how = f" {BY_TIME}" if what and what.startswith(BY_TIME) else ""
            tap.point(bool(what), f"{name} in {test} is found{how}")
            if what and is_simulated:
                used[test, place] = True
        for test, place in used:
            tap.point(not find("none", test, place),
                      f"{test} without a fault is right")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

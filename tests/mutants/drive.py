#!/usr/bin/env python3
"""drive.py RUN_DEVICES LISTER NAME=ALGORITHM=PROGRAM...: every fault must be found.

Each PROGRAM is a mutant.c with the fault NAME built into its kernels, or for an ALGORITHM such as
lookback/test_seeds device/lookback.c, of which this test is run; on PoCL by many workers, or by one
on each core, so that groups run side by side. It is found if on some device, or under Oclgrind, a
result is wrong, the program dies, or Oclgrind reports a race or an access outside; then no further
device is tried. The one named "none" has no fault, and must be right everywhere: that shows that
the others are not found by mistake. Reports to Meson in TAP.
"""

import importlib.util
import os
import shutil
import sys
import tempfile

LIMIT_SECONDS = 300  # each takes at most 60 on a quiet machine
LOOKBACK = "lookback/"
OCLGRIND = ["--data-races", "--uninitialized", "--max-errors", "3",
            "--build-options", "-cl-opt-disable"]


def load(path):
    spec = importlib.util.spec_from_file_location("run_devices", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


def refuse_broken(program, done):
    """A mutant that does not build, or is called wrongly, is not found: it is no mutant."""
    if done.status == 2:
        sys.exit(f"{os.path.basename(program)}: {done.err.strip()}")


def on_device(runner, device, program, algorithm):
    """What was found there, or None."""
    environment = device.environment()
    if algorithm == LOOKBACK + "test_in_place":
        environment["POCL_AFFINITY"] = "1"
    elif algorithm.startswith(LOOKBACK):
        environment["POCL_MAX_PTHREAD_COUNT"] = "16"
    done = runner.Run([program, algorithm.removeprefix(LOOKBACK)], environment, LIMIT_SECONDS)
    refuse_broken(program, done)
    return None if not done.fault else first_line(done.out) or done.fault


def under_oclgrind(runner, oclgrind, program, algorithm, scratch):
    log = os.path.join(scratch, "log")
    done = runner.Run([oclgrind, *OCLGRIND, "--log", log, program, algorithm, "few"],
                      dict(os.environ), LIMIT_SECONDS)
    refuse_broken(program, done)
    report = ""
    if os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as text:
            report = text.read()
        os.remove(log)
    if report.strip():
        return first_line(report)
    return None if not done.fault else first_line(done.out) or done.fault


def main(arguments):
    runner = load(arguments[0])
    mutants = [argument.split("=", 2) for argument in arguments[2:]]
    tap = runner.Tap()
    oclgrind = shutil.which("oclgrind")
    with tempfile.TemporaryDirectory(prefix="clfold-mutants-") as scratch:
        found = runner.devices(arguments[1], scratch)
        if not found and not oclgrind:
            print("1..0 # SKIP neither an OpenCL device nor oclgrind")
            return 0
        for name, algorithm, program in mutants:
            caught = []
            for device in [*found, None]:
                if device:
                    where, what = device.name, on_device(runner, device, program, algorithm)
                elif oclgrind and not algorithm.startswith(LOOKBACK):
                    where = "Oclgrind"
                    what = under_oclgrind(runner, oclgrind, program, algorithm, scratch)
                else:
                    continue
                tap.comment(f"{name} on {where}: {what or 'nothing found'}")
                caught += [where] if what else []
                if caught and name != "none":
                    break
            if name == "none":
                tap.point(not caught, "kernels without a fault are right"
                          + (f", but not on {', '.join(caught)}" if caught else ""))
            else:
                tap.point(bool(caught), f"{name} in {algorithm} is found"
                          + (f" by {caught[0]}" if caught else ""))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""tests/mutants/drive.py on a machine of one device, whose mutants are scripts."""

import contextlib
import importlib.util
import io
import os
import tempfile
from unittest import mock

import tools

DRIVER = os.path.join(os.path.dirname(tools.run_devices.__file__), "mutants", "drive.py")
SLOW, WRONG, RIGHT = "echo begun; exec sleep 60", "echo 3 is not 4; exit 1", "exit 0"
GOOD, FOUND = "simulated/any without a fault is right", "bad in simulated/any is found"
# The script of the program without a fault and of a mutant, CLFOLD_MUTANTS, the status and points.
ROWS = (
    (RIGHT, WRONG, "", 0, [f"ok 1 - {FOUND}", f"ok 2 - {GOOD}"]),
    (RIGHT, SLOW, "bad.cl", 0, [f"ok 1 - {FOUND} by time alone", f"ok 2 - {GOOD}"]),
    (RIGHT, RIGHT, "b.cl", 1, [f"not ok 1 - {FOUND}"]),
    (SLOW, WRONG, "", 1, [f"ok 1 - {FOUND}", f"not ok 2 - {GOOD}"]),
    (RIGHT, WRONG, "a.cl", 1, ["not ok 1 - CLFOLD_MUTANTS: no mutant is of a.cl"]),
)


def run(folder, none, bad, wanted):
    """The exit status and the points."""
    spec = importlib.util.spec_from_file_location("drive", DRIVER)
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    driver.LIMIT_SECONDS = 5

    def script(name, text):
        path = tools.write(folder, name, f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    words = [script("lister", r"printf '0\tHouse: small\tOpenCL 3.0\t1\n'")]
    words += [f"{name}=simulated/any={name}.cl,b.cl={script(name, text)}"
              for name, text in (("none", none), ("bad", bad))]  # fmt: skip
    output = io.StringIO()
    variables = {"OCL_ICD_VENDORS": script("one.icd", ""), "CLFOLD_MUTANTS": wanted}
    with contextlib.redirect_stdout(output), mock.patch.dict(os.environ, variables), \
            mock.patch.object(driver.shutil, "which", return_value=None):  # fmt: skip
        status = driver.main(words)
    return status, [line for line in output.getvalue().splitlines() if line[0] != "#"]


def main():
    failures = []
    for none, bad, wanted, status, points in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            found = run(folder, none, bad, wanted)
        if found != (status, [*points, f"1..{len(points)}"]):
            failures.append(f"{none}, {bad}, {wanted}: {found}")
    tools.finish(failures, f"{len(ROWS)} runs")


if __name__ == "__main__":
    main()

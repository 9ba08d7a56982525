#!/usr/bin/env python3
"""tests/mutants/drive.py on a machine of one device, whose mutants are scripts."""

import contextlib
import importlib.util
import io
import os
import tempfile
import unittest
from unittest import mock

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SLOW, WRONG, RIGHT = "echo begun; exec sleep 60", "echo 3 is not 4; exit 1", "exit 0"


def load_driver():
    path = os.path.join(TESTS, "mutants", "drive.py")
    spec = importlib.util.spec_from_file_location("drive", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Mutants(unittest.TestCase):
    wanted = ""

    def points(self, **programs):
        """The exit status and the points; keywords are mutants and what their scripts do."""
        driver = load_driver()
        driver.LIMIT_SECONDS = 5
        with tempfile.TemporaryDirectory() as folder:

            def script(name, text):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n" + text + "\n")
                os.chmod(path, 0o755)
                return path

            vendor = script("one.icd", "")
            lister = script("lister", r"printf '0\tHouse: small\tOpenCL 3.0\t1\n'")
            words = [lister]
            words += [f"{name}=any={name}.cl,b.cl={script(name, text)}"
                      for name, text in programs.items()]
            output = io.StringIO()
            with contextlib.redirect_stdout(output), \
                    mock.patch.dict(os.environ, {"OCL_ICD_VENDORS": vendor,
                                                 "CLFOLD_MUTANTS": self.wanted}), \
                    mock.patch.object(driver.shutil, "which", return_value=None):
                status = driver.main(words)
        return status, [line for line in output.getvalue().splitlines() if line[0] != "#"]

    def test_wrong(self):
        self.assertEqual(
            self.points(none=RIGHT, bad=WRONG),
            (0, ["ok 1 - bad in any is found", "ok 2 - any without a fault is right", "1..2"]),
        )

    def test_slow(self):
        self.assertEqual(
            self.points(none=RIGHT, bad=SLOW),
            (0, ["ok 1 - bad in any is found by time alone",
                 "ok 2 - any without a fault is right", "1..2"]),
        )

    def test_wanted(self):
        for self.wanted, count in [("bad.cl", 2), ("a.cl b.cl", 4), ("a.cl", 1)]:
            points = self.points(none=RIGHT, bad=WRONG, worse=WRONG)[1]
            self.assertEqual(points[-1][:4], f"1..{count}", self.wanted)

    def test_not_found(self):
        self.assertEqual(
            self.points(none=RIGHT, bad=RIGHT), (1, ["not ok 1 - bad in any is found", "1..1"])
        )

    def test_none_is_slow_or_wrong(self):
        for none in [SLOW, WRONG]:
            status, points = self.points(none=none, bad=WRONG)
            self.assertEqual((status, points[1]), (1, "not ok 2 - any without a fault is right"))


if __name__ == "__main__":
    unittest.main()

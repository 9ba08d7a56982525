#!/usr/bin/env python3
"""tests/summary.py counts what Meson ran: a small project is built for it, and tested."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import tools

SUMMARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "summary.py")
BEGIN = "<!-- support matrix: begin, written by tools/run-tests -->"
END = "<!-- support matrix: end -->"
ONE = "House: (R) small (OpenCL 3.0, driver 1.5)"
TWO = "Yard: one (OpenCL 1.2, driver 7)"

# kind of report, and what a test's program is
TESTS = {
    "points": ("tap", f"""
print("ok 1 - {ONE}: first")
print("ok 2 - {ONE} KIND=x: second # SKIP no f64")
print("ok 3 - {TWO}: first")
print("# {TWO}: programs: 12 built in 3.4 s, 30 loaded in 0.7 s")
print("# {ONE}: programs: 1 built in 2 s, 3 built or loaded in 0.1 s")
print("1..3")
"""),
    "none": ("tap", "print('1..0 # SKIP no OpenCL device')"),
    "plain": ("exitcode", ""),
    "skipped": ("exitcode", "raise SystemExit(77)"),
}
FAILING = {
    "bad point": ("tap", f"print('not ok 1 - {TWO}: bad'); print('# 2 is not 3'); print('1..1')"),
    "crash": ("tap", "print('ok 1 - a'); print('1..2', flush=True); import os; os.abort()"),
    "status": ("tap", "print('ok 1 - a'); print('1..1'); raise SystemExit(3)"),
    "late": ("tap", "print('ok 1 - a', flush=True); import time; time.sleep(30)"),
    "plain 1": ("exitcode", "print('one\\ntwo'); raise SystemExit(1)"),
    "plain 99": ("exitcode", "raise SystemExit(99)"),
    "late plain": ("exitcode", "import time; time.sleep(30)"),
}


class Summary(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def build(self, name, tests):
        """A build folder in which `meson test` has run these."""
        source = os.path.join(self.folder, name)
        os.mkdir(source)
        lines = ["project('small')", "python = find_program('python3')"]
        for number, (title, (protocol, program)) in enumerate(tests.items()):
            tools.write(source, f"{number}.py", program)
            lines.append(
                f"test('{title}', python, args: files('{number}.py'), timeout: 2, "
                f"protocol: '{protocol}')"
            )
        tools.write(source, "meson.build", "\n".join(lines) + "\n")
        build = os.path.join(source, "build")
        meson = tools.need("meson")
        subprocess.run([meson, "setup", build, source], check=True, capture_output=True)
        subprocess.run([meson, "test", "-C", build], check=False, capture_output=True)
        return build

    def summary(self, *arguments):
        done = subprocess.run(
            [sys.executable, SUMMARY, *arguments], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_passing(self):
        build = self.build("good", TESTS)
        status, lines, _ = self.summary(build)
        self.assertEqual((status, lines[-1]), (0, "3 passed, 0 failed, 3 skipped"))
        self.assertFalse(any("failed:" in line for line in lines), lines)
        self.assertIn(f"| {ONE} | 1 | 0 | 1 |", lines)
        self.assertIn(f"| {TWO} | 1 | 0 | 0 |", lines)
        self.assertIn("     13  points (build)", lines)
        self.assertIn("Programs: 13 built in 5 s, 3 built or loaded in 0 s, 30 loaded in 1 s",
                      lines)
        self.assertEqual(self.summary(build, build)[1][-1], "6 passed, 0 failed, 6 skipped")

    def test_each_failure_counts(self):
        for number, (title, test) in enumerate(FAILING.items()):
            build = self.build(f"bad{number}", {"plain": TESTS["plain"], title: test})
            status, lines, _ = self.summary(build)
            self.assertEqual(status, 1, title)
            match = re.fullmatch(r"(\d) passed, 1 failed, 0 skipped", lines[-1])
            self.assertTrue(match, (title, lines[-1]))
            self.assertEqual(sum(line.startswith("failed: ") for line in lines), 1, lines)
            if title == "bad point":
                self.assertIn(f"| {TWO} | 0 | 1 | 0 |", lines)
                self.assertEqual(lines[:2], [f"failed: {TWO}: bad", "  # 2 is not 3"])
            if title == "plain 1":
                self.assertEqual(lines[:3], ["failed: plain 1", "  one", "  two"])

    def test_nothing_ran(self):
        build = self.build("skips", {"none": TESTS["none"]})
        status, lines, _ = self.summary(build)
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed, 1 skipped"))

    def test_matrix(self):
        build = self.build("matrix", TESTS)
        before, after = "# a\n\n" + BEGIN, END + "\nb\n"
        page = tools.write(self.folder, "page.md", before + "\nold\n" + after)
        for _ in range(2):
            self.assertEqual(self.summary("--matrix", page, build)[0], 0)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.startswith(before + "\n| device |"), text)
            self.assertTrue(text.endswith(f"| {TWO} | 1 | 0 | 0 |\n" + after), text)
        page = tools.write(self.folder, "page.md", "no marks\n")
        status, _, errors = self.summary("--matrix", page, build)
        self.assertEqual((status, errors.count("\n")), (1, 1))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""drive.py CODEGEN BUILD: tools/codegen as people call it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CODEGEN, BUILD = sys.argv[1:3]
QUICK = ("--op", "add", "--types", "f32", "--operations", "reduce_tiles,scan_lookback", "--no-cub")


def call(*words, path=None, cache=None):
    environment = dict(os.environ)
    if path is not None:
        environment.update(PATH=path, CUDA_HOME=path)
    keep = ("--cache", cache) if cache else ("--no-cache",)
    return subprocess.run(
        [sys.executable, CODEGEN, "--build", BUILD, *keep, *words],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip


class Codegen(unittest.TestCase):
    def refused(self, part, *words):
        done = call(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_usage(self):
        self.refused("--target riva128: no target", "--target", "riva128")
        self.refused("-j 0: at least one", "-j", "0")
        self.refused("--build nowhere: no gpu_texts in it", "--build", "nowhere",
                     "--target", "sm_80")
        self.refused("unrecognized arguments: --fast", "--fast")

    def test_nothing_asked(self):
        if "sm_80: " in call("--target", "sm_80", *QUICK).stderr:
            self.skipTest("no compiler for sm_80")
        self.refused("no program is of operations scan_lookback, operators nothing",
                     "--target", "sm_80", "--op", "nothing", "--operations", "scan_lookback")

    def test_not_installed(self):
        with tempfile.TemporaryDirectory() as empty:
            done = call("--target", "sm_80,gfx90a,dg2", *QUICK, path=empty)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sm_80: clang not installed", done.stderr)
        self.assertIn("gfx90a: clang not installed", done.stderr)
        self.assertIn("dg2: ocloc not installed", done.stderr)

    def test_rows(self):
        with tempfile.TemporaryDirectory() as cache:
            first = call("--json", "--target", "sm_80", *QUICK, cache=cache)
            again = call("--json", "--target", "sm_80", *QUICK, cache=cache)
            kept = sum(len(names) for *_, names in os.walk(cache))
        if "not installed" in first.stderr:
            self.skipTest(first.stderr.strip())
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, again.stdout)
        self.assertEqual(kept, 3)
        rows = [json.loads(line) for line in first.stdout.splitlines()]
        names = {row["kernel"] for row in rows}
        self.assertIn("clfold_reduce_tiles", names)
        self.assertIn("clfold_scan_lookback", names)
        for row in rows:
            self.assertEqual(row["row"], "nvidia")
            if row["kernel"] == "clfold_reduce_tiles":
                self.assertEqual(row["load_bytes"], 16)

    def test_unread(self):
        """If its output is closed, as by `| head`, it ends without a message."""
        words = [sys.executable, CODEGEN, "--build", BUILD, "--no-cache", "--target", "gfx90a"]
        environment = {**os.environ, "PYTHONUNBUFFERED": ""}
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([*words, *QUICK], stdout=write, stderr=subprocess.PIPE,
                              env=environment, check=False)
        os.close(write)
        if b"not installed" in done.stderr:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual((done.returncode, done.stderr), (1, b""))

    def test_failing_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "clang-19")
            with open(fake, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\necho planted error\nexit 1\n")
            os.chmod(fake, 0o755)
            done = call("--target", "gfx90a", *QUICK, path=f"{folder}:/usr/bin:/bin")
        if "libclc" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 1)
        self.assertIn("planted error", done.stderr)

    def test_table(self):
        done = call("--target", "gfx90a", *QUICK)
        if "not installed" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gfx90a  reduce_tiles add f32", done.stdout)
        self.assertEqual(done.stdout.split()[:3], ["target", "kernel", "regs"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""drive.py GPU_HOST TESTS: tools/gpu-host packs, and builds and runs what it packed for.

The checkout it runs in is a small one: a Meson project that wants the libraries that clfold does,
whose clfold prints what it is called with.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GPU_HOST, TESTS_OF_BUILD = sys.argv[1:3]
sys.path.insert(0, os.path.dirname(GPU_HOST))

from gpu_host.stages import CHECK  # pylint: disable=wrong-import-position

FOLDER = os.path.join(os.path.dirname(GPU_HOST), "gpu_host")
PROJECT = """project('small', 'c', meson_version: '>=1.0')
option = get_option('tools')
python = find_program('python3')
cmocka = dependency('cmocka')
needed = [cmocka, dependency('OpenCL'), dependency('json-c')]
message('from ' + cmocka.get_variable(pkgconfig: 'prefix'))
program = files('clfold.c')
foreach folder : ['tools/clfold', 'tools/bench', 'tests/device']
  subdir(folder)
endforeach
"""
# Which tests there are beside those of the check; run_devices.py below does as their names say.
OTHERS = ("slow", "fine", "bad")
TESTS = """small = executable('test_small', program, dependencies: needed)
foreach name : %r
  test(name, python, args: ['run_devices.py', 'list_devices', '--', small, name], suite: 'device')
endforeach
test('posing', python, args: ['run_devices.py', '--only', 'x', '--', small], suite: 'device')
"""
BENCHES = """executable('bench_select', program, dependencies: needed)
executable('bench_segments', program, dependencies: needed)
"""
RUN_DEVICES = """import os, subprocess, sys
name = sys.argv[-1]
print(sys.argv[1:])
slow = name == 'slow' and os.environ.get('SLOW')
if slow:
    sleep = subprocess.Popen(['sleep', '300'], start_new_session=True)
    with open(slow, 'w') as file:
        file.write(str(sleep.pid))
    sleep.wait()
bad = name == os.environ.get('BAD', 'bad')
print('not ok' if bad else 'ok', f'1 - a platform: a card (OpenCL 3.0, driver 1): {name}')
print('ok 2 - a platform: a card (OpenCL 3.0, driver 1): more # SKIP it')
sys.exit(bad)
"""
DEVICES = [
    {"type": "cpu", "max_allocation": 1, "global_memory": 1},
    {"type": "gpu", "max_allocation": 1 << 32, "global_memory": 1 << 34, "name": "a card",
     "platform": "a platform", "device_version": "OpenCL 3.0 x", "driver_version": "1",
     "compute_units": 7},
]  # fmt: skip
ROW = {"op": "scan", "fold": "add", "operator": "add", "type": "f32", "count": 1024, "ok": True,
       "kernel": "reduce0", "implementation": "cub", "gbps": 12.3, "fraction": 0.87,
       "ratio": 1.23}  # fmt: skip
MEMORY = {"memory_read_gbps": [12.3, 12.4], "device": "a card"}  # bench's last line
CLFOLD = r"""#include <CL/cl.h>
#include <json.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct json_object *json = json_object_new_object();
    if (argc > 2 && strcmp(argv[1], "devices") == 0 && strcmp(argv[2], "--json") == 0) {
        puts(DEVICES);
        return 0;
    }
    for (int i = 1; i < argc; ++i) {
        printf("%s ", argv[i]);
    }
    puts(argc == 2 ? "" : "\n" ROW "\n" MEMORY "\n1\n{\"op\": \"cut o");
    json_object_put(json);
    return argc > 1 && strcmp(argv[1], "tune") == 0;
}
"""
COMPARE = """#!/bin/sh
echo "$@"
echo '%s'
"""
STEPS = len(CHECK) + 1  # those of the check
REPORT = f"""# a card

a platform: a card (OpenCL 3.0, driver 1), 7 compute units, 16 GiB.
VERSION.

Check: right: {STEPS} of {STEPS}.

All steps: right: {STEPS + 10} of {STEPS + 12}; FAILED: test bad, tune.

## bench

GB/s, and share of the fastest kernel that reads or copies the same bytes.

| case | 2^10 |
| --- | --- |
| scan add f32 | 12.3, 0.87 |
"""


def call(*words, cwd=None, script=GPU_HOST, **environment):
    return subprocess.run(
        [script, *words], cwd=cwd, capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


class Usage(unittest.TestCase):
    def test_words(self):
        for status, part, words in (
            (2, "wants --pack DIR, or --carry DIR", ()),
            (2, "'0' is not a number of minutes above 0", ("--carry", "x", "--minutes", "0")),
            (2, "--pack goes with neither", ("--pack", "x", "--stage", "build")),
            (1, "is there already", ("--pack", FOLDER)),
        ):
            done = call(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertIn(part, done.stderr)

    def test_check(self):
        with open(TESTS_OF_BUILD, encoding="utf-8") as file:
            self.assertLess(set(CHECK), {test["name"] for test in json.load(file)})


class Host(unittest.TestCase):
    """A pack that was moved, and a checkout."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.carry = cls.pack("carry")
        cls.root = os.path.join(cls.folder, "clfold")
        cls.out = os.path.join(cls.root, "gpu-host-out")
        clfold = CLFOLD
        # as C has them
        for name, text in (("DEVICES", DEVICES), ("ROW", ROW), ("MEMORY", MEMORY)):
            clfold = clfold.replace(name, json.dumps(json.dumps(text)))
        for path, text in (
            ("meson.build", PROJECT), ("clfold.c", clfold),
            ("meson_options.txt", "".join(f"option('{name}', type: 'feature')\n"
                                          for name in ("examples", "tests", "tools"))),
            ("tools/clfold/meson.build",
             "executable('clfold', program, dependencies: needed)\n"),
            ("tools/bench/meson.build", BENCHES),
            ("tests/device/meson.build", TESTS % [*OTHERS, *CHECK]),
            ("tests/run_devices.py", RUN_DEVICES),
            ("tools/compare", COMPARE % json.dumps(ROW)),
        ):  # fmt: skip
            write(os.path.join(cls.root, path), text)
        os.chmod(os.path.join(cls.root, "tools", "compare"), 0o755)
        cls.script = os.path.join(cls.root, "tools", "gpu-host")
        shutil.copy(GPU_HOST, cls.script)
        shutil.copytree(FOLDER, os.path.join(cls.root, "tools", "gpu_host"))
        cls.built = cls.stage("build")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        shutil.rmtree(self.out, ignore_errors=True)

    @classmethod
    def pack(cls, name, *words, **how):
        made, moved = os.path.join(cls.folder, "made"), os.path.join(cls.folder, name)
        done = call("--pack", made, *words, **how)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return shutil.move(made, moved)

    @classmethod
    def stage(cls, name, *words, **environment):
        environment.setdefault("OCL_ICD_VENDORS", cls.folder + "/")
        stage = ["--stage", name] if name else []
        return call("--carry", "../carry", *stage, *words, cwd=cls.root, script=cls.script,
                    **environment)

    def test_build(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout + self.built.stderr)
        for step in ("configure", "build"):
            self.assertRegex(self.built.stdout, rf"(?m)^{step} +ok, \d+ s$")

    def test_driver(self):
        """Where NVIDIA's OpenCL library is, or not."""
        driver = os.path.join(self.folder, "driver")
        how = {"OCL_ICD_VENDORS": "", "CLFOLD_DRIVER_FOLDERS": driver}
        done = self.stage("check", **how)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "gpu-host: NVIDIA's OpenCL library, libnvidia-opencl.so.1, "
                                      "is not on this machine\n")
        write(os.path.join(driver, "libnvidia-opencl.so.1"), "")
        done = self.stage("check", **how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(read(self.out, "vendors", "nvidia.icd"),
                         os.path.join(driver, "libnvidia-opencl.so.1") + "\n")

    def test_check(self):
        done = self.stage("check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"\nright: {STEPS} of {STEPS}\n", done.stdout)
        self.assertIn("'trials pinned'", read(self.out, "test-trials-pinned.out"))
        done = self.stage("check", "--again", BAD="context")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"\nright: {STEPS - 1} of {STEPS}; FAILED: test context\n", done.stdout)

    def test_all(self):
        """Each stage, with programs that were built elsewhere; nothing of it is done twice."""
        carry = self.pack("with-programs", "--build", "build-gpu", cwd=self.root,
                          script=self.script)
        words = ("--carry", carry)
        how = {"cwd": self.root, "script": self.script, "OCL_ICD_VENDORS": self.folder + "/"}
        done, again = call(*words, **how), call(*words, **how)
        self.assertEqual((done.returncode, again.returncode), (1, 1), done.stdout + done.stderr)
        self.assertNotRegex(done.stdout, r"(?m)^(configure|build) ")
        self.assertRegex(done.stdout, r"(?m)^tune +FAILED \(1\), \d+ s$")
        self.assertEqual(again.stdout.splitlines(),
                         [f"right: {STEPS} of {STEPS}", f"report: {self.out}/report.md"])
        # As much as fits: 2^28 items of 8 bytes, in a buffer of 4 GiB and on half of 16.
        peers = f"--json --build {self.root}/build-gpu-peers --peers"
        self.assertEqual(read(self.out, "compare-large.out").splitlines()[0],
                         f"{peers} cub --types f32,i32,f64,i64 --counts 2^24,2^26,2^28")
        text = read(self.out, "report.md")
        head = re.sub("--version, .*; 20.* Host: .* CPUs", "VERSION", text)
        self.assertTrue(head.startswith(REPORT), text)
        self.assertEqual(
            re.findall("(?m)^## (.*)", text),
            ["bench", "bench-counts", "bench-large", "ladder", "compare", "compare-large",
             "bench-select", "bench-segments", "tune", "devices", "tests", "test bad: FAILED"],
        )  # fmt: skip
        for part in (
            "| scan add f32 cub | 12.3, 1.23 |\n", "| reduce0 | 12.3 |\n",
            "| bad | FAILED | 0 | 1 |",
            "\nnot ok 1 - bad\n```\n",
        ):  # fmt: skip
            self.assertIn(part, text)
        self.assertNotIn("posing", text)

    def test_bounded(self):
        """A step that is too slow, one for which no time is left, and the call after."""
        pid = os.path.join(self.folder, "pid")
        done = self.stage("test", "--minutes", "0.5", SLOW=pid)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^test slow +cut off, \d+ s$")
        self.assertRegex(done.stdout, r"(?m)^test fine +ok")
        self.assertRegex(call("ps", "-o", "stat=", read(pid), script="env").stdout, "^(Z.*)?$")
        self.assertIn("; cut off: test slow; not run: devices, ", read(self.out, "report.md"))
        done = self.stage("test", "--minutes", "0.5")
        self.assertRegex(done.stdout, "(?m)^left out, for the next call: test slow$")
        done = self.stage("test", "--minutes", "4")
        self.assertRegex(done.stdout, "(?m)^test slow +ok")
        self.assertIn("| slow | ok | 1 | 0 | 1 |", read(self.out, "report.md"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

#!/usr/bin/env python3
"""drive.py GPU_HOST TESTS: tools/gpu-host packs, and builds and runs what it packed for.

The checkout it runs in is a small one: a Meson project that wants the libraries that clfold does,
with device tests and views of the lab that do as their names and the environment say.
"""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

GPU_HOST, TESTS_OF_BUILD = sys.argv[1:3]
LOADER = importlib.machinery.SourceFileLoader("gpu_host", GPU_HOST)
gpu_host = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_host", LOADER))
sys.dont_write_bytecode = True
LOADER.exec_module(gpu_host)

VIEWS = ("bench", "compare", "ladder", "small", "trace", "tune")
PROJECT = """project('small', 'c', meson_version: '>=1.0')
option = get_option('tools')
cmocka = dependency('cmocka')
needed = [cmocka, dependency('OpenCL'), dependency('json-c')]
message('from ' + cmocka.get_variable(pkgconfig: 'prefix'))
program = files('clfold.c')
foreach folder : ['tools/clfold', 'tools/lab', 'tests/device']
  subdir(folder)
endforeach
"""
LAB = f"""foreach view : {list(VIEWS)}
  configure_file(input: 'view', output: 'clfold-' + view, copy: true)
endforeach
"""
VIEW = """import os, sys
print(os.path.basename(sys.argv[0]), *sys.argv[1:])
sys.exit(os.path.basename(sys.argv[0]) == 'clfold-tune')
"""
# Which tests there are beside those of the check; run_devices.py below does as their names say.
OTHERS = ("slow", "fine", "bad")
TESTS = """python = find_program('python3')
small = executable('test_small', program, dependencies: needed)
foreach name : %r
  test(name, python, args: ['run_devices.py', 'list_devices', '--', small, name])
endforeach
test('posing', python, args: ['run_devices.py', '--only', 'x', '--', small])
"""
RUN_DEVICES = """import os, sys, time
name = sys.argv[-1]
print(sys.argv[1:])
if name == 'slow' and 'SLOW' in os.environ:
    time.sleep(300)
bad = name == os.environ.get('BAD', 'bad')
print('not ok' if bad else 'ok', f'1 - a card: {name}')
sys.exit(bad)
"""
DEVICES = [
    {"type": "cpu", "max_allocation": 1, "global_memory": 1},
    {"type": "gpu", "max_allocation": 1 << 32, "global_memory": 1 << 34, "name": "a card",
     "platform": "a platform", "driver_version": "1"},
]  # fmt: skip
CLFOLD = r"""#include <CL/cl.h>
#include <json.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    json_object_put(json_object_new_object());
    puts(argc > 2 && strcmp(argv[2], "--json") == 0 ? DEVICES : "clfold 1");
    return 0;
}
"""
STEPS = len(gpu_host.CHECK) + 1  # those of the check


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
            (2, "invalid float value: 'x'", ("--carry", "x", "--minutes", "x")),
            (2, "x: is not a folder made by gpu-host --pack", ("--carry", "x")),
            (1, "is there already", ("--pack", os.path.dirname(GPU_HOST))),
            (1, "holds no built clfold", ("--pack", "none", "--build", "x")),
        ):
            done = call(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertIn(part, done.stderr)

    def test_check(self):
        with open(TESTS_OF_BUILD, encoding="utf-8") as file:
            self.assertLess(set(gpu_host.CHECK), {test["name"] for test in json.load(file)})


class Host(unittest.TestCase):
    """A pack that was moved, and a checkout."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.carry = cls.pack("carry")
        cls.root = os.path.join(cls.folder, "clfold")
        cls.out = os.path.join(cls.root, "gpu-host-out")
        for path, text in (
            ("meson.build", PROJECT),
            ("clfold.c", CLFOLD.replace("DEVICES", json.dumps(json.dumps(DEVICES)))),
            ("meson_options.txt", "option('tests', type: 'feature')\n"
                                  "option('tools', type: 'feature')\n"),
            ("tools/clfold/meson.build",
             "executable('clfold', program, dependencies: needed)\n"),
            ("tools/lab/meson.build", LAB), ("tools/lab/view", VIEW),
            ("tests/device/meson.build", TESTS % [*OTHERS, *gpu_host.CHECK]),
            ("tests/run_devices.py", RUN_DEVICES),
        ):  # fmt: skip
            write(os.path.join(cls.root, path), text)
        cls.script = os.path.join(cls.root, "tools", "gpu-host")
        shutil.copy(GPU_HOST, cls.script)
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
    def stage(cls, name, *words, carry="../carry", **environment):
        environment.setdefault("OCL_ICD_VENDORS", cls.folder + "/")
        stage = ["--stage", name] if name else []
        return call("--carry", carry, *stage, *words, cwd=cls.root, script=cls.script,
                    **environment)

    def test_build(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout + self.built.stderr)
        self.assertIn("pkg-config", os.listdir(os.path.join(self.folder, "carry/python/bin")))
        self.assertIn("Message: from " + os.path.join(self.folder, "carry"), self.built.stdout)

    def test_driver(self):
        """Where NVIDIA's OpenCL library is, or not."""
        driver = os.path.join(self.folder, "driver")
        library = os.path.join(driver, "libnvidia-opencl.so.1")
        how = {"OCL_ICD_VENDORS": "", "CLFOLD_DRIVER_FOLDERS": driver}
        done = self.stage("check", **how)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "gpu-host: NVIDIA's OpenCL library, libnvidia-opencl.so.1, "
                                      "is not there\n")
        write(library, "")
        done = self.stage("check", **how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(read(self.out, "vendors", "nvidia.icd"), library)

    def test_check(self):
        done = self.stage("check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"\ncheck: right: {STEPS} of {STEPS}\n", done.stdout)
        self.assertIn("'trials pinned'", read(self.out, "test-trials-pinned.txt"))
        done = self.stage("check", "--again", BAD="context")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"\ncheck: right: {STEPS - 1} of {STEPS}; FAILED: test context\n",
                      done.stdout)

    def test_all(self):
        """Each stage, with programs that were built elsewhere; nothing of it is done twice."""
        carry = self.pack("with-programs", "--build", "build-gpu", cwd=self.root,
                          script=self.script)
        done, again = self.stage(None, carry=carry), self.stage(None, carry=carry)
        self.assertEqual((done.returncode, again.returncode), (1, 1), done.stdout + done.stderr)
        self.assertNotIn("ninja", done.stdout)
        tune = f"tune --file {self.out}/tuning"
        self.assertRegex(done.stdout, rf"(?m)^{tune} +FAILED, \d+ s$")
        verdicts = again.stdout.splitlines()
        self.assertEqual(len(verdicts), 6, again.stdout)
        self.assertEqual(verdicts[0], f"check: right: {STEPS} of {STEPS}")
        self.assertEqual(verdicts[3], f"test: right: {STEPS + 1} of {STEPS + 2}; FAILED: test bad")
        self.assertEqual(verdicts[5], f"tune: right: 0 of 1; FAILED: {tune}")
        text = read(self.out, "report.md")
        self.assertTrue(text.startswith("a platform, a card, 1, clfold 1, "), text)
        # As much as fits: 2^28 items of 8 bytes, in a buffer of 4 GiB and on half of 16.
        large = "compare --peers cub --types f32,i32,f64,i64 --counts 2^24,2^26,2^28"
        for part in (
            f"\n## {large}: ok\n\n```\nclfold-{large}\n```\n", "\nclfold-ladder\n",
            "\n## test bad: FAILED\n", "\nnot ok 1 - a card: bad\n",
        ):  # fmt: skip
            self.assertIn(part, text)
        self.assertNotIn("posing", text)

    def test_bounded(self):
        """A step that hangs, and the call after, which does only that one again."""
        done = self.stage("test", "--minutes", "0.5", SLOW="1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^test slow +cut off, \d+ s$")
        self.assertRegex(done.stdout, r"(?m)^test fine +ok")
        self.assertIn("; cut off: test slow\n", read(self.out, "report.md"))
        done = self.stage("test")
        self.assertRegex(done.stdout, "(?m)^test slow +ok")
        self.assertNotIn("test fine", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

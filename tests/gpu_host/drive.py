#!/usr/bin/env python3
"""drive.py GPU_HOST: tools/gpu-host packs, and builds and runs what it packed for.

The checkout it runs in is a small one: a Meson project that wants the libraries that clfold does,
whose clfold prints what it is called with.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

GPU_HOST = sys.argv[1]
PROJECT = """project('small', 'c', meson_version: '>=1.0')
option = get_option('tools')
python = find_program('python3')
cmocka = dependency('cmocka')
needed = [cmocka, dependency('OpenCL'), dependency('gmp'), dependency('json-c')]
message('from ' + cmocka.get_variable(pkgconfig: 'prefix'))
subdir('tools/clfold')
subdir('tests/device')
"""
CLFOLD = """#include <CL/cl.h>
#include <json.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct json_object *json = json_object_new_object();
    if (argc > 2 && strcmp(argv[1], "devices") == 0 && strcmp(argv[2], "--json") == 0) {
        puts("[{\\"type\\": \\"cpu\\", \\"max_allocation\\": 1, \\"global_memory\\": 1},");
        puts("{\\"type\\": \\"gpu\\", \\"max_allocation\\": 4294967296,");
        puts("\\"global_memory\\": 17179869184}]");
        return 0;
    }
    for (int i = 1; i < argc; ++i) {
        printf("%s ", argv[i]);
    }
    json_object_put(json);
    return argc > 1 && strcmp(argv[1], "tune") == 0;
}
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
    def test_refused(self):
        for part, words in (
            ("wants --pack DIR, or --carry DIR", ()),
            ("no option --fly", ("--fly",)),
            ("--stage needs a value", ("--stage",)),
            ("--stage dance: unknown stage", ("--carry", "x", "--stage", "dance")),
            ("--pack goes with neither", ("--pack", "x", "--stage", "build")),
            ("--carry nowhere: is not a folder", ("--carry", "nowhere", "--stage", "build")),
        ):
            done = call(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(part, done.stderr)

    def test_help(self):
        done = call("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--pack DIR", done.stdout)
        self.assertTrue(done.stdout.endswith("1 where a step failed.\n"), done.stdout)

    def test_pack_keeps_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done = call("--pack", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is there already", done.stderr)
            self.assertEqual(os.listdir(folder), [])


class Host(unittest.TestCase):
    """A pack that was moved, and a checkout."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        made, cls.carry = os.path.join(cls.folder, "made"), os.path.join(cls.folder, "carry")
        done = call("--pack", made)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        shutil.move(made, cls.carry)
        cls.root = os.path.join(cls.folder, "clfold")
        write(os.path.join(cls.root, "meson.build"), PROJECT)
        options = ("examples", "tests", "tools")
        write(os.path.join(cls.root, "meson_options.txt"),
              "".join(f"option('{name}', type: 'feature')\n" for name in options))
        write(os.path.join(cls.root, "tools", "clfold", "clfold.c"), CLFOLD)
        write(os.path.join(cls.root, "tools", "clfold", "meson.build"),
              "executable('clfold', 'clfold.c', dependencies: needed)\n")
        write(os.path.join(cls.root, "tests", "device", "meson.build"),
              "executable('test_small', '../../tools/clfold/clfold.c', dependencies: needed)\n")
        write(os.path.join(cls.root, "tests", "run_devices.py"),
              "import sys\nprint('devices', sys.argv[1:])\n")
        cls.script = os.path.join(cls.root, "tools", "gpu-host")
        shutil.copy(GPU_HOST, cls.script)
        cls.built = cls.stage("build")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def stage(cls, name, **environment):
        environment.setdefault("OCL_ICD_VENDORS", cls.folder + "/")
        return call("--carry", "../carry", "--stage", name, cwd=cls.root, script=cls.script,
                    **environment)

    def test_build(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout + self.built.stderr)
        log = read(self.root, "gpu-host-out", "configure.log")
        self.assertIn("from " + os.path.join(self.carry, "lib", "pkgconfig"), log)
        for step in ("configure", "build"):
            self.assertRegex(self.built.stdout, rf"(?m)^{step} +ok, \d+ s$")

    def test_library(self):
        nowhere = os.path.join(self.folder, "nowhere")
        done = self.stage("test", OCL_ICD_VENDORS="", CLFOLD_DRIVER_FOLDERS=nowhere)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "gpu-host: NVIDIA's OpenCL library, libnvidia-opencl.so.1, "
                                      "is not on this machine\n")
        write(os.path.join(self.folder, "driver", "libnvidia-opencl.so.1"), "")
        driver = os.path.join(self.folder, "driver")
        done = self.stage("test", OCL_ICD_VENDORS="", CLFOLD_DRIVER_FOLDERS=driver)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(read(self.root, "gpu-host-out", "vendors", "nvidia.icd"),
                         os.path.join(driver, "libnvidia-opencl.so.1") + "\n")

    def test_stages(self):
        out = os.path.join(self.root, "gpu-host-out")
        self.assertEqual(self.stage("test").returncode, 0)
        self.assertEqual(read(out, "devices.txt"), "devices --probe ")
        self.assertIn("test_small", read(out, "test_small.log"))
        self.assertEqual(self.stage("bench").returncode, 0)
        self.assertEqual(read(out, "bench.json"), "bench --json ")
        self.assertEqual(read(out, "ladder.txt"), "ladder ")

    def test_large(self):
        """As much as fits: 2^28 items of 8 bytes, in a buffer of 4 GiB and on half of 16."""
        out = os.path.join(self.root, "gpu-host-out")
        self.assertEqual(self.stage("large").returncode, 0)
        self.assertEqual(
            read(out, "bench-large.json"),
            "bench --json --folds add --types f32,i32,f64,i64 --min 2^24 --max 2^28 ",
        )
        compare = os.path.join(self.root, "tools", "compare")
        write(compare, '#!/bin/sh\necho "$@"\n')
        os.chmod(compare, 0o755)
        done = self.stage("compare")
        os.remove(compare)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        build = "--build " + os.path.join(self.root, "build-gpu")
        self.assertEqual(read(out, "compare.txt"), build + "\n")
        self.assertEqual(
            read(out, "compare-large.txt"),
            build + " --peers cub --types f32,i32,f64,i64 --counts 2^24,2^26,2^28\n",
        )

    def test_failures(self):
        done = self.stage("tune")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^tune +FAILED \(1\), \d+ s$")
        done = self.stage("compare")
        self.assertEqual(done.returncode, 1)
        self.assertIn("this checkout has no tools/compare", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

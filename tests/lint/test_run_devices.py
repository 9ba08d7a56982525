#!/usr/bin/env python3
"""tests/run_devices.py on a machine made of files: an .icd and what it lists, no OpenCL."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run_devices.py")

# Prints what stands in the .icd files: each is a list of devices here.
LISTER = """#!/bin/sh
cat "$OCL_ICD_VENDORS"*.icd
case "$OCL_ICD_VENDORS" in */) ;; *) exit 3 ;; esac
if grep -q broken "$OCL_ICD_VENDORS"*.icd; then kill -SEGV $$; fi
"""
ONE = "0\tHouse: small\tOpenCL 3.0 more words\t1.5\n1\tHouse: big\tOpenCL 1.2\t1.5\n"
TWO = "0\tYard: (R) # one\tOpenCL 2.0\t7\n"


class Runner(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        os.mkdir(os.path.join(self.folder, "icd"))
        self.lister = self.script("lister", LISTER)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def script(self, name, text):
        path = self.write(name, text)
        os.chmod(path, 0o755)
        return path

    def devices(self, **files):
        for name, text in files.items():
            self.write(f"icd/{name}.icd", text)

    def run_it(self, program, *options, **variables):
        environment = {**os.environ, "OCL_ICD_VENDORS": self.folder + "/icd",
                       "CLFOLD_TEST_LEVEL": "", "OPENCL_LAYERS": "", **variables}
        if "CLFOLD_REQUIRED_DEVICES" not in variables:
            environment.pop("CLFOLD_REQUIRED_DEVICES", None)
        command = [sys.executable, RUNNER, self.lister, *options]
        if program is not None:
            command += ["--", self.script("program", "#!/bin/sh\n" + program), "word"]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        points = [line for line in lines if not line.startswith("#")]
        return done.returncode, points, [line for line in lines if line.startswith("#")]

    def test_points_of_all_devices(self):
        self.devices(a=ONE, b=TWO)
        status, points, comments = self.run_it(
            'echo "ok 1 - first $CLFOLD_TEST_DEVICE $1"\n'
            "echo 'ok 2 # SKIP second'\necho loose words\necho 1..2\necho spoken >&2\n"
        )
        self.assertEqual(status, 0)
        self.assertEqual(points, [
            "ok 1 - House: small (OpenCL 3.0, driver 1.5): first 0 word",
            "ok 2 - House: small (OpenCL 3.0, driver 1.5): second # SKIP ",
            "ok 3 - House: big (OpenCL 1.2, driver 1.5): first 1 word",
            "ok 4 - House: big (OpenCL 1.2, driver 1.5): second # SKIP ",
            "ok 5 - Yard: (R)  one (OpenCL 2.0, driver 7): first 0 word",
            "ok 6 - Yard: (R)  one (OpenCL 2.0, driver 7): second # SKIP ",
            "1..6",
        ])
        self.assertEqual(comments.count("# loose words"), 3)
        self.assertEqual(comments.count("# spoken"), 3)

    def test_ranks(self):
        self.devices(b=TWO)
        self.script("mpirun", '#!/bin/sh\necho 1..1\n'
                    'echo "ok 1 - $1 $2 $4 $OMPI_ALLOW_RUN_AS_ROOT"\n')
        status, points, _ = self.run_it("", "--ranks", "2,5",
                                        PATH=f"{self.folder}:{os.environ['PATH']}")
        yard = "Yard: (R)  one (OpenCL 2.0, driver 7) RANKS="
        self.assertEqual((status, points), (0, [
            f"ok 1 - {yard}2: -n 2 word 1", f"ok 2 - {yard}5: -n 5 word 1", "1..2"]))

    def test_failures(self):
        self.devices(b=TWO)
        for program, words in (
            ("echo 'not ok 1 - bad'\necho 1..1\n", ": bad"),
            ("echo 'ok 1 - a'\necho 1..1\nexit 4\n", "ended with 4"),
            ("echo 'ok 1 - a'\necho 1..2\nkill -ABRT $$\n", "1 of 2 tests ran, the program "
             "ended by signal SIGABRT"),
            ("echo 'ok 1 - a'\necho 1..2\n", "1 of 2 tests ran, the program ended"),
            ("exit 5\n", "ended with 5"),
            ("kill -SEGV $$\n", "ended by signal SIGSEGV"),
        ):
            status, points, _ = self.run_it(program)
            failed = [line for line in points if line.startswith("not ok")]
            self.assertEqual((status, len(failed)), (1, 1), (program, points))
            self.assertIn(words, failed[0])

    def test_time_limit_ends_children_too(self):
        self.devices(b=TWO)
        mark = os.path.join(self.folder, "mark")
        status, points, _ = self.run_it(
            f"(sleep 3; touch {mark}) &\necho 'ok 1 - a'\nsleep 30\n", "--limit", "0.5"
        )
        self.assertEqual(status, 1)
        self.assertIn("took more than 0.5 s and was ended", points[1])
        subprocess.run(["sleep", "3"], check=True)
        self.assertFalse(os.path.exists(mark))

    @unittest.skipUnless(shutil.which("eu-stack"), "eu-stack tells what a process is in")
    def test_time_limit_tells_where(self):
        self.devices(b=TWO)
        _, points, comments = self.run_it("exec sleep 30\n", "--limit", "0.5")
        self.assertRegex(points[0], "was ended, in .*nanosleep.* < __libc_start_main")
        self.assertTrue(any("nanosleep" in line for line in comments), comments)

    def test_plain_programs(self):
        self.devices(b=TWO)
        self.assertEqual(self.run_it("exit 0\n")[:2], (
            0, ["ok 1 - Yard: (R)  one (OpenCL 2.0, driver 7): program", "1..1"]
        ))
        self.assertEqual(self.run_it("echo no f64 >&2\nexit 77\n")[:2], (
            0, ["ok 1 - Yard: (R)  one (OpenCL 2.0, driver 7) # SKIP no f64", "1..1"]
        ))

    def test_first_device(self):
        self.devices(a=ONE, b=TWO)
        for words, name in (
            (["--first"], "House: small (OpenCL 3.0, driver 1.5)"),
            (["--first", "--only", "Yard"], "Yard: (R)  one (OpenCL 2.0, driver 7)"),
        ):
            self.assertEqual(self.run_it("exit 0\n", *words)[:2], (
                0, [f"ok 1 - {name}: program", "1..1"]
            ))

    def test_skipped_points(self):
        self.devices(b=TWO)
        script = "echo '{}ok 1 # SKIP only'\necho 1..1\n"
        for word in ("", "not "):
            self.assertEqual(self.run_it(script.format(word))[:2], (
                0, ["ok 1 - Yard: (R)  one (OpenCL 2.0, driver 7): only # SKIP ", "1..1"]
            ))

    def test_driver_fault(self):
        """Of two runs that a known fault of Intel's ends the third counts, of three none; not of
        another fault, or device, or a program that ends itself."""
        counter = os.path.join(self.folder, "runs")
        program = (
            f"echo x >>{counter}\nif [ $(wc -l <{counter}) -lt %d ]; then\n"
            "echo %s >&2\n%s\nfi\necho 'ok 1 - a'\necho 1..1\n"
        )
        fault, intel = "Pure virtual function called!", "Intel(R) OpenCL: a"
        for good, ending, text, name, status, runs in (
            (3, "kill -ABRT $$", fault, intel, 0, 3),
            (4, "kill -ABRT $$", fault, intel, 1, 3),
            (2, "kill -ABRT $$", "other", intel, 1, 1),
            (2, "kill -ABRT $$", fault, "Yard: a", 1, 1),
            (2, "exit 1", fault, intel, 1, 1),
            (2, "echo 1..1; echo ok 1; kill -SEGV $$", "other", "rusticl: a", 0, 2),
            (2, "echo 1..1; echo ok 1; kill -ABRT $$", "other", "rusticl: a", 1, 1),
            (2, "echo 1..2; echo ok 1; kill -SEGV $$", "other", "rusticl: a", 1, 1),
            (2, "echo 1..1; echo not ok 1; kill -SEGV $$", "other", "rusticl: a", 1, 1),
        ):
            self.write("runs", "")
            self.devices(b=TWO.replace("Yard: (R) # one", name))
            found, _, comments = self.run_it(program % (good, text, ending))
            with open(counter, encoding="utf-8") as file:
                self.assertEqual((found, len(file.readlines())), (status, runs))
            reported = [line for line in comments if "a known fault of the driver" in line]
            self.assertEqual(len(reported), (runs - 1 if status == 0 else 3 if runs == 3 else 0))

    def test_environment(self):
        self.devices(a=ONE)
        _, points, _ = self.run_it(
            'echo "ok 1 - $KIND $CMOCKA_MESSAGE_OUTPUT"\n', "--only", "big", "--env",
            "KIND=x=y",
        )
        self.assertEqual(points, [
            "ok 1 - House: big (OpenCL 1.2, driver 1.5) KIND=x=y: x=y TAP", "1..1"
        ])

    def test_faults_by_version(self):
        """Where drivers die of groups, no test forces them; CLFOLD_TEST_GROUPS does."""
        for driver, own, groups in (
            ("3.1+debian", "", ""), ("6.0+debian", "", "0"), ("7.1", "1", "1")
        ):
            self.devices(a=f"0\tPortable Computing Language: a\tOpenCL 3.0\t{driver}\n")
            own = {"CLFOLD_TEST_GROUPS": own} if own else {}
            _, points, _ = self.run_it('echo "ok 1 - [$CLFOLD_TEST_GROUPS]"\n', **own)
            self.assertTrue(points[0].endswith(f"{driver}): [{groups}]"), points)

    def test_environment_of_one_device(self):
        self.devices(a=ONE.replace("House: big", "rusticl: big"))
        _, points, _ = self.run_it(
            'echo "ok 1 - ($KIND) ($MALLOC_PERTURB_)"\n', "--env-on", "rusticl", "KIND=x",
            KIND="y", MALLOC_PERTURB_="7",
        )
        self.assertEqual([point.partition(": ")[2].partition(": ")[2] for point in points[:2]],
                         ["(y) (7)", "(x) ()"])

    def test_rusticl(self):
        self.devices(b=TWO)
        program = 'echo "ok 1 - ($RUSTICL_ENABLE)"\n'
        for named, expected in ((None, "llvmpipe"), ("iris", "iris"), ("", "")):
            os.environ.pop("RUSTICL_ENABLE", None)
            variables = {} if named is None else {"RUSTICL_ENABLE": named}
            points = self.run_it(program, **variables)[1]
            self.assertTrue(points[0].endswith(f": ({expected})"), points)

    def test_no_device(self):
        self.assertEqual(self.run_it("exit 1\n")[:2], (0, ["1..0 # SKIP no OpenCL device"]))
        self.devices(a=ONE)
        self.assertEqual(self.run_it("exit 1\n", "--only", "Yard")[:2], (
            0, ["1..0 # SKIP no OpenCL device named Yard"]
        ))

    def test_levels(self):
        self.devices(a=ONE, b=TWO)
        for options, counts in (
            (("--from", "wide", "House"), (1, 3, 3)),
            (("--from", "full", "House"), (1, 1, 3)),
            (("--from", "full", "House", "--only", "House"), (2, 2, 2)),
            (("--from", "wide", "Yard", "--from", "full", "House"), (2, 1, 3)),
            (("--full-rest",), (1, 1, 3)),
            (("--first",), (1, 1, 1)),
        ):
            for level, count in zip(("", "wide", "full"), counts):
                points = self.run_it("exit 0\n", *options, CLFOLD_TEST_LEVEL=level)[1]
                self.assertEqual(points[-1], f"1..{count}", (options, level))

    def test_programs(self):
        self.devices(b=TWO)
        self.write("builds.so", "")
        _, _, comments = self.run_it(
            'echo $OPENCL_LAYERS $POCL_CACHE_DIR\n'
            'printf "source 2151.3 145.2\\nsource 300 24\\nbinary 5 99\\n" '
            '>> "$CLFOLD_TEST_BUILDS"\n', XDG_CACHE_HOME=self.folder, CLFOLD_TEST_CACHE="",
            POCL_CACHE_DIR=self.folder
        )
        self.assertIn(f"# {self.folder}/builds.so {self.folder}", comments)
        self.assertTrue(comments[-1].endswith("programs: 1 built in 2.2 s, 2 loaded in 0.3 s"))
        self.assertTrue(os.path.isdir(self.folder + "/clfold-tests/mesa"))

    def test_list(self):
        self.devices(a=TWO, same_library=TWO)
        self.assertEqual(self.run_it(None)[:2], (
            0, ["ok 1 - Yard: (R)  one (OpenCL 2.0, driver 7)", "1..1"]
        ))

    def test_broken_driver(self):
        self.devices(a=ONE, b="9\tbroken: one\tOpenCL 1.2\t1\n")
        _, points, comments = self.run_it("exit 0\n")
        self.assertEqual(len(points), 4)
        self.assertIn("the list of its devices ended by signal SIGSEGV", comments[0])

    def test_required(self):
        self.devices(a=ONE)
        file = self.write("required", "# a comment\n\nHouse: big\nYard\n")
        for how in ((("--required", file), {}), ((), {"CLFOLD_REQUIRED_DEVICES": file})):
            status, points, _ = self.run_it("exit 0\n", *how[0], **how[1])
            self.assertEqual((status, len(points)), (1, 4))
            self.assertTrue(points[0].startswith("not ok 1 - no OpenCL device is named Yard"))
        file = self.write("required", "House: big\n")
        self.assertEqual(self.run_it("exit 0\n", "--required", file)[0], 0)
        self.assertEqual(self.run_it("exit 0\n", "--only", "x", "--required", file)[0], 0)
        file = self.write("required", "# nothing\n")
        self.assertEqual(self.run_it("exit 0\n", "--required", file)[0], 1)


if __name__ == "__main__":
    unittest.main()

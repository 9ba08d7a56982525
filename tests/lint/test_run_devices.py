#!/usr/bin/env python3
"""tests/run_devices.py on machines made of files: an .icd and what it lists, no OpenCL."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import tools

RUNNER = tools.run_devices.__file__
# Prints what stands in the .icd files: each is a list of devices here.
LISTER = """cat "$OCL_ICD_VENDORS"*.icd
case "$OCL_ICD_VENDORS" in */) ;; *) exit 3 ;; esac
if grep -q broken "$OCL_ICD_VENDORS"*.icd; then kill -SEGV $$; fi
"""
HOUSE = "0\tHouse: small\tOpenCL 3.0 more words\t1.5\n1\tHouse: big\tOpenCL 1.2\t1.5\n"
YARD = "0\tYard: (R) # one\tOpenCL 2.0\t7\n"
POCL = "0\tPortable Computing Language: a\tOpenCL 3.0\t%s\n"
SMALL, BIG = (f"House: {name} (OpenCL {level}, driver 1.5)"
              for name, level in (("small", "3.0"), ("big", "1.2")))
ONE = "Yard: (R)  one (OpenCL 2.0, driver 7)"
BAD = f"not ok {ONE}: "
SAYS = 'echo "ok 1 - '  # the rest of a program that says a variable
LISTS = {"two": "House: big\nYard\n", "big": "# x\n\nHouse: big\n", "none": "# x\n"}

# The .icd files, the program's text, options and variables; then the exit status, the points that
# must come, without numbers, and some comments. HERE is the folder of the machine.
ROWS = (
    ([HOUSE, YARD], SAYS + 'first $CLFOLD_TEST_DEVICE $1"\necho "ok 2 # SKIP second"\n'
     "echo loose words\necho 1..2\necho spoken >&2\n", [], {}, 0,
     [line for number, name in ((0, SMALL), (1, BIG), (0, ONE))
      for line in (f"{name}: first {number} word", f"{name}: second # SKIP ")],
     ["loose words", "spoken"]),
    ([YARD], "echo 'not ok 1 - bad'\necho 1..1\n", [], {}, 1, [BAD + "bad"], []),
    ([YARD], "echo 1..0\n", [], {}, 1, [BAD + "no test has this name"], []),
    ([YARD], "echo 'ok 1 - a'\necho 1..1\nexit 4\n", [], {}, 1,
     [f"{ONE}: a", BAD + "ended with 4"], []),
    ([YARD], "echo 1..2\nkill -ABRT $$\n", [], {}, 1,
     [BAD + "0 of 2 tests ran, the program ended by signal SIGABRT"], []),
    ([YARD], "echo 1..2\n", [], {}, 1, [BAD + "0 of 2 tests ran, the program ended"], []),
    ([YARD], "kill -SEGV $$\n", [], {}, 1, [BAD + "ended by signal SIGSEGV"], []),
    ([YARD], "echo no f64 >&2\nexit 77\n", [], {}, 0, [f"{ONE} # SKIP no f64"], []),
    ([YARD], "echo 'not ok 1 # SKIP only'\necho 1..1\n", [], {}, 0, [f"{ONE}: only # SKIP "], []),
    ([YARD], "", ["--ranks", "2,5"], {}, 0,
     [f"{ONE} RANKS={n}: -n {n} word 1" for n in (2, 5)], []),
    ([HOUSE, YARD], "exit 0\n", ["--first", "--only", "Yard"], {}, 0, [f"{ONE}: program"], []),
    ([HOUSE], SAYS + '$KIND $CMOCKA_MESSAGE_OUTPUT"\n',
     ["--only", "big", "--env", "KIND=x=y"], {}, 0, [f"{BIG} KIND=x=y: x=y TAP"], []),
    ([HOUSE.replace("House: big", "rusticl: big")], SAYS + '($KIND) ($MALLOC_PERTURB_)"\n',
     ["--env-on", "rusticl", "KIND=x"], {"KIND": "y", "MALLOC_PERTURB_": "7"}, 0,
     [f"{SMALL}: (y) (7)", f"{BIG} KIND=x: (x) ()".replace("House", "rusticl")], []),
    # Where drivers die of groups, no test forces them.
    *(([POCL % driver], SAYS + '[$CLFOLD_TEST_GROUPS]"\n', [],
       {"CLFOLD_TEST_GROUPS": own} if own else {}, 0,
       [f"Portable Computing Language: a (OpenCL 3.0, driver {driver}): [{groups}]"], [])
      for driver, own, groups in (("3.1+debian", "", ""), ("6.0+debian", "", "0"),
                                  ("7.1", "1", "1"))),
    *(([YARD], SAYS + '($RUSTICL_ENABLE)"\n', [], own, 0, [f"{ONE}: ({found})"], [])
      for own, found in (({}, "llvmpipe"), ({"RUSTICL_ENABLE": "iris"}, "iris"),
                         ({"RUSTICL_ENABLE": ""}, ""))),
    ([], "exit 1\n", [], {}, 0, ["1..0 # SKIP no OpenCL device"], []),
    ([HOUSE], "exit 1\n", ["--only", "Yard"], {}, 0,
     ["1..0 # SKIP no OpenCL device named Yard"], []),
    ([YARD], 'echo $OPENCL_LAYERS $POCL_CACHE_DIR\nprintf "source 2151.3 145.2\\nsource 300 24\\n'
     'binary 5 99\\n" >> "$CLFOLD_TEST_BUILDS"\n', [],
     {"XDG_CACHE_HOME": "HERE", "CLFOLD_TEST_CACHE": "", "POCL_CACHE_DIR": "HERE"}, 0,
     [f"{ONE}: program"],
     ["HERE/builds.so HERE",
      "Yard: (R) # one (OpenCL 2.0, driver 7): programs: 1 built in 2.2 s, 2 loaded in 0.3 s"]),
    ([YARD, YARD], None, [], {}, 0, [ONE], []),
    ([HOUSE, "9\tbroken: one\tOpenCL 1.2\t1\n"], "exit 0\n", [], {}, 0,
     [f"{SMALL}: program", f"{BIG}: program", "broken: one (OpenCL 1.2, driver 1): program"],
     ["HERE/icd/1.icd: the list of its devices ended by signal SIGSEGV"]),
    *(([HOUSE], "exit 0\n", options, variables, 1,
       ["not ok no OpenCL device is named Yard, and HERE/two wants one", f"{SMALL}: program",
        f"{BIG}: program"], [])
      for options, variables in ((["--required", "HERE/two"], {}),
                                 ([], {"CLFOLD_REQUIRED_DEVICES": "HERE/two"}))),
    ([HOUSE], "exit 0\n", ["--only", "small", "--required", "HERE/big"], {}, 0,
     [f"{SMALL}: program"], []),
    ([HOUSE], "exit 0\n", ["--first", "--required", "HERE/none"], {}, 1,
     ["not ok HERE/none names no device", f"{SMALL}: program"], []),
)  # fmt: skip
# Options, and on how many of three devices a program runs at the levels none, wide and full.
LEVELS = (
    (["--from", "wide", "House"], (1, 3, 3)),
    (["--from", "full", "House", "--only", "House"], (2, 2, 2)),
    (["--from", "wide", "Yard", "--from", "full", "House"], (2, 1, 3)),
    (["--full-rest"], (1, 1, 3)),
    (["--first"], (1, 1, 1)),
)  # fmt: skip
FAULT, INTEL = "Pure virtual function called!", "Intel(R) OpenCL: a"
# Which run is good, how the others end, what they say, the device, the exit status and runs. Of two
# runs that a known fault ends the third counts, of three none; not of another fault, or device, or
# a program that ends itself.
AGAIN = (
    (3, "kill -ABRT $$", FAULT, INTEL, 0, 3),
    (4, "kill -ABRT $$", FAULT, INTEL, 1, 3),
    (2, "kill -ABRT $$", "other", INTEL, 1, 1),
    (2, "kill -ABRT $$", FAULT, "Yard: a", 1, 1),
    (2, "exit 1", FAULT, INTEL, 1, 1),
    (2, "echo 1..1; echo ok 1; kill -SEGV $$", "other", "rusticl: a", 0, 2),
    (2, "echo 1..2; echo ok 1; kill -SEGV $$", "other", "rusticl: a", 1, 1),
    (2, "echo 1..1; echo not ok 1; kill -SEGV $$", "other", "rusticl: a", 1, 1),
)


class Machine:
    def __init__(self, folder):
        self.folder, self.failures = folder, []
        self.script("lister", LISTER)
        self.script("mpirun", "echo 1..1\necho \"ok 1 - $1 $2 $4 $OMPI_ALLOW_RUN_AS_ROOT\"\n")
        for name, text in {**LISTS, "builds.so": ""}.items():
            tools.write(folder, name, text)

    def script(self, name, text):
        path = tools.write(self.folder, name, "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run(self, files, program, options, variables):
        """The exit status, the points and the comments."""
        shutil.rmtree(os.path.join(self.folder, "icd"), ignore_errors=True)
        os.mkdir(os.path.join(self.folder, "icd"))
        for number, text in enumerate(files):
            tools.write(self.folder, f"icd/{number}.icd", text)
        environment = {**os.environ, "OCL_ICD_VENDORS": self.folder + "/icd",
                       "PATH": f"{self.folder}:{os.environ['PATH']}",
                       "CLFOLD_TEST_LEVEL": "", "OPENCL_LAYERS": ""}  # fmt: skip
        for name in ("CLFOLD_REQUIRED_DEVICES", "CLFOLD_TEST_GROUPS", "RUSTICL_ENABLE"):
            environment.pop(name, None)
        for name, value in variables.items():
            environment[name] = value.replace("HERE", self.folder)
        options = [word.replace("HERE", self.folder) for word in options]
        command = [sys.executable, RUNNER, os.path.join(self.folder, "lister"), *options]
        if program is not None:
            command += ["--", self.script("program", program), "word"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=60, check=False)  # fmt: skip
        self.check(not done.stderr, command, done.stderr)
        lines = done.stdout.replace(self.folder, "HERE").splitlines()
        return (done.returncode, [line for line in lines if not line.startswith("#")],
                [line[2:] for line in lines if line.startswith("#")])

    def check(self, holds, *what):
        if not holds:
            self.failures.append(" ".join(map(str, what)))

    def check_row(self, files, program, options, variables, status, points, comments):
        found = self.run(files, program, options, variables)
        wanted = [re.sub("^(not )?(ok )?", rf"\1ok {number} - ", point)
                  for number, point in enumerate(points, 1)] + [f"1..{len(points)}"]  # fmt: skip
        if points[0].startswith("1..0"):
            wanted = points
        self.check(found[:2] == (status, wanted) and set(comments) <= set(found[2]),
                   options, program, found)

    def check_again(self, good, ending, text, name, status, runs):
        counter = tools.write(self.folder, "runs", "")
        found, _, comments = self.run([YARD.replace("Yard: (R) # one", name)], (
            f"echo x >>{counter}\nif [ $(wc -l <{counter}) -lt {good} ]; then\n"
            f"echo '{text}' >&2\n{ending}\nfi\necho 'ok 1 - a'\necho 1..1\n"), [], {})  # fmt: skip
        with open(counter, encoding="utf-8") as file:
            ran = len(file.readlines())
        reported = sum("a known fault of the driver" in line for line in comments)
        wanted = runs - 1 if status == 0 else 3 if runs == 3 else 0
        self.check((found, ran, reported) == (status, runs, wanted), ending, text, name, comments)

    def check_limit(self):
        """It ends what a program has started, too, and says where the program was."""
        mark = os.path.join(self.folder, "mark")
        status, points, comments = self.run([YARD], (
            f"(sleep 3; touch {mark}) &\necho 'ok 1 - a'\nexec sleep 30\n"),
            ["--limit", "0.5"], {})
        said = "took more than 0.5 s and was ended"
        if shutil.which("eu-stack"):
            said += ", in .*nanosleep.* < __libc_start_main"
            self.check(any("nanosleep" in line for line in comments), comments)
        self.check(status == 1 and re.search(said, points[1]), points)
        time.sleep(3)
        self.check(not os.path.exists(mark), "a child of a program that was ended goes on")


def main():
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        for row in ROWS:
            machine.check_row(*row)
        machine.check(os.path.isdir(folder + "/clfold-tests/mesa"), "no folder of programs")
        for options, counts in LEVELS:
            for level, count in zip(("", "wide", "full"), counts):
                variables = {"CLFOLD_TEST_LEVEL": level}
                points = machine.run([HOUSE, YARD], "exit 0\n", options, variables)[1]
                machine.check(points[-1] == f"1..{count}", options, level, points)
        for row in AGAIN:
            machine.check_again(*row)
        machine.check_limit()
    tools.finish(machine.failures, f"{len(ROWS) + len(AGAIN)} rows")


if __name__ == "__main__":
    main()

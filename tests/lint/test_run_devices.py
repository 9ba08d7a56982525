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
SMALL, BIG = (f"House: {name} (OpenCL {level}, driver 1.5)"
              for name, level in (("small", "3.0"), ("big", "1.2")))
ONE = "Yard: (R)  one (OpenCL 2.0, driver 7)"
BAD = f"not ok {ONE}: "
SAYS = 'echo "ok 1 - '  # the rest of a program that says a variable

# The .icd files, the program's text, options and variables; then the exit status, the points that
# must come, without numbers, and some comments. HERE is the folder of the machine.
ROWS = (
    ([HOUSE, YARD, YARD], SAYS + 'first $CLFOLD_TEST_DEVICE $1"\necho "ok 2 # SKIP second"\n'
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
    ([YARD], "echo no f64 >&2\nexit 77\n", [], {}, 0, [f"{ONE} # SKIP no f64"], []),
    ([YARD], "", ["--ranks", "2,5"], {}, 0,
     [f"{ONE} RANKS={n}: -n {n} word 1" for n in (2, 5)], []),
    ([HOUSE.replace("House: big", "rusticl: big")], SAYS + '($KIND) ($MALLOC_PERTURB_)"\n',
     ["--env-on", "rusticl", "KIND=x"], {"KIND": "y", "MALLOC_PERTURB_": "7"}, 0,
     [f"{SMALL}: (y) (7)", f"{BIG} KIND=x: (x) ()".replace("House", "rusticl")], []),
    ([HOUSE], "exit 1\n", ["--only", "Yard"], {}, 0,
     ["1..0 # SKIP no OpenCL device named Yard"], []),
    ([YARD], 'printf "source 2151.3 145.2\\nsource 300 24\\nbinary 5 99\\n" '
     '>> "$CLFOLD_TEST_BUILDS"\n', [], {}, 0, [f"{ONE}: program"],
     ["Yard: (R) # one (OpenCL 2.0, driver 7): programs: 1 built in 2.2 s, 2 loaded in 0.3 s"]),
    ([HOUSE, "9\tbroken: one\tOpenCL 1.2\t1\n"], None, [], {}, 0,
     [SMALL, BIG, "broken: one (OpenCL 1.2, driver 1)"],
     ["HERE/icd/1.icd: the list of its devices ended by signal SIGSEGV"]),
    ([HOUSE], "exit 0\n", ["--only", "small", "--env", "KIND=x"],
     {"CLFOLD_REQUIRED_DEVICES": "HERE/two"}, 1,
     ["not ok no OpenCL device is named Yard, and HERE/two wants one", f"{SMALL} KIND=x: program"],
     []),
)  # fmt: skip
# Options, and on how many of three devices a program runs at the levels none, wide and full.
LEVELS = (
    (["--from", "wide", "Yard", "--from", "full", "House"], (2, 1, 3)),
    (["--full-rest"], (1, 1, 3)),
    (["--first"], (1, 1, 1)),
)  # fmt: skip
FAULT = "Pure virtual function called!"
# Which run is good, how the others end, the exit status and runs. Of two runs that a known fault
# ends the third counts, of three none; not of a program that ends itself.
AGAIN = (
    (3, f"echo '{FAULT}' >&2; kill -ABRT $$", 0, 3),
    (4, f"echo '{FAULT}' >&2; kill -ABRT $$", 1, 3),
    (2, f"echo '{FAULT}' >&2; exit 1", 1, 1),
    (2, "kill -ABRT $$", 1, 1),
)


class Machine:
    def __init__(self, folder):
        self.folder, self.failures = folder, []
        self.script("lister", LISTER)
        self.script("mpirun", "echo 1..1\necho \"ok 1 - $1 $2 $4 $OMPI_ALLOW_RUN_AS_ROOT\"\n")
        tools.write(folder, "two", "# x\n\nHouse: big\nYard\n")

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

    def check_again(self, good, ending, status, runs):
        counter = tools.write(self.folder, "runs", "")
        found = self.run([YARD.replace("Yard: (R) # one", "Intel(R) OpenCL: a")], (
            f"echo x >>{counter}\nif [ $(wc -l <{counter}) -lt {good} ]; then {ending}; fi\n"
            "echo 'ok 1 - a'\necho 1..1\n"), [], {})[0]  # fmt: skip
        ran = len(tools.read(counter).splitlines())
        self.check((found, ran) == (status, runs), good, ending, found, ran)

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

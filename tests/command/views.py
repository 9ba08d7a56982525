"""views.py COMMAND FOLDER: `clfold NAME` runs `clfold-NAME` of the FOLDER beside the command, or of
../lab where there is no such folder, and of no other. Exits 0 if it does."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

BUILT, FOLDER = sys.argv[1:]
SAYS = '#!/bin/sh\nprintf "%s|" "$0" "$CLFOLD_COMMAND" "$@"\n'


def run(command, *words):
    done = subprocess.run([command, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check(told, right):
    assert told == right, f"{told} and not {right}"


def place(folder, name, text, mode=0o755):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"clfold-{name}")
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def drive(root):
    # the command finds its library beside the built one
    folder = os.path.join(root, "a", "b", "bin")
    os.makedirs(folder)
    command = shutil.copy(BUILT, folder)
    libs = os.path.join(os.path.dirname(BUILT), "..", "..", "src")
    os.environ["LD_LIBRARY_PATH"] = libs + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    beside = os.path.join(folder, "..", "lab")
    installed = os.path.join(folder, FOLDER)
    path_folder = os.path.join(root, "path")
    place(path_folder, "other", SAYS)
    os.environ["PATH"] += ":" + path_folder
    link = os.path.join(root, "linked")
    os.symlink(command, link)

    check(run(command, "other")[2], "clfold: there is no command other; see clfold --help\n")
    missing = f"clfold: clfold compare is not installed: there is no {beside}/clfold-compare\n"
    check(run(command, "compare"), (1, "", missing))

    for target in (beside, installed):
        compare = place(target, "compare", SAYS)
        for start in (command, link):
            said = f"{compare}|{command}|--x||a b|"
            check(run(start, "compare", "--x", "", "a b"), (0, said, ""))
        check(run(command, "help", "compare"), (0, f"{compare}|{command}|--help|", ""))
    place(installed, "reduce", SAYS)
    check(run(command, "reduce", "--help")[1].startswith("Usage: clfold reduce"), True)
    check(run(command, "../bin/x")[0], 2)

    own = place(installed, "own", "#!/bin/sh\nexit 37\n")
    check(run(command, "own"), (37, "", ""))
    place(installed, "own", "#!/bin/sh\nkill -TERM $$\n")
    check(run(command, "own"), (-signal.SIGTERM, "", ""))
    place(installed, "own", "#!/none/python3 -E\n")
    said = "clfold: clfold own needs python3, Debian's package python3\n"
    check(run(command, "own"), (1, "", said))
    place(installed, "own", SAYS, 0o644)
    check(run(command, "own"), (1, "", f"clfold: {own}: Permission denied\n"))

    # each once, after what is built in
    said = re.findall(r"^  ([a-z-]+)  +\S", run(command, "--help")[1].split("Examples")[0], re.M)
    names = ["bench", "compare", "ladder", "nest", "predict", "small", "trace", "tune"]
    check(said[-len(names) :], names)
    check(len(said), len(set(said)))


with tempfile.TemporaryDirectory() as root:
    drive(os.path.realpath(root))

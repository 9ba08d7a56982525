"""What the checks that run other tools share."""

import concurrent.futures
import os
import shutil
import subprocess
import sys

SKIP = 77


def leave_out(why):
    """Ends a check that cannot run here. Where tools must be there, as in CI, that fails."""
    required = os.environ.get("CLFOLD_REQUIRED_TOOLS")
    print(f"{why}, and CLFOLD_REQUIRED_TOOLS is set" if required else f"{why}: skipped")
    sys.exit(1 if required else SKIP)


def need(*names):
    """The first of these programs that is installed."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    return leave_out(f"{names[0]} is not installed")


def run(command, **options):
    """The exit status and all output of a command."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False, **options,
    )
    return done.returncode, done.stdout


def run_all(commands):
    """The same for several at a time, one a core."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, commands))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def finish(failures, summary):
    """`failures` is a list of texts. Ends the check."""
    for text in failures:
        print(text.rstrip())
    print(f"{summary}: {len(failures)} failed")
    sys.exit(1 if failures else 0)

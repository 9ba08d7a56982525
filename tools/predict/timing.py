"""The time of a Fortran program on this machine's CPU, which predicted times are compared with."""

import os
import re
import shutil
import subprocess
import tempfile
import time

from predict.fortran import Refused

SECONDS = 120  # that a run may take
SHORT = 0.2  # seconds: a shorter run is repeated, and the shortest counts
FLAGS = ["-O3", "-fopenmp", "-w"]


def with_settings(source, settings):
    """The source with other values of PARAMETERs, and the names that are none."""
    # A statement with all its lines, in free form and in fixed.
    statement = r"(?im)^(?![c*!]).*\bparameter\b.*(?:&[ \t]*(?:!.*)?\n.*|\n {5}[^ 0\n].*)*"
    others = set(settings)
    for name, value in settings.items():
        assigned = rf"(?i)(\b{name}\s*=(?!=)\s*)(?:\([^()]*\)|[^(),!&\n])+"

        def replaced(match):
            text, number = re.subn(assigned, rf"\g<1>{value}", match[0])
            others.difference_update([name] * number)
            return text

        source = re.sub(statement, replaced, source)
    return source, others


def run(command, folder, what, limit=None):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(0, f"--time stopped {what} after {limit} s") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        line = next((line for line in lines if "rror" in line), lines[-1])
        raise Refused(0, f"--time: {what} ended with {done.returncode}: {line.strip()}")


def measure(path, settings):
    """Compiles a program and runs it. !DVM$ is a comment here, so that what has no OpenMP runs on
    one thread."""
    if not shutil.which("gfortran"):
        raise Refused(0, "--time needs gfortran, Debian's package gfortran")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            source, others = with_settings(file.read(), settings)
    except OSError as error:
        raise Refused(0, error.strerror) from error
    if not re.search(r"(?im)^[ \t]*end[ \t]*(program\b|[!\n]|$)", source):
        raise Refused(0, "--time runs a program, and the file has only procedures")
    has_threads = re.search(r"(?im)^[ \t]*[!c*]\$omp\b", source)
    threads = len(os.sched_getaffinity(0)) if has_threads else 1
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.basename(path)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        run(["gfortran", *FLAGS, "-I", os.path.dirname(os.path.abspath(path)), name, "-o", "timed"],
            folder, "gfortran")
        seconds, first = [], time.monotonic()
        while not seconds or seconds[-1] < SHORT and len(seconds) < 5:
            start = time.monotonic()
            run([os.path.join(folder, "timed")], folder, "the program", SECONDS)
            seconds.append(time.monotonic() - start)
    return {"seconds": min(seconds), "threads": int(os.environ.get("OMP_NUM_THREADS", threads))
            if has_threads else 1, "command": " ".join(["gfortran", *FLAGS, path]),
            "notes": [f"--time ran with the program's own {other}, which is no PARAMETER"
                      for other in sorted(others)]}

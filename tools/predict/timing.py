"""The time of a Fortran program on this machine's CPU, which predicted times are compared with."""

import os
import re
import resource
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
    lines, others, is_inside = source.split("\n"), set(settings), False
    for i, line in enumerate(lines):
        goes_on = re.match(r" {5}[^ 0]", line) or re.search(r"&[ \t]*(!.*)?$", lines[i - 1])
        starts = re.match(r"(?i)(?![c*!]).*\bparameter\b", line)
        is_inside = is_inside if i and goes_on else bool(starts)
        for name, value in settings.items() if is_inside else ():
            assigned = rf"(?i)(\b{name}\s*=(?!=)\s*)(?:\([^()]*\)|[^(),!&])+"
            lines[i], number = re.subn(assigned, rf"\g<1>{value}", lines[i])
            others.difference_update([name] * number)
    return "\n".join(lines), others


def lift_limit():
    """gfortran -fopenmp has arrays on the stack."""
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))


def run(command, folder, what, limit=None):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=limit, check=False, preexec_fn=lift_limit)
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
    threads, given = 1, re.match(r"\d+", os.environ.get("OMP_NUM_THREADS", ""))
    if re.search(r"(?im)^[ \t]*[!c*]\$omp\b", source):
        threads = int(given[0]) if given else len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        name = f"timed{os.path.splitext(path)[1]}"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        run(["gfortran", *FLAGS, "-I", os.path.dirname(os.path.abspath(path)), name, "-o", "timed"],
            folder, "gfortran")  # fmt: skip
        seconds = []
        while not seconds or seconds[-1] < SHORT and len(seconds) < 5:
            start = time.monotonic()
            run([os.path.join(folder, "timed")], folder, "the program", SECONDS)
            seconds.append(time.monotonic() - start)
    return {"seconds": min(seconds), "threads": threads,
            "command": " ".join(["gfortran", *FLAGS, path]),
            "notes": [f"--time ran with the program's own {other}, which is no PARAMETER"
                      for other in sorted(others)]}  # fmt: skip

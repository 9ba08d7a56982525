"""Which programs there are, how each is found, and how a peer is compiled for a case."""

import hashlib
import os
import shutil
import subprocess
import sys

from lab.program import Trouble

HERE = os.path.dirname(os.path.realpath(__file__))
FOLDER = HERE  # of the programs that are built with clfold
# What each needs, in words; the compiler's words, or None: a script.
PEERS = {
    "loop": ("a C compiler", ["cc", "loops.c"]),
    "openmp": ("a C compiler with OpenMP's inscan", ["cc", "-fopenmp", "loops.c"]),
    "onetbb": ("oneTBB and a C++ compiler", ["c++", "-fopenmp-simd", "onetbb.cpp", "-ltbb"]),
    "boost_compute": ("Boost.Compute and a C++ compiler", ["c++", "boost_compute.cpp", "-lOpenCL"]),
    "cub": ("CUDA's nvcc", ["nvcc", "cub.cu"]),
    "numpy": ("numpy, Debian's package python3-numpy", None),
    "scipy": ("scipy, Debian's package python3-scipy", None),
    "pyopencl": ("pyopencl, Debian's package python3-pyopencl", None),
}


def command(name):
    """Of a program that is built with clfold."""
    path = os.path.join(FOLDER, "lab_" + name)
    if not os.path.exists(path):
        raise Trouble(f"not built: {path} is not there")
    return [path]


def peer(name, case):
    """The command of a peer for that case; Trouble says why there is none."""
    needs, words = PEERS[name]
    if words is None:
        return [sys.executable, os.path.join(HERE, f"{name}_peer.py")]
    if not os.path.exists(os.path.join(HERE, "loops.c")):
        raise Trouble("not built: it is compiled in clfold's source tree only")
    if not shutil.which(words[0]):
        raise Trouble(f"not installed: needs {needs}")
    return [compiled(name, words, case)]


def run(words, what, **how):
    """What it prints; Trouble with its last line where it fails."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                              **how)  # fmt: skip
    except OSError as error:
        raise Trouble(f"{what}: {words[0]}: {error.strerror}") from error
    if done.returncode:
        lines = done.stdout.splitlines() or [f"ended with {done.returncode}"]
        error = next((line for line in lines if "error" in line), lines[-1])
        raise Trouble(f"{what}: {error.strip()}")
    return done.stdout


def cache_folder():
    """Of what is built besides."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(root, "clfold", "lab")


def of_commit(name):
    """The command of clfold's program of another commit, which is built in a folder of its own."""
    git = ["git", "-C", ROOT]
    what = f"--against {name}: is neither a file nor a commit that can be built"
    commit = run([*git, "rev-parse", "--verify", "--end-of-options", name + "^{commit}"], what)
    folder = os.path.join(cache_folder(), commit.strip()[:16])
    program = os.path.join(folder, "build", "tools", "lab", "lab_clfold")
    if not os.path.exists(program):
        shutil.rmtree(folder, ignore_errors=True)
        run([*git, "worktree", "prune"], what)
        run([*git, "worktree", "add", "--force", "--detach", folder, commit.strip()], what)
        build = os.path.join(folder, "build")
        run(["meson", "setup", "-Dtests=disabled", "-Dexamples=disabled", "-Dmpi=disabled",
             "-Dtools=enabled", build, folder], what)  # fmt: skip
        run(["ninja", "-C", build, "tools/lab/lab_clfold"], what)
    return [program]

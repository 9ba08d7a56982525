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

"""Which programs there are beside clfold, how each is found, and compiled for a case."""

import hashlib
import os
import shutil
import subprocess
import sys

from lab.case import OPERATORS, PAIRS, identity_of
from lab.program import Trouble, Unsupported

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
C_TYPES = {"i": "int{}_t", "u": "uint{}_t"}
NATIVE = ["-O3", "-march=native"]
# What each needs, in words; and how it is compiled for a case, or None: a script.
PEERS = {
    "loop": ("a C compiler", ["cc", "loops.c", "program.c"]),
    "openmp": ("a C compiler with OpenMP's inscan", ["cc", "-fopenmp", "loops.c", "program.c"]),
    "onetbb": ("oneTBB and a C++ compiler", ["c++", "onetbb.cpp", "program.c", "-ltbb"]),
    "boost_compute": ("Boost.Compute and a C++ compiler", ["c++", "boost_compute.cpp"]),
    "cub": ("CUDA's nvcc", ["nvcc", "cub.cu", "program.c"]),
    "numpy": ("numpy, Debian's package python3-numpy", None),
    "scipy": ("scipy, Debian's package python3-scipy", None),
    "pyopencl": ("pyopencl, Debian's package python3-pyopencl", None),
}

"""Which programs there are, how each is found, and how a peer is compiled for a case."""

import contextlib
import functools
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from lab.case import OPERATORS, identity_of
from lab.measure import machine
from lab.program import Absent, Trouble
from lab.text import DTYPES

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = HERE  # of the programs that are built with clfold
# What each needs, in words; the compiler's words, or None: a script.
PEERS = {
    "loop": ("a C compiler", ["cc", "loops.c"]),
    "openmp": ("a C compiler with OpenMP's inscan", ["cc", "-fopenmp", "loops.c"]),
    "onetbb": ("oneTBB and a C++ compiler", ["c++", "-fopenmp-simd", "onetbb.cpp", "-ltbb"]),
    "boost_compute": ("Boost.Compute and a C++ compiler", ["c++", "boost_compute.cpp", "-lOpenCL"]),
    "cub": ("CUDA's nvcc", ["nvcc", "--extended-lambda", "cub.cu"]),
    "numpy": ("numpy, Debian's package python3-numpy", None),
    "scipy": ("scipy, Debian's package python3-scipy", None),
    "pyopencl": ("pyopencl, Debian's package python3-pyopencl", None),
}


def command(name):
    """Of a program that is built with clfold."""
    path = os.path.join(FOLDER, "lab_" + name)
    if not os.path.exists(path):
        raise Absent(f"not built: {path} is not there")
    return [path]


def peer(name, case):
    """The command of a peer for that case; Trouble says why there is none."""
    needs, words = PEERS[name]
    if words is None:
        return [sys.executable, os.path.join(HERE, f"{name}_peer.py")]
    if not os.path.exists(os.path.join(HERE, "loops.c")):
        raise Absent("not built: it is compiled in clfold's source tree only")
    try:
        return [compiled(name, words, case)]
    except Trouble as trouble:
        if re.search("file not found|No such file|cannot find -l", str(trouble)):
            raise Absent(f"not installed: needs {needs}") from trouble
        raise


def c_type(dtype):
    """Of a program on the host."""
    if dtype.kind == "f":
        return {2: "_Float16", 4: "float", 8: "double"}[dtype.itemsize]
    return f"{'u' * (dtype.kind == 'u')}int{8 * dtype.itemsize}_t"


def uses(word, text):
    return bool(re.search(rf"\b{word}\b", text))


def macros(case):
    """The case as docs/lab.md has it, by name. Absent: no macros can say it."""
    if case.result or (case.combine and not case.pair) or list(case.streams) not in ([], ["y"]) or (
            case.op and case.op not in OPERATORS) or (case.same and case.same != "a == b"):
        raise Absent("unsupported: it has no such fold")
    folds, acc = case.operation in ("reduce", "scan"), DTYPES[case.acc]
    start = identity_of(case.op, acc) if folds and not case.pair else 0
    x, y = case.combine.strip("{ }").split(",") if case.pair else (0, 0)
    item, load = acc if folds or case.load else case.out_dtype, case.load or "x"
    found = {
        "IN": c_type(case.dtype), "HEADS": c_type(case.heads), "LOAD": load, "T": c_type(item),
        "Y": next((c_type(DTYPES[kind]) for kind in case.streams.values()), c_type(case.dtype)),
        "KEEP": case.keep or 1, "OP": OPERATORS[case.op][0] if folds and case.op else 0,
        "START": "1, 0" if case.pair else str(start).replace("inf", "INFINITY").removesuffix(".0"),
        "OP_X": x, "OP_Y": y, "PAIR": bool(case.pair), "PLUS": case.op == "add",
        "REORDERS": folds and case.pair != "affine", "EXCLUSIVE": case.exclusive,
        "LENGTH": case.length, "COLUMNS": case.columns, "STREAM": bool(case.streams),
        "PLAIN": load == "x" and (case.dtype == item or bool(case.pair)),
        "LOADS_I": uses("i", load), "KEEPS_X": not uses("[iny]", case.keep or ""),
        "KEEPS": bool(case.keep), "RUNS": bool(case.same), "ALSO": "also" in case.room(),
        "BY": bool(case.by),
        **{name.upper(): case.operation == name for name in ("reduce", "scan", "map", "select")},
        **{f"BY_{name.upper()}": case.by == name for name in ("flags", "keys", "offsets")},
    }  # fmt: skip
    return {f"CASE_{name}": str(int(text) if isinstance(text, bool) else text).strip()
            for name, text in found.items()}


@functools.cache
def version_of(compiler):
    return run([compiler, "--version"], "does not build")


def compiled(name, words, case):
    """The program of a peer for a case, which is kept. Programs on OpenCL take clfold's way to
    choose a device."""
    source = next(word for word in words if word.startswith(name[:3]) or word == "loops.c")
    on_opencl, is_cuda = "-lOpenCL" in words, words[0] == "nvcc"
    parts = ["program.c"]
    if on_opencl:
        parts += ["opencl.c", "../clfold/device.c", "../clfold/message.c",
                  "../clfold/selection.c"]
        built_in = os.path.join(FOLDER, "..", "..", "src")
        words = [*words, f"-L{built_in}", f"-Wl,-rpath,{built_in}", "-lclfold"]
    flags = ["-O3"] + ([] if is_cuda else ["-march=native"])
    given = "".join(f"#define {macro} {text}\n" for macro, text in macros(case).items())
    folders = [f"-I{os.path.join(ROOT, folder)}" for folder in ("include", "src", "tools/clfold")]
    known = [version_of("cc"), version_of(words[0]), machine() or ""]
    key = hashlib.sha256("\0".join([name, *words, given, *known]).encode())
    headers = [path for folder in ("include/clfold", "src/base", "tools/clfold", "tools/lab")
               for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.h")))]  # fmt: skip
    for path in [*(os.path.join(HERE, part) for part in (source, *parts)), *headers]:
        with open(path, "rb") as file:
            key.update(file.read())
    program = os.path.join(cache_folder(), f"{name}-{key.hexdigest()[:24]}")
    if os.path.exists(program):
        return program
    os.makedirs(cache_folder(), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        objects, what = [], "does not build"
        for part in parts:
            objects.append(os.path.join(folder, os.path.basename(part) + ".o"))
            run(["cc", "-O2", *folders, "-DCL_TARGET_OPENCL_VERSION=300", "-D_DEFAULT_SOURCE", "-c",
                 os.path.join(HERE, part), "-o", objects[-1]], what)  # fmt: skip
        built, header = os.path.join(folder, "program"), os.path.join(folder, "case_macros.h")
        with open(header, "w", encoding="utf-8") as file:
            file.write(given)
        own = [word for word in words[1:] if word != source]
        run([words[0], *flags, *[word for word in own if not word.startswith("-l")],
             "-include", header, *folders, "-w", os.path.join(HERE, source), *objects,
             *[word for word in own if word.startswith("-l")], "-lm", "-o", built], what)
        os.replace(built, program)
    return program


def run(words, what):
    """What it prints; Trouble with its error where it fails. A signal ends all that it started."""
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace",
                                   start_new_session=True)  # fmt: skip
    except OSError as error:
        raise Trouble(f"{what}: {words[0]}: {error.strerror}") from error
    with process:
        try:
            said, _ = process.communicate()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        lines = said.splitlines() or [f"ended with {process.returncode}"]
        error = next((line for line in lines if re.search("error|cannot find", line)), lines[-1])
        raise Trouble(f"{what}: {error.strip()}")
    return said


def cache_folder():
    """Of what is built besides."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    root = root if os.path.isabs(root) else os.path.expanduser("~/.cache")
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

#!/usr/bin/env python3
"""headers.py ROOT: the public headers compile alone, without a warning, as C and C++; that for MPI
where pkg-config knows an MPI."""

import os
import sys
import tempfile

import tools

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
C, CPP = ("-x", "c", "-Wstrict-prototypes"), ("-x", "c++", "-Wold-style-cast")
LANGUAGES = {"c99": (C, ("gcc", "clang")), "c11": (C, ("gcc", "clang")),
             "c++11": (CPP, ("g++", "clang++")), "c++20": (CPP, ("g++", "clang++"))}
# What a program does with the header in all of them.
USE = """
clfold_fold use(cl_mem w);
clfold_fold use(cl_mem w)
{
    const clfold_arg args[] = { CLFOLD_VALUE("read_only image2d_t", picture, w),
                                CLFOLD_BUFFER("global const float *", weights, w),
                                CLFOLD_STREAM(CLFOLD_F32, y, w, 0) };
    clfold_fold fold = clfold_builtin(CLFOLD_ADD, CLFOLD_F32);
    fold.flags = CLFOLD_COMMUTATIVE | CLFOLD_PARTIAL;
    fold.source = CLFOLD_HERE "float twice(float x) { return 2 * x; }";
    fold.num_args = args[0].size;
    return fold;
}
"""
# Each is legal in some of the languages, and must be rejected in the others.
PLANTED = {
    "c99": "typedef int x; typedef int x;",
    "c11": "void f();",
    "c++11": "struct s { int a[]; };",
    "c++20": "enum e { A }; struct s { int a; }; static s x = { .a = 1, };\n"
             "inline int f(void *p) { return *(int *)p + x.a; }",
}


def flags_of(package):
    """How to include its header, which is not on trial; None if it is not there."""
    status, text = tools.run([tools.need("pkg-config"), "--cflags", package])
    return None if status else [flag.replace("-I", "-isystem", 1) for flag in text.split()]


def mpi_flags():
    found = [flags for flags in map(flags_of, ("ompi-c", "mpich")) if flags is not None]
    if not found and os.environ.get("CLFOLD_REQUIRED_TOOLS"):
        sys.exit("there is no MPI, and CLFOLD_REQUIRED_TOOLS is set")
    return found[0] if found else None


def main(root):
    mpi = mpi_flags()
    flags = ["-I", os.path.join(root, "include"), *flags_of("OpenCL"), *(mpi or [])]
    commands, planted = [], []
    names = [*([] if mpi is None else ["mpi"]), "experimental", "clfold"]
    twice = "".join(f"#include <clfold/{name}.h>\n" * 2 for name in names)
    target = "#define CL_TARGET_OPENCL_VERSION 300\n"
    with tempfile.TemporaryDirectory() as folder:
        files = [tools.write(folder, "bare.c", twice),
                 tools.write(folder, "versioned.c", target + twice + USE),
                 tools.write(folder, "older.c", target.replace("300", "120") + twice)]
        for standard, (extra, compilers) in LANGUAGES.items():
            wrong = tools.write(folder, f"planted.{standard}",
                                target + twice + PLANTED[standard] + "\n")
            for compiler in map(tools.need, compilers):
                command = [compiler, *extra, f"-std={standard}", *WARNINGS, *flags,
                           "-fsyntax-only"]  # fmt: skip
                commands += [[*command, file] for file in files]
                planted.append([*command, wrong])
        # CL/cl_version.h says in a note which version it takes; that is not a warning.
        failures = [" ".join(command) + "\n" + text
                    for command, (status, text) in zip(commands, tools.run_all(commands))
                    if status != 0 or "warning:" in text]  # fmt: skip
        failures += [" ".join(command) + " is accepted" for command, (status, _)
                     in zip(planted, tools.run_all(planted)) if status == 0]  # fmt: skip
    tools.finish(failures, f"{len(commands)} compilations")


if __name__ == "__main__":
    main(*sys.argv[1:])

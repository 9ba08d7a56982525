#!/usr/bin/env python3
"""headers.py ROOT: the public headers compile alone, without a warning, as C and C++; that for MPI
where pkg-config knows an MPI."""

import os
import subprocess
import sys
import tempfile

import tools

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
LANGUAGES = (
    ("c", "c99", ("-Wstrict-prototypes",), ("gcc", "clang")),
    ("c", "c11", ("-Wstrict-prototypes",), ("gcc", "clang")),
    ("c++", "c++11", ("-Wold-style-cast",), ("g++", "clang++")),
    ("c++", "c++20", ("-Wold-style-cast",), ("g++", "clang++")),
)
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
PLANTED = (
    ("c", "c99", "typedef int x; typedef int x;"),
    ("c", "c11", "void f();"),
    ("c++", "c++11", "struct s { int a[]; };"),
    ("c++", "c++20", "enum e { A }; struct s { int a; }; static s x = { .a = 1, };\n"
     "inline int f(void *p) { return *(int *)p + x.a; }"),
)


def mpi_flags():
    """How to include mpi.h; [] if there is none."""
    for name in ("ompi-c", "mpich"):
        done = subprocess.run([tools.need("pkg-config"), "--cflags", name],
                              stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
        if done.returncode == 0:
            return done.stdout.split()
    if os.environ.get("CLFOLD_REQUIRED_TOOLS"):
        sys.exit("there is no MPI, and CLFOLD_REQUIRED_TOOLS is set")
    return []


def compile_command(compiler, language, standard, extra, include, file):
    return [compiler, "-x", language, f"-std={standard}", *WARNINGS, *extra, *include,
            "-fsyntax-only", file]


def main(root):
    flags = subprocess.run(
        [tools.need("pkg-config"), "--cflags", "OpenCL"], stdout=subprocess.PIPE, text=True,
        check=True,
    ).stdout.split()
    mpi = mpi_flags()
    # OpenCL's own headers are not on trial, nor MPI's.
    flags = [flag.replace("-I", "-isystem", 1) for flag in [*flags, *mpi]]
    include = ["-I", os.path.join(root, "include"), *flags]
    commands, failures = [], []
    with tempfile.TemporaryDirectory() as folder:
        names = [*(["mpi"] if mpi else []), "experimental", "clfold"]
        twice = "".join(f"#include <clfold/{name}.h>\n" * 2 for name in names)
        target = "#define CL_TARGET_OPENCL_VERSION 300\n"
        bare = tools.write(folder, "bare.c", twice)
        versioned = tools.write(folder, "versioned.c", target + twice + USE)
        older = tools.write(folder, "older.c", target.replace("300", "120") + twice)
        for language, standard, extra, compilers in LANGUAGES:
            for compiler in (tools.need(name) for name in compilers):
                commands += [
                    compile_command(compiler, language, standard, extra, include, file)
                    for file in (bare, versioned, older)
                ]
        for number, (language, standard, text) in enumerate(PLANTED):
            extra, compilers = next(
                row[2:] for row in LANGUAGES if row[:2] == (language, standard)
            )
            file = tools.write(folder, f"planted_{number}.c", target + twice + text + "\n")
            for compiler in compilers:
                status, _ = tools.run(compile_command(compiler, language, standard, extra,
                                                      include, file))
                if status == 0:
                    failures.append(f"{compiler} -std={standard} accepts: {text}")
        for command, (status, text) in zip(commands, tools.run_all(commands)):
            # CL/cl_version.h says in a note which version it takes; that is not a warning.
            if status != 0 or "warning:" in text:
                failures.append(" ".join(command) + "\n" + text)
    tools.finish(failures, f"{len(commands)} compilations")


if __name__ == "__main__":
    main(*sys.argv[1:])

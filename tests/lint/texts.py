#!/usr/bin/env python3
"""texts.py DUMP_TEXTS: clang compiles the program texts that can be emitted, pair by pair.

DUMP_TEXTS is the built tests/unit/dump_texts. A text is compiled for a device that has no
extension but, if the text needs them, fp64, fp16 and sub-groups: so a text that does without
f64 may not use double, not even inside. Those that ask which extensions there are, and some
others, are also compiled for a device that has all.
"""

import os
import re
import shlex
import sys
import tempfile

import tools

ALL = "+all"
NONE = "-all"
FP64 = "+cl_khr_fp64,+__opencl_c_fp64"
FP16 = "+cl_khr_fp16"
SUB_GROUPS = "+cl_khr_subgroups,+__opencl_c_subgroups"
# What each CLFOLD_MEMORY of cl/memory.cl asks for, and words of 64 bits.
SCOPES = "+__opencl_c_atomic_scope_device,+__opencl_c_atomic_order_acq_rel"
INT64 = "+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"
PTX = "2"
# For tile functions that some tiles do without, and for values that only lanes with data
# read: passed on by all lanes, since a barrier follows.
ALLOWED = ("-Wno-unused-parameter", "-Wno-sometimes-uninitialized")
# How dump_texts names a text: algorithm, fold, tile, and what else it is of.
NAME = re.compile(
    r"(reduce_(?:tiles|lanes|offsets|then_scan)|reduce\d|scan_[a-z_]+?|map_tiles"
    r"|serial(?:_pieces)?)"
    r"_([a-z0-9-]+_[a-z]\d+_(?:[a-z]\d+|none))_(tile_[a-z]+|[a-z-]+)_(.*)_CL\d\.\d\.cl"
)
EVERY = 8  # which of the other texts have all extensions as well
BATCH = 50  # files that one start of the frontend takes
STANDARDS = ("CL1.2", "CL2.0", "CL3.0")


def options_of(standard, extensions, target="spir64"):
    return (
        "-x", "cl", f"-cl-std={standard}", f"--target={target}", "-fsyntax-only",
        "-Wall", "-Wextra", "-Wundef", "-Werror", *ALLOWED, "-Xclang", f"-cl-ext={extensions}",
        "-Xclang", "-finclude-default-header",
    )  # fmt: skip


def compile_all(clang, compilations):
    """What clang says of these pairs of options and a path where it is not content, each after
    its options. Its frontend takes many files at once, which saves its start: 70 ms become 7.
    Since #line hides which of them is meant, those of a batch that fails follow one by one."""
    files = {}
    for options, path in compilations:
        files.setdefault(options, []).append(path)
    commands = []
    for options, paths in files.items():
        # The driver prints how it would start the frontend; the last word is the file.
        _, output = tools.run([clang, "-###", *options, paths[0]])
        frontend = shlex.split(output.splitlines()[-1])[:-1]
        for first in range(0, len(paths), BATCH):
            commands.append((options, frontend, paths[first : first + BATCH]))
    failed = []
    results = tools.run_all([[*frontend, *paths] for _, frontend, paths in commands])
    for (options, frontend, paths), (status, text) in zip(commands, results):
        if status != 0 or text:
            alone = tools.run_all([[*frontend, path] for path in paths])
            failed += [f"{' '.join(options)} {path}\n{text}"
                       for path, (status, text) in zip(paths, alone)
                       if status != 0 or text] or [f"only together: {paths}\n{text}"]  # fmt: skip
    return failed


def compilations_of(path):
    first, _, text = tools.read(path).partition("\n")
    match = re.fullmatch(r"// -cl-std=(CL\d\.\d)( sub-groups)?", first)
    if not match:
        sys.exit(f"{path}: the first line says no -cl-std: {first!r}")
    # A type in the preamble says whether the fold is one of f64 or f16.
    uses = [ext for name, ext in (("double", FP64), ("half", FP16))
            if re.search(rf"^#define \w+ .*\b{name}\d*\b", text, re.M)]
    # vload_half is core, but clang declares it for devices with fp16 only.
    if re.search(r"^#define CLFOLD_IN_HALF 1$", text, re.M):
        uses.append(FP16)
    if match[2]:
        uses.append(SUB_GROUPS)
    memory = re.search(r"^#define CLFOLD_MEMORY (\d)$", text, re.M)
    if memory and memory[1] == "1":
        uses.append(SCOPES)
    if memory and re.search(r"^#define CLFOLD_WORD_BITS 64$", text, re.M):
        uses.append(INT64)
    # Inline assembly is checked for its registers.
    target = "nvptx64" if memory and memory[1] == PTX else "spir64"
    few = ",".join([NONE, *uses])
    # The vendor's spelling of asm, which clang has no keyword for in OpenCL.
    spelling = ("-Dasm=__asm__",) if target != "spir64" else ()
    # clang offers shuffles to every SPIR device that has sub-groups.
    shuffles = ("-DCLFOLD_NO_SHUFFLES",) if match[2] else ()
    return match[1], [
        (options_of(match[1], ALL, target) + spelling, path),
        (options_of(match[1], few, target) + spelling + shuffles, path),
    ]


def chosen(paths):
    """Every algorithm, tile and kind with some fold, and every fold with each of them."""
    seen = set()
    for path in [] if tools.FULL else paths:
        match = NAME.fullmatch(os.path.basename(path))
        if match:
            algorithm, fold, tile, more = match.groups()
            new = {(algorithm, tile, more), (fold, algorithm), (fold, tile), (fold, more)} - seen
            seen |= new
        if not match or new:
            yield path
    if tools.FULL:
        yield from paths


def planted(clang, folder, whole):
    """Errors that must be found, between texts that are right without them."""
    for wrong in (
        "kernel void planted(void) { int unused; }\n",
        "float planted(float x) { return x * 0.5; }\nfloat planted2(double x) { return x; }\n",
    ):
        path = tools.write(folder, "planted.cl", tools.read(whole) + wrong)
        _, two = compilations_of(path)
        right = [(options, whole) for options, _ in two]
        found = compile_all(clang, right + two + right)
        if not found or not all(f" {path}\n" in text for text in found):
            yield f"{wrong} was not found, or elsewhere: {found}"


def bare(text):
    """Its lines without comments and empty lines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines() if line.strip())


def shown(page, path, number=1):
    """The first piece of a program of the page that the text has not, or not in that order.
    Pieces are what stands between lines of three dots."""
    program = tools.read(page).split("```c\n")[number].split("```")[0]
    text = bare(tools.read(path))
    at = 0
    for piece in map(bare, re.split(r"^\s*\.\.\.\n", program, flags=re.M)):
        at = text.find(piece, at)
        if at < 0:
            return [f"{page} shows what {path} has not there:\n{piece}"]
        at += len(piece)
    return []


def main(dump_texts, page):
    tools.give_way()
    clang = tools.need("clang")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        status, text = tools.run([dump_texts, folder])
        if status != 0:
            sys.exit(f"{dump_texts}: ended with {status}\n{text}")
        every = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        paths = list(chosen(every))
        compilations, standards, without_f64 = [], set(), None
        for number, path in enumerate(paths):
            standard, two = compilations_of(path)
            standards.add(standard)
            asks = any(SUB_GROUPS in word for word in two[1][0])
            compilations += two if asks or number % EVERY == 0 else two[1:]
            if f"-cl-ext={NONE}" in two[1][0]:
                without_f64 = path
        passed = tools.Passed()
        facts = [tools.run([clang, "--version"]), tools.digest(__file__),
                 [(os.path.basename(path), tools.digest(path)) for path in paths]]  # fmt: skip
        failures = [] if passed.has(facts) else compile_all(clang, compilations)
        if not failures:
            passed.add(facts)
        if standards != set(STANDARDS):
            failures.append(f"texts for {sorted(standards)}, not for {STANDARDS}")
        sums = [path for path in every if "reduce_tiles_add_f32_f32_tile_vector_cpu" in path]
        scans = [path for path in every if "scan_lookback_add_i32_f32_tile_vector" in path]
        failures += shown(page, sums[0]) + shown(page, scans[0], 2)
        changed = tools.read(sums[0]).replace("    return y;\n", "    y.v += 0;\n    return y;\n")
        if not shown(page, tools.write(other, "changed.cl", changed)):
            failures.append("a statement that the page has not was not found")
        if without_f64 is None:
            failures.append("no text without f64")
        else:
            failures += planted(clang, other, without_f64)
    tools.finish(failures, f"{len(paths)} texts, {len(compilations)} compilations")


if __name__ == "__main__":
    main(*sys.argv[1:])

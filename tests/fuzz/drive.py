"""Runs libFuzzer's targets with sanitizers: drive.py ROOT SOURCE...

A short run of each target, from the same seed or from CLFOLD_TEST_SEED, or one CLFOLD_FUZZ_TIMES
as long. Each must reach its reader, which accepts some inputs and rejects others, and two planted
faults must be seen.
"""

import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lint"))
import tools

FLAGS = [
    "-std=c11", "-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
    "-DCL_TARGET_OPENCL_VERSION=300", "-D_POSIX_C_SOURCE=200809L",
]  # fmt: skip
FOLDERS = ["include", "src", "tools/clfold"]
POCL = "/etc/OpenCL/vendors/pocl.icd"
NPY = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n"
NAMED = b"{'descr': [('a', '<f4'), ('b', '|u1')], 'fortran_order': True, 'shape': (3,), }\n"
HEADERS = [b"\x01\x93NUMPY\x01\x00%c\x00%s" % (len(text), text) for text in [NPY, NAMED]]
TUNED = b"clfold tuning 5\n"
ROWS = [TUNED + row + b" on KEY\n" for row in [
    b"reduce 1 2^25..2^27 tile=tile_vector tile_bytes=32768",
    b"scan 4 2^1..2^3 groups=7 anchor=4",
    b"select 8 2^25..2^27 groups=64",
]]  # fmt: skip
# type, separator, lines to skip, column, missing, numbers, piece
TEXTS = [b"\x05\x00\x00\x00\x00\x00\x031 -2,3\n4\n",
         b"\x0a\x01\x00\x02\x00\x00\x80a,x\n1,\"2.5\" # c\n3,nan\n",
         b"\x0a\x01\x00\x05\x01\x01\x80a,x\n1,2\n3,\n5,6\n",
         b"\x0a\x01\x00\x04\x02\x02\x802,1\n,2\n3,\n5,6\n"]  # fmt: skip
# Any bytes are a fold; most have several faults.
FOLDS = [random.Random(i).randbytes(20 + i) for i in range(100)]

# name: runs, bytes at most, inputs to begin with
TARGETS = {
    "explain": (60000, 512, FOLDS),
    "layout": (100000, 512, FOLDS),
    "npy": (300000, 512, HEADERS),
    "text": (150000, 512, TEXTS),
    "tuning": (100000, 512, ROWS),
}
SECONDS = 20  # of a target
FEWEST = 20  # inputs accepted, and rejected
PLANTED = {b"A": "AddressSanitizer: heap-buffer-overflow", b"U": "signed integer overflow"}


def compile_all(clang, folder, root, sources):
    """The program, of objects in `folder`."""
    places = [f"-I{os.path.join(root, part)}" for part in FOLDERS]
    objects = [os.path.join(folder, f"{i}.o") for i in range(len(sources))]
    commands = [[clang, *FLAGS, *places, "-c", source, "-o", made]
                for source, made in zip(sources, objects)]  # fmt: skip
    program = os.path.join(folder, "fuzz")
    for status, said in tools.run_all(commands):
        if status != 0:
            tools.finish([said], "compiled for libFuzzer")
    libraries = ["-lOpenCL", "-lm", "-lpthread"]
    status, said = tools.run([clang, *FLAGS, *objects, *libraries, "-o", program])
    if status != 0 and "libclang_rt.fuzzer" in said:
        tools.leave_out(f"{clang} has no libFuzzer")
    if status != 0:
        tools.finish([said], "linked with libFuzzer")
    return program


def run_target(program, folder, name, times, runs, most, seeds):
    """What is wrong with it, or nothing. By the layout of the code libFuzzer comes now and then to
    inputs that are slow, so the time has a limit too."""
    corpus = os.path.join(folder, name)
    os.mkdir(corpus)
    for i, seed in enumerate(seeds):
        with open(os.path.join(corpus, str(i)), "wb") as file:
            file.write(seed)
    seed = os.environ.get("CLFOLD_TEST_SEED", "1")
    status, said = tools.run([
        program, f"--target={name}", f"-runs={runs * times}", f"-max_total_time={SECONDS * times}",
        f"-seed={seed}", f"-max_len={most}", "-len_control=0",
        "-verbosity=0", "-timeout=60", f"-artifact_prefix={folder}/", corpus,
    ])  # fmt: skip
    numbers = re.search(r"fuzz: (\d+) accepted, (\d+) rejected", said)
    print(f"{name}, seed {seed}: {numbers[0] if numbers else 'no numbers'}")
    if status != 0 or not numbers:
        return [f"{name}: {said[-6000:]}"]
    if min(int(numbers[1]), int(numbers[2])) < FEWEST:
        return [f"{name}: {numbers[0]}, {FEWEST} of both are the least"]
    return []


def run_planted(program, folder, text, words):
    path = os.path.join(folder, "planted")
    with open(path, "wb") as file:
        file.write(text)
    status, said = tools.run([program, "--target=planted", path])
    return [] if status != 0 and words in said else [f"a planted fault was not seen: {said}"]


def main():
    root, *sources = sys.argv[1:]
    times = int(os.environ.get("CLFOLD_FUZZ_TIMES", "1"))
    clang = tools.need("clang")
    failures = []
    # One runtime alone: AddressSanitizer and the loader do not take several.
    if os.path.isfile(POCL):
        os.environ["OCL_ICD_VENDORS"] = POCL
    else:
        print("explain: there is no PoCL")
        del TARGETS["explain"]
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1"
    for name in ["CLFOLD_SCAN", "CLFOLD_TUNING"]:
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_all(clang, folder, root, sources)
        for name, row in TARGETS.items():
            failures += run_target(program, folder, name, times, *row)
        for text, said in PLANTED.items():
            failures += run_planted(program, folder, text, said)
    tools.finish(failures, f"{len(TARGETS)} targets")


main()

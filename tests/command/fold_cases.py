"""Cases on one device: every operator and type, in turn and not each with each, since every run
takes a program: what the library makes of them is for its own tests."""

import json

import numpy as np

from driver import (
    AFFINE, FORMATS, OPS, PICKS, accumulator, check, given, has_fold, is_float, one_array,
    turns, values,
)  # fmt: skip


def operators(d, device):
    """Each operator with a type and each type with an operator, others the next week."""
    for i, _, op, element in turns(d, OPS):
        is_wider = element == "float16" and not device["fp16"]
        acc = "float32" if is_wider else accumulator(op, element)
        words = ["reduce", "--op", op, "--device", device["index"]]
        if has_fold(device, op, acc if is_wider else element, acc):
            array = values(d, op, element, int(d.random.integers(1, 5000)))
            one_array(d, device, array, op, acc, *given(d, array, FORMATS[i % 4]))
        else:
            of_bits = op.startswith("bit-") and is_float(element)
            status = "CLFOLD_ERROR_" + ("ARGUMENT" if of_bits else "UNSUPPORTED")
            d.bad(1, status, *words, *given(d, np.ones(3, element), "raw"))


def profile(d, device):
    """A line for each kernel on standard error, as many and with the bytes that explain says."""
    path = d.save(np.arange(300000, dtype="i4"))
    for operation, words, algorithm in [
        ("reduce", [path], "reduce_tiles"),
        ("reduce", [path], "reduce3"),
        ("scan", [path, d.path("out.npy")], "reduce-then-scan"),
        ("scan", [path, d.path("out.npy")], "single-group"),
    ]:
        options = ["--algorithm", algorithm, "--device", device["index"]]
        plain = d.good(operation, *options, *words)
        done = d.run(operation, "--profile", *options, *words)
        check(done.returncode == 0 and done.stdout.decode() == plain, f"{done}")
        head, *lines = done.stderr.decode().splitlines()
        told = json.loads(
            d.good("explain", operation, "--type", "i32", "--acc", "i64", "--count", 300000,
                   "--json", *options)
        )  # fmt: skip
        check(head.split() == "kernel us GB/s bytes read bytes written".split(), head)
        shown = [line.split() for line in lines if not line.startswith("and ")]
        check(len(shown) == min(told["launches"], 32), f"{told} {lines}")
        check(all(line[0].startswith("clfold_") and float(line[1]) >= 0 for line in shown), head)
        if told["launches"] <= 32:
            moved = [sum(int(line[k]) for line in shown) for k in (3, 4)]
            check(moved == [told["bytes_read"], told["bytes_written"]], f"{told} {lines}")
    words = ["map", "--profile", "--device", device["index"], "--result", "2 * x", path]
    done = d.run(*words, d.path("out.bin"))
    check(done.returncode == 0 and b"clfold_map_tiles" in done.stderr, f"{done}")


def laws(d, device):
    """check-fold finds what breaks each law, and shows the elements that do."""
    where = ["check-fold", "--device", device["index"], "--count", 100]
    for part, items, *words in [
        ("the operator is not associative", "abc", "--combine", "a - b", "--type", "i32"),
        ("the operator is not associative", "abc", "--combine", "(a + b) / 2"),
        ("identity op a is not a", "a", "--combine", "a + b", "--identity", "1"),
        ("a op identity is not a", "a", "--combine", "b", "--identity", "1"),
        ("the operator is not commutative", "ab", *AFFINE, "--commutative"),
        ("cuts holds for b, but", "ab", *PICKS, "--cuts", "b.v != 0"),
        ("the operator runs on scalars", "", *PICKS[:2], "--combine",
         "{ b.f & 1 ? b.v : a.v + b.v, a.f | b.f }"),
    ]:  # fmt: skip
        done = d.run(*where, *words)
        told = done.stdout.decode()
        check(done.returncode == 1 and part.encode() in done.stderr, f"{words}: {done}")
        check(all(f"  {item} = " in told for item in items), f"{words}: {told!r}")
    told = d.run(*where, "--combine", "a - b", "--type", "i32").stdout.decode()
    check(told == "  a = 0\n  b = 0\n  c = 1\n  (a op b) op c = -1\n  a op (b op c) = 1\n",
          f"{told!r}")  # fmt: skip


CASES = [operators, profile]
LAWS = [laws]

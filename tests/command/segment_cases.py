"""Cases on one device: scans of segments by flags, keys and offsets, as numpy scans each."""

import os

import numpy as np

from driver import check
from scan_cases import expected
from user_cases import AFFINE, composed, good

KINDS = [("add", "int32", "i8"), ("max", "float32", "f4"), ("mul", "uint8", "u8")]


def starts_of(d, count):
    """Where segments start: some of one element, some of many."""
    starts = np.flatnonzero(d.random.random(count) < d.random.choice([0.01, 0.3]))
    return np.unique(np.append(0, starts))[:count]


def files(d, count, starts):
    """The same segments in each way, as options and arrays."""
    flags, keys = np.zeros(count, "bool"), np.zeros(count, "f4")
    flags[starts[1:]] = True
    keys[:] = np.cumsum(flags) % 3
    empty = d.random.integers(0, 3, starts.size)  # segments before each start
    offsets = np.repeat(np.append(starts, count), np.append(empty, 0) + 1)
    return [("--flags", flags), ("--flags", np.where(flags, 256, 0).astype("i4")),
            ("--keys", keys), ("--offsets", offsets.astype("u4")),
            ("--offsets", offsets.astype("i8"))]  # fmt: skip


def scanned(d, device, array, option, heads, *words):
    out = d.path("out.npy")
    good(d, "scan", "--device", device["index"], option, d.save(heads, "heads.npy"), *words,
         d.save(array), out)  # fmt: skip
    return np.load(out)


def segments(d, device):
    """Kinds of scans, with init and without, of many counts."""
    for turn, count in enumerate([1, 100000]):
        op, dtype, acc = KINDS[turn % len(KINDS)]
        array = d.random.integers(0, 9, count).astype(dtype)
        starts = starts_of(d, count)
        for option, heads in files(d, count, starts):
            kind, init = ["inclusive", "exclusive"][turn], [3, None][turn]
            words = ["--op", op, "--" + kind] + ([] if init is None else ["--init", init])
            told = scanned(d, device, array, option, heads, *words)
            right = np.concatenate([expected(part, op, acc, kind, init)
                                    for part in np.split(array, starts[1:])])  # fmt: skip
            check(told.dtype == right.dtype and np.array_equal(told, right),
                  f"{op} by {option} of {count}: {told}, not {right}")  # fmt: skip


def texts(d, device):
    """Operators, loads and results of the user's."""
    count = 5000
    starts = starts_of(d, count)
    flags = np.zeros(count, "u1")
    flags[starts] = 1
    maps = d.random.integers(-9, 10, (count, 2), "int32")
    told = scanned(d, device, maps, "--flags", flags, *AFFINE)
    right = np.concatenate([composed(part) for part in np.split(maps, starts[1:])])
    check(np.array_equal(told, right), f"maps: {told}, not {right}")
    x = d.random.integers(0, 99, count).astype("f4")
    told = scanned(d, device, x, "--flags", flags, "--load", "x * 2", "--result", "item - prev + n")
    check(np.array_equal(told, x * 2 + count), f"results: {told}")


def refused(d, device):
    """What does not fit the input, or is wrong: no OUT then."""
    path, out = d.save(np.arange(9, dtype="i4")), d.path("none.npy")
    for status, part, option, heads in [
        (1, "has 8 numbers, and", "--flags", np.zeros(8, "u1")),
        (1, "flags are integers", "--flags", np.zeros(9, "f4")),
        (1, "of i16, and offsets are", "--offsets", np.zeros(3, "i2")),
        (1, "of f64, and offsets are", "--offsets", np.zeros(3, "f8")),
        (1, "is empty", "--offsets", np.zeros(0, "u4")),
        (1, "number 2 is 3, which is below", "--offsets", np.array([0, 5, 3, 9], "u4")),
        (1, "number 1 is 10, which is below", "--offsets", np.array([0, 10], "u8")),
        (1, "number 0 is -3, which is below", "--offsets", np.array([-3, 9], "i4")),
        (1, "number 1 is -1, which is below", "--offsets", np.array([0, -1], "i8")),
        (1, "holds complex numbers", "--keys", np.zeros(9, "c8")),
    ]:
        words = ["scan", "--device", device["index"], option, d.save(heads, "heads.npy")]
        text = d.bad(status, part, *words, path, out)
        check(f"{option} {words[-1]}: " in text or "complex" in part, text)
    d.bad(1, "--keys", "scan", "--device", device["index"], "--keys", d.path("no.npy"), path, out)
    d.bad(1, "takes a whole input", "scan", "--device", device["index"], "--memory", "16",
          "--keys", path, path, out)  # fmt: skip
    for words in [["--flags", path, "--keys", path], ["--axis", 0, "--offsets", path]]:
        d.bad(2, "go", "scan", *words, path, out)
    check(not os.path.exists(out), "an OUT")


def lengths(d, device):
    """Flags are as many as the elements of a pipe and of a text, whose ends show how many these
    are."""
    out = d.path("sums.npy")
    for num, count, memory, part in [
        (9, 9, 999, None), (8, 9, 999, "9 elements"), (10, 9, 999, "9 elements"),
        (0, 9, 999, "9 elements"), (9, 0, 999, "0 elements"), (3, 9, 32, "at least 4 elements"),
        (20, 4, 32, "4 elements"), (9, 9, 32, None),
    ]:  # fmt: skip
        flags = d.save(np.ones(num, "u1"), "heads.npy")
        words = ["scan", "--device", device["index"], "--acc", "i32", "--memory", memory, "--flags",
                 flags]  # fmt: skip
        numbers = np.arange(count, dtype="i4")
        text = " ".join(map(str, numbers)).encode()
        for form, data in ("raw", numbers.tobytes()), ("text", text):
            rest = [*words, "--" + form, "i32", "-", out]
            if part:
                said = d.bad(1, "standard input has " + part, *rest, data=data)
                check(f"--flags {flags}: has {num} numbers, and " in said, said)
            elif memory < 4 * count:
                d.bad(1, "--flags takes a whole input", *rest, data=data)
            else:
                good(d, *rest, data=data)
                check(np.array_equal(np.load(out), numbers), form)


CASES = [segments, texts, refused, lengths]

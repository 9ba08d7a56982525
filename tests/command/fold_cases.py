"""Cases on one device: every operator, type, conversion and kernel, in turn and not each with
each, since every run takes a program: what the library makes of them is for its own tests."""

import json
import math
import os

import numpy as np

from driver import (
    IDENTITIES, KERNELS, NAMES, OPS, accumulator, check, expected, has_fold, has_type, is_float,
    one_array, same, values,
)  # fmt: skip

SEPARATORS = [" ", ",", "\n", "\r\n", " , ", ",\n", "\t", "\r\n\r\n"]
FORMATS = ["npy", "swapped", "raw", "text"]


def as_text(d, array):
    gaps = d.random.choice(SEPARATORS, array.size)
    end = "\n" if d.random.integers(2) else ""
    parts = [part for pair in zip(map(str, array.reshape(-1)), gaps) for part in pair]
    return ("".join(parts[:-1]) + end).encode()


def given(d, array, form):
    """The words that give the array to the command."""
    name = NAMES[array.dtype.name]
    if form == "npy":
        return [d.save(array)]
    if form == "swapped":
        return [d.save(array.astype(array.dtype.newbyteorder()))]
    if form == "raw":
        return ["--raw", name, d.write(array.tobytes())]
    return ["--text", name, d.write(as_text(d, array), "data.txt")]


def operators(d, device):
    """Each operator with a type and each type with an operator, others the next week."""
    turn = d.turn % len(NAMES)
    for i, op in enumerate(OPS):
        for j, element in enumerate(NAMES):
            if (i + j) % len(NAMES) != turn:
                continue
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


CONVERSIONS = [
    ("add", "int32", "int32"), ("add", "uint8", "uint8"), ("add", "float32", "float64"),
    ("add", "int16", "float32"), ("add", "uint8", "float64"), ("min", "int64", "int8"),
    ("max", "uint64", "uint16"), ("max", "float64", "float32"), ("bit-xor", "int8", "uint64"),
    ("bit-and", "uint64", "int32"), ("arg-max", "int64", "float32"),
    ("arg-min", "int32", "int8"), ("arg-min-max", "uint32", "int64"),
    ("min-max", "uint8", "float32"), ("mul", "int8", "int8"), ("mul", "int64", "uint32"),
    ("logical-or", "int64", "uint8"), ("max", "int16", "float16"), ("add", "uint8", "float16"),
    ("min-max", "float16", "float64"), ("min", "float64", "float16"),
]  # fmt: skip


def conversions(d, device):
    for op, element, acc in CONVERSIONS:
        if has_type(device, element, acc):
            array = values(d, op, element, 100 if acc == "float16" else 12345)
            if op == "add" and acc == "float16":
                array &= 7  # so that every sum is exact
            one_array(d, device, array, op, acc, "--acc", NAMES[acc], d.save(array))
    for element, acc in [("float32", "int32"), ("float64", "uint8"), ("float16", "int64")]:
        if has_type(device, element):
            words = ["--device", device["index"], "--acc", NAMES[acc]]
            path = d.save(np.ones(3, element))
            d.bad(1, "CLFOLD_ERROR_UNSUPPORTED", "reduce", *words, path)


def kernels(d, device):
    folds = [
        ("add", "float32"), ("min", "int32"), ("arg-max", "float32"), ("min-max", "uint8"),
        ("logical-and", "int16"), ("arg-min-max", "int64"), ("mul", "uint32"),
    ]  # fmt: skip
    for i, kernel in enumerate(KERNELS):
        op, element = folds[i % len(folds)]
        for count in [1000, 100003]:
            array = values(d, op, element, count)
            one_array(d, device, array, op, accumulator(op, element), d.save(array), kernel=kernel)
    array = values(d, "add", "int32", 777)
    words = ["reduce", "--device", device["index"], d.save(array)]
    total = f"{array.sum(dtype='int64')}\n"
    for choice in [
        ["--kernel", "auto"], ["--kernel=reduce-tiles"], ["--algorithm", "reduce_tiles"],
        ["--algorithm=auto"], ["--algorithm", "reduce3"], ["--kernel=reduce0", "--kernel=auto"],
    ]:  # fmt: skip
        check(d.good(*words, *choice) == total, f"{choice}")


def halves(d, device):
    """f16 is folded in f16, or by default in f32 where the device has no f16."""
    acc = "float16" if device["fp16"] else "float32"
    array = values(d, "add", "float16", 100)
    path, out = d.save(array), d.path("out.npy")
    for op in ["add", "arg-max", "min-max"]:
        one_array(d, device, array, op, acc, path)
    where = ["--device", device["index"]]
    for words, right in [(["scan"], array.cumsum(dtype=acc)), (["map"], array)]:
        d.good(*words, *where, path, out)
        told = np.load(out)
        check(told.dtype == acc and np.array_equal(told, right), f"{words}: {told}")
    told = json.loads(d.good("explain", "reduce", *where, "--type", "f16", "--json"))
    check((told["type"], told["acc"]) == ("f16", NAMES[acc]), f"{told}")
    if not device["fp16"]:
        d.bad(1, "has no f16", "reduce", *where, "--acc", "f16", path)


def not_numbers(d, device):
    """A NaN is the least and the greatest, and true; the first one has the place."""
    arrays = [
        [math.nan],
        [1, math.nan, 2],
        [math.nan, -math.inf, math.nan],
        [-math.inf, 5, math.nan, math.inf, math.nan],
        [0] * 999 + [math.nan] * 2 + [-1] * 999,
        [0, math.nan, 0],
        [1, 1, math.nan, math.nan],
    ]
    ops = [op for op in OPS if not op.startswith("bit-")]
    elements = [name for name in NAMES if is_float(name) and has_type(device, name)]
    for i, op in enumerate(ops):
        for j, numbers in enumerate(arrays):
            if (i + j) % 4:
                continue
            array = np.array(numbers, elements[(i + j // 4) % len(elements)])
            one_array(d, device, array, op, array.dtype.name, d.save(array))


def ties(d, device):
    """The lowest index wins, wherever the equal ones are; -0 equals 0."""
    for i, array in enumerate([
        np.full(100003, 7, "int32"),
        np.resize(np.array([3, 1, 2, 1, 3], "uint8"), 54321),
        np.array([0.0, -0.0, 0.0], "float32"),
        np.array([-0.0, 0.0], "float32"),
        np.array([math.inf, math.inf, -math.inf, -math.inf], "float32"),
        np.array([5] * 4999 + [6, 4] * 2, "int64"),
    ]):  # fmt: skip
        for op in [["arg-min", "arg-max"][i % 2], "arg-min-max"]:
            one_array(d, device, array, op, array.dtype.name, d.save(array))
    # far behind what one work-group reads
    for place in [0, 1 << 20, (1 << 21) + 2]:
        array = np.zeros((1 << 21) + 3, "int16")
        array[place:] = -1
        one_array(d, device, array, "arg-min", "int16", d.save(array))


def pairs_in_files(d, device):
    """--output writes all that an operator finds: an array, or a structured dtype."""
    array = np.array([3, 1, 7, 1], "i4")
    out = d.path("out.npy")
    for op, expected, dtype in [
        ("min-max", [1, 7], "i4"),
        ("arg-max", (2, 7), {"index": 0, "value": 8}),
        ("arg-min-max", (1, 1, 2, 7),
         {"min_index": 0, "min_value": 8, "max_index": 16, "max_value": 24}),
    ]:  # fmt: skip
        words = ["--op", op, "--device", device["index"], "--output"]
        d.good("reduce", *words, out, d.save(array))
        told = np.load(out)
        places = {name: field[1] for name, field in (told.dtype.fields or {}).items()}
        check(told[0].tolist() == expected, f"{op}: {told}")
        check(places == dtype or told.dtype == dtype, f"{op}: {told.dtype}")
        d.good("reduce", *words, d.path("out.txt"), d.save(array))
        with open(d.path("out.txt"), encoding="ascii") as file:
            check(file.read() == " ".join(map(str, expected)) + "\n", op)


def empty(d, device):
    """Each operator's identity in two types, or a refusal where numpy raises."""
    for i, op in enumerate(OPS):
        names = [name for name in NAMES if has_fold(device, op, name)]
        for j, element in enumerate(names[i % 5 :: 5]):
            array = np.empty(0, element)
            words = ["--acc", NAMES[element], *given(d, array, FORMATS[(i + j) % 4])]
            if op in IDENTITIES:
                one_array(d, device, array, op, element, *words)
            else:
                options = ["--op", op, "--device", device["index"], *["--json"][j % 2 :]]
                part = f"{words[-1]}: is empty, and {op} needs at least one number"
                d.bad(1, part, "reduce", *options, *words)
        words = ["explain", "reduce", "--op", op, "--type", "i32", "--count", "0"]
        words += ["--device", device["index"]]
        if op in IDENTITIES:
            check(json.loads(d.good(*words, "--json"))["count"] == 0, op)
        else:
            d.bad(1, f"--count 0: {op} needs at least one number", *words)
    for form in ["--raw", "--text"]:
        acc = accumulator("add", "int32")
        one_array(d, device, np.empty(0, "i4"), "add", acc, form, "i32", "-", data=b"")
        words = ["--op", "max", "--device", device["index"], form, "i32", "-"]
        d.bad(1, "standard input: is empty, and max needs at least one number", "reduce", *words)


def means(d, device):
    """The sum in f64 over the count. The numbers are small, so that every sum is exact."""
    path, words = d.save(np.ones(3, "i2")), ["--op", "mean", "--device", device["index"]]
    if not device["fp64"]:
        d.bad(1, "--op mean: ", "reduce", *words, path)
        text = d.bad(1, "has no f64", "reduce", *words, "--json", path)
        check("CLFOLD_ERROR_UNSUPPORTED" in text, text)
        return
    turn = d.turn % 4
    for i, element in enumerate(NAMES):
        if i % 4 == turn and has_type(device, element):
            for form in FORMATS[:: 1 + 2 * (i % 2)]:
                count = int(d.random.integers(1, 5000))
                array = d.random.integers(0, 100, count).astype(element)
                one_array(d, device, array, "mean", "float64", *given(d, array, form))
    array = np.array([1, 2, 4], "u1")
    one_array(d, device, array, "mean", "float64", "--acc", "f64", d.save(array), kernel="reduce4")
    array = np.full(3, 2**63 - 1, "i8")
    one_array(d, device, array, "mean", "float64", d.save(array))
    for form in ["--raw", "--text"]:
        for option in [[], ["--json"]]:
            part = "standard input: is empty, and mean needs at least one number"
            d.bad(1, part, "reduce", *words, *option, form, "i32", "-")


def inits(d, device):
    """--init comes before all numbers, and is the result of none."""
    for op, element, acc, init in [
        ("add", "int8", "int64", -1000), ("sum", "uint8", "float32", 0.5),
        ("prod", "int16", "int64", 3), ("min", "int32", "int32", -5),
        ("max", "float32", "float32", 9.5),
        ("bit-xor", "uint32", "uint32", 77), ("logical-or", "uint8", "uint8", 2),
    ]:  # fmt: skip
        name = {"sum": "add", "prod": "mul"}.get(op, op)
        for count in [0, 1, 777]:
            array = values(d, name, element, count)
            both = np.concatenate([np.array([init], acc), array.astype(acc)])
            (_, number), = expected(both, name, acc)
            words = ["--op", op, "--init", init, "--acc", NAMES[acc], "--device", device["index"]]
            text = d.good("reduce", *words, *given(d, array, FORMATS[count % 4]))
            check(same(text.rstrip("\n"), number), f"{words}: {text!r}, not {number!r}")
    # only the file says which type it has to be of
    words = ["reduce", "--device", device["index"], "--op", "max", "--init"]
    d.bad(1, "--init 300: is out of the range of u8", *words, 300, d.save(np.ones(3, "u1")))
    d.bad(1, "--init 1.5: is not a valid number of type u8", *words, 1.5, d.path("data.npy"))
    check(d.good(*words, 1.5, d.save(np.ones(3, "f4"))) == "1.5\n", "a float")


def bools(d, device):
    """Those of an .npy file are 0 and 1, folded as u8 is."""
    for count in [1, 777, 100003]:
        truth = d.random.integers(2, size=count).astype(bool)
        numbers = truth.astype("uint8")
        path = d.save(truth)
        for op in ["add", "min-max", "logical-and", "logical-or", "arg-max", "bit-xor"]:
            one_array(d, device, numbers, op, accumulator(op, "uint8"), path)
        words = ["--device", device["index"], path]
        check(d.good("reduce", *words) == f"{truth.sum()}\n", "numpy.sum")
        check(d.good("reduce", "--op", "logical-and", *words) == f"{truth.all():d}\n", "numpy.all")
        scans = {"add": np.cumsum(truth), "logical-or": np.logical_or.accumulate(truth)}
        for op, scanned in scans.items():
            d.good("scan", "--op", op, *words, d.path("out.npy"))
            told = np.load(d.path("out.npy"), allow_pickle=False)
            check(told.dtype == accumulator(op, "uint8"), f"{told.dtype}")
            check(np.array_equal(told, scanned), f"{told}")
    truth = np.asfortranarray(d.random.integers(2, size=(50, 70)).astype(bool))
    one_array(d, device, truth.astype("uint8"), "arg-max", "uint8", d.save(truth))
    # any byte that is not 0 is true
    with open(d.save(np.array([True, False, True])), "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x80")
    check(d.good("reduce", "--device", device["index"], d.path("data.npy")) == "2\n", "0x80")


def special_values(d, device):
    ops = ["add", "mul", "min", "max", "min-max", "arg-min", "logical-and"]
    elements = [name for name in ["float32", "float64"] if has_type(device, name)]
    for element in elements:
        tiny = np.finfo(element).smallest_subnormal
        for i, numbers in enumerate([
            [1, math.inf, 2],
            [1, -math.inf, 2],
            [math.inf, -math.inf],
            [-math.inf, -math.inf],
            [-0.0],
            [-0.0] * 100,
            [tiny],
            [-tiny * 3],
        ]):  # fmt: skip
            array = np.array(numbers, element)
            for j, op in enumerate(ops):
                # +0 and -0 are equal, so an identity of +0 may win the sum
                if (i + j) % 7 == 1 and not (op == "add" and numbers[0] == 0):
                    one_array(d, device, array, op, element, d.save(array))


def every_digit(d, device):
    """The largest of floats with random bits reads back as it was."""
    for element, bits in [("float32", "u4"), ("float64", "u8")]:
        if not has_type(device, element):
            continue
        for i in range(4):
            array = d.random.integers(0, np.iinfo(bits).max, 50, bits).view(element)
            array = array[np.isfinite(array)]
            op = ["min-max", "arg-max"][i % 2]
            one_array(d, device, array, op, element, *given(d, array, FORMATS[i % 4]))
    # a sum that wraps around where it is told to, and does not by default
    array = np.full(1000, 2**31 - 1, "i4")
    one_array(d, device, array, "add", "int32", "--acc", "i32", d.save(array))
    one_array(d, device, array, "add", "int64", d.save(array))
    # and so does a sum of i64, but not in f64
    array = np.array([2**62, 2**62, 2**62], "i8")
    one_array(d, device, array, "add", "int64", d.save(array))
    if device["fp64"]:
        one_array(d, device, array, "add", "float64", "--acc", "f64", d.save(array))


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


CASES = [operators, kernels, profile]
VALUES = [
    conversions, halves, not_numbers, ties, pairs_in_files, empty, means, inits, bools,
    special_values, every_digit,
]  # fmt: skip

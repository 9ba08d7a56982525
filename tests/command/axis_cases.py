"""Cases on one device: reductions and scans along an axis of an array, as numpy does them."""

import io
import json
import math

import numpy as np

from cases import Skip
from driver import accumulator, check, has_type
from scan_cases import UFUNCS, expected
from user_cases import AFFINE, FIELDS, MIXED, composed, good

SHAPES = [
    (1,), (3000,), (1, 1), (37, 80), (500, 3), (2, 700), (5, 1, 9), (4, 33, 17), (3, 2, 65, 7),
    (1, 2, 1, 3, 2, 1, 2, 5),
]  # fmt: skip
FOLDS = [("add", "int32"), ("max", "float32"), ("min", "uint8"), ("add", "float32")]


def drawn(d, shape, dtype):
    """Numbers whose sums have no rounding error."""
    return d.random.integers(0, 99, shape).astype(dtype)


def folded(d, device, axis, array, *words):
    path, out = d.save(array), d.path("folded.npy")
    good(d, "reduce", "--device", device["index"], "--axis", axis, "--output", out, *words, path)
    return np.load(out)


def scanned(d, device, axis, array, *words):
    path, out = d.save(array), d.path("scanned.npy")
    good(d, "scan", "--device", device["index"], "--axis", axis, *words, path, out)
    return np.load(out)


def same(told, array, what):
    """Also the shapes, which may have no dimension."""
    array = np.asarray(array)
    check(
        told.shape == array.shape and told.dtype == array.dtype and np.array_equal(told, array),
        f"{what}: {told.dtype}{told.shape} {told}, not {array.dtype}{array.shape} {array}",
    )


def axes(d, device):
    """Each axis of each shape, counted from either end, of arrays in both orders."""
    turn = 0
    for shape in SHAPES:
        for k in range(len(shape)):
            op, dtype = FOLDS[turn % len(FOLDS)]
            array = np.array(drawn(d, shape, dtype), order="CF"[turn // 2 % 2])
            axis = k if turn % 2 else k - len(shape)
            acc = accumulator(op, dtype)
            what = f"{op} of {dtype}{shape}, axis {axis}"
            words = ["--op", op]
            same(folded(d, device, axis, array, *words), UFUNCS[op].reduce(array, k, acc), what)
            right = UFUNCS[op].accumulate(array, k, acc)
            same(scanned(d, device, axis, array, *words), right, "scan, " + what)
            turn += 1


def along(array, axis, scan):
    """`scan` of each line along the axis."""
    return np.apply_along_axis(scan, axis, array)


def options(d, device):
    """Each option goes along: types, operators, inits and kinds of scans; JSON."""
    array = drawn(d, (7, 40, 9), "int16")
    for axis in range(3):
        if has_type(device, "float64"):
            told = folded(d, device, axis, array, "--op", "mean")
            same(told, array.mean(axis, "f8"), f"mean, {axis}")
        told = folded(d, device, axis, array, "--acc", "f32", "--init", -3)
        same(told, array.sum(axis, "f4") - np.float32(3), f"init, {axis}")
        told = scanned(d, device, axis, array, "--exclusive", "--init", 5, "--op", "max")
        right = along(array, axis, lambda line: expected(line, "max", "int16", "exclusive", 5))
        same(told, right, f"exclusive scan, {axis}")
        told = folded(d, device, axis, array, "--op", "arg-max")
        same(told["index"], array.argmax(axis).astype("u8"), f"arg-max, {axis}")
        same(told["value"], array.max(axis), f"arg-max, {axis}")
        told = folded(d, device, axis, array, "--op", "min-max")
        right = np.stack([array.min(axis), array.max(axis)], -1)
        same(told, right, f"min-max, {axis}")
        told = folded(d, device, axis, array, "--op", "moments", "--acc", "f32")
        same(told["count"], np.full(told.shape, array.shape[axis], "u8"), f"moments, {axis}")
        check(np.allclose(told["mean"], array.mean(axis), 1e-5), f"moments, {axis}")
        check(np.allclose(told["m2"], array.var(axis) * array.shape[axis], 1e-5), f"m2, {axis}")
    told = folded(d, device, 0, array, "--op", "arg-min-max")
    right = np.stack([array.argmin(0), array.argmax(0)], -1).reshape(*array.shape[1:], 2)
    names = [name for name in told.dtype.names if told.dtype[name] == "u8"]
    check(all(np.array_equal(told[name], right[..., k]) for k, name in enumerate(names))
          and len(names) == 2, f"arg-min-max: {told.dtype}")  # fmt: skip
    out, words = d.path("sums.txt"), ["--device", device["index"], "--axis", -1, "--json"]
    told = d.good("reduce", *words, "--output", out, d.save(array))
    told = json.loads(told)
    check(told["shape"] == [7, 40] and told["count"] == array.size and told["pieces"] == 1
          and "result" not in told, f"{told}")  # fmt: skip
    same(np.loadtxt(out, "int64"), array.sum(-1, "i8"), "text")
    check(out_text(out) == d.good("reduce", *words[:-1], d.path("data.npy")), "standard output")
    words = ["reduce", *words[:-1], "--output", "-", d.path("data.npy")]
    told = np.load(io.BytesIO(d.run(*words).stdout))
    same(told, array.sum(-1, "i8"), "standard output as .npy")


def out_text(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def loads(d, device):
    """Loads see the indices of the whole array; streams in either order."""
    x, y = drawn(d, (30, 70), "float32"), drawn(d, (30, 70), "float32")
    stream = ["--load", "x * y + to_f32(i % 70)", "--stream"]
    for k, order in enumerate("CF"):
        stream = [*stream[:3], "y=" + d.save(np.array(y, order=order), "y.npy")]
        each = x * y + np.arange(70, dtype="f4")
        same(folded(d, device, k, x, *stream), each.sum(k), f"load, {k}")
        same(scanned(d, device, k, x, *stream), each.cumsum(k), f"scan of loads, {k}")


def accurate(d, device):
    """Dot products along axes, of numbers that cancel: each product is rounded, and so is
    their sum, once. Products from 1 to 16 lose nothing to a reproducible sum, whose bits
    are therefore known."""
    x = d.random.uniform(1, 2, (70, 90)).astype("f4") * d.random.choice([-2, -1, 1, 2], (70, 90))
    x, y = x.astype("f4"), d.random.uniform(1, 2, x.shape).astype("f4")
    x[35:], y[35:] = -x[:35], y[:35] * (1 + 2.0**-16)
    x[:, 45:], y[:, 45:] = -x[:, :45], y[:, :45] * (1 - 2.0**-18)
    stream = ["--load", "x * y", "--stream", "y=" + d.save(y, "y.npy")]
    for axis in [0, 1]:
        lanes = np.moveaxis((x * y).astype("f8"), axis, -1)
        right = np.array([math.fsum(lane) for lane in lanes])
        told = folded(d, device, axis, x, *stream, "--accuracy", "reproducible")
        same(told, right.astype("f4"), f"reproducible, {axis}")
        told = folded(d, device, axis, x, *stream, "--accuracy", "compensated")
        bound = 2.0**-24 * abs(right) + 1e-9 * abs(lanes).sum(-1)
        check(np.all(abs(told - right) <= bound), f"compensated: {told}, not {right}")
        plain = folded(d, device, axis, x, *stream)
        check(np.any(abs(plain - right) > 9 * bound), f"{plain} is as good as {right}")
        lanes = np.moveaxis((x * x).astype("f8"), axis, -1)
        squares = np.array([math.fsum(lane) for lane in lanes])
        told = folded(d, device, axis, x, "--load", "x * x", "--result", "sqrt(item)",
                      "--accuracy", "reproducible")  # fmt: skip
        check(np.allclose(told, np.sqrt(squares), 1e-6, 0), f"norms, {axis}: {told}")


def results(d, device):
    """What is written for an item: of it, the one before, x, i and a stream, as another type,
    and several numbers."""
    for turn, (shape, axis) in enumerate([((6, 40, 9), 0), ((6, 40, 9), 1), ((6, 40, 9), 2),
                                          ((3, 3000), 0), ((3, 3000), 1)]):  # fmt: skip
        x, y = drawn(d, shape, "float32"), drawn(d, shape, "float32")
        array = np.array(x, order="CF"[turn % 2])
        sums = x.cumsum(axis)
        before, places = sums - x, np.arange(x.size).reshape(shape)
        stream = ["--stream", "y=" + d.save(y, "y.npy")]
        for words, right in [
            (["--result", "item - 2 * prev"], sums - 2 * before),
            (["--result", "{ x, item }", "--out-scalars", 2], np.stack([x, sums], -1)),
            (["--result", "to_u32(item) ^ to_u32(i)", "--out", "u32"],
             sums.astype("u4") ^ places.astype("u4")),
            (["--exclusive", "--init", 5, "--result", "item * y", *stream], (before + 5) * y),
            (["--op", "max", "--out", "f16"], np.maximum.accumulate(x, axis).astype("f2")),
        ]:  # fmt: skip
            same(scanned(d, device, axis, array, *words), right, f"{words}, {shape}, {axis}")
        words = ["--op", "arg-max", "--result", "to_u32(item.index + 9)", "--out", "u32"]
        most = np.take_along_axis(places, np.expand_dims(x.argmax(axis), axis), axis) + 9
        told = folded(d, device, axis, array, *words)
        same(told, most.squeeze(axis).astype("u4"), f"places, {shape}, {axis}")


def elements(d, device):
    """What is several numbers is an element, and their dimension is not an axis."""
    array = d.random.integers(-9, 10, (6, 11, 2), "int32")
    for axis in [0, 1, -1, -2]:
        right = along_elements(array, axis % 2)
        same(scanned(d, device, axis, array, *AFFINE), right, f"maps, {axis}")
        last = right.take(-1, axis % 2)
        same(folded(d, device, axis, np.asfortranarray(array), *AFFINE), last, f"maps, {axis}")
    struct = np.zeros((5, 30), FIELDS)
    struct["n"] = d.random.integers(0, 2**40, struct.shape)
    struct["last"] = d.random.integers(0, 99, struct.shape)
    told = folded(d, device, 0, np.asfortranarray(struct), *MIXED)
    same(told["n"], struct["n"].sum(0), "struct")
    same(told["last"], struct["last"][-1], "struct")
    path = d.save(array)
    d.bad(1, "has 2 dimensions, so --axis is from -2 to 1, not 2", "reduce", "--axis", 2,
          "--output", d.path("x.npy"), *AFFINE, path)  # fmt: skip


def along_elements(array, axis):
    moved = np.moveaxis(array, axis, 0)
    out = np.stack([composed(moved[:, j]) for j in range(moved.shape[1])], 1)
    return np.moveaxis(out, 0, axis)


def empty(d, device):
    """An axis of length 0 gives what a fold of nothing gives, as often as there are results."""
    for shape in [(0,), (3, 0), (0, 3), (2, 0, 3), (0, 0)]:
        array = np.empty(shape, "int32")
        for k in range(len(shape)):
            same(folded(d, device, k, array), array.sum(k, "i8"), f"{shape}, {k}")
            told = folded(d, device, k, array, "--op", "max", "--init", 7)
            same(told, array.max(k, initial=7), f"max {shape}, {k}")
            same(scanned(d, device, k, array), array.cumsum(k, "i8"), f"scan {shape}, {k}")
            words = ["reduce", "--axis", k, "--op", "max", "--output", d.path("x.npy")]
            rest = np.delete(shape, k)
            if 0 in rest:
                told = folded(d, device, k, array, "--op", "max")
                same(told, np.empty(rest, "int32"), f"{shape}, {k}")
                told = folded(d, device, k, array, "--op", "arg-max")
                same(told["index"], np.empty(rest, "u8"), f"arg-max {shape}, {k}")
            else:
                d.bad(1, "is empty, and max needs at least one number", *words, d.save(array))


def large(d, device):
    """Results of 24 bytes, which do not divide the part of a buffer that is mapped at once."""
    if not has_type(device, "float64"):
        raise Skip("no f64")
    array = drawn(d, (2, 1500000), "uint8")
    told = folded(d, device, 0, array, "--op", "moments")
    same(told["mean"], array.mean(0), "moments")


def rejected(d, device):
    """One sentence each: what does not fit."""
    where = ["--device", device["index"]]
    path, out = d.save(drawn(d, (40, 50), "int32")), d.path("x.npy")
    axis = ["--axis", 1, "--output", out]
    for part, *words in [
        ("data.npy: has 2 dimensions, so --axis is from -2 to 1, not 2", "--axis", 2,
         "--output", out, path),
        ("data.npy: has 2 dimensions, so --axis is from -2 to 1, not -3", "--axis", -3,
         "--output", out, path),
        ("none.npy: has no dimensions, so there is no axis 0", "--axis", 0, "--output", out,
         d.save(np.int32(3), "none.npy")),
        ("many.npy: has 9 dimensions, and --axis takes 8 at most", "--axis", 0, "--output",
         out, d.save(np.ones((1,) * 9, "i4"), "many.npy")),
        ("--axis takes an array as a whole, and ", *axis, "--memory", 4000, path),
    ]:  # fmt: skip
        d.bad(1, part, "reduce", *where, *words)
    d.bad(1, "--axis takes an array as a whole, and ", "scan", *where, "--axis", 0,
          "--memory", 20000, path, out)  # fmt: skip
    with open(path, "rb") as file:
        d.good("scan", *where, "--axis", 0, "--memory", 24000, "-", out, data=file.read())
    same(np.load(out), np.load(path).cumsum(0, "i8"), "standard input")


CASES = [axes, options, loads, accurate, results, elements, empty, large, rejected]

"""Cases on one device: the library's operators whose elements or results are several numbers."""

import json
import math

import numpy as np

from cases import Skip
from driver import NAMES, check
from user_cases import FIELDS, composed, good, line, maps


def products(array):
    """All products of matrices by rows, from the left, in their type."""
    out, total = np.empty_like(array), np.eye(2, dtype=array.dtype)
    with np.errstate(over="ignore"):
        for i, matrix in enumerate(array.reshape(-1, 2, 2)):
            total = total @ matrix
            out[i] = total.reshape(-1)
    return out


def rows(d, device, op, array, results, identity):
    """Results of an operator whose elements are rows, as arrays, raw data, text and pieces."""
    where, kind = ["--op", op, "--device", device["index"]], NAMES[array.dtype.name]
    size = array.shape[1] * array.itemsize
    last = line(results[-1] if len(array) else identity)
    first = np.array([identity], array.dtype)
    path, out = d.save(array, "rows.npy"), d.path("out.npy")
    for order in "CF":
        told = good(d, "reduce", *where, d.save(np.array(array, order=order), order + ".npy"))
        check(told == last, f"{op} {order}: {told!r}, not {last!r}")
    for words, expected in [
        ([], results),
        (["--memory", 2 * size * (len(array) // 3 + 1)], results),
        (["--exclusive"], np.vstack([first, results])[: len(array)]),
    ]:
        good(d, "scan", *where, *words, path, out)
        told = np.load(out)
        check(told.dtype == array.dtype and np.array_equal(told, expected), f"{op} {words}")
    raw = array.tobytes()
    told = good(d, "reduce", *where, "--memory", 100, "--raw", kind, "-", data=raw)
    check(told == last, f"{op} raw: {told!r}, not {last!r}")
    text = "".join(map(line, array)).encode()
    told = good(d, "scan", *where, "--text", kind, "-", "-", data=text)
    check(told == "".join(map(line, results)), f"{op} text")
    good(d, "reduce", *where, "--output", out, path)
    told = np.load(out)
    check(told.dtype == array.dtype and line(told[0]) == last, f"{op} --output {told}")
    return json.loads(good(d, "reduce", *where, "--json", path))


def affine(d, device):
    """x -> a x + b, integers that wrap around and floats that do not round."""
    for count in [0, 1, 1000]:
        array = maps(d, count)
        told = rows(d, device, "affine", array, composed(array), [1, 0])
        check((told["op"], told["type"], told["acc"]) == ("affine", "i32", "i32"), f"{told}")
    check(told["result"] == dict(zip("ab", composed(array)[-1].tolist())), f"{told}")
    array = d.random.choice([-1, 1], (99, 2)).astype("float32")
    rows(d, device, "affine", array, composed(array.astype("int32")).astype("float32"), [1, 0])
    words = ["--op", "affine", "--acc", "i64", "--device", device["index"]]
    good(d, "scan", *words, d.save(array.astype("int8")), d.path("out.npy"))
    told = np.load(d.path("out.npy"))
    check(told.dtype == "int64" and np.array_equal(told, composed(array.astype("int32"))), "acc")


def matrices(d, device):
    if device["platform"] == "rusticl":
        raise Skip("Mesa 22.3 crashes at four components of one type")
    for count in [0, 1, 1000]:
        array = d.random.integers(0, 256, (count, 4), "uint8")
        told = rows(d, device, "matrix-2x2", array, products(array), [1, 0, 0, 1])
    names = ["m00", "m01", "m10", "m11"]
    check(told["result"] == dict(zip(names, products(array)[-1].tolist())), f"{told}")


def has_moments(told, array, accuracy):
    """Of a row of the result: the count, and mean and m2 to some digits."""
    array = array.astype("float64")
    mean = array.mean() if array.size else 0.0
    m2 = ((array - mean) ** 2).sum()
    count, told_mean, told_m2 = told
    return (
        int(count) == array.size
        and abs(float(told_mean) - mean) <= accuracy * max(abs(array).max(initial=0), 1e-300)
        and abs(float(told_m2) - m2) <= accuracy * max(m2, accuracy)
    )


def moments(d, device):
    """Count, mean and m2 of plain numbers in f32 and f64, against numpy's in f64."""
    where = ["--op", "moments", "--device", device["index"]]
    doubles = [("float64", "float64"), ("int16", "float64")] if device["fp64"] else []
    for element, acc in [("float32", "float32"), ("float16", "float32"), *doubles]:
        accuracy = 1e-5 if acc == "float32" else 1e-13
        fields = np.dtype([("count", "u8"), ("mean", acc), ("m2", acc)], align=True)
        for count in [0, 1, 1000]:
            array = d.random.normal(1000, 200, count).astype(element)
            path, out = d.save(array, "numbers.npy"), d.path("out.npy")
            for memory in [2**20, 100 * fields.itemsize][: 1 + (count > 1)]:
                told = good(d, "reduce", *where, "--memory", memory, path)
                what = f"{element} {count} {memory}: {told!r}"
                check(has_moments(told.split(" "), array, accuracy), what)
                good(d, "scan", *where, "--memory", memory, path, out)
                found = np.load(out)
                check(found.dtype == fields and found.shape == (count,), f"{found.dtype}")
                for i in range(0, count, 37):
                    check(has_moments(found[i], array[: i + 1], accuracy), f"{what} at {i}")
            good(d, "scan", *where, "--exclusive", path, out)
            moved = np.load(out)
            check(not count or moved[0].tolist() == (0, 0, 0), f"{moved[:1]}")
            for i in range(1, count, 37):
                check(has_moments(moved[i], array[:i], accuracy), f"{what} exclusive at {i}")
        told = json.loads(good(d, "reduce", *where, "--json", path))
        check(list(told["result"]) == ["count", "mean", "m2"], f"{told}")
        check(told["acc"] == NAMES[acc] and told["type"] == NAMES[element], f"{told}")
        check(has_moments(told["result"].values(), array, accuracy), f"{told}")
        good(d, "reduce", *where, "--output", out, path)
        found = np.load(out)
        check(found.dtype == fields and has_moments(found[0], array, accuracy), f"{found}")
    grid = np.arange(12, dtype="float32").reshape(3, 4)
    for order in "CF":
        told = good(d, "reduce", *where, d.save(np.array(grid, order=order)))
        check(told == "12 5.5 143\n", f"{order}: {told!r}")
    told = good(d, "reduce", *where, "--text", "f32", "-", data=b"1 2 3 4")
    check(told == "4 2.5 5\n", f"text: {told!r}")


def complex_numbers(d, device):
    """Sums and products as numpy's, written as complex numbers; and as two components."""
    where, out = ["--device", device["index"]], d.path("out.npy")
    kinds = [("c8", "float"), ("c16", "double")]
    for dtype, word in kinds if device["fp64"] else kinds[:1]:
        parts = d.random.integers(-9, 10, (2, 60, 50)).astype("f8")
        array = (parts[0] + 1j * parts[1]).astype(dtype)
        stored = array.astype(">c8") if dtype == "c8" else np.asfortranarray(array)
        path, total = d.save(stored, dtype + ".npy"), array.sum()
        right = line([total.real, total.imag])
        for memory in [[], ["--memory", "8Ki"]] if dtype == "c8" else [[]]:
            told = good(d, "reduce", *where, *memory, path)
            check(told == right, f"{dtype} {memory}: {told!r}, not {right!r}")
        for words, sums in [
            (["reduce", "--output", out], total[None]),
            (["reduce", "--axis", 1, "--output", out], array.sum(1)),
            (["scan"], array.cumsum()),
            (["scan", "--axis", 0, "--exclusive"], array.cumsum(0) - array),
            (["map", "--result", "{ item.re, -item.im }"], array.conj().reshape(-1)),
            (["reduce", "--load", "x.x * x.x + x.y * x.y", "--output", out],
             (array * array.conj()).real.sum()[None]),
            (["reduce", "--op", "min-max", "--load", "x.x", "--output", out],
             np.array([[array.real.min(), array.real.max()]])),
            (["reduce", "--components", f"{word} p; {word} q",
              "--combine", "{ a.p + b.p, max(a.q, b.q) }", "--output", out],
             np.array([total.real + 1j * array.imag.max()], dtype)),
        ][:: 1 if dtype == "c8" else 3]:  # fmt: skip
            places = [path] if words[0] == "reduce" else [path, out]
            good(d, *words[:1], *where, *words[1:], *places)
            told = np.load(out)
            same = told.dtype == sums.dtype and np.array_equal(told, sums)
            check(same, f"{dtype} {words}: {told.dtype} {told}, not {sums}")
        small = np.array([1j, 2 + 1j, -3j, 1 - 1j] * 3, dtype)
        told = good(d, "reduce", "--op", "mul", *where, d.save(small))
        check(complex(*map(float, told.split())) == small.prod(), f"{told} not {small.prod()}")
    if device["fp64"]:
        good(d, "scan", "--acc", "f64", *where, d.path("c8.npy"), out)
        check(np.load(out).dtype == "c16", "--acc f64")
    path = d.path("c8.npy")
    for part, *words in [
        ("holds complex64: of complex numbers --op is add or mul, not max", "--op", "max"),
        ("--op is add or mul, not mean", "--op", "mean"),
        ("--op is add or mul, not logical-or", "--op", "logical-or"),
        ("folded in f32 or f64, not in i64", "--acc", "i64"),
        ("do not go with --init", "--init", 1),
        ("do not go with --accuracy", "--accuracy", "compensated"),
        ("--combine needs --components, such as 'float re; float im'", "--combine", "a + b"),
        ("whose last dimension is 4", "--in-scalars", 4, "--load", "x.x"),
        ("--stream: ", "--load", "x.x", "--stream", f"y={path}"),
        ("--arg-file: ", "--load", "x.x", "--arg-file", f"t={path}"),
    ]:  # fmt: skip
        d.bad(1, part, "reduce", *words, *where, path)


def rejected(d, device):
    """Wrong shapes, types and options of the ready operators; and explain takes them."""
    where = ["--device", device["index"]]
    for op, num in [("affine", 2), ("matrix-2x2", 4)]:
        part = "holds no elements of the operator: these are an array of i32 whose last "
        part += f"dimension is {num}"
        for shape in [(8,), (4, 3), (num, 1), (4, num, 1), ()]:
            d.bad(1, part, "reduce", "--op", op, *where, d.save(np.zeros(shape, "i4")))
        words = ["scan", "--op", op, *where]
        part = f"which is not a multiple of the {num} of an element"
        d.bad(1, part, *words, "--raw", "u8", d.write(b"12345"), d.path("x.npy"))
        d.bad(1, part, *words, "--raw", "u8", "-", d.path("x.npy"), data=b"12345")
        part = "ends inside an element"
        d.bad(1, part, "reduce", "--op", op, *where, "--text", "f32", "-", data=b"1 2 3 4 5")
        floats = d.save(np.zeros((3, num), "f4"))
        d.bad(1, "f32 cannot be folded as type i32", "reduce", "--op", op, "--acc", "i32", floats)
        d.bad(1, "holds structured dtype", "reduce", "--op", op, d.save(np.zeros(5, FIELDS)))
        d.bad(2, "--init does not go with --op " + op, *words, "--init", "1", floats, "-")
    for op in ["affine", "matrix-2x2", "moments"]:
        for operation in ["reduce", "scan"]:
            words = ["explain", operation, "--op", op, "--count", 5000, "--json", *where]
            told = json.loads(good(d, *words))
            check((told["op"], told["acc"]) == (op, "f32") and told["why"], f"{told}")
            keeps = operation == "reduce" and op != "moments"
            check(("order is kept" in told["why"]) == keeps, f"{told}")
        words = ["explain", "reduce", "--op", op, "--count", 0, "--json", *where]
        told = json.loads(good(d, *words))
        check(told["count"] == 0, f"{told}")


def accuracies(d, device):
    """Compensated sums of numbers that cancel, from a file and on a pipe; others are rejected."""
    random = np.random.default_rng(5)
    array = random.standard_normal(20000) * 2.0 ** random.uniform(-10, 10, 20000)
    array = np.concatenate([array, -1.001 * array]).astype("float32")
    random.shuffle(array)
    true, bound = math.fsum(array.tolist()), 2.0**-24
    path, out = d.save(array, "cancel.npy"), d.path("out.npy")
    where = ["--accuracy", "compensated", "--device", device["index"]]
    for words, options in [([path], {}), (["--raw", "f32", "-"], {"data": array.tobytes()})]:
        told = float(good(d, "reduce", *where, *words, **options))
        check(abs(told - true) <= bound * (abs(true) + 1e-3), f"{told}, not {true}")
    plain = float(good(d, "reduce", "--device", device["index"], path))
    check(abs(plain - true) > bound * (abs(true) + 1e-3), f"{plain} is as good as {true}")
    good(d, "scan", *where, path, out)
    exact = np.cumsum(array, dtype="float64")
    check(np.all(abs(np.load(out) - exact) <= bound * abs(exact) + 1e-6), "scan")
    told = json.loads(good(d, "explain", "scan", "--json", *where))
    check(told["accuracy"] == "compensated", f"{told}")
    d.bad(1, "for sums, but op is max", "reduce", "--op", "max", *where, path)
    d.bad(2, "for sums, but op is combine", "reduce", "--combine", "a + b", *where, path)
    d.bad(1, "but type is i64", "explain", "reduce", "--type", "i32", *where)


def reproducible(d, device):
    """Reproducible sums have the same bits in any order, of a file and on a pipe; what the
    greatest number hides is lost, and all else is exact. In pieces, too; no scans."""
    random = np.random.default_rng(6)
    array = random.standard_normal(40000) * 2.0 ** random.uniform(-4, 4, 40000)
    array = array.astype("float32")
    where = ["--accuracy", "reproducible", "--device", device["index"]]
    told = set()
    for order in range(3):
        random.shuffle(array)
        path = d.save(array, f"order{order}.npy")
        told.add(good(d, "reduce", *where, path))
        told.add(good(d, "reduce", *where, "--raw", "f32", "-", data=array.tobytes()))
        told.add(good(d, "reduce", *where, "--memory", 4096 - 1000 * order, path))
    check(len(told) == 1, f"{told}")
    check(np.float32(told.pop()) == np.float32(math.fsum(array.tolist())), "not rounded once")
    hidden = d.save(np.array([1e30, 1, -1e30], "float32"), "hidden.npy")
    check(float(good(d, "reduce", *where, hidden)) == 0, "1 beside 1e30")
    told = json.loads(good(d, "explain", "reduce", "--json", *where))
    check(told["accuracy"] == "reproducible", f"{told}")
    squares = (array * array).tolist()
    words = ["--load", "x * y", "--stream", f"y={path}", path]
    told = np.float32(good(d, "reduce", *where, *words))
    check(told == np.float32(math.fsum(squares)), f"a dot product: {told}")
    d.bad(1, "is for reductions", "scan", *where, path, d.path("out.npy"))
    d.bad(2, "for sums, but op is combine", "reduce", "--combine", "a + b", *where, path)


CASES = [affine, matrices, moments, complex_numbers, rejected, accuracies, reproducible]

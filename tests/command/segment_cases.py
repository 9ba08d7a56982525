"""Cases on one device: scans of segments by flags, keys and offsets, as numpy scans each, and
reductions by these and maps by offsets."""

import json
import os

import numpy as np

from driver import check
from fold_cases import given
from scan_cases import expected, read_out, same
from user_cases import AFFINE, composed, good

FORMATS = [".npy", ".bin", ".txt"]
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


def reduced(d, device, array, offsets, *words, out="out.npy"):
    out = d.path(out)
    said = good(d, "reduce", "--device", device["index"], "--offsets",
                d.save(offsets, "offsets.npy"), *words, "--output", out, d.save(array))  # fmt: skip
    return said if "--json" in words or out.endswith("txt") else np.load(out)


def each_segment(function, array, offsets):
    """Of each of the segments, which may be empty, as numpy.add.reduceat does not have them."""
    with np.errstate(invalid="ignore"):
        pairs = zip(offsets[:-1], offsets[1:], strict=True)
        return np.array([function(array[first:last]) for first, last in pairs])


def reductions(d, device):
    """Sums, means and the like of segments of many lengths, empty ones among them, between
    elements of none."""
    for count in [0, 1, 100000]:
        offsets = np.sort(d.random.integers(count // 9, count + 1, 1 + count // 7))
        if count > 1:
            offsets[50:80] = offsets[50]
            offsets[-5:] = count - 3
        for dtype in "u4", "i8":
            array = d.random.integers(-9, 10, count).astype("f4")
            ends = offsets.astype(dtype)
            told = reduced(d, device, array, ends, "--op", "mean")
            right = each_segment(lambda part: np.sum(part, dtype="f8") / np.float64(part.size),
                                 array, offsets)  # fmt: skip
            check(told.dtype == "f8" and np.array_equal(told, right, equal_nan=True),
                  f"means of {count}: {told}, not {right}")  # fmt: skip
            told = reduced(d, device, array, ends, "--op", "max", "--init", 3)
            right = each_segment(lambda part: np.max(part, initial=3), array, offsets)
            check(np.array_equal(told, right), f"max of {count}: {told}, not {right}")
        whole = array.astype("i4")
        told = reduced(d, device, whole, offsets.astype("u8"))
        right = np.diff(np.append(0, np.cumsum(whole, dtype="i8"))[offsets])
        check(told.dtype == "i8" and np.array_equal(told, right), f"{told}, not {right}")
    full = np.unique(offsets)[:-1]  # then numpy has a function for it
    told = reduced(d, device, whole, np.append(full, count).astype("i4"))
    check(np.array_equal(told, np.add.reduceat(whole, full)), f"{told}")


def reductions_of(d, device):
    """What an element, a result and an input may be else; text; and what JSON says."""
    offsets, x = np.array([1, 3, 3, 8], "u4"), np.array([3, 1, 4, 1, 5, 9, 2, 6], "f4")
    for words, right in [
        (["--op", "moments"], [(2, 2.5, 4.5), (0, 0, 0), (5, 4.6, 41.2)]),
        (["--op", "min-max"], [(1, 4), (np.inf, -np.inf), (1, 9)]),
        (["--load", "x * to_f32(i)"], [9, 0, 122]),
        (["--result", "item + to_f32(segment)", "--out", "f64"], [5, 1, 25]),
        (["--load", "x * y", "--stream", "y=" + d.save(x[::-1], "y.npy")], [38, 0, 66]),
        (["--combine", "a * b", "--identity", "1"], [4, 1, 540]),
        (["--accuracy", "compensated"], [5, 0, 23]),
    ]:
        told = reduced(d, device, x, offsets, *words)
        told = np.array(told.tolist())
        check(np.allclose(told, np.array(right), atol=0), f"{words}: {told}")
    maps = d.random.integers(-9, 10, (8, 2), "int32")
    told = reduced(d, device, maps, offsets, *AFFINE, "--identity", "{ 1, 0 }")
    right = [composed(maps[1:3])[-1], (1, 0), composed(maps[3:])[-1]]
    check(np.array_equal(told, right), f"maps: {told}, not {right}")
    square = np.asfortranarray(x.reshape(2, 4))  # in C order, as it is read
    check(np.array_equal(reduced(d, device, square, offsets), [5, 0, 23]), "Fortran order")
    reduced(d, device, x, offsets, "--op", "mean", out="out.txt")
    with open(d.path("out.txt"), encoding="ascii") as file:
        check(file.read() == "2.5\nnan\n4.6\n", "a text")
    found = json.loads(reduced(d, device, x, offsets, "--json"))
    check(found["shape"] == [3] and found["count"] == 8 and found["pieces"] == 1, f"{found}")
    check(found["kernel"] == "reduce_offsets", f"{found}")
    for op in "arg-min", "arg-max":
        d.bad(1, f"may be empty, and {op} has neither identity", "reduce", "--device",
              device["index"], "--op", op, "--offsets", d.path("offsets.npy"), "--output",
              d.path("none.npy"), d.path("y.npy"))  # fmt: skip


def headed(d, device):
    """Reductions by flags and keys, of all formats: results, keys, lengths and what JSON says."""
    for turn, count in enumerate([0, 1, 100000, 99, 98, 97]):
        op, dtype, acc = ("mean", "f4", "f8") if turn % 2 else KINDS[turn // 2]
        array, end = d.random.integers(0, 9, count).astype(dtype), FORMATS[turn % 3]
        starts = starts_of(d, count)
        option, heads = files(d, count, starts)[2 - turn % 3]
        parts = np.split(array, starts[1:])[: starts.size]
        right = [np.sum(part, dtype="f8") / part.size if op == "mean"
                 else expected(part, op, acc, "inclusive")[-1] for part in parts]  # fmt: skip
        wanted = {"o": np.array(right, acc), "l": np.diff(np.append(starts, count)).astype("u8")}
        words = ["--lengths-out", d.path("l" + end)] if turn != 1 else []
        if option == "--keys":
            wanted["k"] = heads[starts]
            words += ["--keys-out", d.path("k" + end)]
        told = good(d, "reduce", "--json", "--device", device["index"], "--op", op, option,
                    d.save(heads, "heads.npy"), *words, "--output", d.path("o" + end),
                    *given(d, array, ["npy", "raw", "text"][turn // 2]))  # fmt: skip
        found = json.loads(told)
        check(found["segments"] == len(parts) and found["count"] == count, told)
        for name, values in wanted.items():
            if f"{name}{end}" in os.listdir(d.folder):
                with open(d.path(name + end), "rb") as file:
                    got = read_out(d, file.read(), end, values.dtype)
                check(same(got, values), f"{op} by {option} of {count}: {got!r}, not {values!r}")
                os.remove(d.path(name + end))
            else:
                check(turn == 1 and name == "l", f"no file {name}{end}")


def headed_of(d, device):
    """Order, pipes and what an operator's result is; and nothing half written."""
    keys, x = np.array([2, 2, 7, 7, 7, 2], "f2"), np.array([3, 1, 4, 1, 5, 9], "f4")
    words = ["reduce", "--device", device["index"], "--keys", d.save(keys, "keys.npy")]
    square = d.save(np.asfortranarray(x.reshape(2, 3)))
    check(good(d, *words, "--text", "i32", "--output", "-", "-", data=b"3 1 4 1 5 9")
          == "4\n10\n9\n", "a pipe")  # fmt: skip
    for more, right in [
        (["--op", "arg-max"], [(0, 3), (4, 5), (5, 9)]),
        (["--combine", "2 * a + b"], [7, 23, 9]),
        (["--load", "x * to_f32(i)"], [1, 31, 45]),
    ]:
        good(d, *words, *more, "--output", d.path("o.npy"), square)
        told = np.load(d.path("o.npy"))
        check(np.array_equal(np.array(told.tolist()), right), f"{more}: {told}")
    out, other = d.path("none.npy"), d.path("none.bin")
    for part, *more in [
        ("--keys takes a whole input", "--memory", 50, d.save(x, "x.npy")),
        ("none.bin: ", "--keys-out", d.path("none.npy/none.bin"), square),
        ("has 6 numbers, and", d.save(x[:5], "five.npy")),
        ("line 1", "--text", "f32", d.write(b"3 1 4 1 5 x", "data.txt")),
    ]:
        others = [] if "--keys-out" in more else ["--lengths-out", other]
        d.bad(1, part, *words, "--output", out, *others, *more)
        check(not os.path.exists(out) and not os.path.exists(other), f"{more}: an output")


def maps(d, device):
    """Each element's segment and place in it, and a value for each segment."""
    lengths = d.random.integers(0, 9, 5000)
    offsets = 3 + np.append(0, np.cumsum(lengths)).astype("u4")
    count, out = int(offsets[-1]), d.path("out.npy")
    values = d.random.integers(-9, 10, lengths.size).astype("f4")
    x, segment = np.arange(count + 5, dtype="f4"), np.repeat(np.arange(lengths.size), lengths)
    for words, right in [
        (["--result", "to_u64(segment * 100 + rank)", "--out", "u64"],
         segment * 100 + np.arange(3, count) - offsets[segment]),
        (["--load", "v[segment]", "--partial", "--arg-file", "v=" + d.save(values, "v.npy")],
         np.repeat(values, lengths)),
    ]:  # fmt: skip
        good(d, "map", "--device", device["index"], "--offsets", d.save(offsets, "offsets.npy"),
             *words, d.save(x), out)  # fmt: skip
        right = np.pad(right, (3, 5))
        check(np.array_equal(np.load(out), right), f"{words}: {np.load(out)}, not {right}")
    repeat = ["map", "--device", device["index"], "--offsets", d.path("offsets.npy"), "--load",
              "in[segment] * 2"]  # fmt: skip
    right = np.pad(np.repeat(2 * values, lengths), (3, 0))
    for words in [d.path("v.npy")], ["--raw", "f32", "-"]:  # as many as the last offset says
        good(d, *repeat, *words, out, data=values.tobytes() if "-" in words else None)
        check(np.array_equal(np.load(out), right), f"{words}: {np.load(out)}, not {right}")
    none = d.path("none.npy")
    for num in 0, 1, lengths.size - 1, lengths.size + 1:
        said = d.bad(1, f"has {lengths.size} segments, and ", *repeat, d.save(x[:num]), none)
        check(said.endswith(f"has {num} element{'s' * (num != 1)}\n"), said)
    for part, *wrong in [
        ("has 1 segment, and", 0, 5), ("number 1 is -5, which is negative", 0, -5),
        ("number 0 is -1, which is negative", -1, 5),
        ("number 2 is 4, which is below the one before it", 0, 5, 4),
    ]:  # fmt: skip
        d.save(np.array(wrong, "i4"), "offsets.npy")
        d.bad(1, part, *repeat, d.save(x[:2]), none)
    check(not os.path.exists(none), "an OUT")


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
        (1, "number 1 is 10, which is above the 9 elements", "--offsets", np.array([0, 10], "u8")),
        (1, "number 0 is -3, which is negative", "--offsets", np.array([-3, 9], "i4")),
        (1, "number 1 is -1, which is negative", "--offsets", np.array([0, -1], "i8")),
        (1, "holds complex numbers", "--keys", np.zeros(9, "c8")),
    ]:
        words = ["--device", device["index"], option, d.save(heads, "heads.npy")]
        text = d.bad(status, part, "scan", *words, path, out)
        check(f"{option} {words[-1]}: " in text or "complex" in part, text)
        if option == "--offsets":
            check(text == d.bad(status, part, "reduce", *words, path, "--output", out), text)
    d.bad(1, "--keys", "scan", "--device", device["index"], "--keys", d.path("no.npy"), path, out)
    d.bad(1, "takes a whole input", "scan", "--device", device["index"], "--memory", "16",
          "--keys", path, path, out)  # fmt: skip
    for words in [["--flags", path, "--keys", path], ["--axis", 0, "--offsets", path]]:
        d.bad(2, "go", "scan", *words, path, out)
    d.bad(2, "--offsets goes with --output only", "reduce", "--offsets", path, path)
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


CASES = [segments, texts, reductions, reductions_of, headed, headed_of, maps, refused, lengths]

"""Cases on one device: loads of the user's own, with streams, indices and arguments, by
operators of both kinds. All results are exact, or compared with numpy's in f64."""

import json

import numpy as np

from driver import NAMES, check, has_type
from user_cases import AFFINE, composed, good, line, maps

COUNTS = [1, 17, 5000]
DOT = ["--load", "x * y", "--stream"]


def small(d, count, dtype="float32", least=-8):
    """Numbers whose products and sums have no rounding error."""
    return d.random.integers(least, 9, count).astype(dtype)


def both(d, device, words, path, each):
    """A reduction and a scan by a load, whose items are `each` and are added."""
    where = ["--device", device["index"], *words]
    sums, out = np.cumsum(each), d.path("out.npy")
    told = good(d, "reduce", *where, path)
    check(float(told) == sums[-1], f"{words}: {told!r}, not {sums[-1]}")
    good(d, "scan", *where, path, out)
    check(np.array_equal(np.load(out), sums), f"scan {words}")


def streams(d, device):
    """Streams of every type, in either order, and two at once, of bools too."""
    names = [name for name in NAMES if has_type(device, name) or name == "float16"]
    for i, count in enumerate(COUNTS):
        x = small(d, count)
        path = d.save(x, "x.npy")
        for name in names[i::3]:
            y = small(d, count, name, 0)
            words = ["--load", "x * to_f32(y)", "--stream", "y=" + d.save(y, "y.npy")]
            both(d, device, words, path, x * y.astype("f4"))
    y, truth = small(d, count), d.random.integers(2, size=count).astype(bool)
    words = ["--load", "w * x * y * to_f32(t)", "--stream", "y=" + d.save(y, "y.npy"),
             "--stream", "t=" + d.save(truth, "t.npy"), "--arg", "float w=3"]  # fmt: skip
    both(d, device, words, path, 3 * x * y * truth)
    square = small(d, (30, 40))
    for order in ["CF", "FC", "FF"]:
        pair = [np.array(a, order=o) for a, o in zip([square, square.T.reshape(30, 40)], order)]
        words = [*DOT, "y=" + d.save(pair[1], "y.npy")]
        both(d, device, words, d.save(pair[0], "x.npy"), (pair[0] * pair[1]).reshape(-1))


def indices(d, device):
    """i, n and in are those of the whole input, which may be a pipe; a macro may use them. In
    pieces i goes on, n is known of files, and there is no in."""
    where, array = ["--device", device["index"]], d.random.integers(0, 99, 5000, "uint32")
    path, raw, wide = d.save(array), array.tobytes(), array.astype("u8")
    before = np.concatenate([[0], array[:-1]]).astype("u8")
    index = np.arange(array.size, dtype="u8")
    source = d.write(b"#define BEFORE (i > 0 ? in[i - 1] : 0)\n", "before.cl")
    for words, each in [
        (["--load", "i * to_u64(x)"], index * wide),
        (["--load", "i * to_u64(x) + n"], index * wide + np.uint64(array.size)),
        (["--load", "to_u64(x) + (i > 0 ? in[i - 1] : 0)"], wide + before),
        (["--load", "to_u64(x) + BEFORE", "--source", source], wide + before),
        (["--load", "to_u64(x > 50 ? 1 : 0)"], (array > 50).astype("u8")),
        (["--load", "table[x % 4]", "--arg-file",
          "table=" + d.save(np.array([3, 0, 7, 1], "u8"), "table.npy")],
         np.array([3, 0, 7, 1], "u8")[array % 4]),
    ]:  # fmt: skip
        both(d, device, words, path, each)
        one = "in, that" if "in[" in words[1] or "BEFORE" in words[1] else None
        counted = one or ("n, that" if "+ n" in words[1] else None)
        for size in [4000, 10**6]:
            words = [*where, *words, "--memory", size]
            for use, name, source in [(one, path, [path]),
                                      (counted, "standard input", ["--raw", "u32", "-"])]:
                if use and size == 4000:
                    part = f"--load may use {use} of a whole input, and {name} is folded in pieces"
                    d.bad(1, part, "reduce", *words, *source, data=raw)
                    continue
                told = good(d, "reduce", *words, *source, data=raw)
                check(told == line([each.sum()]), f"{name} {words}: {told!r}")
    for limit in [[], ["--memory", 400]]:
        told = good(d, "reduce", *where, "--op", "arg-max", "--load", "i == 77 ? 1000 : x", *limit,
                    path)  # fmt: skip
        check(told == "77 1000\n", f"{told!r}")


def pieces(d, device):
    """Streams are read piece by piece, of files and of pipes."""
    where, x, y = ["--device", device["index"]], small(d, 5000), small(d, 5000)
    path, words = d.save(x, "x.npy"), [*DOT, "y=" + d.save(y, "y.npy")]
    products = x * y
    for memory in [120, 4000, 10**6]:
        told = json.loads(good(d, "reduce", *where, *words, "--memory", memory, "--json", path))
        check(told["result"] == products.sum() and told["count"] == x.size, f"{told}")
        check((told["pieces"] > 1) == (memory < 10**6), f"{told}")
        for source in [[path], ["--raw", "f32", "-"], ["--text", "f32", "-"]]:
            data = x.tobytes() if "f32" in source else b""
            if "--text" in source:
                data = "\n".join(f"{number:g}" for number in x).encode()
            limit = ["--memory", memory]
            good(d, "scan", *where, *words, *limit, *source, d.path("out.npy"), data=data)
            right = np.array_equal(np.load(d.path("out.npy")), np.cumsum(products))
            check(right, f"{memory} {source}")
    # a count that is a multiple of the pieces' is known to be one at its end only
    for count, part in [(4990, "at least 5000 elements"), (5010, "standard input has 5000")]:
        short = [*DOT, "y=" + d.save(small(d, count), "y.npy"), "--memory", 8 * 500]
        part = f"--stream y={d.path('y.npy')}: has {count} numbers, and standard input has " \
            if count < 5000 else part  # fmt: skip
        d.bad(1, part, "reduce", *where, *short, "--raw", "f32", "-", data=x.tobytes())
    part = "--load may use in"
    d.bad(1, part, "reduce", *where, "--load", "x /* in */", "--memory", 400, path)
    # a pipe that is a piece to the byte is whole; its end shows in the next read alone
    words = ["--load", "in[n - 1 - i]", "--memory", x.nbytes, "--raw", "f32", "-"]
    told = good(d, "reduce", *where, *words, data=x.tobytes())
    check(told == line([x.sum()]), f"a pipe of one piece: {told!r}")


def several(d, device):
    """Elements of several numbers, as arrays, raw data and text."""
    where = ["--device", device["index"]]
    for count in COUNTS:
        pixels = d.random.integers(0, 256, (count, 3), "uint8")
        words = ["--in-scalars", 3, "--load", "2 * to_u64(x.x) + 7 * to_u64(x.y) + to_u64(x.z)"]
        grey = (pixels.astype("u8") * [2, 7, 1]).sum(axis=1, dtype="u8")
        for order in "CF":
            both(d, device, words, d.save(np.array(pixels, order=order)), grey)
        text = " ".join(map(str, pixels.reshape(-1))).encode()
        for kind, data in [("--raw", pixels.tobytes()), ("--text", text)]:
            for memory in [100, 10**6]:
                told = good(d, "reduce", *where, *words, "--memory", memory, kind, "u8", "-",
                            data=data)  # fmt: skip
                check(told == line([grey.sum()]), f"{kind} {memory}: {told!r}")
    told = json.loads(good(d, "reduce", *where, *words, "--json", d.save(pixels)))
    check((told["count"], told["type"], told["acc"]) == (count, "u8", "u64"), f"{told}")
    d.bad(1, "whose last dimension is 4", "reduce", *where, "--in-scalars", 4, *words[2:],
          d.save(pixels))  # fmt: skip
    d.bad(1, "not a multiple of the 3 of one", "reduce", *where, *words, "--text", "u8", "-",
          data=b"1 2")  # fmt: skip


def operators(d, device):
    """Tuples from numbers, operators by text, the command's own mean, --init and fold files."""
    where, array = ["--device", device["index"]], small(d, 5000, "int32")
    path, out = d.save(array), d.path("out.npy")
    pairs = np.stack([np.full(array.size, 3, "int32"), array * 2], axis=1)
    for words in [["--op", "affine"], [*AFFINE, "--in-scalars", 1]]:
        words = [*words, "--load", "{ k, 2 * x }", "--arg", "int k=3"]
        good(d, "scan", *where, *words, path, out)
        check(np.array_equal(np.load(out), composed(pairs)), f"{words}")
    rows = maps(d, 1000)
    good(d, "scan", *where, *AFFINE, "--load", "{ x.b, x.a + 1 }", d.save(rows, "maps.npy"), out)
    turned = rows[:, ::-1] + np.array([0, 1], "int32")
    check(np.array_equal(np.load(out), composed(turned)), "components")
    fold = d.write(b"load x *\n    y\nstream y=" + d.save(array, "y.npy").encode(), "square.fold")
    words = ["--fold", fold, "--op", "max", "--init", 50]
    most = max(50, int((array * array).max()))
    check(good(d, "reduce", *where, *words, path) == line([most]), "fold file")
    fold = d.write(b"combine a + b\nidentity 0\nload x * 2\nin-scalars 1\n", "twice.fold")
    good(d, "scan", "--exclusive", *where, "--fold", fold, path, out)
    right = np.concatenate([[0], np.cumsum(array[:-1] * 2)])
    check(np.array_equal(np.load(out), right), "twice.fold")
    told = good(d, "check-fold", *where, "--count", 10, "--type", "i32", "--fold", fold)
    check("10 draws broke no law" in told, f"{told!r}")
    if device["fp64"]:
        told = good(d, "reduce", *where, "--op", "mean", "--load", "to_f64(x > 3 ? 1 : 0)", path)
        check(float(told) == np.mean(array > 3), f"{told!r}")
        told = good(d, "reduce", *where, "--op", "moments", "--load", "to_f64(x * x)", path)
        count, mean, m2 = map(float, told.split())
        right = (array * array).astype("f8")
        check(count == 5000 and np.allclose([mean, m2 / 5000], [right.mean(), right.var()]), told)


def rejected(d, device):
    """Errors name the option, or the text, its line and its column."""
    where = ["--device", device["index"]]
    path, other = d.save(small(d, 5), "x.npy"), d.save(small(d, 7), "y.npy")
    text, words = d.write(b"# of nothing\n", "empty.fold"), ["--load", "x * y"]
    for part, *options in [
        (f"--stream y={other}: has 7 numbers, and {path} has 5 elements", *DOT, "y=" + other),
        ("--stream: none.npy: No such file", *DOT, "y=none.npy"),
        (f"--stream: {text}: is not an .npy file", *DOT, "y=" + text),
    ]:
        d.bad(1, part, "reduce", *where, *options, path)
    done = d.run("reduce", *where, *words, path)
    check(done.returncode == 1 and b"load:1:5: " in done.stderr, f"{done}")


CASES = [streams, indices, pieces, several, operators, rejected]

"""Cases on one device: what is written for an item, as another type, by a text of the user's or
both, in reductions, scans and maps. Results are exact, or compared with numpy's in f64."""

import json

import numpy as np

from driver import NAMES, check, has_type
from user_cases import AFFINE, QUAD, composed, good, line, maps

COUNTS = [1, 17, 5000]
TYPES = {name: dtype for dtype, name in NAMES.items()}
SWAP = ["--components", "int a; int b", "--result", "{ item.b, item.a }"]


def small(d, count, dtype="float32"):
    """Numbers whose sums have no rounding error."""
    return d.random.integers(0, 9, count).astype(dtype)


def written(d, *words, **options):
    """The array that the last of the words but OUT makes."""
    good(d, *words, d.path("out.npy"), **options)
    return np.load(d.path("out.npy"))


def same(told, expected, what):
    expected = np.asarray(expected)
    check(
        told.dtype == expected.dtype
        and told.shape == expected.shape
        and told.tobytes() == expected.tobytes(),
        f"{what}: {told.dtype}{told.shape} {told[:5]}, not {expected.dtype}{expected.shape} "
        f"{expected[:5]}",
    )


def close(told, expected, what):
    """Within the rounding of the type."""
    most = 8 * np.finfo(told.dtype).eps
    check(told.shape == expected.shape and np.allclose(told, expected, most, 0), f"{what}: {told}")


def texts(d, device):
    """Roots, running means and differences, of the item, its element and the one before."""
    where = ["--device", device["index"]]
    for count in COUNTS:
        x = small(d, count)
        path, sums = d.save(x), np.cumsum(x)
        root = ["--load", "x * x", "--result", "sqrt(item)"]
        told = np.float32(good(d, "reduce", *where, *root, path))
        norm = np.sqrt((x.astype("f8") ** 2).sum())
        close(told, np.float32(norm), "norm")
        mean = ["--result", "item / to_f32(n)"]
        told = np.float32(good(d, "reduce", *where, *mean, path))
        close(told, np.float32(x.mean(dtype="f8")), "mean")
        told = written(d, "scan", *where, "--result", "item / to_f32(i + 1)", path)
        close(told, sums / np.arange(1, count + 1, dtype="f8"), "running mean")
        before = np.concatenate([[0], sums[:-1]]).astype("f4")
        neighbour = np.concatenate([[0], x[:-1]]).astype("f4")
        step = "(i > 0 ? in[i - 1] : 0)"
        for operation, text, expected in [
            ("scan", "item - 2 * prev", sums - 2 * before),
            ("scan", "prev + 3 * x", before + 3 * x),
            ("scan", f"x - {step}", x - neighbour),
            ("map", f"x - {step}", x - neighbour),
            ("map", "3 * item + 1", 3 * x + 1),
        ]:
            told = written(d, operation, *where, "--result", text, path)
            same(told, expected.astype("f4"), f"{operation} {text}")
        told = written(d, "scan", *where, "--exclusive", "--init", 5, "--result",
                       "item * 2", path)  # fmt: skip
        same(told, (before + 5) * 2, "exclusive")


def types(d, device):
    """Types that are written, by a map with a text and without, and by a scan, in turn. Floats
    become integers by a text only."""
    where = ["--device", device["index"]]
    # numbers of f16 may be read and written, but not folded, where the device has none
    names = [name for name in TYPES if has_type(device, TYPES[name])]
    for k, name in enumerate(names):
        x = small(d, 100, TYPES[name])
        path = d.save(x)
        for turn in range(3):
            out = [*names, "f16"][(k * 3 + turn * 4) % (len(names) + 1)]
            rounds = x.dtype.kind == "f" and np.dtype(TYPES[out]).kind != "f"
            words, expected = ["map"], x
            if rounds:
                part = f"--out: {name} cannot be written as out {out}: floats need"
                d.bad(1, part, "map", *where, "--out", out, path, d.path("none.npy"))
            if turn == 0 or rounds:
                convert = "to_f32" if out == "f16" else f"to_{out}"
                words, expected = ["map", "--result", f"{convert}(2 * item)"], 2 * x
            elif turn == 1:
                words, expected = ["scan", "--op", "max"], np.maximum.accumulate(x)
            told = written(d, *words, *where, "--out", out, path)
            same(told, expected.astype(TYPES[out]), f"{words} of {name} to {out}")
    told = good(d, "reduce", *where, "--op", "max", "--out", "f16", path)
    check(told == line([x.max()]), f"reduce to f16: {told!r}")
    told = written(d, "map", *where, "--type", "u64", "--load", "to_u64(x) << 33",
                   d.save(small(d, 9, "u1") + np.uint8(1)))  # fmt: skip
    check(told.dtype == "u8" and (told >= 2**33).all(), f"--type: {told}")


def several(d, device):
    """Several numbers for an item, arrays of shape (n, k): written, raw, as text and printed."""
    where, x = ["--device", device["index"]], small(d, 5000)
    path, sums, n = d.save(x), np.cumsum(x), x.size
    pair = ["--out-scalars", 2, "--result"]
    for operation, text, expected in [
        ("scan", "{ item, x }", np.stack([sums, x], axis=1)),
        ("map", "{ item + 1, x * x }", np.stack([x + 1, x * x], axis=1)),
    ]:
        words = [operation, *where, *pair, text]
        same(written(d, *words, path), expected, text)
        raw = d.run(*words, "--raw", "f32", "-", "-", data=x.tobytes())
        check(raw.stdout == expected.tobytes(), f"raw {text}: {raw}")
        data = "\n".join(f"{number:g}" for number in x).encode()
        told = good(d, *words, "--text", "f32", "-", "-", data=data)
        check(told == "".join(map(line, expected)), f"text {text}")
    words = ["map", *where, "--out", "u8", "--out-scalars", 3, "--result",
             "{ to_u8(x), to_u8(2 * x), to_u8(3 * x) }"]  # fmt: skip
    same(written(d, *words, path), np.outer(x, [1, 2, 3]).astype("u1"), "three bytes")
    words = ["reduce", *where, *pair, "{ item, item / to_f32(n) }"]
    check(good(d, *words, path).split()[0] == f"{sums[-1]:g}", "reduce")
    told = json.loads(good(d, *words, "--json", path))
    check(told["out"] == "f32" and told["result"]["x"] == sums[-1], f"{told}")
    close(np.float32(told["result"]["y"]), np.float32(sums[-1] / n), "y")
    good(d, *words, "--output", d.path("one.npy"), path)
    check(np.load(d.path("one.npy")).shape == (1, 2), "--output")
    pairs = maps(d, 1000)
    words = ["--components", "int a; int b", "--combine", AFFINE[3]]
    path = d.save(pairs)
    told = written(d, "scan", *where, *words, "--result", "item.b", "--out", "i32", path)
    same(told, composed(pairs)[:, 1], "one of two")
    told = written(d, "scan", *where, *words, "--out", "i64", path)
    same(told, composed(pairs).astype("i8"), "both, as i64")
    for array in [pairs, np.asfortranarray(pairs)]:
        same(written(d, "map", *where, *SWAP, d.save(array)), pairs[:, ::-1], "swapped")
    told = written(d, "map", *where, *SWAP, "--in-scalars", 1, "--load", "{ x, 3 * x }", path)
    flat = pairs.reshape(-1)
    same(told, np.stack([3 * flat, flat], axis=1), "made of one")
    if device["fp64"]:
        told = good(d, "reduce", *where, "--op", "moments", "--result",
                    "item.m2 / to_f64(item.count)", "--out", "f64", path)  # fmt: skip
        close(np.float64(told), np.float64(pairs.var(dtype="f8")), "variance")
    told = good(d, "reduce", *where, "--op", "min-max", "--result",
                "item.greatest - item.least", "--out", "i32", path)  # fmt: skip
    check(int(told) == pairs.max() - pairs.min(), f"range: {told!r}")
    place = ["--op", "arg-max", "--result", "item.index", "--out", "u64"]
    told = good(d, "reduce", *where, *place, path)
    check(int(told) == pairs.argmax(), f"place: {told!r}")


def structs(d, device):
    """Items of several types, and of the source's own, to numbers and to the like."""
    where = ["--device", device["index"]]
    fields = np.dtype([("n", "u8"), ("last", "u2")], align=True)
    array = np.zeros(500, fields)
    array["n"] = d.random.integers(0, 2**40, array.size)
    array["last"] = d.random.integers(0, 2**16, array.size)
    path, names = d.save(array), ["--components", "ulong n; ushort last"]
    told = written(d, "map", *where, *names, "--result", "{ item.n + 1, x.last }", path)
    check(told.dtype.fields == fields.fields, f"{told.dtype}")
    check(np.array_equal(told["n"], array["n"] + 1) and
          np.array_equal(told["last"], array["last"]), "struct")  # fmt: skip
    words = ["--result", "item.n + item.last", "--out", "u64"]
    told = written(d, "map", *where, *names, *words, path)
    same(told, array["n"] + array["last"], "struct to number")
    quads = d.random.integers(0, 99, (100, 4), "int32")
    source = d.write(QUAD.encode(), "quad.cl")
    opaque = ["--type-name", "quad", "--type-size", 16, "--source", source, "--raw", 16]
    words = [*opaque, "--result", "item.x[1] - item.x[3]", "--out", "i32"]
    raw = d.write(quads.tobytes())
    same(written(d, "map", *where, *words, raw), quads[:, 1] - quads[:, 3], "opaque")
    told = good(d, "reduce", *where, "--combine", "join(a, b)", *words, raw)
    check(int(told) == (quads[:, 1] - quads[:, 3]).sum(), f"opaque: {told!r}")
    done = d.run("map", *where, *opaque, "-", "-", data=quads.tobytes())
    check(done.stdout == quads.tobytes(), "opaque copy")


def inputs(d, device):
    """Streams, arguments, fold files, the formats of IN and OUT, and nothing."""
    where, x, y = ["--device", device["index"]], small(d, 5000), small(d, 5000)
    path, stream = d.save(x), ["--stream", "y=" + d.save(y, "y.npy")]
    blend = ["--result", "k * x + y", *stream, "--arg", "float k=3"]
    same(written(d, "map", *where, *blend, path), 3 * x + y, "blend")
    told = written(d, "scan", *where, "--result", "item * y", *stream, path)
    same(told, np.cumsum(x) * y, "scan with a stream")
    fold = d.write(b"# scaled\nload x *\n  x\nresult to_u16(item) + 1\nout u16\n", "a.fold")
    expected = (x * x).astype("u2") + np.uint16(1)
    same(written(d, "map", *where, "--fold", fold, path), expected, "fold file")
    fold = d.write(b"components int a; int b\nresult { item.b, item.a }\n", "b.fold")
    pairs = maps(d, 50)
    same(written(d, "map", *where, "--fold", fold, d.save(pairs, "p.npy")), pairs[:, ::-1], "fold")
    told = good(d, "map", *where, "--result", "x + 1", "--text", "i32", "-", "-", data=b"1 2,3")
    check(told == "2\n3\n4\n", f"{told!r}")
    told = json.loads(good(d, "map", *where, "--out", "f64" if device["fp64"] else "f32", "--json",
                           d.save(pairs), d.path("out.txt")))  # fmt: skip
    keys = ["type", "out", "count", "pieces", "algorithm", "device", "seconds"]
    check(list(told) == keys and told["type"] == "i32" and told["count"] == 100, f"{told}")
    check(told["out"] in ["f32", "f64"], f"{told}")
    told = np.loadtxt(d.path("out.txt"))
    check(np.array_equal(told, pairs.reshape(-1)), "text")
    done = d.run("map", *where, "--profile", "--result", "x * 2", path, d.path("out.bin"))
    check(done.returncode == 0 and b"clfold_map_tiles" in done.stderr, f"--profile: {done}")
    nothing = d.save(np.empty(0, "f4"))
    same(written(d, "map", *where, "--result", "x + 1", nothing), np.empty(0, "f4"), "nothing")
    same(written(d, "scan", *where, "--result", "x", nothing), np.empty(0, "f4"), "no scan")
    told = good(d, "reduce", *where, "--result", "item + 7", nothing)
    check(told == "7\n", f"no reduction: {told!r}")


def pieces(d, device):
    """Of a reduction the last piece's result counts; scans and maps write each piece's. i and
    places are those of the whole input."""
    where, x = ["--device", device["index"]], small(d, 5000)
    path, sums, raw = d.save(x), np.cumsum(x), x.tobytes()
    before = np.concatenate([[0], sums[:-1]]).astype("f4")
    # 500 divides the count, so of a pipe only the next read shows the end
    for memory in [400, 4 * 500, 10**6]:
        limit = [*where, "--memory", memory]
        words = [*limit, "--result", "{ 2 * item, item }", "--out-scalars", 2, "--out", "f32"]
        expected = line([2 * sums[-1], sums[-1]])
        check(good(d, "reduce", *words, path) == expected, f"reduce {memory}")
        told = good(d, "reduce", *words, "--raw", "f32", "-", data=raw)
        check(told == expected, f"pipe {memory}: {told!r}")
        count = json.loads(good(d, "reduce", *words, "--json", path))
        check((count["pieces"] > 1) == (memory < 10**6) and count["count"] == x.size, f"{count}")
        for source in [[path], ["--raw", "f32", "-"]]:
            told = written(d, "scan", *limit, "--result", "item - 2 * prev", *source, data=raw)
            same(told, sums - 2 * before, f"scan {memory} {source}")
            told = written(d, "map", *limit, "--result", "to_u16(3 * x)", "--out", "u16",
                           *source, data=raw)  # fmt: skip
            same(told, (3 * x).astype("u2"), f"map {memory} {source}")
            told = written(d, "map", *limit, "--result", "x + to_f32(i)", *source, data=raw)
            same(told, x + np.arange(x.size, dtype="f4"), "i")
            whole = ["map", *limit, "--result", "in[n - 1 - i]", *source]
            if memory < 10**6:
                name = path if source == [path] else "standard input"
                part = f"--result may use in, that of a whole input, and {name} is"
                d.bad(1, part, *whole, d.path("none.npy"), data=raw)
                continue
            same(written(d, *whole, data=raw), x[::-1], "whole")
    place = ["--op", "arg-max", "--result", "item.index", "--out", "u64", "--memory", 4000]
    told = good(d, "reduce", *where, *place, path)
    check(int(told) == np.argmax(x), f"{told!r}, not {np.argmax(x)}")
    mean = ["--result", "item / to_f32(n)", "--memory", 4 * 6000, "--raw", "f32", "-"]
    told = np.float32(good(d, "reduce", *where, *mean, data=raw))
    close(told, np.float32(x.mean(dtype="f8")), "mean of a pipe")


def stores(d, device):
    """Elements that a text writes itself: each, some, of several numbers, and none."""
    where = ["--device", device["index"]]
    x, y = small(d, 5000), small(d, 5000)
    path, raw, backwards = d.save(x), x.tobytes(), ["--store", "out[n - 1 - i] = 2 * x;"]
    for source in [[path], ["--raw", "f32", "-"]]:
        told = written(d, "map", *where, *backwards, *source, data=raw)
        same(told, 2 * x[::-1], f"backwards {source}")
    places = np.flatnonzero(x > 3).astype("u4")
    select = ["--acc", "u32", "--load", "to_u32(x > 3 ? 1 : 0)", "--out", "u32", "--store",
              "if (x > 3) out[item - 1] = i;"]  # fmt: skip
    for length in [None, places.size, x.size + 9]:
        told = written(d, "scan", *where, *select,
                       *([] if length is None else ["--out-length", length]), path)
        expected = np.zeros(length or x.size, "u4")
        expected[: places.size] = places
        same(told, expected, f"places of {length}")
    # timed calls run twice, and each begins with zeros
    good(d, "map", *where, "--json", "--store", "out[i] += x;", path, d.path("out.npy"))
    same(np.load(d.path("out.npy")), x, "--json")
    told = written(d, "map", *where, "--store", "out[i].y = x * y;", "--out-scalars", 2,
                   "--stream", "y=" + d.save(y, "y.npy"), path)
    same(told, np.stack([np.zeros(x.size, "f4"), x * y], axis=1), "two numbers")
    fold = d.write(b"store out[i] = 3 * item;\nout-length 4\n", "s.fold")
    nothing = d.save(np.empty(0, "f4"), "nothing.npy")
    same(written(d, "map", *where, "--fold", fold, nothing), np.zeros(4, "f4"), "nothing")
    good(d, "map", *where, *backwards, "--out-length", 5001, path, d.path("out.txt"))
    check(np.array_equal(np.loadtxt(d.path("out.txt")), [*(2 * x[::-1]), 0]), "text")
    out = d.path("none.npy")
    d.bad(1, "--store may write any element, those of a whole input, and", "map", *where,
          *backwards, "--memory", 4000, path, out)
    d.bad(1, "bytes, for --out-length", "map", *where, *backwards, "--out-length", "2^50", path,
          out)  # fmt: skip
    done = d.run("map", *where, "--store", "out[i] = z;", path, out)
    check(done.returncode == 1 and b"store:1:10: " in done.stderr, f"{done}")


def rejected(d, device):
    """Errors name the option, or the text, its line and its column."""
    where, path, out = ["--device", device["index"]], d.save(small(d, 5)), d.path("none.npy")
    fold = d.write(b"combine a + b\nresult item\n", "operator.fold")
    for status, part, *words in [
        (1, "--result: uses x, but what a reduction writes", "reduce", "--result", "x", path),
        (1, "--result: uses prev", "reduce", "--result", "prev", path),
        (1, "--result: uses prev, of which the first element has none", "scan", "--combine",
         "a + b", "--result", "prev", path, out),
        (2, "a map has no operator", "map", "--fold", fold, path, out),
        (1, "--stream y=", "map", "--result", "y", "--stream",
         "y=" + d.save(small(d, 6), "y.npy"), path, out),
        (1, "No such file", "map", "none.npy", out),
        (1, "bin: ", "map", path, d.path("no/out.bin")),
        (1, "holds no elements of the operator", "map", *SWAP, path, out),
    ]:  # fmt: skip
        d.bad(status, part, words[0], *where, *words[1:])
    for words in [["reduce", path], ["scan", path, out], ["map", path, out]]:
        done = d.run(words[0], *where, "--result", "z + item", *words[1:])
        check(done.returncode == 1 and b"result:1:1: " in done.stderr, f"{done}")


def explained(d, device):
    where = ["--device", device["index"], "--json"]
    told = json.loads(good(d, "explain", "map", *where, "--type", "u8", "--out", "i32",
                           "--count", 1000))  # fmt: skip
    check(list(told)[:5] == ["device", "type", "acc", "out", "count"], f"{told}")
    check((told["bytes_read"], told["bytes_written"]) == (1000, 4000), f"{told}")
    check(told["algorithm"] == "map_tiles" and "each element" in told["why"], f"{told}")
    told = json.loads(good(d, "explain", "reduce", *where, "--out", "f16", "--count", 9))
    check(told["out"] == "f16" and told["bytes_written"] == 2, f"{told}")


CASES = [texts, types, several, structs, inputs, pieces, stores, rejected, explained]

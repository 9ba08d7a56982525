"""Cases on one device: operators of the user's own, as options, files and arguments say them."""

import json
import os
import re
import shlex

import numpy as np

from driver import check

AFFINE = [
    "--components", "int a; int b", "--combine", "{ a.a * b.a, a.b * b.a + b.b }",
    "--identity", "{ 1, 0 }",
]  # fmt: skip
MIXED = [
    "--components", "ulong n; uint last; ushort most",
    "--combine", "{ a.n + b.n, b.last, max(a.most, b.most) }",
]  # fmt: skip
FIELDS = np.dtype([("n", "u8"), ("last", "u4"), ("most", "u2")], align=True)
QUAD = "typedef struct { int x[4]; } quad;\n" \
       "quad join(quad a, quad b)\n{\n    for (int i = 0; i < 4; ++i)\n" \
       "        a.x[i] += b.x[i];\n    return a;\n}\n"  # fmt: skip


def good(d, *words, **options):
    """What is printed. rusticl warns of control flow in programs of users."""
    done = d.run(*words, **options)
    check(done.returncode == 0, f"{words}: exit {done.returncode}, stderr {done.stderr!r}")
    return done.stdout.decode()


def maps(d, count):
    return d.random.integers(-9, 10, (count, 2), "int32")


def composed(array):
    """All compositions of maps x -> a x + b, from the left."""
    out, x, y = np.empty_like(array), np.int32(1), np.int32(0)
    with np.errstate(over="ignore"):
        for i, (a, b) in enumerate(array):
            x, y = x * a, y * a + b
            out[i] = x, y
    return out


def line(row):
    """Of whole numbers, as the command prints them in any type."""
    return " ".join(str(int(number)) for number in row) + "\n"


def one_type(d, device):
    """Arrays of shape (n, k) in C and Fortran order, in pieces too, as raw data and text."""
    where = ["--device", device["index"]]
    for count in [1, 17, 1000]:
        array = maps(d, count)
        results = composed(array)
        last = line(results[-1])
        for order in "CF":
            path = d.save(np.array(array, order=order), "maps.npy")
            told = good(d, "reduce", *where, *AFFINE, path)
            check(told == last, f"{count} {order}: {told!r}, not {last!r}")
        path = d.save(array, "maps.npy")
        for memory in [2**20, 16 * (count // 3 + 1)]:
            good(d, "scan", *where, *AFFINE, "--memory", memory, path, d.path("out.npy"))
            told = np.load(d.path("out.npy"))
            check(told.dtype == "int32" and np.array_equal(told, results), f"{count} {memory}")
        good(d, "scan", *where, *AFFINE, "--exclusive", path, d.path("out.npy"))
        told = np.load(d.path("out.npy"))
        check(np.array_equal(told, np.vstack([[[1, 0]], results[:-1]])), f"exclusive {count}")
        raw = d.write(array.tobytes(), "maps.bin")
        for kind in ["i32", 8]:
            told = good(d, "reduce", *where, *AFFINE, "--raw", kind, raw)
            check(told == last, f"raw {kind}: {told!r}")
        text = "".join(map(line, array)).encode()
        told = good(d, "scan", *where, *AFFINE, "--text", "i32", "-", "-", data=text)
        check(told == "".join(map(line, results)), f"text {count}")
    told = json.loads(good(d, "reduce", *where, *AFFINE, "--json", path))
    check(told["result"] == {"a": results[-1][0], "b": results[-1][1]}, f"{told}")
    good(d, "reduce", *where, *AFFINE, "--output", d.path("one.npy"), path)
    check(np.array_equal(np.load(d.path("one.npy")), results[-1:]), "--output")
    told = good(d, "reduce", *where, *AFFINE, d.save(np.empty((0, 2), "int32")))
    check(told == "1 0\n", f"nothing: {told!r}")


def several_types(d, device):
    """Structured dtypes in C's layout, with padding."""
    where = ["--device", device["index"]]
    array = np.zeros(1000, FIELDS)
    array["n"] = d.random.integers(0, 2**40, array.size)
    array["last"] = d.random.integers(0, 2**32, array.size, "uint64")
    array["most"] = d.random.integers(0, 2**16, array.size)
    sums, most = np.cumsum(array["n"]), np.maximum.accumulate(array["most"])
    path = d.save(array)
    told = good(d, "reduce", *where, *MIXED, path)
    check(told == line([sums[-1], array["last"][-1], most[-1]]), f"{told!r}")
    for memory in [2**20, 3200]:
        good(d, "scan", *where, *MIXED, "--memory", memory, path, d.path("out.npy"))
        told = np.load(d.path("out.npy"))
        check(
            told.dtype.fields == FIELDS.fields
            and np.array_equal(told["n"], sums)
            and np.array_equal(told["last"], array["last"])
            and np.array_equal(told["most"], most),
            f"memory {memory}",
        )
    same = np.zeros(5, [("a", "i4"), ("b", "i4")])
    same["a"], same["b"] = 2, 1
    told = good(d, "reduce", *where, *AFFINE, d.save(same))
    check(told == "32 31\n", f"{told!r}")


def opaque(d, device):
    """A struct of the source's, as voids and as raw data."""
    where = ["--device", device["index"]]
    words = ["--type-name", "quad", "--type-size", 16, "--combine", "join(a, b)",
             "--source", d.write(QUAD.encode(), "quad.cl")]  # fmt: skip
    array = d.random.integers(-99, 100, (500, 4), "int32")
    voids = array.view("V16")
    sums = np.cumsum(array, axis=0, dtype="int32")
    good(d, "scan", *where, *words, d.save(voids), d.path("out.npy"))
    told = np.load(d.path("out.npy"))
    check(told.dtype == "V16" and np.array_equal(told.view("int32").reshape(-1, 4), sums), "scan")
    raw = d.write(array.tobytes(), "quads.bin")
    good(d, "reduce", *where, *words, "--raw", 16, "--output", d.path("sum.bin"), raw)
    check(np.array_equal(np.fromfile(d.path("sum.bin"), "int32"), sums[-1]), "reduce")


def arguments(d, device):
    """Values, tables and fold files; a scalar's type is the file's, or --acc."""
    where = ["--device", device["index"]]
    array = d.random.integers(0, 97, 1000, "uint32")
    path, table = d.save(array), d.save(np.array([5, 97], "uint32"), "table.npy")
    product = np.uint64(1)
    for x in array:
        product = product * np.uint64(x + 1) % np.uint64(97)
    told = good(d, "reduce", *where, "--combine", "(a + b) % m", "--arg", "uint m=97", path)
    check(told == f"{int(array.sum()) % 97}\n", f"{told!r}")
    told = good(d, "reduce", *where, "--combine", "(a + b) % primes[1]", "--partial", "--arg-file",
                  "primes=" + table, "--acc", "u64", path)  # fmt: skip
    check(told == f"{int(array.sum()) % 97}\n", f"{told!r}")
    fold = d.write(
        b"# products modulo m\n\ncombine (a *\n    b) % m\nidentity 1\narg ulong m=97\n"
        b"commutative\npartial\n",
        "modulo.fold",
    )
    told = good(d, "reduce", *where, "--fold", fold, "--acc", "u64", d.save(array + 1))
    check(told == f"{product}\n", f"{told!r}, not {product}")


def documented(d, device):
    """The fold file that docs/command.md shows does what its command there says."""
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "command.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    fold = re.search(r"^# Products modulo m,.*\n[^`]*", text, re.M)
    call = re.search(r"^\$ clfold (.* modulo\.fold .*) numbers\.npy$", text, re.M)
    check(fold and call, "docs/command.md shows no modulo.fold and its use")
    words = shlex.split(call.group(1).replace("modulo.fold", d.write(fold[0].encode(), "m.fold")))
    for count in [1, 5000]:
        array = d.random.integers(97, 2**32 - 1, count, "uint32")
        array[array % 97 == 0] += 1
        told = good(d, *words, "--device", device["index"], d.save(array))
        product = 1
        for x in array:
            product = product * int(x) % 97
        check(told == f"{product}\n", f"{told!r}, not {product}")


def errors(d, device):
    """What a compiler says of a text, at several widths, is said once, with a hint where a
    function of floats takes integers, or a load takes elements for numbers."""
    array, out = np.arange(1, 7, dtype="i4"), d.path("out.npy")
    path, raw = d.save(array), d.write(array.tobytes())
    pair = ["--components", "int m; int n", "--combine", "{ a.m + b.m, a.n + b.n }"]
    numbers = d.save(array.astype("c8"), "complex.npy")
    parts = "x has the fields x.x and x.y"
    number = "x has the fields x.m and x.n; with --in-scalars 1 it is a number of the file"
    for place, hint, *words in [
        ("combine:1:5: ", "", "reduce", "--combine", "a + c", path),
        ("combine:1:5: ", "", "check-fold", "--combine", "a + c"),
        ("result:1:1", "write to_f64(item), and --out f64 if", "reduce", "--load", "x * x",
         "--result", "sqrt(item)", path),
        ("load:1:1", "write to_f32(x)", "scan", "--load", "sqrt(x)", "--acc", "f32", path, out),
        ("load:1:3", number, "reduce", *pair, "--load", "{ x, x }", "--raw", "i32", raw),
        ("load:1:11", parts, "reduce", "--load", "x", numbers),
        ("load:1:7", "", "reduce", "--load", "x.x + q", numbers),
        ("keep:1:3", "x has the fields x.re and x.im", "select", "--where", "x > 5", numbers, out),
        ("holds no elements", number, "map", *pair[:2], "--load", "{ x, x }", path, out),
    ]:  # fmt: skip
        if "sqrt" in str(words) and device["platform"] == "rusticl":
            continue  # its compiler takes the root of an integer
        done = d.run(words[0], "--device", device["index"], *words[1:])
        told = done.stderr.decode()
        if not device["fp64"]:
            hint = hint.replace("f64", "f32")
        hints = re.findall(r"^clfold: hint: (.*)", told, re.M)
        check(done.returncode == 1 and told.count(place) == 1, f"{words}: {done}")
        check(len(hints) == bool(hint) and hint in "".join(hints), f"{words}: {hints}")
    told = good(d, "reduce", "--device", device["index"], *pair, "--load", "{ x, x }",
                "--in-scalars", 1, path)  # fmt: skip
    check(told == "21 21\n", f"{told!r}")


def rejected(d, device):
    """Errors name the fold file's line, or the file. The unit test `options` has the options'."""
    where = ["--device", device["index"]]
    ints, floats = d.save(maps(d, 5), "ints.npy"), d.save(np.ones(5, "f4"), "floats.npy")
    struct = d.save(np.zeros(5, FIELDS), "struct.npy")
    fold = d.write(b"combine a + b\ncombin a\n", "wrong.fold")
    plain = ["--combine", "a + b"]
    for status, part, *words in [
        (2, "wrong.fold:2:1: combin is not an option", "--fold", fold, ints),
        (2, "--fold none.fold: No such file", "--fold", "none.fold", ints),
        (1, "--arg-file: none.npy: No such file", *plain, "--arg-file", "w=none.npy", ints),
        (1, "floats.npy: holds no elements of the operator", *AFFINE, floats),
        (1, "struct.npy: holds no elements of the operator", *AFFINE, struct),
        (1, "ints.npy: holds no elements of the operator", *MIXED, ints),
        (1, "ends inside an element", *AFFINE, "--text", "i32", "-"),
    ]:
        d.bad(status, part, "reduce", *where, *words, data=b"1 2 3\n")


SEGMENTS = ["--components", "int v; uint f", "--combine",
            "{ pick(truth(b.f), b.v, a.v + b.v), pick(truth(b.f), b.f, a.f) }"]  # fmt: skip


def laws(d, device):
    """check-fold finds what breaks each law, and nothing in operators that keep them."""
    where = ["check-fold", "--device", device["index"], "--count", 100]
    for words in [
        ["--combine", "a + b", "--identity", "0", "--commutative"], AFFINE, MIXED,
        [*SEGMENTS, "--identity", "{ 0, 0 }", "--cuts", "b.f != 0"],
        ["--combine", "max(a, b)", "--type", "u8", "--identity", "0", "--commutative"],
        ["--type-name", "quad", "--type-size", 16, "--combine", "join(a, b)",
         "--source", d.write(QUAD.encode(), "quad.cl")],
    ]:  # fmt: skip
        told = good(d, *where, *words)
        check("100 draws broke no law" in told, f"{words}: {told!r}")
    for part, items, *words in [
        ("the operator is not associative", "abc", "--combine", "a - b", "--type", "i32"),
        ("the operator is not associative", "abc", "--combine", "(a + b) / 2"),
        ("identity op a is not a", "a", "--combine", "a + b", "--identity", "1"),
        ("a op identity is not a", "a", "--combine", "b", "--identity", "1"),
        ("the operator is not commutative", "ab", *AFFINE, "--commutative"),
        ("cuts holds for b, but", "ab", *SEGMENTS, "--cuts", "b.v != 0"),
        ("the operator runs on scalars", "", "--components", "int v; uint f", "--combine",
         "{ b.f & 1 ? b.v : a.v + b.v, a.f | b.f }"),
    ]:  # fmt: skip
        done = d.run(*where, *words)
        told = done.stdout.decode()
        check(done.returncode == 1 and part.encode() in done.stderr, f"{words}: {done}")
        check(all(f"  {item} = " in told for item in items), f"{words}: {told!r}")
    told = d.run(*where, "--combine", "a - b", "--type", "i32").stdout.decode()
    check(told == "  a = 0\n  b = 0\n  c = 1\n  (a op b) op c = -1\n  a op (b op c) = 1\n",
          f"{told!r}")  # fmt: skip


CASES = [one_type, several_types, arguments, documented, rejected, laws]
DRIVERS = [opaque, errors]

"""What the cases of drive.py share: the command, its files, and numpy's results."""

import io
import json
import math
import os
import re
import shlex
import subprocess

import numpy as np

from cases import Runner, check, read, run_command, write

KEYS = ["op", "type", "acc", "count", "pieces", "result", "kernel", "device", "seconds"]
NAMES = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16",
    "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
}  # fmt: skip
OPS = [
    "add", "mul", "min", "max", "min-max", "arg-min", "arg-max", "arg-min-max",
    "bit-and", "bit-or", "bit-xor", "logical-and", "logical-or",
]  # fmt: skip
KERNELS = ["reduce_tiles", *(f"reduce{i}" for i in range(7))]
UFUNCS = {
    "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum,
    "bit-and": np.bitwise_and, "bit-or": np.bitwise_or, "bit-xor": np.bitwise_xor,
    "logical-and": np.logical_and, "logical-or": np.logical_or,
}  # fmt: skip
SCANS = ["scan_single_group", "scan_then_propagate", "reduce_then_scan"]
# which not every device has; auto takes the first where it is
LOOK_BACK = ["scan_lookback", "scan_chained"]
KINDS = ["inclusive", "exclusive"]
ENDS = [".npy", ".bin", ".txt"]

# operators of the user's own, as options
AFFINE = [
    "--components", "int a; int b", "--combine", "{ a.a * b.a, a.b * b.a + b.b }",
    "--identity", "{ 1, 0 }",
]  # fmt: skip
MIXED = [
    "--components", "ulong n; uint last; ushort most",
    "--combine", "{ a.n + b.n, b.last, max(a.most, b.most) }",
]  # fmt: skip
FIELDS = np.dtype([("n", "u8"), ("last", "u4"), ("most", "u2")], align=True)
PICKS = ["--components", "int v; uint f", "--combine",
         "{ pick(truth(b.f), b.v, a.v + b.v), pick(truth(b.f), b.f, a.f) }"]  # fmt: skip
QUAD = "typedef struct { int x[4]; } quad;\n" \
       "quad join(quad a, quad b)\n{\n    for (int i = 0; i < 4; ++i)\n" \
       "        a.x[i] += b.x[i];\n    return a;\n}\n"  # fmt: skip
QUADS = ["--type-name", "quad", "--type-size", 16]


class Driver(Runner):
    def __init__(self, command, small_device, seed, turn):
        super().__init__(command)
        self.small_device = small_device
        self.random = np.random.default_rng(seed)
        self.turn = turn

    def run(self, *words, data=b"", shell=None, **options):
        command = [self.command, *map(str, words)]
        if shell:
            command = ["sh", "-c", shell, "sh", *command]
        if "stdin" not in options:
            options["input"] = data
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        return run_command(command, **options)

    def no_limit(self):
        """For small_device's other settings."""
        return {**os.environ, "LD_PRELOAD": self.small_device, "CLFOLD_TEST_LIMIT": str(2**30)}

    def save(self, array, name="data.npy", version=None):
        with open(self.path(name), "wb") as file:
            np.lib.format.write_array(file, np.asanyarray(array), version=version)
        return self.path(name)

    def write(self, content, name="data.bin"):
        return write(self.path(name), content)


def good(d, *words, **options):
    """What is printed. rusticl warns of control flow in programs of users."""
    done = d.run(*words, **options)
    check(done.returncode == 0, f"{words}: exit {done.returncode}, stderr {done.stderr!r}")
    return done.stdout.decode()


def is_float(dtype):
    return np.dtype(dtype).kind == "f"


def has_type(device, *types):
    return (device["fp64"] or "float64" not in types) and (
        device["fp16"] or "float16" not in types
    )


def has_fold(device, op, *types):
    return has_type(device, *types) and not (op.startswith("bit-") and is_float(types[-1]))


def accumulator(op, element):
    """What the command chooses when none is named."""
    kind = np.dtype(element).kind
    return {"i": "int64", "u": "uint64"}.get(kind, element) if op in ["add", "mul"] else element


def turns(d, ops):
    """Each operator with a type and each type with an operator, others the next week: the places
    of both, and the two."""
    num = min(len(ops), len(NAMES))
    for i, op in enumerate(ops):
        for j, element in enumerate(NAMES):
            if (i + j) % num == d.turn % num:
                yield i, j, op, element


def folds(d, device, ops):
    """Those of turns() that the device folds, with the accumulator. All parts draw the same, since
    each builds a program."""
    for i, j, op, element in turns(d, ops):
        acc = accumulator(op, element)
        if has_fold(device, op, element, acc):
            yield i, j, op, element, acc


def values(d, op, element, count):
    """An array whose result says much: sums and products of floats are exact in any order,
    products of integers are not 0, and truth is sometimes decided by one element."""
    dtype = np.dtype(element)
    limits = None if is_float(dtype) else np.iinfo(dtype)
    if op == "mul" and limits is None:
        array = d.random.choice([-1, 1], count).astype(dtype)
        places = d.random.permutation(count)[:12]
        array[places] *= np.resize([0.5, 2, 4], places.size).astype(dtype)
    elif limits is None:
        # f16 has 11 bits
        most = 1 if dtype.itemsize == 2 else 8
        array = d.random.integers(-most, most + 1, count).astype(dtype)
    else:
        array = d.random.integers(limits.min, limits.max, count, dtype, endpoint=True)
    if op == "mul" and limits is not None:
        array |= dtype.type(1)
    if op == "bit-and":
        array |= dtype.type(limits.max // 3)
    if op == "bit-or":
        array &= dtype.type(limits.max // 3)
    if op == "logical-and":
        array[array == 0] = 3
    if op == "logical-or":
        array[:] = 0
    if op.startswith("logical") and count and d.random.integers(2):
        array[d.random.integers(count)] = op == "logical-or"
    return array


IDENTITIES = {
    "add": 0, "mul": 1, "bit-and": -1, "bit-or": 0, "bit-xor": 0,
    "logical-and": 1, "logical-or": 0,
}  # fmt: skip


def of_nothing(op, acc):
    kind = np.dtype(acc)
    if is_float(kind):
        least, greatest = kind.type(-math.inf), kind.type(math.inf)
    else:
        least, greatest = kind.type(np.iinfo(kind).min), kind.type(np.iinfo(kind).max)
    if op in IDENTITIES:
        return [(None, np.array(IDENTITIES[op]).astype(kind)[()])]
    return [(None, {"min": greatest, "max": least}[op])]


def expected(array, op, acc):
    """(None or index, value) for each line, as numpy has it."""
    with np.errstate(all="ignore"):
        flat = array.reshape(-1).astype(acc)
        if flat.size == 0:
            return of_nothing(op, acc)
        if op.startswith("arg-"):
            find = {"min": np.argmin, "max": np.argmax}
            places = [find[word](flat) for word in op.split("-")[1:]]
            return [(int(place), flat[place]) for place in places]
        if op == "mean":
            numbers = [flat.mean(dtype=acc)]
        elif op in UFUNCS:
            numbers = [UFUNCS[op].reduce(flat, dtype=None if op.startswith("logical") else acc)]
        else:
            numbers = [UFUNCS[word].reduce(flat) for word in op.split("-")]
    return [(None, np.dtype(acc).type(number)) for number in numbers]


def same(text, number):
    """Whether a result as it is printed is the number, bit by bit."""
    kind = number.dtype.type
    if number.dtype.kind in "iu":
        return int(text) == int(number)
    if math.isnan(number):
        return text == "nan"
    return kind(text).tobytes() == number.tobytes()


def same_line(line, item):
    index, number = item
    if index is None:
        return same(line, number)
    words = line.split(" ")
    return len(words) == 2 and words[0] == str(index) and same(words[1], number)


def scanned(array, op, acc, kind, init=None):
    """What a scan gives, as numpy has it."""
    flat = np.asarray(array).reshape(-1)
    logical = op.startswith("logical")
    with np.errstate(all="ignore"):
        # truth is that of an element as it is, not as it is converted
        flat = flat != 0 if logical else flat.astype(acc)
        if init is not None or kind == "exclusive":
            first = of_nothing(op, acc)[0][1] if init is None else np.dtype(acc).type(init)
            flat = np.concatenate([np.array([first != 0 if logical else first]), flat])
            flat = flat.astype(bool if logical else acc)
        if flat.size:
            # without dtype, numpy accumulates narrow integers in wide ones
            flat = UFUNCS[op].accumulate(flat, dtype=bool if logical else acc)
        if init is not None or kind == "exclusive":
            flat = flat[:-1] if kind == "exclusive" else flat[1:]
        return flat.astype(acc)


def read_out(content, end, dtype):
    """The array of a file that the command has written; of text, a row for each line."""
    if end == ".npy":
        file = io.BytesIO(content)
        array = np.load(file, allow_pickle=False)
        check(not file.read(1), "there is something behind the array")
        return array
    if end == ".bin":
        return np.frombuffer(content, dtype)
    text = content.decode("ascii")
    check(not text or text[-1] == "\n", "OUT does not end in a newline")
    number = np.dtype(dtype).type if is_float(dtype) else int
    rows = [[number(word) for word in line.split(" ")] for line in text.split("\n")[:-1]]
    return np.array([row[0] for row in rows] if max(map(len, rows), default=1) == 1 else rows,
                    dtype)  # fmt: skip


def same_array(told, numbers):
    return (
        told.shape == numbers.shape
        and told.dtype == numbers.dtype
        and np.array_equal(told, numbers, equal_nan=is_float(told.dtype))
    )


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


def text(array):
    return "".join(line(np.atleast_1d(row)) for row in array)


def record(**fields):
    """An array of structs in C's layout, with padding."""
    arrays = {name: np.asarray(array) for name, array in fields.items()}
    dtype = np.dtype([(name, array.dtype) for name, array in arrays.items()], align=True)
    out = np.zeros(next(iter(arrays.values())).shape, dtype)
    for name, array in arrays.items():
        out[name] = array
    return out


def padded(array, count):
    return np.concatenate([array, np.zeros(count - array.size, array.dtype)])


def shifted(array):
    """Zero first, and all but the last."""
    return np.concatenate([np.zeros(1, array.dtype), array])[:-1]


def products(array):
    """All products of matrices by rows, from the left, in their type."""
    out, total = np.empty_like(array), np.eye(2, dtype=array.dtype)
    with np.errstate(over="ignore"):
        for i, matrix in enumerate(array.reshape(-1, 2, 2)):
            total = total @ matrix
            out[i] = total.reshape(-1)
    return out


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


def heads(random, count):
    """Where segments start, some of one element, some of many; and what says so: flags of two
    types, keys, and offsets of two, empty segments among them."""
    starts = np.flatnonzero(random.random(count) < random.choice([0.01, 0.3]))
    starts = np.unique(np.append(0, starts))[:count]
    flags = np.zeros(count, "bool")
    flags[starts[1:]] = True
    empty = random.integers(0, 3, starts.size)  # segments before each start
    offsets = np.repeat(np.append(starts, count), np.append(empty, 0) + 1)
    keys = (np.cumsum(flags) % 3).astype("f4")
    return (starts, flags, np.where(flags, 256, 0).astype("i4"), keys, offsets.astype("u4"),
            offsets.astype("i8"))  # fmt: skip


def each_segment(function, array, offsets):
    """Of each of the segments, which may be empty, as numpy.add.reduceat does not have them."""
    with np.errstate(invalid="ignore"):
        pairs = zip(offsets[:-1], offsets[1:], strict=True)
        return np.array([function(array[first:last]) for first, last in pairs], "f8")


def runs(array):
    """The first of each run, and the runs' lengths."""
    flat = array.reshape(-1)
    starts = np.flatnonzero(np.append(np.ones(min(flat.size, 1), bool), flat[1:] != flat[:-1]))
    return flat[starts], np.diff(np.append(starts, flat.size)).astype("u8")


def form(i, array, at="@"):
    """Words of rows.txt that give x in turn in each format, as a file or on standard input."""
    name = NAMES[array.dtype.name]
    where = ["x", "x.S", "x.bin", "x.txt"][i % 4]
    return [*[[], [], ["--raw", name], ["--text", name]][i % 4], at + where]


def documented():
    """The fold file that docs/command.md shows, and its command's words."""
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "command.md")
    shown = read(page).decode()
    fold = re.search(r"^# Products modulo m,.*\n[^`]*", shown, re.M)
    call = re.search(r"^\$ clfold reduce (.*)--fold modulo\.fold (.*) numbers\.npy$", shown, re.M)
    check(fold and call, "docs/command.md shows no modulo.fold and its use")
    return fold[0], shlex.split(call[1] + call[2])


def names(d, device):
    """What the expressions of rows.txt may use besides all that is in this file."""
    fp64, fp16 = (device["fp64"], device["fp16"]) if device else (True, True)

    def ints(*shape, dtype="int32", least=0, below=99):
        """Numbers whose sums have no rounding error, in floats too."""
        return d.random.integers(least, below, shape).astype(dtype)

    def small(shape, dtype="float32", least=-8):
        return d.random.integers(least, 9, shape).astype(dtype)

    def out_types():
        """Three types to write each type as; f16 may be one where the device has none."""
        known = [name for dtype, name in NAMES.items() if has_type(device, dtype)]
        for k, name in enumerate(known):
            for turn in range(3):
                yield name, [*known, "f16"][(k * 3 + turn * 4) % (len(known) + 1)]

    def in_runs(count, dtype, most=9):
        """Few values, in runs of up to `most`."""
        lengths = d.random.integers(1, most + 1, count)
        return np.repeat(d.random.integers(0, 6, count), lengths)[:count].astype(dtype)

    def select_cases():
        """Types and counts, with a format, the end of what is written, and whether in pieces,
        which are of 100."""
        types = ["uint8", "int32", "float32", "float64", "uint64"]
        for i, dtype in enumerate(types):
            for j, count in enumerate([0, 1, 99, 100, 101, 200, 1999]):
                if has_type(device, dtype):
                    end = ENDS[(i + j // 2) % 3]
                    yield dtype, count, (i + j) % 4, end, j % 3 > 0

    return {
        "folded": lambda *args, **more: folded(device, *args, **more),
        "values": lambda op, element, count: values(d, op, element, count),
        "WORDS": {"uint8": "uchar", "int32": "int", "float32": "float", "float64": "double",
                  "uint64": "ulong"}, "heads": lambda count: heads(d.random, count),
        "in_runs": in_runs, "select_cases": select_cases,
        "rng": d.random, "path": d.path, "device": device, "ints": ints, "small": small,
        "digits": lambda count, dtype="float32": small(count, dtype, 0),
        "maps": lambda count: small((count, 2), "int32", -9), "out_types": out_types,
        "has": lambda *types: has_type(device, *types), "fp64": fp64, "fp16": fp16,
        "F": "f64" if fp64 else "f32", "TYPES": {name: dtype for dtype, name in NAMES.items()},
        "rusticl": device and device["platform"] == "rusticl",
        "broke_none": lambda told: "100 draws broke no law" in told,
        "SHAPES": [(1,), (3000,), (1, 1), (37, 80), (500, 3), (2, 700), (5, 1, 9), (4, 33, 17),
                   (3, 2, 65, 7), (1, 2, 1, 3, 2, 1, 2, 5)],
    }  # fmt: skip


def piece(count, i):
    """How many elements: one, around the count, and what divides it or not."""
    part = max(count // 3, 1)
    return [1, count - 1 or 1, count, count + 1, part, part + 1][i % 6]


def split(count, most, read, written=0):
    """The words for pieces of `most` elements, of `read` and `written` bytes, the next one of which
    is read while one is folded; and how many there are of a file, or of None, a pipe whose end
    alone shows its count. What fits as a whole is one."""
    limit = most * (2 * read + written)

    def pieces(path):
        bound = count if path else math.inf
        if path and path.endswith(".txt"):  # two characters a number
            bound = os.path.getsize(path) // 2 + 1
        return 1 if bound * (read + written) <= limit else math.ceil(count / most)

    return ["--memory", limit], pieces


def as_text(told):
    """A value in JSON as it is printed. Only what JSON has no number for is a string."""
    if isinstance(told, dict):
        check(list(told) == ["index", "value"] and type(told["index"]) is int, f"{told}")
        return f"{told['index']} {as_text(told['value'])}"
    check(not isinstance(told, str) or told in ["nan", "inf", "-inf"], f"{told!r} is a string")
    return str(told)


def folded(device, array, op, acc, pieces=1):
    """Whether a text is what a reduction of the array prints, also with --json."""
    acc = np.dtype(acc).name
    items = expected(array, op, acc)
    members = {"op": op, "type": NAMES[array.dtype.name], "acc": NAMES[acc], "count": array.size,
               "pieces": pieces, "device": device["name"]}  # fmt: skip

    def is_right(told):
        if told[:1] != "{":
            return told.count("\n") == len(items) and all(map(same_line, told.splitlines(), items))
        found = json.loads(told)
        check(list(found) == KEYS and found == {**found, **members}, f"{told} without {members}")
        check(found["kernel"] in KERNELS and 0 < found["seconds"] < 60, told)
        results = [found["result"]]
        if len(items) > 1:
            check(list(found["result"]) == ["min", "max"], told)
            results = found["result"].values()
        return all(map(same_line, map(as_text, results), items))

    return is_right

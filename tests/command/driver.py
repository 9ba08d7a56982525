"""What the cases of drive.py share: the command, its files, and numpy's results."""

import json
import math
import os
import subprocess

import numpy as np

from cases import Runner, check, run_command

KEYS = ["op", "type", "acc", "count", "pieces", "result", "device", "kernel", "seconds"]
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


class Driver(Runner):
    def __init__(self, command, small_device, seed, turn):
        super().__init__(command)
        self.small_device = small_device
        self.random = np.random.default_rng(seed)
        self.turn = turn
        self.json_next = False

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
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)


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


def folds(d, device, ops):
    """Each operator with a type and each type with an operator, others the next week: the places of
    both, the two, and the accumulator. All parts draw the same, since each builds a program."""
    turns = min(len(ops), len(NAMES))
    for i, op in enumerate(ops):
        for j, element in enumerate(NAMES):
            acc = accumulator(op, element)
            if (i + j) % turns == d.turn % turns and has_fold(device, op, element, acc):
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
        elif op in ["add", "mul"]:
            numbers = [flat.sum(dtype=acc) if op == "add" else flat.prod(dtype=acc)]
        elif op.startswith("bit-"):
            numbers = [getattr(np, "bitwise_" + op[4:]).reduce(flat)]
        elif op.startswith("logical-"):
            numbers = [(np.all if op == "logical-and" else np.any)(flat != 0)]
        else:
            numbers = [{"min": np.min, "max": np.max}[word](flat) for word in op.split("-")]
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


def same_json(told, item, acc):
    """Numbers as numbers, and as strings where JSON has none."""
    index, number = item
    if index is not None:
        if not isinstance(told, dict) or list(told) != ["index", "value"]:
            return False
        if type(told["index"]) is not int or told["index"] != index:
            return False
        told = told["value"]
    finite = not is_float(acc) or math.isfinite(number)
    if not isinstance(told, (int, float) if finite else str) or isinstance(told, bool):
        return False
    if is_float(acc):
        return same(str(told), number)
    return isinstance(told, int) and told == int(number)


def told_values(told, array, op, acc, device, kernel, pieces, words):
    """The results in a JSON object whose other members are as they must be."""
    check(list(told) == KEYS, f"keys {told}")
    check(
        told["op"] == op
        and told["type"] == NAMES[array.dtype.name]
        and told["acc"] == NAMES[np.dtype(acc).name]
        and told["count"] == array.size
        and told["pieces"] == pieces
        and told["device"] == device["name"]
        and told["kernel"] in ([kernel] if kernel else KERNELS)
        and 0 < told["seconds"] < 60,
        f"{words}: {told}",
    )
    if op not in ["min-max", "arg-min-max"]:
        return [told["result"]]
    check(list(told["result"]) == ["min", "max"], f"{told}")
    return list(told["result"].values())


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


def one_array(d, device, array, op, acc, *words, kernel=None, pieces=1, **options):
    """The result against numpy's, in turn as it is printed plain and in JSON, or of pieces in
    both, since they are not read ahead where they are timed."""
    words = ["reduce", "--op", op, "--device", device["index"], *words]
    if kernel:
        words += ["--kernel", kernel]
    items = expected(array, op, acc)
    d.json_next = not d.json_next
    for is_json in [True, False] if pieces > 1 else [d.json_next]:
        if is_json:
            text = d.good(*words, "--json", **options)
            told = told_values(json.loads(text), array, op, acc, device, kernel, pieces, words)
            right = [same_json(value, item, acc) for value, item in zip(told, items)]
            complete = len(told) == len(items)
        else:
            text = d.good(*words, **options)
            lines = text.split("\n")
            right = [same_line(line, item) for line, item in zip(lines, items)]
            complete = len(lines) == len(items) + 1 and not lines[-1]
        what = f"{op} of {array.dtype}{array.shape} into {acc}, {words}: {text!r}, not {items!r}"
        check(complete and all(right), what)

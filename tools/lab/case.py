"""A case: one call, its data, the bytes that it must move, and its results as numpy has them.

    Case("select --where 'x > 40' --type f32", 1 << 20)

The words are the command's own. Those of explain are for clfold; in place of files a case has made
data. --rest, --lengths-out and --keys-out stand alone here, --stream NAME=TYPE has a type, and
--segments says how long segments and runs are: N each, 0-N as many of each, ~N geometric with this
mean, or pareto, up to 10^6.
"""

import math
import re
import shlex

import numpy as np

from lab.text import C_NAMES, DTYPES, Unknown, converted, evaluate

OPERATIONS = ("reduce", "scan", "map", "select", "unique", "rle")
ALONE = ("exclusive", "inclusive", "rest", "lengths-out", "keys-out", "commutative", "partial")
# Operators as the texts of C, their identities, and ufuncs.
OPERATORS = {
    "add": ("a + b", "0", np.add), "mul": ("a * b", "1", np.multiply),
    "min": ("a < b ? a : b", None, np.minimum), "max": ("a > b ? a : b", None, np.maximum),
    "bit-and": ("a & b", "-1", np.bitwise_and), "bit-or": ("a | b", "0", np.bitwise_or),
    "bit-xor": ("a ^ b", "0", np.bitwise_xor), "logical-and": ("a && b", "1", np.logical_and),
    "logical-or": ("a || b", "0", np.logical_or),
}  # fmt: skip
ALIASES = {"sum": "add", "prod": "mul"}
# Two folds of pairs x, y whose results numpy can tell, by their combine.
PAIRS = {"dual": "{ a.x * b.x, a.x * b.y + a.y * b.x }", "affine": "{ a.x * b.x, a.y * b.x + b.y }"}
SAME = "a == b"
MOST_LENGTH = 10**6
LABEL = 34  # characters of a case's short name
INDEXED = np.dtype({"names": ["index", "value"], "formats": ["u8", "u8"]})


class Wrong(Exception):
    """A case that there is not, in a sentence."""


def words_in(text):
    try:
        return shlex.split(text) if isinstance(text, str) else list(text)
    except ValueError as error:
        raise Wrong(f"{text!r}: {error}") from error


class Case:
    def __init__(self, words, count=1, seed=0):
        self.words, self.count, self.seed = words_in(words), count, seed
        self.options, self.others = {}, []
        self.operation = self.words[0] if self.words else ""
        if self.operation not in OPERATIONS:
            raise Wrong(f"{self.operation or 'nothing'} is not one of {', '.join(OPERATIONS)}")
        self.read(self.words[1:])
        get = self.options.get
        self.is_rle, self.exclusive = self.operation == "rle", "exclusive" in self.options
        self.load, self.result, self.combine = get("load"), get("result"), get("combine")
        self.keep, self.same = get("where", get("keep")), get("same")
        if self.operation in ("unique", "rle"):
            self.operation, self.same = "select", self.same or SAME
        self.op = ALIASES.get(get("op"), get("op"))
        if self.operation in ("reduce", "scan") and not self.combine:
            self.op = self.op or "add"
        self.pair = next((name for name, text in PAIRS.items()
                          if self.combine and self.combine.split() == text.split()), None)
        self.type = self.known_type("type", get("type", "f32"))
        self.acc = self.known_type("acc", get("acc", self.type))
        self.dtype = DTYPES[self.type]
        self.out_dtype = DTYPES[self.known_type("out", get("out", self.acc))]
        self.length, self.columns = self.number("length"), self.number("columns")
        self.by, _, heads = get("by", "").partition(":")
        self.by = self.by or None
        self.heads = DTYPES[self.known_type("by", heads or "u32")]
        self.streams = dict(word.partition("=")[::2] for word in get("stream", []))
        self.lengths = get("segments", "100" if self.by else "1")
        if self.columns:
            self.count = max(1, self.count // self.columns) * self.columns
        self.arrays = self.starts = self.kept = None

    def read(self, words):
        """The options, each "--name value" or "--name=value"."""
        words = iter(words)
        for word in words:
            name, equals, value = word.removeprefix("--").partition("=")
            if not word.startswith("--") or not name:
                raise Wrong(f"{word!r} is not an option")
            if name not in ALONE and not equals:
                value = next(words, None)
                if value is None:
                    raise Wrong(f"--{name} needs a value")
            self.options[name] = [*self.options.get(name, []), value] if name == "stream" else value

    def known_type(self, name, text):
        if text not in DTYPES:
            raise Wrong(f"--{name} {text}: the types are {' '.join(DTYPES)}")
        return text

    def number(self, name):
        text = self.options.get(name, "0")
        if not text.isdigit():
            raise Wrong(f"--{name} {text}: is not a number")
        return int(text)

    def label(self):
        """A short name: a known pair for its texts, no types, and too long a middle left out."""
        gone = ("type", "acc", *(("combine", "identity", "components") if self.pair else ()))
        words = [self.words[0], *([self.pair] if self.pair else [])]
        for name, value in self.options.items():
            for one in value if name == "stream" else [value] if name not in gone else []:
                words += [f"--{name}"] if name in ALONE else [f"--{name}", one]
        text = shlex.join(words)
        return text if len(text) <= LABEL else f"{text[: LABEL - 16]}...{text[-13:]}"

    def type_label(self):
        return self.type if self.type == self.acc else f"{self.type}:{self.acc}"

    def of_type(self, text):
        """The same case with elements of "u8", or of "u8:u64", which is u8 folded in u64."""
        kind, _, acc = text.partition(":")
        words = [*self.words, "--type", kind, "--acc", acc or kind]
        return Case(words, self.count, self.seed)

    # ---- Words for programs ----

    def call_words(self, paths):
        """As clfold explain takes them. `paths`: of the streams' files."""
        words = [self.operation]
        for name, value in self.options.items():
            if name in ("rest", "lengths-out", "keys-out", "segments", "where", "by") or (
                name in ("type", "acc") and "components" in self.options):
                continue
            if name == "stream":
                words += [one for stream in self.streams
                          for one in ("--stream", f"{stream}={paths[stream]}")]
            else:
                words += [f"--{name}"] if name in ALONE else [f"--{name}", value]
        if self.operation in ("reduce", "scan") and "acc" not in self.options and not self.combine:
            words += ["--acc", self.acc]
        for name, value in (("keep", self.keep), ("same", self.same)):
            if value and name not in self.options:
                words += [f"--{name}", value]
        if self.by:
            kind = f"{self.by}:{self.heads.kind}{8 * self.heads.itemsize}"
            words += ["--by", kind + f":{len(self.starts) - 1}" * (self.by == "offsets")]
        return words

    # ---- Data ----

    def values(self, random, num):
        """Whole numbers from -50 to 50, or from 0 to 100, so that sums of any part in any order
        are exact in every float, all associations give the same bits, and a lost element shows."""
        kind = self.dtype.kind
        if self.op == "mul" and kind == "f":
            return signs(random, num).astype(self.dtype)
        if self.dtype.itemsize == 2 and kind == "f" and self.op == "add":
            dense = random.random(num, "f4") < 2**15 / num  # sums stay below 2^11 quarters
            return (dense * signs(random, num) * 0.25).astype(self.dtype)
        if DTYPES[self.acc].kind == "f" and re.search(r"\bx *\* *x\b", self.load or ""):
            dense = random.random(num, "f4") < min(1 / 8, 2**22 / num)  # squares only grow
            return (dense if kind == "u" else dense * signs(random, num)).astype(self.dtype)
        made = random.integers(-50, 51, num, np.int8)
        return (made if kind != "u" else made.view(np.uint8) % 101).astype(self.dtype)

    def make(self):
        """Fills self.arrays: those that programs get, by name."""
        random, num = np.random.default_rng(self.seed), self.count
        items = self.values(random, num)
        if self.pair:  # signs and numbers: products stay 1 or -1
            items = np.column_stack([signs(random, num), items]).astype(self.dtype).ravel()
        self.arrays = {"in": items}
        for name, kind in self.streams.items():
            dtype = DTYPES[self.known_type("stream", kind)]
            self.arrays[name] = signs(random, num).astype(dtype)
        if self.by or self.same:
            self.make_segments(random)

    def make_segments(self, random):
        starts = offsets_of(self.lengths, self.count, random)
        self.starts = starts = starts if self.by == "offsets" else np.unique(starts)
        runs = np.diff(starts)
        if self.same:
            # a run differs from the one before it
            marks = (np.arange(len(runs)) & 1).astype(np.int8)
            values = random.integers(-25, 25, len(runs), np.int8) * 2 + marks
            self.arrays["in"] = np.repeat(values, runs).astype(self.dtype)
        elif self.by == "offsets":
            self.arrays["heads"] = starts.astype(self.heads)
        elif self.by == "keys":
            self.arrays["heads"] = np.repeat(np.arange(len(runs)), runs).astype(self.heads)
        else:
            flags = np.zeros(self.count, self.heads)
            flags[starts[:-1]] = 1
            self.arrays["heads"] = flags

    # ---- Results ----

    def expected(self):
        """What the outputs hold, by name, as numpy has it; Unknown is raised where it cannot."""
        x = self.arrays["in"]
        names = {name: array for name, array in self.arrays.items() if name not in ("in", "heads")}
        has_index = "i" in f"{self.load}{self.result}{self.keep}"
        names.update(x=x, i=np.arange(self.count, dtype="u8") if has_index else None,
                     n=np.uint64(self.count))  # fmt: skip
        if self.operation == "select":
            return self.selected(x, names)
        if self.result and self.operation != "map":
            raise Unknown("--result")
        if self.pair:
            if self.length or self.columns or self.by or self.exclusive:
                raise Unknown(self.pair)
            return {"out": self.fold_pairs(x)}
        if self.combine:
            raise Unknown("--combine")
        items = converted(evaluate(self.load or "x", **names), DTYPES[self.acc])
        if self.operation == "map":
            items = evaluate(self.result, **names, item=items) if self.result else items
            return {"out": converted(items, self.out_dtype)}
        if items.dtype.kind == "f":
            self.check_order(items)
        if self.op.startswith("arg-") or self.op == "min-max":
            return {"out": self.places(items)}
        if self.op not in OPERATORS:
            raise Unknown(self.op)
        folds = self.fold(OPERATORS[self.op][2], items)
        results = {"out": converted(folds, self.out_dtype)}
        if self.writes_keys():
            results["also"] = np.arange(len(self.starts) - 1).astype(self.heads)
            results["num"] = np.array([len(self.starts) - 1], "u8")
        return results

    def check_order(self, items):
        """Raises Unknown where a float's fold may depend on the order, as where sums of whole
        numbers, or of quarters, have too many digits; and where there is none. Sums of random
        numbers stay small."""
        sizes = np.abs(items).astype(np.promote_types(items.dtype, "f4"), copy=False)
        total, most = float(sizes.sum(dtype="f8")), float(sizes.max())
        is_exact = total == total and not self.op.startswith("bit")
        if self.op == "mul":
            is_exact = bool(np.isin(sizes, (0, 1)).all())
        elif self.op == "add":
            if not re.search(r"\bi\b", self.load or ""):
                drift = abs(float(items.sum(dtype="f8")))
                total = min(total, drift + 8 * math.sqrt(most * total))
            parts = (4**n for n in range(4) if (np.floor(sizes * 4**n) == sizes * 4**n).all())
            is_exact = total * next(parts, math.inf) <= 2 ** (np.finfo(items.dtype).nmant + 1)
        if not is_exact:
            raise Unknown(f"{self.op} of {total:g}")

    def fold(self, by, items):
        """Of the whole or its segments, in the type that is folded in."""
        kind, scans = items.dtype, self.operation == "scan"
        if self.length or self.by:
            starts = self.starts
            if self.length:
                starts = np.append(np.arange(0, self.count, self.length), self.count)
            return (self.scan_segments if scans else self.fold_segments)(by, items, starts)
        items = items.reshape(-1, self.columns) if self.columns else items
        if not scans:
            return np.atleast_1d(by.reduce(items, axis=0)).astype(kind)
        scanned = by.accumulate(items, axis=0).astype(kind)
        if self.exclusive:
            first = np.full_like(scanned[:1], identity_of(self.op, kind))
            scanned = np.concatenate([first, scanned[:-1]])
        return scanned.ravel()

    def fold_segments(self, by, items, starts):
        full = np.diff(starts) > 0
        folds = np.full(len(starts) - 1, identity_of(self.op, items.dtype), items.dtype)
        folds[full] = by.reduceat(items, starts[:-1][full])
        return folds

    def scan_segments(self, by, items, starts):
        if by is not np.add:
            raise Unknown(f"a segmented scan by {self.op}")
        sums = np.cumsum(items, dtype=np.float64 if items.dtype.kind == "f" else items.dtype)
        before = np.concatenate([[0], sums])[starts[:-1]].astype(sums.dtype)
        scanned = sums - np.repeat(before, np.diff(starts))
        return (scanned - items if self.exclusive else scanned).astype(items.dtype)

    def fold_pairs(self, items):
        """With signs s and their products P, an item's y adds y / s to a dual number's and y / P to
        a map's, and then all is multiplied by P."""
        x, y = items[0::2].astype("i8"), items[1::2].astype("i8")
        products = np.multiply.accumulate(x)
        sums = np.cumsum(y * (x if self.pair == "dual" else products))
        folds = np.column_stack([products, products * sums]).astype(self.dtype)
        return folds[-1] if self.operation == "reduce" else folds.ravel()

    def places(self, items):
        """The first of equal values; both values of min-max."""
        if self.operation == "scan" or self.length or self.columns or self.by:
            raise Unknown(self.op)
        found = [("min", np.argmin), ("max", np.argmax)]
        at = [int(place(items)) for name, place in found if name in self.op]
        if self.op == "min-max":
            return items[at]
        results = np.zeros(len(at), INDEXED)
        for place, index in enumerate(at):
            value = items[index].tobytes().ljust(8, b"\0")
            results[place] = (index, np.frombuffer(value, "u8")[0])
        return results

    def selected(self, x, names):
        if self.op or self.combine:
            raise Unknown("a select of results")
        items = converted(evaluate(self.load or "x", **names), DTYPES[self.acc])
        if self.keep:
            keeps = evaluate(self.keep, **names, item=items).astype(bool)
            items = converted(items, self.out_dtype)
            results = {"out": items[keeps]}
            if "rest" in self.options:
                results["also"] = items[~keeps]
        elif self.same.split() != SAME.split():
            raise Unknown(self.same)
        else:
            full = np.diff(self.starts) > 0
            results = {"out": x[self.starts[:-1][full]]}
            if self.is_rle or "lengths-out" in self.options:
                results["also"] = np.diff(self.starts)[full].astype("u8")
        results["num"] = np.array([len(results["out"])], "u8")
        return results

    def writes_keys(self):
        return self.by == "keys" and "keys-out" in self.options

    def room(self):
        """Bytes of each output, by name."""
        width = 2 if self.pair else 1
        item = self.out_dtype.itemsize * width
        num = self.count
        if self.operation == "reduce":
            num = (-(-num // self.length) if self.length else self.columns or
                   (len(self.starts) - 1 if self.by else 1))  # fmt: skip
            if (self.op or "").startswith("arg-"):
                item = INDEXED.itemsize
            item *= 2 if "min-max" in (self.op or "") else 1
        rooms = {"out": num * item}
        if self.operation == "select":
            also = item if "rest" in self.options else 8
            if "rest" in self.options or self.is_rle or "lengths-out" in self.options:
                rooms["also"] = num * also
            rooms["num"] = 8
        elif self.writes_keys():
            rooms.update(also=num * self.heads.itemsize, num=8)
        return rooms

    def moved(self, results):
        """Bytes that must be read, and written. `results`: the expected ones, or None: as many as
        the first program has said, or all."""
        sizes = {name: array.nbytes for name, array in self.arrays.items()}
        if self.by and "in[segment]" in (self.load or "") and not re.search(r"\bx\b", self.load):
            sizes["in"] = self.dtype.itemsize * (len(self.starts) - 1)
        known = {name: array.nbytes for name, array in (results or {}).items()} or self.room()
        written = sum(size for name, size in known.items() if name != "num")
        if results is None and self.operation == "select" and self.kept is not None:
            # with what is not kept, half of the room
            written = written // 2 if "rest" in self.options else (
                written * min(self.kept, self.count) // self.count)
        return sum(sizes.values()), written

    def wrong(self, results, written):
        """A sentence on the first difference, or None. `written`: by name what a program wrote."""
        if self.kept is None and "num" in written:
            self.kept = int(written["num"].view("u8")[0])
        for name, right in results.items():
            found = written[name][: right.nbytes].view(right.dtype)
            differs = np.flatnonzero((found != right) & ((found == found) | (right == right)))
            if differs.size:
                at = int(differs[0])
                what = {"out": "result", "also": "what is written besides,",
                        "num": "how many there are,"}[name]  # fmt: skip
                return f"{what} {at} is {found[at]} and not {right[at]}"
        return None


def identity_of(op, dtype):
    if op in ("min", "max"):
        if dtype.kind == "f":
            return math.inf if op == "min" else -math.inf
        return np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min
    value = int(OPERATORS[op][1])
    return np.array(value).astype(dtype)[()]


def signs(random, num):
    return np.where(random.integers(0, 2, num, np.uint8), np.int8(1), np.int8(-1))


def offsets_of(lengths, count, random):
    """Where each segment begins, and then the count."""
    match = re.fullmatch(r"(0-|~|)0*([1-9]\d*)|pareto", lengths)
    if not match:
        raise Wrong(f"--segments {lengths}: is not N, 0-N, ~N or pareto")
    num = int(match[2] or 0)
    draw = {"": lambda part: np.full(part, num), "~": lambda part: random.geometric(1 / num, part),
            "0-": lambda part: random.integers(0, num + 1, part), None: lambda part: np.minimum(
                1 / (1 - random.random(part)), MOST_LENGTH).astype(np.int64)}[match[1]]
    ends = [np.zeros(1, np.int64)]
    while ends[-1][-1] < count:
        ends.append(ends[-1][-1] + np.cumsum(draw(1 << 16)))
    offsets = np.concatenate(ends)
    offsets = offsets[: int(np.searchsorted(offsets, count)) + 1]
    offsets[-1] = count
    return offsets


def c_name(dtype):
    """OpenCL's name of a type."""
    return C_NAMES[f"{dtype.kind}{8 * dtype.itemsize}"]

"""Tests the lab's parts that need no device. usage: units.py TOOLS, the folder that holds `lab`.
Prints TAP."""

import argparse
import contextlib
import io
import itertools
import operator
import os
import re
import shlex
import sys
import unittest.mock

import numpy as np

sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "../command")]
# pylint: disable=wrong-import-position
from cases import Count, Runner, check  # noqa: E402
from lab import bench, compare, measure, report, text, tune, tuning, view  # noqa: E402
from lab.case import PAIRS, Case, Wrong, offsets_of  # noqa: E402
from lab.program import Shared, Trouble, Unsupported, WrongResult  # noqa: E402


def raises(kind, function, *words):
    """What is said of them."""
    try:
        found = function(*words)
    except kind as error:
        return str(error)
    check(False, f"{words}: {found!r}, and no {kind.__name__}")


# ---- Texts ----

X = [-7, -1, 0, 1, 3, 40, 41, 100]
# In C, and in Python.
TEXTS = {
    "x > 3 && x < 41": "3 < x < 41", "x < 0 || x == 3": "x < 0 or x == 3", "!(x > 3)": "not x > 3",
    "x != 3": "x != 3", "!x": "not x", "x > 40 ? 1 : 0": "x > 40", "2.5f * x + 1u": "2.5 * x + 1",
    "x < 0 ? -x : x < 3 ? 10 : 20L": "-x if x < 0 else 10 if x < 3 else 20", "x * -2": "x * -2",
    "(x > 0) + (x > 3)": "(x > 0) + (x > 3)", "max(x, 2) - fabs(x)": "max(x, 2) - abs(x)",
}  # fmt: skip
BITS = {"(x & 0x1f) == 3": "(x & 31) == 3", "~x ^ 5 | 1": "~x ^ 5 | 1", "x << 2": "x << 2",
        "to_u8(x)": "x % 256"}  # fmt: skip
# numpy cannot tell, or C has another precedence than Python
UNKNOWN = ["(float)x", "(float)(x)", "convert_int(x)", "x.s0", "x % 3", "x & 1 == 0", "0 == x & 1",
           "!x == 3", "x < 3 < 5", "x =", "min(x)", "min(x, 3) * i", "y", "", "__import__('os')",
           "x = 3", "x > 3 ? x > 40 ? 2.f : 1 : 0", "exp(x)", "x / 3.f", "x * 0.1", "abs(x)",
           "x * 9999.f * 9999.f", "x + 16777217 + 0.5f", "to_u8(9 * x + 0.5f)"]  # fmt: skip


def texts(_d, _):
    for kind in ("i4", "f4", "i8"):
        x = np.array(X, kind)
        for one, right in {**TEXTS, **(BITS if kind[0] == "i" else {})}.items():
            found = np.broadcast_to(text.evaluate(one, x=x), x.shape).tolist()
            check(found == [eval(right, {"x": value}) for value in X], f"{one} of {kind}: {found}")
        for one in [*UNKNOWN, *(BITS if kind[0] == "f" else [])]:
            raises(text.Unknown, lambda one=one, x=x: text.evaluate(one, x=x))
    # narrow ones are int in C
    for one, right in {"x * x": 65025, "x + x": 510, "-x": -255, "~x": -256}.items():
        check(text.evaluate(one, x=np.array([255], "u1")).tolist() == [right], f"{one} of u8")
    # an unsigned one makes others so, if they are not wider
    for kind, value, one, right in (
        ("u4", 9, "x > -1", 0), ("u1", 9, "x > -1", 1), ("i4", -9, "x < 1u", 0),
        ("i8", -9, "x < 1u", 1), ("u4", 9, "x - 10", 2**32 - 1), ("u4", 9, "x - 10L", -1),
        ("i8", -9, "x < 1ul", 0), ("u1", 1, "x << 9u", 512)):  # fmt: skip
        found = text.evaluate(one, x=np.array([value], kind)).tolist()
        check(found == [right], f"{one} of {kind}: {found}")


# ---- Cases ----

FOLDS = {
    "add": operator.add, "sum": operator.add, "mul": operator.mul, "min": min, "max": max,
    "bit-and": operator.and_, "bit-or": operator.or_, "bit-xor": operator.xor,
    "logical-and": lambda a, b: bool(a and b), "logical-or": lambda a, b: bool(a or b),
}  # fmt: skip
NEUTRAL = {"add": 0, "mul": 1, "min": np.inf, "max": -np.inf, "bit-and": -1, "logical-and": 1}
DUAL, AFFINE = (f"--combine '{{ a.x * b.x, a.{x} + {y} }}' --identity '{{ 1, 0 }}' --components "
                "'float x; float y'" for x, y in (("x * b.y", "a.y * b.x"), ("y * b.x", "b.y")))
PAIRS = {"dual": lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1] * b[0]),
         "affine": lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1])}  # fmt: skip
PLACES = ("arg-min", "arg-max", "min-max", "arg-min-max")
BOTH, ALL = ("reduce", "scan"), ("reduce", "scan", "map")
SLOW = [
    *(f"{kind} --op {op} --type {name}" for kind in (*BOTH, "scan --exclusive") for op in FOLDS
      for name in ("i32", "u8", "f32", "f64", "i64") if name[0] != "f" or "bit" not in op),
    *(f"reduce --op {op} --type {name}" for op in PLACES for name in ("f32", "i64", "u8")),
    "reduce --type f16", "scan --type f16", "reduce --type u8 --acc u64",
    "scan --type i16 --acc i32",
    "reduce --accuracy compensated", "reduce --accuracy reproducible",
    *(f"{kind} --{way} {n}" for kind in BOTH for way in ("length", "columns") for n in (1, 3, 100)),
    "scan --length 7 --exclusive", "reduce --op max --length 9", "scan --op min --columns 4",
    *(f"reduce --by offsets:u32 --segments {n}" for n in ("9", "0-3", "~8", "pareto")),
    *(f"{kind} --by {by} --segments ~8" for kind in (*BOTH, "scan --exclusive")
      for by in ("flags:u8", "keys:u32")), "reduce --by keys:u64 --keys-out --segments 3",
    "reduce --op min --by offsets:u64 --segments 0-3",
    *(f"{kind} {pair}" for kind in BOTH for pair in (DUAL, AFFINE)),
    *(f"{kind} --load '{load}' --type {name}" for kind in ALL for name in ("f32", "i64", "u8")
      for load in ("x * x", "x > 40 ? 1 : 0", "x + i", "2 * x + 1")),
    *(f"{kind} --load 'x * y' --stream y=f32" for kind in ALL), "map", "map --out u8 --type i32",
    *(f"select --where '{where}'{rest}" for where in ("x > 0", "x > 49", "i < 100 && x < 7")
      for rest in ("", " --rest")),
    *(f"{kind} --segments {n} --type {name}" for n in ("1", "~4", "0-3", "1000")
      for kind in ("unique", "unique --lengths-out", "rle") for name in ("f32", "i8")),
]  # fmt: skip


def in_python(one):
    """The function of an element, its place and the stream's element."""
    one = (one or "x").replace("&&", "and").replace(" ? 1 : 0", "")
    return eval(f"lambda x, i, y: {one}")


def parts_of(case):
    """The elements' numbers, by segment, as its arrays have it."""
    numbers = list(range(case.count))
    if case.length:
        return [numbers[at : at + case.length] for at in numbers[:: case.length]]
    if case.columns:
        return [numbers[at :: case.columns] for at in range(case.columns)]
    heads = case.arrays["heads"].tolist() if case.by else None
    if case.by == "offsets":
        return [numbers[a:b] for a, b in itertools.pairwise(heads)]
    begins = [i for i in numbers if i == 0 or (case.by == "flags" and heads[i]) or (
        case.by == "keys" and heads[i] != heads[i - 1])]  # fmt: skip
    return [numbers[a:b] for a, b in itertools.pairwise([*begins, case.count])]


def slow(case):
    """Results by plain loops."""
    x = case.arrays["in"].tolist()
    y = case.arrays.get("y", case.arrays["in"]).tolist()
    load, keep, num = in_python(case.load), in_python(case.keep), len(x)
    if case.operation == "select":
        kept = [i for i in range(num) if (keep(x[i], i, 0) if case.keep else
                                          i == 0 or x[i] != x[i - 1])]  # fmt: skip
        rest = [x[i] for i in sorted({*range(num)} - {*kept})] if "rest" in case.options else [
            b - a for a, b in itertools.pairwise([*kept, num])]  # fmt: skip
        return {"out": [x[i] for i in kept], "num": [len(kept)], "also": rest}
    items = list(zip(x[::2], x[1::2])) if case.pair else list(map(load, x, range(num), y))
    if case.operation == "map":
        return {"out": items}
    if case.op in PLACES:
        ends = [by(items) for word, by in (("min", min), ("max", max)) if word in case.op]
        return {"out": [(items.index(one), np.array(one, case.dtype)) if "arg" in case.op else one
                        for one in ends]}  # fmt: skip
    fold, parts = FOLDS.get(case.op) or PAIRS[case.pair], parts_of(case)
    start = (1, 0) if case.pair else NEUTRAL.get(case.op, 0)
    totals = [list(itertools.accumulate([items[i] for i in part], fold, initial=start))
              for part in parts]  # fmt: skip
    out = [total[-1] for total in totals]
    if case.operation == "scan":
        placed = {i: one for part, total in zip(parts, totals)
                  for i, one in zip(part, total[not case.exclusive :])}  # fmt: skip
        out = [placed[i] for i in range(len(items))]
    keys = case.arrays["heads"] if case.by == "keys" else []
    return {"out": [*itertools.chain(*out)] if case.pair else out, "num": [len(parts)],
            "also": [keys[part[0]] for part in parts if len(keys)]}  # fmt: skip


def in_bytes(value, dtype):
    """As C converts it: whole numbers wrap."""
    if dtype.names:
        return np.array([value[0]], "u8").tobytes() + value[1].tobytes().ljust(8, b"\0")
    if value in (np.inf, -np.inf) and dtype.kind != "f":
        value = getattr(np.iinfo(dtype), "max" if value > 0 else "min")
    if dtype.kind != "f":
        return (int(value) % 2**64).to_bytes(8, "little")[: dtype.itemsize]
    return np.array(value, dtype).tobytes()


def expected(_d, _):
    """Results are those of plain loops; and a changed byte is seen."""
    for seed, words in enumerate(SLOW):
        case = Case(words, 1201, seed)
        case.make()
        found, right, room = case.expected(), slow(case), case.room()
        check(set(found) == set(room), f"{words}: {set(found)}, room {set(room)}")
        written = {}
        for name, array in found.items():
            wanted = b"".join(in_bytes(one, array.dtype) for one in right[name])
            check(array.tobytes() == wanted, f"{words}: {name} {array} is not {right[name]}")
            check(array.nbytes <= room[name], f"{words}: no room for {name}")
            written[name] = np.frombuffer(wanted.ljust(room[name], b"\xa5"), "u1").copy()
        check(case.wrong(found, written) is None, f"{words}: right is wrong")
        moved = sum(array.nbytes for name, array in found.items() if name != "num")
        check(case.moved(found) == (sum(array.nbytes for array in case.arrays.values()), moved),
              f"{words}: moved {case.moved(found)}")  # fmt: skip
        for name, held in written.items():
            for at in (0, found[name].nbytes // 2, found[name].nbytes - 1):
                held[at] ^= 4
                check(" and not " in (case.wrong(found, written) or ""), f"{words}: {name} {at}")
                held[at] ^= 4
    for words in ("reduce --result x", f"scan --exclusive --combine '{PAIRS['dual']}'",
                  "select --where 'x > 0' --op max", "reduce --op bit-xor", "map --load 'exp(x)'",
                  "reduce --load '1000 * fabs(x)'", "reduce --op mul --load 'x * 2'",
                  "scan --type u8 --acc f16", "map --out u8"):  # fmt: skip
        case = Case(words, 1201)
        case.make()
        raises(text.Unknown, case.expected)
    squares = Case("reduce --load 'x * x'").values(np.random.default_rng(1), 1 << 25)
    check(2**21 < np.count_nonzero(squares) < 2**24 and set(squares[:99]) == {-1, 0, 1}, "squares")
    for words, written in (("select --where 'sqrt(x) > 2' --rest", 400), ("rle", 30 * 12)):
        case = view.make_case(words, "", 100)
        case.wrong({}, {"num": np.array([30], "u8").view("u1")})
        check(case.moved(None) == (400, written), f"{words}: {case.moved(None)}")
    nan = np.array([np.nan, 1], "f4")
    check(case.wrong({"out": nan}, {"out": nan.view("u1")}) is None, "nan is not nan")
    case = view.make_case("map --load 'in[segment]' --by offsets:u32 --segments 4", "", 100)
    check(case.moved(None) == (4 * 25 + 4 * 26, 400), f"{case.moved(None)}")


WRONG = {
    "": "nothing", "sum": "sum is not one", "reduce x": "'x'", "reduce --op": "--op", "map 'x":
    "quotation", "reduce --type f31": "--type f31", "reduce --acc x": "--acc x", "map --out i":
    "--out i", "reduce --length x": "--length x", "reduce --columns -1": "--columns -1",
    "reduce --by keys:f3": "--by f3", "map --stream y=f": "--stream f",
    **{f"rle --segments {one}": f"--segments {one}" for one in ("x", "0-0", "~0", "~", "0", "3-")},
}  # fmt: skip
WORDS = {
    "reduce --op=sum --stream y=f64 --load 'x * y' --by offsets:u64 --segments 4":
    "reduce --op sum --stream y=/y --load 'x * y' --acc f32 --by offsets:u64:3",
    "rle --segments 3 --type i8": "select --type i8 --same 'a == b'",
    "reduce --accuracy compensated --type u8 --acc u64":
    "reduce --accuracy compensated --type u8 --acc u64",
    "select --where 'x > 4' --rest --type u8": "select --type u8 --keep 'x > 4'",
    f"scan {DUAL} --type f32": f"scan {DUAL}",
}  # fmt: skip


def case_words(_d, _):
    """What is said of wrong ones names the option; and what programs get."""
    for words, part in WRONG.items():
        said = raises(Wrong, lambda words=words: Case(words, 9).make())
        check(part in said and "\n" not in said, f"{words}: {said}")
    for words, right in WORDS.items():
        case = Case(words, 10)
        case.make()
        told = case.call_words({"y": "/y"})
        check(told == shlex.split(right), f"{words}: {told}")
    case = Case("select --where 'x > 40' --rest", 10).of_type("u8:u64")
    told = case.type_label(), case.label(), case.dtype, case.acc
    check(told == ("u8:u64", "select --where 'x > 40' --rest", np.dtype("u1"), "u64"), f"{told}")
    long = "select --where 'x > 40 && x < 45' --rest --load 'x * 3'"
    for words, label in ((f"scan {DUAL} --commutative", "scan dual --commutative"), (
            "reduce --type u8 --stream y=f32", "reduce --stream y=f32"), (
            long, "select --where 'x ...-load 'x * 3'")):  # fmt: skip
        check(Case(words).label() == label, f"{Case(words).label()}")
    for words, kinds in bench.CASES["all"]:
        for kind in kinds.split():
            view.make_case(words, kind, 1000)  # each is a case


def offsets(_d, _):
    random = np.random.default_rng(5)
    for words, least, most, mean in (("7", 7, 7, 7), ("0-3", 0, 3, 1.5), ("~8", 1, 200, 8),
                                     ("pareto", 1, 10**6, None)):  # fmt: skip
        for count in (1, 6, 200000):
            found = offsets_of(words, count, random)
            lengths = np.diff(found)
            check(found[0] == 0 and found[-1] == count, f"{words}: {found}")
            check((lengths[:-1] >= least).all() and lengths.max() <= most, f"{words}: {lengths}")
        check(not mean or abs(lengths.mean() / mean - 1) < 0.02, f"{words}: {lengths.mean()}")
        check(least == most or len(set(lengths.tolist())) > 3, f"{words}: {lengths}")


# ---- Figures ----


def figures(_d, _):
    check(measure.ratio([3.0] * 6, [2.0] * 6) == (1.5, 1.5, 1.5), "of equals")
    for num, right in ((5, (3, None, None)), (6, (3.5, 1, 6)), (9, (5, 2, 8)), (101, (51, 41, 61))):
        check(measure.ratio(range(1, num + 1), [1] * num) == right, f"of {num}")
    random, held = np.random.default_rng(1), 0
    for _ in range(2000):
        _, low, high = measure.ratio(1.3 * np.exp(random.normal(0, 0.1, 21)), np.ones(21))
        held += low <= 1.3 <= high
    check(0.93 < held / 2000 < 0.99, f"{held} of 2000 intervals hold it")
    mib, much = 1 << 20, 1 << 34
    for wanted, few, size, memory in (
        (128, False, 1, much), (128, False, 4 * mib, much), (64, False, 8 * mib, much),
        (2, False, 600 * mib, much), (1, False, 1 << 30, much), (3, True, 100 * mib, 300 * mib),
        (1, True, 100 * mib, mib),
    ):  # fmt: skip
        pages = {"SC_PAGE_SIZE": 4, "SC_PHYS_PAGES": memory}  # of which a quarter is used
        with unittest.mock.patch.object(measure.os, "sysconf", pages.get):
            check(measure.sets_for(size) == (wanted, few), f"{size}, {memory}: {wanted}")
            pages["SC_PHYS_PAGES"] *= 3  # for three programs
            check(measure.sets_for(size, 3) == (wanted, few), f"{size}, {memory}: {wanted}")


READ = [
    (view.count_of, {"1000": 1000, "2^26": 1 << 26, "1e6": 10**6, "64Mi": 64 << 20, "3Ki": 3072},
     ["0", "-1", "x", "", "2^48", "1.5", "1 Mi", "64M", "1e", "2^", "1e99", "0^5"]),
    (view.counts_of, {"3,2^3..2^5": [3, 8, 16, 32], "5..19": [5, 10]}, ["2^5..2^3", "x"]),
    (view.types_of, {"f32": "f32", "u8:u64": "u8:u64"}, ["x", "", "f32:", ":f32", "u8:u16:u32"]),
    (view.number_from(1, 9), {"2.5": 2.5}, ["nan", "inf", "0", "10", "x", ""]),
    (compare.peers_of, {"numpy,x=a 'b c'": [("numpy", None), ("x", ["a", "b c"])]},
     ["nobody", "x=", "=x"]),
]  # fmt: skip


def options_read(_d, _):
    for function, right, wrong in READ:
        for said, value in right.items():
            check(function(said) == value, f"{said}: {function(said)}")
        for said in wrong:
            check(said in raises(argparse.ArgumentTypeError, function, said), said)
    told = [text.count_text(one) for one in (1, 2, 1000, 1 << 20)]
    check(told == ["1", "2^1", "1000", "2^20"], f"{told}")


GOOD = {"case": "map", "ok": True, "type": "f32", "count": 1024, "gbps": 12.345, "spread": 0.011,
        "roofline_gbps": 24.69, "fraction": 0.5, "algorithm": "map_tiles", "policy": "p",
        "roofline": "roofline plain", "checked": True, "sets_few": False}  # fmt: skip
LESS = {"checked": False, "sets_few": True, "roofline_gbps": None, "fraction": None}
TABLE = """case type count GB/s spread roofline share
map f32 2^10 12.35 1.1 % 24.69 0.50 map_tiles, p; roofline plain
map f32 2^10 12.35 1.1 % map_tiles, p; roofline plain; result not checked; memory is short
map f32 2^10 WRONG: result 3 is 1 and not 2
map f32 2^10 unsupported: no such call"""


def tables(_d, _):
    """Rows that are right, not checked, wrong or unsupported."""
    bad = {key: GOOD[key] for key in ("case", "type", "count")}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        table = report.Table(argparse.Namespace(json=False), bench.COLUMNS)
        for row in (GOOD, {**GOOD, **LESS}, {**bad, "why": "WRONG: result 3 is 1 and not 2"},
                    {**bad, "why": "unsupported: no such call"}):  # fmt: skip
            table.add(row)
    check(re.sub(" +", " ", out.getvalue().strip()) == TABLE, out.getvalue())


def memory(_d, _):
    """Its speed at the start and at the end; a change is said."""
    for end, said in ((11, ""), (12, "clfold: warning: the memory's speed of read has changed;")):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            row = report.last_row({}, [{"read": 10, "copy": 9}, {"read": end, "copy": 9}])
        check((row["memory_read_gbps"], row["memory_copy_gbps"]) == ([10, end], [9, 9]), f"{row}")
        check(err.getvalue().startswith(said) and bool(err.getvalue()) == bool(said), f"{end}")


# ---- The search ----

CALLS, KEY = "reduce 4 2^11..2^13", "a; device 1 on x"
NUMBERS = {"tile_bytes": 4096, "group_size": 64, "groups": 64}


class Planted:
    """A device in a program's place. `cost` gives what a call takes by its numbers."""

    def __init__(self, cost, wrong=lambda numbers: False, refused=lambda numbers: False):
        self.cost, self.wrong, self.refused = cost, wrong, refused
        self.calls, self.random = {}, np.random.default_rng(3)

    def get(self, _):
        return self

    def drop(self, _):
        raise Trouble("it has failed")

    def ask(self, what, *words):
        if what != "call":
            return {}
        numbers = {"tile": "tile_vector", **NUMBERS}
        for *_, row, key in tuning.read_rows(words[1]) if words[1] else []:
            check(key == KEY, f"{key} in a tuning file")
            numbers |= tuning.numbers_in(row)
            check({*numbers} == {"tile", *NUMBERS}, row)
        if self.refused(numbers):
            raise Unsupported("unsupported: it is too large")
        self.calls[words[0]] = numbers
        return {"algorithm": "reduce_tiles", "items": numbers["tile_bytes"] // 4, "num_launches": 2,
                "group_size": numbers["group_size"], "num_groups": numbers["groups"],
                "row": f"{CALLS} {tuning.text_of(numbers)} on {KEY}"}  # fmt: skip

    def round(self, number, calls, events):
        return 1e-4 * self.cost(self.calls[number]) * self.random.normal(1, 0.01), None

    def check(self, shared, right, number):
        if self.wrong(self.calls[number]):
            raise WrongResult("WRONG: result 0 is 1 and not 2")


def found_by(planted, hints=()):
    """What the search comes to, in its words and numbers."""
    case = Case("reduce --type i32", 4096)
    case.make()
    options = argparse.Namespace(once=True, seconds=0.01, rounds=None, events=False)
    row = {}
    with Shared(case) as shared:
        search = tune.Search(planted, case, shared, options)
        check(search.calls == CALLS, search.calls)
        found = tune.tune_one(search, 10, list(hints), row)  # it ends before that
        return row, found


def at_best(best):
    return lambda numbers: 1 + 0.1 * abs(np.log2(numbers["tile_bytes"] / best))


def search_better(_d, _):
    row, found = found_by(Planted(at_best(1 << 16)))
    check(found and found["tile_bytes"] == 1 << 16 and "tile_bytes=65536" in row["what"], f"{row}")
    check(1.35 < row["ratio"][0] < 1.45 and row["after"] > 1.3 * row["before"], f"{row}")
    row, found = found_by(Planted(lambda numbers: 1 + abs(np.log2(numbers["groups"] / 2048))))
    check(found and found["groups"] == 2048, f"{row}")
    never = tune.Search.values(None, "stream_bytes", 1 << 20, 1)
    check(never == {tune.NEVER}, f"{never}")
    row, found = found_by(Planted(lambda numbers: 1 + (numbers["tile"] == "tile_vector")))
    check(found and found["tile"] == "tile_group", f"the other tile: {row}")
    # far away, but another case has found it
    far = {"tile": "tile_vector", **NUMBERS, "tile_bytes": 1 << 20}
    row, found = found_by(Planted(lambda numbers: 1 + (numbers["tile_bytes"] != 1 << 20)), [far])
    check(found and found["tile_bytes"] == 1 << 20, f"{row}")


def search_noise(_d, _):
    """Nor is 1 % enough."""
    for cost in (lambda numbers: 1, lambda numbers: 1 - 0.01 * (numbers["groups"] > 64)):
        row, found = found_by(Planted(cost))
        check(found == {} and row["what"].startswith("the default"), f"{row} {found}")


def search_wrong(_d, _):
    """What is wrong or refused does not count, however fast it is."""
    for fault in ("wrong", "refused"):
        large = {fault: lambda numbers: numbers["tile_bytes"] > 8192}
        row, found = found_by(Planted(at_best(1 << 16), **large))
        check(found and found["tile_bytes"] == 8192, f"{fault}: {row} {found}")


CASES = [texts, expected, case_words, offsets, figures, options_read, tables, memory, search_better,
         search_noise, search_wrong]  # fmt: skip

if __name__ == "__main__":
    driver, count = Runner(None), Count()
    for one in CASES:
        count.run_case(one, driver, None)
    print(f"1..{count.run}")
    sys.exit(count.failed > 0)

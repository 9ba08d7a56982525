"""The options, the data and the lines of peer.h, which says why, for peers in Python."""

import argparse
import json
import statistics
import sys
import time

try:
    import numpy as np
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

TYPES = {"f32": np.float32, "i32": np.int32, "f64": np.float64, "i64": np.int64}
SELECTS = {"select-1": 49, "select-50": 0, "select-99": -50, "partition": 0}
RUNS = {"unique-1": "1", "unique-4": "4", "unique-1000": "1000", "rle-4": "4", "by-keys-8": "8"}
LENGTHS = {
    "1": lambda u: np.full(u.shape, 1),
    "4": lambda u: 1 + np.floor(np.log(1 - u) / np.log(1 - 1 / 4)),
    "3": lambda u: np.full(u.shape, 3), "0-3": lambda u: 4 * u,
    "8": lambda u: 1 + np.floor(np.log(1 - u) / np.log(1 - 1 / 8)),
    "64": lambda u: np.full(u.shape, 64), "1000": lambda u: np.full(u.shape, 1000),
    "pareto": lambda u: np.minimum(1 / (1 - u), 1e6),
}  # fmt: skip
OPS = ["reduce", "scan", "segments", "map", "rows", *(f"offsets-{one}" for one in LENGTHS),
       *SELECTS, *RUNS]  # fmt: skip
PAIRS = ["dual", "affine"]
OPERATORS = ["add", *PAIRS, "squares", "dot", "above"]
EXACT = {"f32": 1 << 24, "i32": (1 << 31) - 1, "f64": 1 << 53, "i64": 1 << 53}
ROW, SEGMENT = 1000, 100
ALL_SETS_BYTES, MAX_SETS, MAX_ROUNDS = 512 << 20, 256, 1001
PART = 1 << 12  # rows, of whole segments, that are made or checked at a time


def end_with(key, words):
    print(json.dumps({key: words}), flush=True)
    sys.exit(1)


def hashes(i):
    """As hash_of in peer.c, of many."""
    x = (i ^ (i >> np.uint64(32))).astype(np.uint32)
    x = x * np.uint32(2654435761) + np.uint32(20261122)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
    x = (x ^ (x >> np.uint32(12))) * np.uint32(0x297A2D39)
    return x ^ (x >> np.uint32(15))


def values(i):
    """As value_of in peer.c, of many."""
    return (hashes(i).astype(np.uint64) * np.uint64(101) >> np.uint64(32)).astype(np.int64) - 50


def offsets_of(lengths, count):
    """As make_offsets in peer.c."""
    parts, at = [np.zeros(1, np.int64)], 0
    while at < count:
        i = np.arange(PART, dtype=np.uint64) + np.uint64((len(parts) - 1) * PART)
        parts.append(at + np.cumsum(LENGTHS[lengths](hashes(i) / 2**32).astype(np.int64)))
        at = int(parts[-1][-1])
    offsets = np.concatenate(parts)
    return np.minimum(offsets[: np.searchsorted(offsets, count) + 1], count)


def running(by, items, length):
    """The accumulation of items, anew at each `length`."""
    lines = np.resize(items, (-(-len(items) // length), length))
    return by.accumulate(lines, axis=1).ravel()[: len(items)]


class Job:
    """What is asked for, and the data for it."""

    def __init__(self, options):
        self.op, self.operator, self.type = options.op, options.operator, options.type
        self.count, self.rounds, self.device = options.count, options.rounds, options.device
        self.components = 2 if self.operator in PAIRS else 1
        self.inputs = 2 if self.operator == "dot" else 1
        self.item = np.dtype(TYPES[self.type]).itemsize * self.components
        self.writes_all = self.op in ("scan", "segments", "map")
        self.segment = SEGMENT if self.op == "segments" else None
        self.lengths = self.op.removeprefix("offsets-") if "offsets" in self.op else ""
        self.above, runs = SELECTS.get(self.op), self.lengths or RUNS.get(self.op)
        self.selects = self.op in SELECTS or self.op in RUNS
        if self.selects and self.operator != "add":
            end_with("unsupported", "selects are of plain elements")
        self.offsets = offsets_of(runs, self.count) if runs else None
        self.starts = self.offsets[:-1] if runs else None
        rows = -(-self.count // ROW)
        self.num_out = {"reduce": 1, "rows": rows}.get(self.op, self.count)
        self.in_bytes = self.count * (self.item * self.inputs + (self.segment is not None))
        if self.lengths:
            self.num_out = len(self.offsets) - 1
            self.in_bytes += 4 * len(self.offsets)
        self.out_bytes = self.num_out * self.item
        self.in_bytes += 4 * self.count if self.op.startswith("by-keys") else 0
        self.out_bytes += {"p": self.item, "r": 8, "b": 4}.get(
            self.selects and self.op[0], 0) * self.count  # fmt: skip
        self.sets = min(MAX_SETS, -(-ALL_SETS_BYTES // (self.in_bytes + self.out_bytes)))

    def elements(self, start):
        """x, and y or None, of the part that begins there, as element_of in peer.c."""
        i = np.arange(start, min(start + PART * ROW, self.count), dtype=np.uint64)
        value = values(i)
        if self.operator in ("add", "above"):
            return value, None
        if self.operator == "squares":
            return np.trunc(value / 45).astype(np.int64), None
        sign = np.where(values(np.uint64(3) * i + np.uint64(1)) < 0, -1, 1)
        return (value, sign) if self.operator == "dot" else (sign, value)

    def parts(self):
        """For each part its start, x and y, the items that it folds to, a column for each
        component, and the sums that peer.c bounds."""
        total, sign = 0, 1
        for start in range(0, self.count, PART * ROW):
            x, y = self.elements(start)
            length = self.segment or len(x)
            if self.components == 2:
                # With signs s and their products P, an item's y adds y / s to a dual number's
                # and y / P to a map's, and then all is multiplied by P.
                products = running(np.multiply, x, length) * sign
                terms = y * (x if self.operator == "dual" else products)
                sums = running(np.add, terms, length) + total
                items, folds = np.column_stack([x, y]), np.column_stack([products, products * sums])
                sign = 1 if self.segment else int(products[-1])
            else:
                added = {"squares": lambda: x * x, "dot": lambda: x * y,
                         "above": lambda: np.where(x > 40, 1, 0)}  # fmt: skip
                items = added.get(self.operator, lambda: x)()
                sums = running(np.add, items, length) + total
                rows = np.add.reduceat(items, np.arange(0, len(items), ROW))
                folds = (rows if self.op == "rows" else sums)[:, None]
                items = items[:, None]
            total = 0 if self.segment else int(sums[-1])
            yield start, x, y, items if self.op == "map" else folds, sums

    def data(self):
        """The input, as peer.h has it."""
        data = np.empty(self.count * self.components * self.inputs, TYPES[self.type])
        least = most = 0
        for start, x, y, _, sums in self.parts():
            end = start + len(x)
            if self.components == 2:
                data[2 * start : 2 * end : 2], data[2 * start + 1 : 2 * end : 2] = x, y
            else:
                data[start:end] = x
            if self.inputs == 2:
                data[self.count + start : self.count + end] = y
            least, most = min(least, int(sums.min())), max(most, int(sums.max()))
        if self.op.startswith(("unique", "rle")):
            data[:] = np.repeat(self.run_values(), np.diff(self.offsets))
        if most - least > EXACT[self.type]:
            words = f"--count {self.count}: not all sums of its data are exact in {self.type}"
            end_with("failed", words)
        return data

    def run_values(self):
        """As run_value in peer.c, of all runs."""
        run = np.arange(len(self.starts), dtype=np.uint64)
        return (values(run) & ~1) | (run & np.uint64(1)).astype(np.int64)

    def keys(self):
        """The number of each element's run."""
        return np.repeat(np.arange(len(self.starts), dtype=np.uint32), np.diff(self.offsets))

    def flags(self):
        """A byte for each element, 1 where a segment starts."""
        return (np.arange(self.count) % self.segment == 0).astype(np.uint8)

    def check(self, found):
        """That these are the items of the output."""
        if self.selects:
            return self.check_selected(*found)
        found = found.view(TYPES[self.type]).reshape(-1, self.components)
        if self.lengths:
            return self.check_offsets(found[:, 0])
        done = 0
        for start, x, _, folds, _ in self.parts():
            if self.op == "reduce":
                if start + len(x) < self.count:
                    continue
                folds = folds[-1:]
            wrong = np.flatnonzero((found[done : done + len(folds)] != folds).any(axis=1))
            if wrong.size:
                at = int(wrong[0])
                is_, not_ = (", ".join(map(str, row[at])) for row in (found[done:], folds))
                last = min((done + at + 1) * ROW, self.count) if self.op == "rows" else self.count
                what = f"item {done + at}" if self.writes_all else (
                    f"the fold of items up to {last - 1}")  # fmt: skip
                pair = "({})" if self.components == 2 else "{}"
                end_with("wrong", f"{what} is {pair.format(is_)} and not {pair.format(not_)}")
            done += len(folds)

    def check_selected(self, *found):
        """That these are what is kept, and the others, lengths or keys, or None."""
        if self.above is None:
            length = np.diff(self.offsets)
            x = values(np.arange(self.count, dtype=np.uint64))
            is_sum = self.op.startswith("by-keys")
            kept = np.add.reduceat(x, self.starts) if is_sum else self.run_values()
            also = np.arange(len(kept)) if is_sum else length if self.op.startswith("rle") else None
        else:
            x = values(np.arange(self.count, dtype=np.uint64))
            kept = x[x > self.above]
            also = x[x <= self.above] if self.op == "partition" else None
        for what, one, right in zip(["what is kept", "what is besides"], found, [kept, also],
                                    strict=True):  # fmt: skip
            if right is None:
                continue
            if len(one) != len(right):
                end_with("wrong", f"{what} of {self.count} is {len(one)} and not {len(right)}")
            wrong = np.flatnonzero(one != right)
            if wrong.size:
                at = int(wrong[0])
                end_with("wrong", f"{what} as number {at} is {one[at]} and not {right[at]}")

    def check_offsets(self, found):
        """That these are the sums of the segments."""
        before = np.zeros(len(self.offsets), np.int64)
        for start, x, _, _, sums in self.parts():
            inside = (self.offsets > start) & (self.offsets <= start + len(x))
            before[inside] = sums[self.offsets[inside] - 1 - start]
        wrong = np.flatnonzero(found != np.diff(before))
        if wrong.size:
            at = int(wrong[0])
            is_, not_ = found[at], np.diff(before)[at]
            end_with("wrong", f"the fold of segment {at} is {is_} and not {not_}")


class Peer:
    """A program's sets of buffers, taken in turn. What a program adds: `name`, `device`, `index`,
    call(set), which returns when it is done, and output(set), the items."""

    index = -1

    def __init__(self, job):
        self.job, self.next = job, job.sets - 1

    def take(self):
        self.next = (self.next + 1) % self.job.sets
        self.call(self.next)

    def round(self):
        self.take()
        begin = time.monotonic()
        self.take()
        return time.monotonic() - begin

    def check(self):
        self.job.check(self.output(self.next))


def serve(peer):
    ready = {"ready": True, "device": peer.device, "index": peer.index, "sets": peer.job.sets}
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        if line == "end\n":
            break
        if line != "round\n":
            end_with("failed", f"asked for {line}")
        print(json.dumps({"seconds": peer.round()}), flush=True)
    peer.check()
    print(json.dumps({"ok": True}), flush=True)


def run_alone(peer):
    job = peer.job
    seconds = statistics.median(peer.round() for _ in range(job.rounds))
    peer.check()
    moved = job.in_bytes + (job.out_bytes if job.writes_all else 0)
    print(json.dumps({
        "peer": peer.name, "op": job.op, "operator": job.operator, "type": job.type,
        "count": job.count, "device": peer.device, "sets": job.sets, "rounds": job.rounds,
        "seconds": seconds, "gbps": round(moved / seconds / 1e9, 3), "ok": True,
    }))  # fmt: skip


def number(most):
    def read(text):
        value = int(text)
        if not 1 <= value <= most:
            raise ValueError
        return value

    read.__name__ = "number"
    return read


def main(peer_class, description, errors=()):
    """`errors`: what a library raises besides."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--op", required=True, choices=OPS)
    parser.add_argument("--operator", default="add", choices=OPERATORS)
    parser.add_argument("--type", required=True, choices=list(TYPES))
    parser.add_argument("--count", required=True, type=number(1 << 58))
    parser.add_argument("--rounds", default=9, type=number(MAX_ROUNDS))
    parser.add_argument("--device")
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args()
    try:
        peer = peer_class(Job(options))
        peer.take()
        peer.check()
        if options.serve:
            serve(peer)
        else:
            run_alone(peer)
    except (*errors, RuntimeError, MemoryError) as error:
        end_with("failed", " ".join(str(error).split())[:400] or type(error).__name__)

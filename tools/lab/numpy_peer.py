#!/usr/bin/env python3
"""numpy as a peer, on the host's memory, by what its user would write."""

import ast
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from lab import peer, text  # noqa: E402
from lab.case import OPERATORS, identity_of  # noqa: E402

np = peer.np


class Text:
    """A case's text, of the arrays of a set."""

    def __init__(self, words, count):
        try:
            self.tree = text.in_c(ast.parse(text.in_python(words).strip(), mode="eval")).body
        except (SyntaxError, text.Unknown) as error:
            raise text.Unknown(words) from error
        self.words, self.count = words, count
        self.has_index = re.search(r"\bi\b", words)

    def compute(self, node, arrays):
        index = np.arange(self.count) if self.has_index else None
        return text.compute(node, {**arrays, "x": arrays["in"], "i": index, "n": self.count})

    def __call__(self, arrays):
        return self.compute(self.tree, arrays)

    def store(self, arrays, out):
        """Without an array in between, where one ufunc is the last to compute."""
        by = text.OPERATORS.get(type(getattr(self.tree, "op", None)))
        if isinstance(self.tree, ast.BinOp) and by:
            by(*(text.promoted(self.compute(side, arrays))
                 for side in (self.tree.left, self.tree.right)), out=out, casting="unsafe")
        else:
            np.copyto(out, self(arrays), casting="unsafe")

    def product(self, case):
        """The names of the two arrays that it multiplies, or None."""
        match = re.fullmatch(r"(\w+) *\* *(\w+)", self.words)
        names = [{"x": "in"}.get(name, name) for name in match.groups()] if match else []
        plain = case.op == "add" and case.acc == case.type
        return names if plain and all(one == "in" or one in case.streams for one in names) else None

    def counted(self, case):
        """The condition of which it counts how often it holds, or None."""
        match = re.fullmatch(r"([^?]+)\? *1 *: *0", self.words)
        return Text(match[1], self.count) if match and case.op == "add" else None


class Numpy(peer.Peer):
    name = "numpy"

    def prepare(self, case):
        self.case = case
        if case.combine:
            raise peer.Unsupported("it has no operator of the user's")
        if case.operation == "scan" and case.by:
            raise peer.Unsupported("it has no segmented scan")
        if case.same and case.same != "a == b":
            raise peer.Unsupported("its runs are of equal elements")
        self.load = Text(case.load or "x", self.count)
        self.keep = Text(case.keep, self.count) if case.keep else None
        if case.operation in ("reduce", "scan"):
            self.by = OPERATORS[case.op][2] if case.op in OPERATORS else None
            if self.by is None:
                raise peer.Unsupported(f"this program has no {case.op} of numpy's yet")
        if case.operation != "reduce" or not case.by:
            return getattr(self, f"make_{case.operation}")
        if case.by == "offsets":
            # reduceat gives the element where an empty segment begins
            offsets = self.sets[0][0]["heads"].astype("i8")
            self.full = np.diff(offsets) > 0
            self.begins = offsets[:-1][self.full]
        return self.make_offsets if case.by == "offsets" else self.make_segments

    def out_of(self, outputs):
        return outputs["out"].view(self.case.out_dtype)

    def rows_of(self, items, outputs):
        """Matrices of items and results whose axis is folded, and the axis."""
        out, length = self.out_of(outputs), self.case.length
        scans = self.case.operation == "scan"
        if self.case.columns:
            shape = (-1, self.case.columns)
            yield [one.reshape(shape) for one in items], out.reshape(shape) if scans else out, 0
        elif not length:
            yield items, out if scans else out.reshape(()), 0
        else:
            whole = self.count // length * length
            for first, last, num in [(0, whole, length), (whole, self.count, self.count - whole)]:
                if first < last:
                    part = (first, last) if scans else (first // length, -(-last // length))
                    results = out[slice(*part)]
                    yield ([one[first:last].reshape(-1, num) for one in items],
                           results.reshape(-1, num) if scans else results, 1)  # fmt: skip

    def make_reduce(self, arrays, outputs):
        names, condition = self.load.product(self.case), self.load.counted(self.case)
        if names:
            for (x, y), out, axis in self.rows_of([arrays[name] for name in names], outputs):
                sums = np.dot(x, y) if x.ndim == 1 else np.einsum(f"ij,ij->{'ji'[axis]}", x, y)
                out[...] = sums
            return
        items = condition(arrays) if condition else self.load(arrays)
        for (x,), out, axis in self.rows_of([items], outputs):
            if condition:
                out[...] = np.count_nonzero(x, axis=axis)
            else:
                self.by.reduce(x, axis=axis, out=out, dtype=out.dtype)

    def make_scan(self, arrays, outputs):
        for (x,), out, axis in self.rows_of([self.load(arrays)], outputs):
            if self.case.exclusive:
                ends = (slice(None), slice(-1)) if axis else slice(-1)
                begins = (slice(None), slice(1, None)) if axis else slice(1, None)
                out[(slice(None), 0) if axis else 0] = identity_of(self.case.op, out.dtype)
                x, out = x[ends], out[begins]
            self.by.accumulate(x, axis=axis, out=out, dtype=out.dtype)

    def make_map(self, arrays, outputs):
        self.load.store(arrays, self.out_of(outputs))

    def make_offsets(self, arrays, outputs):
        out = self.out_of(outputs)
        if len(self.begins) < len(out):
            out.fill(identity_of(self.case.op, out.dtype))
        out[self.full] = self.by.reduceat(self.load(arrays), self.begins, dtype=out.dtype)

    def starts(self, x):
        return np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))

    def make_segments(self, arrays, outputs):
        heads = arrays["heads"]
        starts = self.starts(heads) if self.case.by == "keys" else np.flatnonzero(heads)
        return {"out": self.by.reduceat(self.load(arrays), starts, dtype=self.case.out_dtype),
                "also": heads[starts], "num": np.array([len(starts)])}  # fmt: skip

    def make_select(self, arrays, outputs):
        also = None
        if self.keep:
            keeps, items = self.keep(arrays), self.load(arrays)
            kept, also = items[keeps], items[~keeps] if "also" in outputs else None
        else:
            starts, items = self.starts(arrays["in"]), self.load(arrays)
            kept = items[starts]
            if "also" in outputs:
                also = np.diff(starts, append=len(items))
        kept = kept.astype(self.case.out_dtype, copy=False)
        return {"out": kept, "also": also, "num": np.array([len(kept)])}


if __name__ == "__main__":
    peer.main(Numpy)

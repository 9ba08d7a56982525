#!/usr/bin/env python3
"""numpy as a peer, on the host's memory, by the functions that its user takes."""

import peer
from peer import ROW

np = peer.np


class Numpy(peer.Peer):
    name, device = "numpy", "host"

    def __init__(self, job):
        super().__init__(job)
        if job.operator in peer.PAIRS:
            peer.end_with("unsupported", "it has no operator of the user's")
        if job.op == "segments":
            peer.end_with("unsupported", "it has no segmented scan")
        if job.op == "scan" and job.operator != "add":
            peer.end_with("unsupported", "its scans are of what memory holds")
        if job.lengths:
            # reduceat gives the element where an empty segment begins
            self.is_full = np.diff(job.offsets) > 0
            self.begins = job.offsets[:-1][self.is_full]
        if job.op.startswith("by-keys"):
            self.keys = job.keys()
        data = job.data()
        self.inputs = [data.copy() for _ in range(job.sets)]
        self.outputs = [np.zeros(job.num_out, data.dtype) for _ in range(job.sets)]
        name = "offsets" if job.lengths else job.op
        if job.selects:
            name = job.op.rpartition("-")[0].replace("-", "_") or job.op
        self.function = getattr(self, f"{name}_{job.operator}", None) or getattr(self, name)

    def call(self, index):
        data, out = self.inputs[index], self.outputs[index]
        if self.job.selects:
            self.outputs[index] = self.function(data)
        else:
            self.function(data[: self.job.count], data[-self.job.count :], out)

    def output(self, index):
        return self.outputs[index]

    # ---- Of x and the y at its place, which is x where there is one input ----

    def reduce(self, x, y, out):
        out[0] = np.sum(x) if self.job.operator == "add" else np.dot(x, y)

    def reduce_above(self, x, _, out):
        out[0] = np.count_nonzero(x > 40)

    def scan(self, x, _, out):
        np.cumsum(x, out=out)

    def map(self, x, y, out):
        np.multiply(x, y, out=out)

    def map_add(self, x, _, out):
        np.copyto(out, x)

    def map_above(self, x, _, out):
        np.greater(x, 40, out=out)

    def offsets(self, x, y, out):
        items = x if self.job.operator == "add" else x * y
        out[self.is_full] = np.add.reduceat(items, self.begins)

    def offsets_above(self, x, _, out):
        out[self.is_full] = np.add.reduceat(x > 40, self.begins, dtype=out.dtype)

    # ---- What is kept, and the others, lengths or keys, or None ----

    def select(self, x):
        return x[x > self.job.above], None

    def partition(self, x):
        keeps = x > self.job.above
        return x[keeps], x[~keeps]

    def starts(self, x):
        return np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))

    def unique(self, x):
        return x[self.starts(x)], None

    def rle(self, x):
        starts = self.starts(x)
        return x[starts], np.diff(starts, append=len(x))

    def by_keys(self, x):
        starts = self.starts(self.keys)
        return np.add.reduceat(x, starts), self.keys[starts]

    def rows(self, x, y, out):
        """Whole rows as a matrix, and what is left."""
        whole = len(x) // ROW * ROW
        for first, last, num in [(0, whole, ROW), (whole, len(x), len(x) - whole)]:
            if first < last:
                matrices = (one[first:last].reshape(-1, num) for one in (x, y))
                self.rows_of(*matrices, out[first // ROW : -(-last // ROW)])

    def rows_of(self, x, y, out):
        if self.job.operator == "add":
            np.sum(x, axis=1, out=out, dtype=out.dtype)
        elif self.job.operator == "above":
            out[:] = np.count_nonzero(x > 40, axis=1)
        else:
            np.einsum("ij,ij->i", x, y, out=out)


if __name__ == "__main__":
    peer.main(Numpy, __doc__)

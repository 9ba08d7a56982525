#!/usr/bin/env python3
"""scipy as a peer, on the host's memory: a matrix in CSR times a vector. The segments are its rows,
with their elements in one column for sums, and each in a column of its own for products."""

import json
import sys

import peer

try:
    from scipy.sparse import csr_matrix
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

np = peer.np


class Scipy(peer.Peer):
    name, device = "scipy", "host"

    def __init__(self, job):
        super().__init__(job)
        if not job.lengths or job.operator not in ("add", "dot"):
            peer.end_with("unsupported", "it has products of sparse matrices and vectors only")
        data = job.data()
        x, y = data[: job.count], data[job.count :]
        columns = np.zeros(job.count, "i4") if job.operator == "add" else np.arange(job.count)
        shape = (job.num_out, max(1, len(y)))
        self.vector = y if len(y) else np.ones(1, data.dtype)
        self.matrices = [csr_matrix((x.copy(), columns, job.offsets), shape)
                         for _ in range(job.sets)]  # fmt: skip
        self.outputs = [None] * job.sets

    def call(self, index):
        self.outputs[index] = self.matrices[index] @ self.vector

    def output(self, index):
        return self.outputs[index]


if __name__ == "__main__":
    peer.main(Scipy, __doc__)

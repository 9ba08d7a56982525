#!/usr/bin/env python3
"""scipy as a peer, on the host's memory: a matrix in CSR times a vector. The segments are its rows,
with their elements in one column for sums, and each in a column of its own for products."""

import json
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from lab import peer  # noqa: E402

try:
    from scipy.sparse import csr_matrix
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

np = peer.np


class Scipy(peer.Peer):
    name = "scipy"

    def prepare(self, case):
        product = re.fullmatch(r"x *\* *(\w+)|(\w+) *\* *x", case.load or "x * 1")
        name = product and (product[1] or product[2])
        if (case.operation != "reduce" or case.by != "offsets" or case.op != "add"
                or name not in ("1", *case.streams) or "f16" in (case.type, case.acc)):  # fmt: skip
            raise peer.Unsupported("it has products of sparse matrices and vectors only")
        calls = {}
        for arrays, _ in self.sets:
            x, offsets = arrays["in"], arrays["heads"].astype("i8")
            vector = arrays[name] if name in arrays else np.ones(1, case.out_dtype)
            columns = np.arange(len(x)) if name in arrays else np.zeros(len(x), "i4")
            matrix = csr_matrix((x, columns, offsets), (len(offsets) - 1, max(1, len(vector))))
            calls[id(arrays)] = matrix, vector

        def multiply(arrays, _):
            matrix, vector = calls[id(arrays)]
            return {"out": (matrix @ vector).astype(case.out_dtype, copy=False)}

        return multiply


if __name__ == "__main__":
    peer.main(Scipy)

"""numpy as a peer, with one wrong item among its results. It scans segments by a loop."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "peers"))
# pylint: disable=wrong-import-position
import numpy_peer  # noqa: E402
import peer  # noqa: E402

ITEMS = {"squares": lambda x, y: x * x, "dot": lambda x, y: x * y, "above": lambda x, y: x > 40}


def scan_segments(job):
    """Of 100 each, by the definition."""
    data, items = job.data().tolist(), []
    for i in range(job.count):
        if job.components == 2:
            x, y = data[2 * i : 2 * i + 2]
        else:
            x, y = ITEMS.get(job.operator, lambda x, y: x)(data[i], data[i - job.count]), 0
        if i % 100:
            a, b = items[-1]
            new = {"dual": (a * x, a * y + b * x), "affine": (a * x, b * x + y)}
            x, y = new.get(job.operator, (a + x, 0))
        items.append((x, y))
    return peer.np.array(items, peer.TYPES[job.type])[:, : job.components].ravel()


class Wrong(numpy_peer.Numpy):
    def __init__(self, job):
        if job.segment:
            peer.Peer.__init__(self, job)  # pylint: disable=non-parent-init-called
            self.outputs = [scan_segments(job)] * job.sets
        else:
            super().__init__(job)

    def call(self, index):
        if not self.job.segment:
            super().call(index)

    def output(self, index):
        found = super().output(index)
        if self.job.selects:
            kept = found[0].copy()
            kept[len(kept) // 2] += 1
            return kept, found[1]
        found = found.copy()
        found[len(found) // 2] += 1
        return found


if __name__ == "__main__":
    peer.main(Wrong, __doc__)

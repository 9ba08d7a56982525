"""numpy as a peer, with one wrong item among its results."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "peers"))
# pylint: disable=wrong-import-position
import numpy_peer  # noqa: E402
import peer  # noqa: E402


class Wrong(numpy_peer.Numpy):
    def output(self, index):
        found = super().output(index)
        kept, *count = found if self.job.selects else [found]
        kept = kept.copy()
        kept[len(kept) // 2] += 1
        return (kept, *count) if count else kept


if __name__ == "__main__":
    peer.main(Wrong, __doc__)

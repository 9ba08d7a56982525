"""Drives the command `clfold` as a user does, and compares its results with numpy's.

usage: drive.py COMMAND

Prints TAP. Exits 0 when all passed, 1 when something failed, 77 when there is no OpenCL
device or no numpy. Every case that needs a device runs on each one that OpenCL shows.
"""

import os
import sys
import time

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP there is no numpy for this Python")
    sys.exit(77)

import device_cases  # noqa: E402
import explain_cases  # noqa: E402
import fold_cases  # noqa: E402
import plain_cases  # noqa: E402
import scan_cases  # noqa: E402
import text_cases  # noqa: E402
from cases import run_cases  # noqa: E402
from driver import Driver  # noqa: E402

WITH = [
    *device_cases.CASES, *text_cases.CASES, *fold_cases.CASES, *scan_cases.CASES,
    *explain_cases.CASES,
]  # fmt: skip


def no_device(d, _):
    d.bad(1, "there is no OpenCL device", "reduce", d.save(np.ones(3, "f4")))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    seed = int(os.environ.get("CLFOLD_TEST_SEED", time.time_ns() % 2**32))
    print(f"# CLFOLD_TEST_SEED={seed}")
    driver = Driver(os.path.abspath(sys.argv[1]), seed)
    run_cases(driver, [*plain_cases.CASES, *scan_cases.PLAIN], WITH, [no_device])


if __name__ == "__main__":
    main()

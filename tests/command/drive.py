"""Drives the command `clfold` as a user does, and compares its results with numpy's.

usage: drive.py COMMAND SMALL_DEVICE PART

SMALL_DEVICE is the built small_device.c. PART says which cases are run: files (arguments and
streams), contents (of files and text), reduce, values (that reduce treats apart, as
NaN), scan, places (where scan writes), pieces (of much data), explain, users (their operators),
loads (of users), results (likewise, and maps), cache (of programs), ready (operators of several
numbers), axis (rows and columns), segments (others), selects (and runs) or drivers (what a driver
can change, on each device).

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

import cache_cases  # noqa: E402
import device_cases  # noqa: E402
import explain_cases  # noqa: E402
import piece_cases  # noqa: E402
import plain_cases  # noqa: E402
import rows  # noqa: E402
import scan_cases  # noqa: E402
import select_cases  # noqa: E402
import text_cases  # noqa: E402
from cases import check, run_cases  # noqa: E402
from driver import Driver  # noqa: E402

DRIVERS = [device_cases, scan_cases, piece_cases, cache_cases]
# without a device, and with one, besides the groups of rows.txt
PARTS = {
    "files": (plain_cases.CASES, []),
    "contents": ([], text_cases.CASES),
    "reduce": ([], []),
    "values": ([], []),
    "scan": (scan_cases.PLAIN, []),
    "places": ([], scan_cases.PLACES),
    "pieces": ([], piece_cases.CASES),
    "explain": ([], explain_cases.CASES),
    "users": ([], explain_cases.LAWS),
    "loads": ([], []),
    "results": ([], []),
    "ready": ([], []),
    "cache": ([], cache_cases.CASES),
    "axis": ([], []),
    "segments": ([], []),
    "selects": ([], select_cases.CASES),
    "drivers": ([], [case for cases in DRIVERS for case in cases.DRIVERS]),
}


def no_device(d, _):
    text = d.bad(1, "there is no OpenCL device; check that", "reduce", d.save(np.ones(3, "f4")))
    check("driver is installed" in text and "HOME" in text, text)
    check("driver is installed" in d.good("devices"), "devices")


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in PARTS:
        sys.exit(__doc__)
    seed = int(os.environ.get("CLFOLD_TEST_SEED", time.time_ns() % 2**32))
    # which folds are built, with others each week: a build takes longer than all else
    turn = int(os.environ.get("CLFOLD_TEST_TURN", time.time() // (7 * 24 * 3600)))
    print(f"# CLFOLD_TEST_SEED={seed} CLFOLD_TEST_TURN={turn}")
    driver = Driver(*map(os.path.abspath, sys.argv[1:3]), seed, turn)
    if unknown := rows.parts() - set(PARTS):
        sys.exit(f"no part runs rows of {unknown}")
    part, (without, with_each) = sys.argv[3], PARTS[sys.argv[3]]
    without, with_each = rows.groups(part, plain=True) + without, rows.groups(part) + with_each
    run_cases(driver, without, with_each, [no_device])


if __name__ == "__main__":
    main()

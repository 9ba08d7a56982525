"""Drives the command `clfold` as a user does, and compares its results with numpy's.

usage: drive.py COMMAND

Prints TAP. Exits 0 when all passed, 1 when something failed, 77 when there is no OpenCL
device or no numpy. Every case that needs a device runs on each one that OpenCL shows.
"""

import json
import os
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP there is no numpy for this Python")
    sys.exit(77)

import device_cases  # noqa: E402
import fold_cases  # noqa: E402
import plain_cases  # noqa: E402
import scan_cases  # noqa: E402
import text_cases  # noqa: E402
from driver import ERRORS, Driver, Failure  # noqa: E402

WITH = [*device_cases.CASES, *text_cases.CASES, *fold_cases.CASES, *scan_cases.CASES]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    seed = int(os.environ.get("CLFOLD_TEST_SEED", time.time_ns() % 2**32))
    print(f"# CLFOLD_TEST_SEED={seed}")
    passed = failed = 0

    def run_case(case, driver, device):
        nonlocal passed, failed
        name = case.__name__.replace("_", " ")
        if device:
            name += f", device {device['index']} {device['name']}"
        try:
            case(driver, device)
        except ERRORS as error:
            failed += 1
            print(f"not ok {passed + failed} - {name}")
            print(f"# {type(error).__name__}: {error}".replace("\n", "\n# "))
        else:
            passed += 1
            print(f"ok {passed + failed} - {name}")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="clfold-test-") as folder:
        driver = Driver(os.path.abspath(sys.argv[1]), folder, seed)
        driver.devices = json.loads(driver.good("devices", "--json"))
        for case in [*plain_cases.CASES, *scan_cases.PLAIN]:
            run_case(case, driver, None)
        for device in driver.devices:
            for case in WITH:
                run_case(case, driver, device)
        if not driver.devices:
            path = driver.save(np.ones(3, "f4"))
            try:
                driver.bad(1, "there is no OpenCL device", "reduce", path)
            except Failure as error:
                failed += 1
                print(f"not ok - no device: {error}")

    print(f"1..{passed + failed}")
    if failed:
        sys.exit(1)
    if not driver.devices:
        print("# there is no OpenCL device here, so nothing was folded")
        sys.exit(77)


if __name__ == "__main__":
    main()

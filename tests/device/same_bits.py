#!/usr/bin/env python3
"""same_bits.py LISTER BITS: float results have the same bits with any number of workers.

Runs the built tests/device/bits.c on each device with several numbers of workers, several
times each, and compares all that it prints but the compute units. On PoCL those must change,
or the numbers of workers did not take effect and nothing was tested.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import run_devices  # noqa: E402

WORKERS = {
    "Portable Computing Language": ("POCL_MAX_PTHREAD_COUNT", (1, 2, 16)),
    "Intel(R) OpenCL": ("CL_CONFIG_CPU_TBB_NUM_WORKERS", (1, 2)),
}
RUNS = 2


def main(lister, program):
    tap = run_devices.Tap()
    with tempfile.TemporaryDirectory(prefix="clfold-devices-") as scratch:
        found = run_devices.devices(lister, scratch)
        if not found:
            print("1..0 # SKIP no OpenCL device")
            return 0
        for device in found:
            platform = device.name.split(":")[0]
            variable, numbers = WORKERS.get(platform, ("CLFOLD_TEST_NOTHING", (0,)))
            units, first = set(), None
            for number in [number for number in numbers for _ in range(RUNS)]:
                extra = [f"{variable}={number}"]
                label = run_devices.label_of(device, extra)
                done = subprocess.run(
                    [program], env=device.environment(extra), capture_output=True, text=True,
                    check=False,
                )
                tap.comment(done.stderr)
                if done.returncode != 0:
                    tap.point(False, f"{label}: ended with {done.returncode}")
                    continue
                lines = done.stdout.splitlines()
                units.add(lines[0])
                first = first or lines[1:]
                differ = [pair for pair in zip(first, lines[1:]) if pair[0] != pair[1]]
                for pair in differ:
                    tap.comment(f"{pair[0]} became {pair[1]}")
                tap.point(not differ and len(first) == len(lines) - 1,
                          f"{label}: {len(first)} results, {lines[0]}")
            if platform.startswith("Portable"):
                tap.point(len(units) == len(numbers), f"{device.name}: workers took effect")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

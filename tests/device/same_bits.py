#!/usr/bin/env python3
"""same_bits.py [--write] LISTER BITS: float results have the same bits on every run.

Runs the built tests/device/bits.c on each device with several numbers of workers, and compares all
that it prints but the compute units. On PoCL those must change, or the numbers of workers did not
take effect and nothing was tested. Then it compares with the bits of earlier versions, which
tests/device/bits.txt holds for the drivers that CI has: first those that all give, then for each
driver and length of the CPU's vectors its own. --write writes them there instead.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BITS = os.path.join(HERE, "bits.txt")
sys.path.insert(0, os.path.join(HERE, ".."))
import run_devices  # noqa: E402

WORKERS = {
    "Portable Computing Language": ("POCL_MAX_PTHREAD_COUNT", (1, 2, 16)),
    "Intel(R) OpenCL": ("CL_CONFIG_CPU_TBB_NUM_WORKERS", (1, 2)),
}


def name_of(platform, driver, width):
    """Whose bits they are: intel-r-opencl-2026.22.10-16, for vectors of 16 floats."""
    return re.sub(r"[^a-z0-9.]+", "-", f"{platform} {driver} {width}".lower())


def read_known():
    """By name."""
    known, name = {"": []}, ""
    with open(BITS, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                name = line[1:-1]
                known[name] = known[""][:]
            else:
                known[name].append(line)
    return {name: lines for name, lines in known.items() if name}


def write_known(known):
    shared = set.intersection(*map(set, known.values()))
    with open(BITS, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in next(iter(known.values())) if line in shared)
        for name, lines in sorted(known.items()):
            file.writelines([f"[{name}]\n", *(f"{one}\n" for one in lines if one not in shared)])


def compare(tap, label, name, lines, write):
    """With the bits of earlier versions: those of the driver on one CPU. Intel's sub-groups are
    as long as the CPU's vectors, and its compiler sums partials in vectors."""
    known = read_known()
    if write:
        known[name] = lines
        write_known(known)
    driver = name.rpartition("-")[0]
    known = [its for one, its in known.items() if one.rpartition("-")[0] == driver]
    if not known:
        tap.point(True, f"{label}: as before", skip="no bits of this driver are known")
        return
    nearest = min(known, key=lambda expected: len(set(expected) ^ set(lines)))
    differ = sorted(set(nearest) ^ set(lines))
    for line in differ:
        tap.comment(f"{'missing' if line in nearest else 'new'}: {line}")
    tap.point(not differ, f"{label}: {len(nearest)} results as before")


def test_device(tap, device, program, write):
    """With each number of workers."""
    platform = device.name.split(":")[0]
    variable, numbers = WORKERS.get(platform, ("CLFOLD_TEST_NOTHING", (0,)))
    units, first, driver, width = set(), None, "", ""
    for number in numbers:
        extra = [f"{variable}={number}"]
        label = run_devices.label_of(device, extra)
        done = run_devices.Run([program], device.environment(extra), run_devices.LIMIT_SECONDS)
        tap.comment(f"{done.err}\n{label}: {done.programs(device)}")
        if done.fault:
            tap.point(False, f"{label}: {done.fault}")
            continue
        driver, width, unit, *lines = done.out.splitlines()
        units.add(unit)
        first = first or lines
        differ = [pair for pair in zip(first, lines) if pair[0] != pair[1] or "again" in pair[1]]
        for pair in differ:
            tap.comment(f"{pair[0]} became {pair[1]}")
        tap.point(not differ and len(first) == len(lines), f"{label}: {len(first)} results, {unit}")
    if platform.startswith("Portable"):
        tap.point(len(units) == len(numbers), f"{device.name}: workers took effect")
    if first and not any("again" in line for line in first):
        name = name_of(platform, driver.removeprefix("driver "), width.removeprefix("width "))
        compare(tap, device.name, name, first, write)


def main(words):
    write = words[:1] == ["--write"]
    lister, program = words[write:]

    def test(tap, found):
        for device in found:
            test_device(tap, device, program, write)

    return run_devices.on_all(lister, test)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

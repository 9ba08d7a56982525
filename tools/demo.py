#!/usr/bin/env python3
"""demo.py BUILD: what tools/run-demo does once clfold is built in the folder BUILD.

For each device, and for the data once and repeated to 2^26 values: the sum and the greatest
value by `clfold reduce`, timed in turn with a native loop (tools/native, OpenMP and SIMD),
and compared with that program's exact fold by its exit status.
"""

import array
import json
import os
import statistics
import subprocess
import sys
import tempfile

GEOID = "/usr/share/proj/egm96_15.gtx"
HEADER_BYTES = 40  # four doubles and two ints: corner, steps, rows, columns
VALUES = 721 * 1440
LARGE = 1 << 26
ROUNDS = 5
FOLDS = (("add", "f32"), ("add", "f64"), ("max", "f32"))


def fail(words):
    print(f"run-demo: {words}", file=sys.stderr)
    sys.exit(1)


def output_of(command, environment=None):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{os.path.basename(command[0])} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def read_geoid():
    """The heights, which the file holds as big-endian floats."""
    try:
        with open(GEOID, "rb") as file:
            data = file.read()[HEADER_BYTES:]
    except OSError as error:
        fail(str(error))
    heights = array.array("f", data)
    if len(heights) != VALUES:
        fail(f"{GEOID} holds {len(heights)} values instead of {VALUES}")
    if sys.byteorder == "little":
        heights.byteswap()
    return heights


def write_data(folder):
    """The data once, and repeated to 2^26 values with the last repetition cut."""
    heights = read_geoid()
    once, large = (os.path.join(folder, name) for name in ("geoid.f32", "geoid-2^26.f32"))
    with open(once, "wb") as file:
        heights.tofile(file)
    with open(large, "wb") as file:
        for _ in range(LARGE // VALUES):
            heights.tofile(file)
        heights[: LARGE % VALUES].tofile(file)
    return once, large


class Tools:
    def __init__(self, build):
        self.clfold = os.path.join(build, "tools", "clfold", "clfold")
        self.native = os.path.join(build, "tools", "native", "read_limit")
        if not os.path.exists(self.native):
            fail("the C compiler has no OpenMP, which the native loop beside clfold needs")

    def devices(self):
        """Every device with the environment that shows it: those of the system's OpenCL
        drivers, and of Intel's CPU runtime where tools/setup-intel-runtime has put it."""
        environments = [dict(os.environ)]
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        intel = os.path.join(cache, "clfold", "intel-runtime", "icd", "")
        if "OCL_ICD_VENDORS" not in os.environ and os.path.isdir(intel):
            environments.append(dict(os.environ, OCL_ICD_VENDORS=intel))
        return [
            (device, environment)
            for environment in environments
            for device in json.loads(output_of([self.clfold, "devices", "--json"], environment))
        ]

    def reduce(self, device, environment, file, op, acc):
        command = [self.clfold, "reduce", "--device", str(device["index"]), "--raw", "f32",
                   "--op", op, "--acc", acc, "--json", file]
        return json.loads(output_of(command, environment))

    def loop(self, file, op):
        command = [self.native, "--type", "f32", "--op", op, "--runs", "5", "--json", file]
        return json.loads(output_of(command))["seconds"]

    def agrees(self, file, op, acc, result):
        command = [self.native, "--type", "f32", "--op", op, "--acc", acc,
                   "--check", repr(result), file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr)
        return done.returncode == 0


def show_fold(tools, device, environment, file, op, acc):
    """One line of the table: medians of runs taken in turn, so that both see one machine."""
    clfold, native = [], []
    for _ in range(ROUNDS):
        report = tools.reduce(device, environment, file, op, acc)
        clfold.append(report["seconds"])
        native.append(tools.loop(file, op))
    size = os.path.getsize(file) / 1e9
    ours, theirs = statistics.median(clfold), statistics.median(native)
    spread = f"{size / max(clfold):.1f} to {size / min(clfold):.1f}"
    right = tools.agrees(file, op, acc, report["result"])
    print(f"{report['count']:>9} {op:>4} {acc:>4} {report['result']:>22} "
          f"{size / ours:>8.1f} {spread:>14} {size / theirs:>8.1f} {theirs / ours:>6.2f}  "
          f"{'agrees' if right else 'DIFFERS'}")
    return right


def main(build):
    tools = Tools(build)
    devices = tools.devices()
    wrong = 0
    if not devices:
        fail("there is no OpenCL device")
    print(f"Data: {VALUES} heights of the geoid EGM96 in metres (NASA and NIMA), {GEOID}")
    print("from Debian's proj-data, once and repeated to 2^26 values. GB/s: median and range")
    print(f"of {ROUNDS} runs, in turn with a native OpenMP SIMD loop; share: of its speed.")
    with tempfile.TemporaryDirectory(prefix="clfold-demo-") as scratch:
        files = write_data(scratch)
        for device, environment in devices:
            print(f"\n{device['platform']}: {device['name']}, {device['device_version']}, "
                  f"driver {device['driver_version']}")
            print(f"{'count':>9} {'op':>4} {'acc':>4} {'result':>22} {'GB/s':>8} "
                  f"{'from to':>14} {'native':>8} {'share':>6}  check")
            for file in files:
                wrong += sum(
                    not show_fold(tools, device, environment, file, *fold) for fold in FOLDS
                )
    if wrong:
        fail(f"{wrong} results differ from the native program's")
    print(f"\nAll results agree with the native program's, on {len(devices)} device(s).")


if __name__ == "__main__":
    main(sys.argv[1])

#!/usr/bin/env python3
"""demo.py BUILD: what tools/run-demo does once clfold is built in the folder BUILD.

For each device:
  - the sum, least and greatest value of the geoid's heights with their places, by `clfold
    reduce`, beside numpy's;
  - the sum of 2^26 values of four types, compared with the exact sum, and how fast such sums are
    beside a native loop that only reads, by `clfold bench`;
  - the offset of every line of a text by `clfold scan` over its newlines, and by `clfold
    select` of what follows one, compared with that of grep by the exit status of cmp;
  - the pixels of a font's glyphs as runs by `clfold rle`, and back by `clfold unrle`, compared
    by cmp;
  - the reduction ladder by `clfold ladder`, its chart written into BUILD;
  - sums and scans of f32 against what the memory gives, by `clfold bench`, with charts in BUILD;
  - where the device has look-back, what the tiles of a scan did, by `clfold trace`, with a
    timeline in BUILD.
"""

import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy

GEOID = "/usr/share/proj/egm96_15.gtx"
HEADER_BYTES = 40  # four doubles and two ints: corner, steps, rows, columns
SHAPE = (721, 1440)
LARGE = 1 << 26
# Files without a 0 byte, in the order of their names, until there is enough.
TEXTS = ("/usr/share", "/usr/include")
BITMAP = "/usr/share/unifont/unifont.bmp.gz"
BITMAP_BYTES = 62  # of a BMP header and two colours
ROUNDS, TIMED = 5, "2^24"
OPS = ("add", "min", "max", "arg-min", "arg-max")
# What is repeated to 2^26 values: metres, or whole millimetres.
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8"}
SUMS = ("f32", "f32:f64", "f64", "i32:i64", "i32", "i64")  # and what they are folded in
SCANS = ("auto", "scan-then-propagate", "reduce-then-scan")


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
        heights = numpy.fromfile(GEOID, dtype=">f4", offset=HEADER_BYTES)
    except OSError as error:
        fail(str(error))
    if heights.size != SHAPE[0] * SHAPE[1]:
        fail(f"{GEOID} holds {heights.size} values instead of {SHAPE[0] * SHAPE[1]}")
    return heights.reshape(SHAPE)


class Large:
    """The data as one of TYPES, repeated to 2^26 values with the last repetition cut."""

    def __init__(self, folder, heights, name):
        values = heights.ravel()
        if name[0] == "i":
            values = numpy.rint(values.astype("f8") * 1000)
        self.values, self.name = values.astype(TYPES[name]), name
        self.times, self.rest = divmod(LARGE, values.size)
        self.path = os.path.join(folder, f"geoid.{name}")
        with open(self.path, "wb") as file:
            for _ in range(self.times):
                self.values.tofile(file)
            self.values[: self.rest].tofile(file)

    def agrees(self, acc, result):
        """With the exact sum: integers as they wrap around, floats within a tolerance.

        An addition rounds by u (half an epsilon) of its partial sum at most. A reduction folds
        tiles of 64 KiB by 64 lanes or more, whose many short chains round independently: their
        errors have a deviation below sqrt(d) / sqrt(3) u sum|x| for d additions (Higham and Mary
        2019, "A new approach to probabilistic rounding error analysis"), and more than three of
        those are allowed. Sums of tiles are sums of neighbours, no larger than the range of the
        prefix sums, and all may be rounded the same way: 256 groups take the tiles in equal shares
        and are added one after the other. 32 is for tails and trees."""
        if acc[0] == "i":
            total = self.times * int(self.values.sum(dtype="i8")) + int(
                self.values[: self.rest].sum(dtype="i8"))  # fmt: skip
            return result == int(numpy.array(total).astype(TYPES[acc]))
        total = self.times * math.fsum(self.values) + math.fsum(self.values[: self.rest])
        prefixes = numpy.cumsum(self.values, dtype="f8")
        ends = [0.0, *(first + end for first in (0, self.times * prefixes[-1])
                       for end in (prefixes.min(), prefixes.max()))]  # fmt: skip
        magnitudes = (self.times + 1) * numpy.abs(self.values).sum(dtype="f8")
        tile = 65536 // self.values.itemsize
        above = 256 + math.ceil(LARGE / tile / 256) + 32
        u = numpy.finfo(TYPES[acc]).eps / 2
        allowed = u * (2 * math.sqrt(tile / 64 + 32) * magnitudes + above * (max(ends) - min(ends)))
        return abs(result - total) <= allowed + numpy.finfo("f8").eps * abs(total)


def texts():
    for root in TEXTS:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for path in (os.path.join(folder, name) for name in sorted(names)):
                try:
                    # one that is a link stands elsewhere as well
                    if os.path.islink(path) or not os.path.isfile(path):
                        continue
                    with open(path, "rb") as file:
                        text = file.read()
                except OSError:
                    continue
                if text and b"\0" not in text:
                    yield text if text.endswith(b"\n") else text + b"\n"


class Text:
    """A large text, whose every line ends in a newline; its newlines as flags; and where its
    lines begin, as grep has it."""

    def __init__(self, folder):
        self.files, parts, size = 0, [], 0
        for text in texts():
            parts.append(text)
            size += len(text)
            self.files += 1
            if size >= LARGE:
                break
        text = b"".join(parts)[:LARGE]
        text = text[: text.rfind(b"\n") + 1]
        self.path = os.path.join(folder, "text")
        with open(self.path, "wb") as file:
            file.write(text)
        newlines = numpy.frombuffer(text, "u1") == ord("\n")
        self.flags = os.path.join(folder, "newlines.u8")
        newlines.tofile(self.flags)
        self.size, self.ends = len(text), numpy.flatnonzero(newlines)
        self.starts = os.path.join(folder, "starts-grep.txt")
        command = "set -o pipefail; LC_ALL=C grep -ab '' \"$1\" | cut -d: -f1 >\"$2\""
        output_of(["bash", "-c", command, "bash", self.path, self.starts])

    def line_starts(self, ranks):
        """ranks, for each byte: how many newlines stand before it. So a newline's own rank is
        the number of its line, from 0, and the next line begins after it."""
        starts = numpy.full(self.ends.size, -1)
        starts[0] = 0
        numbers = ranks[self.ends].astype("i8") + 1
        inside = numbers < self.ends.size
        starts[numbers[inside]] = self.ends[inside] + 1
        return starts


class Tools:
    def __init__(self, build):
        self.clfold = os.path.join(build, "tools", "clfold", "clfold")
        self.view = os.path.join(build, "tools", "lab", "clfold-")
        self.build = build

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

    def run(self, device, environment, command, *arguments):
        words = [self.clfold, command, "--device", str(device["index"]), "--json", *arguments]
        return json.loads(output_of(words, environment))

    def reduce(self, device, environment, *arguments):
        return self.run(device, environment, "reduce", *arguments)

    def scan(self, device, environment, *arguments):
        return self.run(device, environment, "scan", *arguments)

    def lab(self, device, environment, view, *arguments):
        """What a view of the lab prints, or None and why where the device has no look-back."""
        words = [self.view + view, "--device", str(device["index"]), *arguments]
        environment = {**environment, "CLFOLD_COMMAND": self.clfold}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 1 and not done.stdout and "CLFOLD_ERROR_UNSUPPORTED" in done.stderr:
            return None, done.stderr.strip().removeprefix("clfold: ")
        if done.returncode != 0:
            fail(f"clfold {view} ended with {done.returncode}: {done.stdout}{done.stderr.strip()}")
        return done.stdout, None


def numpy_fold(heights, op):
    values = heights.ravel()
    if op == "add":
        return float(values.sum(dtype="f8"))
    if op in ("min", "max"):
        return float(getattr(values, op)())
    index = int(getattr(values, op.replace("-", ""))())
    return {"index": index, "value": float(values[index])}


def as_f32(result):
    """clfold prints as few digits as read back to the same f32."""
    if isinstance(result, dict):
        return dict(result, value=as_f32(result["value"]))
    return float(numpy.float32(result))


def words_of(result):
    if isinstance(result, dict):
        row, column = divmod(result["index"], SHAPE[1])
        return f"{result['value']:.7g} at {row / 4 - 90:.2f} N {column / 4 - 180:.2f} E"
    return f"{result:.12g}"


def show_values(tools, device, environment, heights, path):
    """The five folds beside numpy's: the same number, or for the sum within 1e-12 of the sum of
    all magnitudes, which bounds how far two orders of addition in f64 can differ."""
    wrong = 0
    print(f"{'':>8} {'clfold':>28} {'numpy':>28}")
    for op in OPS:
        acc = ["--acc", "f64"] if op == "add" else []
        ours = tools.reduce(device, environment, "--op", op, *acc, path)["result"]
        theirs = numpy_fold(heights, op)
        if op == "add":
            same = abs(ours - theirs) <= 1e-12 * float(abs(heights).sum(dtype="f8"))
        else:
            ours = as_f32(ours)
            same = ours == theirs
        wrong += not same
        print(f"{op:>8} {words_of(ours):>28} {words_of(theirs):>28}  "
              f"{'agrees' if same else 'DIFFERS'}")
    return wrong


def show_sums(tools, device, environment, files):
    """The sums of the data, and the speed of such sums: clfold and the native loop have their
    turns in the same rounds, so that both see one machine."""
    wrong = 0
    table, _ = tools.lab(device, environment, "bench", "--json", "--rounds", str(ROUNDS),
                         "--counts", TIMED, "--types", ",".join(SUMS), "reduce")  # fmt: skip
    rows = [row for row in map(json.loads, table.splitlines()) if "count" in row]
    print(f"\n{'type':>5} {'acc':>5} {'sum':>22} {'GB/s':>8} {'from to':>14} {'native':>8} "
          f"{'share':>6}  check")
    for types, row in zip(SUMS, rows):
        kind, _, acc = types.partition(":")
        acc = acc or kind
        result = tools.run(device, environment, "reduce", "--raw", kind, "--acc", acc,
                           files[kind].path)["result"]  # fmt: skip
        right = files[kind].agrees(acc, result)
        wrong += not right
        low, high = row["quartiles_gbps"]
        native = row["native_gbps"]
        beside = f"{native:>8.1f} {row['gbps'] / native:>6.2f}" if native else f"{'':>15}"
        print(f"{kind:>5} {acc:>5} {result:>22} {row['gbps']:>8.1f} "
              f"{f'{low:.1f} to {high:.1f}':>14} {beside}  {'agrees' if right else 'DIFFERS'}")
    return wrong


def show_lines(name, report, moved, starts, text):
    """One line of the table: the time, and whether lines begin where grep's do."""
    done = subprocess.run(["cmp", starts, text.starts], capture_output=True, text=True, check=False)
    with open(starts, encoding="ascii") as ours, open(text.starts, encoding="ascii") as theirs:
        lists = ours.read().split(), theirs.read().split()
    print(f"{name:>20} {report['seconds'] * 1e3:>8.2f} {moved / report['seconds'] / 1e9:>8.1f} "
          + " ".join(f"{len(lines):>10} {lines[-1]:>10}" for lines in lists)
          + f"  {'DIFFERS' if done.returncode else 'agrees'}")
    if done.returncode:
        print(done.stdout.strip() + done.stderr.strip(), file=sys.stderr)
    return done.returncode != 0


def show_scan(tools, device, environment, text, algorithm, folder):
    path, starts = os.path.join(folder, "ranks.npy"), os.path.join(folder, "starts.txt")
    report = tools.scan(device, environment, "--exclusive", "--raw", "u8", "--acc", "u32",
                        "--algorithm", algorithm, text.flags, path)
    ours = text.line_starts(numpy.load(path))
    with open(starts, "w", encoding="ascii") as file:
        file.write("\n".join(map(str, ours.tolist())) + "\n")
    os.remove(path)
    return show_lines(report["algorithm"], report, 5 * text.size, starts, text)


def show_select(tools, device, environment, text, folder):
    starts = os.path.join(folder, "starts.txt")
    report = tools.run(device, environment, "select", "--raw", "u8", "--load", "i", "--type", "u64",
                       "--where", "i == 0 || in[i - 1] == 10", text.path, starts)
    return show_lines("select", report, text.size + 8 * report["kept"], starts, text)


def show_runs(tools, device, environment, folder):
    """The pixels of a chart of glyphs, a byte each, as runs and back."""
    pixels, values, lengths, same = (
        os.path.join(folder, name) for name in ("pixels", "values.bin", "lengths.npy", "same.bin"))
    with gzip.open(BITMAP) as file:
        numpy.unpackbits(numpy.frombuffer(file.read()[BITMAP_BYTES:], "u1")).tofile(pixels)
    words = [device, environment]
    report = tools.run(*words, "rle", "--raw", "u8", pixels, values, lengths)
    back = tools.run(*words, "unrle", "--raw", "u8", values, lengths, same)
    done = subprocess.run(["cmp", pixels, same], check=False)
    print(f"{BITMAP}: {report['count']} pixels are {report['kept']} runs, found in "
          f"{report['seconds'] * 1e3:.2f} ms and decoded in {back['seconds'] * 1e3:.2f} ms  "
          f"{'DIFFERS' if done.returncode else 'agrees'}")
    return done.returncode != 0


def show_first_call(tools, device, environment, path):
    """What a process takes that has to build its program, and one that finds it kept, by
    clfold or by the driver."""
    without = {**environment, "POCL_KERNEL_CACHE": "0"}
    seconds = []
    for words, env in [([], environment), ([], environment), (["--no-cache"], without)]:
        start = time.monotonic()
        tools.reduce(device, env, "--op", "add", *words, path)
        seconds.append(time.monotonic() - start)
    first, kept, built = seconds
    print(f"Their sum by a process of its own: now {first:.2f} s, again {kept:.2f} s, and "
          f"{built:.2f} s where no program is kept.\n")


def show_view(tools, device, environment, view, arguments):
    """With a chart. A wrong result ends the view, and so the demo, with 1."""
    platform = re.sub(r"\W+", "-", device["platform"]).strip("-").lower()
    name = arguments[-1] if view == "bench" else view
    chart = os.path.join(tools.build, f"{name}-{platform}-{device['index']}.svg")
    text, refusal = tools.lab(device, environment, view, "--svg", chart, *arguments)
    print(f"There is none: {refusal}" if text is None else f"{text.rstrip()}\nThe chart is {chart}")


def main(build):
    tools = Tools(build)
    devices = tools.devices()
    wrong = 0
    if not devices:
        fail("there is no OpenCL device")
    heights = read_geoid()
    print(f"Data: {heights.size} heights of the geoid EGM96 in metres (NASA and NIMA), {GEOID}")
    print("from Debian's proj-data; repeated to 2^26 values, integers in millimetres, for the sums")
    print(f"of the second table. GB/s: median and quartiles of {ROUNDS} rounds of {TIMED} made")
    print("values, in turn with a native loop that only reads, by OpenMP; share: of its speed.")
    with tempfile.TemporaryDirectory(prefix="clfold-demo-") as scratch:
        text = Text(scratch)
        print(f"Text: {text.size} bytes, the first of {text.files} files below "
              f"{' and '.join(TEXTS)}.")
        print("Where its lines begin follows from an exclusive scan over its newlines, bytes into")
        print("u32 (GB/s: one read, one write); `grep -b` prints the same, and `cmp` compares.")
        path = os.path.join(scratch, "geoid.npy")
        numpy.save(path, heights)  # big-endian, as it came
        files = {kind: Large(scratch, heights, kind) for kind in TYPES}
        for device, environment in devices:
            print(f"\n{device['platform']}: {device['name']}, {device['device_version']}, "
                  f"driver {device['driver_version']}\n")
            show_first_call(tools, device, environment, path)
            wrong += show_values(tools, device, environment, heights, path)
            wrong += show_sums(tools, device, environment, files)
            print(f"\n{'':>20} {'':>8} {'':>8} {'clfold':>21} {'grep -b':>21}\n{'scan':>20} "
                  f"{'ms':>8} {'GB/s':>8} {'lines':>10} {'last at':>10} {'lines':>10} "
                  f"{'last at':>10}  check")
            for algorithm in SCANS:
                wrong += show_scan(tools, device, environment, text, algorithm, scratch)
            wrong += show_select(tools, device, environment, text, scratch)
            print()
            wrong += show_runs(tools, device, environment, scratch)
    timed = ["--types", "f32", "--counts", "2^18,2^21,2^24", "--seconds", "0.2"]
    for words, view, arguments in (
        ("Sums on {}, and what its memory gives", "bench", [*timed, "reduce"]),
        ("Scans on {}, and what its memory gives", "bench", [*timed, "scan"]),
        ("The reduction ladder on {}", "ladder",
         ["--counts", "2^17,2^19,2^21,2^23", "--seconds", "0.2"]),
        ("A look-back scan on {}, tile by tile", "trace",
         ["--type", "u32", "--count", str(text.size)]),
    ):  # fmt: skip
        for device, environment in devices:
            print(f"\n{words.format(device['platform'])}:", flush=True)
            show_view(tools, device, environment, view, arguments)
    if wrong:
        fail(f"{wrong} results differ from the independent programs'")
    print(f"\nAll results agree with the independent programs', on {len(devices)} device(s).")


if __name__ == "__main__":
    main(sys.argv[1])

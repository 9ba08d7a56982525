"""Drives the command `clfold` as a user does, and compares its results with numpy's.

usage: drive.py COMMAND

Prints TAP. Exits 0 when all passed, 1 when something failed, 77 when there is no OpenCL
device or no numpy. Every case that needs a device runs on each one that OpenCL shows.
"""

import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP there is no numpy for this Python")
    sys.exit(77)

KEYS = ["op", "type", "acc", "count", "result", "device", "kernel", "seconds"]
NAMES = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16",
    "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
}  # fmt: skip
# element, accumulator: what this version folds
PAIRS = [
    ("int32", "int32"), ("int32", "int64"), ("uint8", "uint8"), ("uint8", "uint64"),
    ("float32", "float32"), ("float32", "float64"), ("float64", "float64"),
]  # fmt: skip


class Failure(Exception):
    pass


# what a case may end in when the command is wrong
ERRORS = (Failure, OSError, subprocess.SubprocessError, LookupError, ValueError)


def check(condition, text):
    if not condition:
        raise Failure(text)


class Driver:
    def __init__(self, command, folder, seed):
        self.command = command
        self.folder = folder
        self.random = np.random.default_rng(seed)
        self.devices = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, data=b"", shell=None, **options):
        command = [self.command, *map(str, words)]
        if shell:
            command = ["sh", "-c", shell, "sh", *command]
        if "stdin" not in options:
            options["input"] = data
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        return subprocess.run(command, stderr=subprocess.PIPE, timeout=120, **options)

    def good(self, *words, **options):
        done = self.run(*words, **options)
        check(
            done.returncode == 0 and not done.stderr,
            f"{words}: exit {done.returncode}, stderr {done.stderr!r}",
        )
        return done.stdout.decode()

    def bad(self, status, part, *words, **options):
        """Exit status, one line on stderr that has `part` in it, nothing on stdout."""
        done = self.run(*words, **options)
        text = done.stderr.decode(errors="replace")
        check(
            done.returncode == status
            and not done.stdout
            and re.fullmatch(r"clfold: [^\n]*[^\n. ]\n", text)
            and part in text,
            f"{words}: exit {done.returncode}, stdout {done.stdout!r}, stderr {text!r}; "
            f"expected exit {status} and {part!r}",
        )
        return text

    def save(self, array, name="data.npy", version=None):
        with open(self.path(name), "wb") as file:
            np.lib.format.write_array(file, np.asanyarray(array), version=version)
        return self.path(name)

    def write(self, content, name="data.bin"):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def values(self, dtype, count):
        """Whole numbers whose float sums are exact in any order."""
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            return self.random.integers(-8, 9, count).astype(dtype)
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max, count, dtype, endpoint=True)


def expected(array, op, acc):
    flat = array.reshape(-1)
    with np.errstate(all="ignore"):
        if op == "add":
            return flat.sum(dtype=acc)
        if flat.size == 0:
            kind = np.dtype(acc)
            return kind.type(-math.inf if kind.kind == "f" else np.iinfo(kind).min)
        return flat.max().astype(acc)


def same(text, number):
    """Whether a result as it is printed is the number, bit by bit."""
    kind = number.dtype.type
    if number.dtype.kind in "iu":
        return int(text) == int(number)
    if math.isnan(number):
        return text == "nan"
    return kind(text).tobytes() == number.tobytes()


def has_type(device, *types):
    return device["fp64"] or "float64" not in types


# ---- without a device ----


def usage(d, _):
    general = d.good("--help")
    check("clfold devices" in general and "clfold reduce" in general, general)
    check("--json" in d.good("devices", "--help"), "devices --help")
    reduce_help = d.good("reduce", "--help")
    for word in ["--op", "--acc", "--device", "--raw", "--json", "f64"]:
        check(word in reduce_help, f"reduce --help does not tell of {word}")
    check(re.fullmatch(r"clfold \d+\.\d+\.\d+\n", d.good("--version")), "--version")

    d.bad(2, "no command was given")
    d.bad(2, "no command fold", "fold")
    d.bad(2, "no option --nothing", "reduce", "--nothing", "x")
    d.bad(2, "one FILE, and got 0", "reduce")
    d.bad(2, "one FILE, and got 2", "reduce", "a", "b")
    d.bad(2, "--op mul", "reduce", "--op", "mul", "x")
    d.bad(2, "--acc i7", "reduce", "--acc", "i7", "x")
    d.bad(2, "--raw float", "reduce", "--raw", "float", "x")
    d.bad(2, "--device needs", "reduce", "x", "--device")
    d.bad(2, "got x", "devices", "x")
    # a sentence stays one line, whatever it quotes
    d.bad(2, "no command a b", "a\nb")
    d.bad(1, "a b", "reduce", d.path("a\nb"))


def standard_output(d, _):
    for words in [("--help",), ("--version",), ("devices",), ("devices", "--json")]:
        with open("/dev/full", "wb") as full:
            done = d.run(*words, stdout=full)
        check(
            done.returncode == 1
            and done.stderr == b"clfold: standard output: No space left on device\n",
            f"{words} on a full device: {done}",
        )
        done = d.run(*words, shell='"$@" >&-')
        check(
            done.returncode == 1 and done.stderr.startswith(b"clfold: standard output: "),
            f"{words} with standard output closed: {done}",
        )

    # A closed stream must not become the number of the next file that is opened, or a
    # driver's file takes the result. Seen while the command waits for a pipe.
    fifo = d.path("waits")
    os.mkfifo(fifo)
    words = [d.command, "reduce", fifo]
    closed = dict(preexec_fn=lambda: os.closerange(0, 2), stderr=subprocess.DEVNULL)
    with subprocess.Popen(words, **closed) as process:
        with open(fifo, "wb"):
            files = [os.readlink(f"/proc/{process.pid}/fd/{i}") for i in range(2)]
    os.remove(fifo)
    check(files == ["/dev/null"] * 2 and process.returncode == 1, f"{files}")


def bad_files(d, _):
    def header(text, version=1, length=None):
        text = text.encode()
        length = len(text) if length is None else length
        field = length.to_bytes(2 if version == 1 else 4, "little")
        return b"\x93NUMPY" + bytes([version, 0]) + field + text

    def refuse(part, content, *options):
        text = d.bad(1, part, "reduce", *options, d.write(content))
        check(d.path("data.bin") in text, f"{text!r} does not name the file")

    plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n"
    refuse("is not an .npy file", b"")
    refuse("is not an .npy file", b"PK\x03\x04 and so on")
    refuse("version 7.0", header(plain, 7) + bytes(12))
    refuse("ends inside its .npy header", header(plain)[:40])
    refuse("ends inside its .npy header", header(plain, 2, 60000) + bytes(12))
    refuse("4294967295 bytes", header(plain, 2, 0xFFFFFFFF) + bytes(12))
    refuse("holds 8 bytes of data", header(plain) + bytes(8))
    refuse("holds 13 bytes of data", header(plain) + bytes(13))
    refuse("no multiple of the 4 of f32", bytes(13), "--raw", "f32")
    refuse("holds 13 bytes", bytes(13), "--raw", "u16")
    for shape, part in [
        ("(-3,)", "negative"),
        ("(4294967296, 4294967296)", "2^63"),
        ("(1e3,)", "malformed"),
        ("(1000000000000,)", "tells of 4000000000000"),
        ("99", "malformed"),
    ]:
        refuse(part, header(plain.replace("(3,)", shape)) + bytes(12))
    refuse("malformed", header(plain.replace("}", "")) + bytes(12))
    refuse("malformed", header("\0" * 64) + bytes(12))
    refuse("malformed", header("(" * 60000) + bytes(12))
    refuse("structured", header(plain.replace("'<f4'", "[" * 60000)) + bytes(12))

    d.bad(1, "Fortran", "reduce", d.save(np.asfortranarray(np.ones((2, 3), "f4"))))
    for array, dtype in [
        (np.ones(3, ">f4"), ">f4"),
        (np.ones(3, ">i8"), ">i8"),
        (np.ones(3, bool), "|b1"),
        (np.ones(3, "c8"), "<c8"),
        (np.array(["a", "bc"]), "<U2"),
        (np.array([b"abc"]), "|S3"),
        (np.array([None]), "|O"),
        (np.ones(2, np.longdouble), np.dtype(np.longdouble).str),
        (np.array(["2020"], "M8[D]"), "<M8[D]"),
        (np.zeros(2, [("x", "<f4"), ("y", "<i4")]), "[('x', '<f4'), ('y', '<i4')]"),
    ]:
        d.bad(1, dtype, "reduce", d.save(array))

    d.bad(1, "Is a directory", "reduce", d.folder)
    d.bad(1, "Is a directory", "reduce", "--raw", "u8", d.folder)
    d.bad(1, "No such file", "reduce", d.path("missing.npy"))
    d.bad(1, "No such file", "reduce", "")
    d.bad(1, "File name too long", "reduce", "x" * 10000)
    d.bad(1, "standard input: Bad file", "reduce", "-", shell='"$@" <&-')
    # opens, and fails when it is read
    d.bad(1, "Input/output error", "reduce", "/proc/self/mem")
    # root reads every file unless it gives that up
    hidden = d.write(bytes(4), "hidden")
    os.chmod(hidden, 0)
    give_up = "setpriv --bounding-set=-dac_override,-dac_read_search "
    d.bad(1, "Permission denied", "reduce", "--raw", "u8", hidden,
          shell=(give_up if os.geteuid() == 0 else "") + '"$@"')  # fmt: skip


# ---- with a device ----


def devices(d, device):
    text = d.good("devices")
    index = device["index"]
    check(f"\n  {index}  {device['name']}\n" in text, text)
    check(f"platform {device['platform']} (" in text, text)
    check(d.devices[index] is device, "the index is not the place in the array")
    for key in ["name", "vendor", "device_version", "driver_version", "opencl_c_version"]:
        check(isinstance(device[key], str) and device[key], f"{key}: {device[key]!r}")
    for key in ["compute_units", "global_memory", "max_allocation"]:
        check(isinstance(device[key], int) and device[key] > 0, f"{key}: {device[key]!r}")
    for key in ["fp64", "fp16", "int64_atomics", "sub_groups", "little_endian"]:
        check(isinstance(device[key], bool), f"{key}: {device[key]!r}")
    since_3 = re.match(r"OpenCL [3-9]", device["device_version"])
    for key in ["device_scope_atomics", "acquire_release_atomics"]:
        check(isinstance(device[key], bool) == bool(since_3), f"{key}: {device[key]!r}")
    check(device["type"] in ["cpu", "gpu", "accelerator", "custom"], device["type"])


def selectors(d, device):
    path = d.save(np.arange(10, dtype="i4"))

    def chosen(*words):
        return json.loads(d.good("reduce", "--json", *words, path))["device"]

    names = [other["name"] for other in d.devices]
    name = device["name"]
    check(chosen("--device", device["index"]) == name, "by index")
    part = name[1:-1].upper()
    first = next(other for other in names if part in other.upper())
    check(chosen("--device", part) == first, f"by a part of its name, {part}")
    for kind in ["gpu", "cpu"]:
        of_kind = [other["name"] for other in d.devices if other["type"] == kind]
        if of_kind:
            check(chosen("--device", kind) == of_kind[0], kind)
        else:
            d.bad(1, f"--device {kind} matches", "reduce", "--device", kind, path)
    gpus = [other["name"] for other in d.devices if other["type"] == "gpu"]
    check(chosen() == (gpus or names)[0], "by default")
    for selector in [len(names), 99999999999999999999, "no such device"]:
        text = d.bad(1, f"--device {selector} ", "reduce", "--device", selector, path)
        check("clfold devices" in text, text)


def one_array(d, device, array, op, acc, *words, **options):
    """The plain result and the JSON one, both against numpy."""
    words = ["reduce", "--op", op, "--device", device["index"], *words]
    number = expected(array, op, acc)
    text = d.good(*words, **options)
    what = f"{op} of {array.dtype}{array.shape} into {acc}: {text!r}, expected {number!r}"
    check(text.endswith("\n") and same(text[:-1], number), what)

    pairs = json.loads(d.good(*words, "--json", **options), object_pairs_hook=list)
    check([key for key, _ in pairs] == KEYS, f"keys {pairs}")
    told = dict(pairs)
    result = told["result"]
    check(
        told["op"] == op
        and told["type"] == NAMES[array.dtype.name]
        and told["acc"] == NAMES[np.dtype(acc).name]
        and told["count"] == array.size
        and told["device"] == device["name"]
        and re.fullmatch(r"[a-z_0-9]+", told["kernel"])
        and 0 < told["seconds"] < 60,
        f"{told}",
    )
    finite = not np.dtype(acc).kind == "f" or math.isfinite(number)
    check(isinstance(result, (int, float) if finite else str), f"result {result!r}")
    check(same(text[:-1], np.dtype(acc).type(result)), f"JSON {result!r}, plain {text!r}")


def types(d, device):
    for element, acc in PAIRS:
        if not has_type(device, element, acc):
            continue
        array = d.values(element, 12345)
        for op in ["add", "max"]:
            one_array(d, device, array, op, acc, "--acc", NAMES[acc], d.save(array))
    # the accumulators that are chosen when none is named
    for element, acc in [("int32", "int64"), ("uint8", "uint64"), ("float32", "float32")]:
        array = d.values(element, 777)
        one_array(d, device, array, "add", acc, d.save(array))
        one_array(d, device, array, "max", element, d.save(array))


def refused_types(d, device):
    """Pairs that are not in this version: the library's own sentence."""
    index = device["index"]
    for element in NAMES:
        for acc in [element, "int64", "float32"]:
            if (element, acc) not in PAIRS or not has_type(device, element, acc):
                path = d.write(bytes(16))
                words = ["--raw", NAMES[element], "--acc", NAMES[acc], "--device", index]
                d.bad(1, "CLFOLD_ERROR_UNSUPPORTED", "reduce", *words, path)
    d.bad(
        1, "u16", "reduce", "--device", index, d.save(np.ones(3, "u2"))
    )  # by its default accumulator


def shapes(d, device):
    for shape in [
        (0,), (1,), (), (1, 1), (0, 5), (3, 4, 5), (2,) * 10, (1 << 20, 3), (100003,)
    ]:  # fmt: skip
        array = d.values("int32", math.prod(shape)).reshape(shape)
        one_array(d, device, array, "add", "int64", d.save(array))
    array = d.values("float32", 1000)
    one_array(d, device, np.asfortranarray(array.reshape(1, 1000, 1)), "add", "float32",
              d.save(np.asfortranarray(array.reshape(1, 1000, 1))))  # fmt: skip
    for version in [(1, 0), (2, 0), (3, 0)]:
        one_array(d, device, array, "max", "float32", d.save(array, version=version))


def empty(d, device):
    for element in ["int32", "uint8", "float32", "float64"]:
        if has_type(device, element):
            array = np.empty(0, element)
            for op in ["add", "max"]:
                words = ["--acc", NAMES[element]]
                one_array(d, device, array, op, element, *words, d.save(array))
                words += ["--raw", NAMES[element]]
                one_array(d, device, array, op, element, *words, d.write(b""))
                one_array(d, device, array, op, element, *words, "-", data=b"")


def raw(d, device):
    for element, acc in PAIRS:
        if has_type(device, element, acc):
            array = d.values(element, 4321)
            one_array(d, device, array, "add", acc, "--raw", NAMES[element], "--acc",
                      NAMES[acc], d.write(array.tobytes()))  # fmt: skip


def standard_input(d, device):
    array = d.values("int32", 1000003)  # 4 MB: no pipe holds it at once
    with open(d.save(array), "rb") as file:
        content = file.read()
    words = ["reduce", "--device", device["index"], "-"]
    total = f"{array.sum(dtype='int64')}\n"
    one_array(d, device, array, "add", "int64", "-", data=content)
    one_array(d, device, array, "max", "int32", "--raw", "i32", "-", data=array.tobytes())
    with open(d.path("data.npy"), "rb") as file:
        check(d.good(*words, stdin=file) == total, "a file as standard input")
    # raw data from where standard input stands
    with open(d.path("data.npy"), "rb", buffering=0) as file:
        file.seek(len(content) - array.nbytes)
        check(d.good(*words, "--raw", "i32", stdin=file) == total, "a part of a file")
    check(d.good(*words, shell="cat data.npy | \"$@\"", cwd=d.folder) == total, "a pipe")
    os.mkfifo(d.path("fifo"))
    path = d.path("fifo")
    text = d.good("reduce", "--device", device["index"], path,
                  shell="cat data.npy >fifo & \"$@\"", cwd=d.folder)  # fmt: skip
    check(text == total, "a named pipe")
    os.remove(path)

    d.bad(1, "standard input: holds 3999996 bytes", *words, data=content[:-16])
    d.bad(1, "standard input: holds more than 4000012 bytes", *words, data=content + b"x")
    d.bad(1, "standard input: ends inside", *words, data=content[:50])
    d.bad(1, "standard input: is not an .npy file", *words, data=b"")
    d.bad(1, "no multiple of the 4 of i32", *words, "--raw", "i32", data=b"12345")


def special_values(d, device):
    for element in ["float32", "float64"]:
        if not has_type(device, element):
            continue
        tiny = np.finfo(element).smallest_subnormal
        for numbers in [
            [1, math.inf, 2],
            [1, -math.inf, 2],
            [math.inf, -math.inf],
            [1, math.nan, 2],
            [-math.inf, -math.inf],
            [-0.0],
            [-0.0] * 100,
            [tiny],
            [-tiny * 3],
        ]:
            array = np.array(numbers, element)
            if numbers[0] == 0:
                # +0 and -0 are equal, so an identity of +0 may win the sum
                one_array(d, device, array, "max", element, d.save(array))
            else:
                for op in ["add", "max"]:
                    one_array(d, device, array, op, element, d.save(array))


def every_digit(d, device):
    """The largest of floats with random bits reads back as it was."""
    for element, bits in [("float32", "u4"), ("float64", "u8")]:
        if not has_type(device, element):
            continue
        for _ in range(5):
            array = d.random.integers(0, np.iinfo(bits).max, 50, bits).view(element)
            array = array[np.isfinite(array)]
            one_array(d, device, array, "max", element, d.save(array))
    # a sum that wraps around where it is told to, and does not by default
    array = np.full(1000, 2**31 - 1, "i4")
    one_array(d, device, array, "add", "int32", "--acc", "i32", d.save(array))
    one_array(d, device, array, "add", "int64", d.save(array))


def large(d, device):
    """Several pieces of the file; then a file that the device has no room for."""
    array = d.values("uint8", 100_000_007)
    one_array(d, device, array, "add", "uint64", d.save(array))
    os.remove(d.path("data.npy"))

    path = d.path("sparse")
    limit = device["max_allocation"]
    with open(path, "wb") as file:
        file.truncate(limit + 1)
    words = ["reduce", "--raw", "u8", "--device", device["index"]]
    text = d.bad(1, f"at most {limit} in one buffer", *words, path)
    check(path in text and f" {limit + 1} bytes" in text, text)
    os.remove(path)


def full_output(d, device):
    path = d.save(np.ones(3, "f4"))
    for words in [["--device", device["index"]], ["--json", "--device", device["index"]]]:
        with open("/dev/full", "wb") as full:
            done = d.run("reduce", *words, path, stdout=full)
        check(done.returncode == 1 and b"No space left" in done.stderr, f"{done}")
        done = d.run("reduce", *words, path, shell='"$@" >&-')
        check(done.returncode == 1 and b"standard output" in done.stderr, f"{done}")


def damaged_files(d, device):
    """One wrong byte in a header: a result or a sentence, never anything else."""
    with open(d.save(np.arange(24, dtype="f4").reshape(2, 3, 4)), "rb") as file:
        content = bytearray(file.read())
    dice = random.Random(int(d.random.integers(1 << 32)))
    for _ in range(60):
        damaged = bytearray(content)
        place, value = dice.randrange(80), dice.randrange(256)
        damaged[place] = value
        path = d.write(damaged)
        done = d.run("reduce", "--device", device["index"], path)
        lines = done.stderr.count(b"\n")
        check(
            (done.returncode, lines) in [(0, 0), (1, 1)],
            f"byte {place} set to {value}: {done}",
        )


WITHOUT = [usage, standard_output, bad_files]
WITH = [
    devices, selectors, types, refused_types, shapes, empty, raw, standard_input,
    special_values, every_digit, large, full_output, damaged_files,
]  # fmt: skip


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
        for case in WITHOUT:
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

"""Cases on one device: folds in pieces, as --memory and a small device force them."""

import json
import math
import os
import signal
import subprocess
import time

import numpy as np

import scan_cases
from cases import on_terminal
from driver import OPS, check, folds, has_type, is_float, one_array, split, values
from fold_cases import FORMATS, given
from scan_cases import KINDS, OUTS, UFUNCS


def size_of(element):
    return np.dtype(element).itemsize


def piece(d, count, i):
    """How many numbers: one, around the count, and what divides it or not."""
    part = max(count // 3, 1)
    return [1, count - 1 or 1, count, count + 1, part, part + 1][i % 6]


def reductions(d, device):
    """All formats, from files and pipes."""
    for i, j, op, element, acc in folds(d, device, OPS):
        place = i * 2 + j
        count = int(d.random.integers(2, 12 if place % 6 == 0 else 3000))
        most = piece(d, count, place)
        array = values(d, op, element, count)
        words, pieces = split(count, most, size_of(element))
        words += given(d, array, form := FORMATS[j % 4])
        options, path = {}, words[-1]
        if place % 2:
            with open(words.pop(), "rb") as file:
                options["data"] = file.read()
            words.append("-")
            path = None if form in ["raw", "text"] else path
        one_array(d, device, array, op, acc, *words, pieces=pieces(path), **options)
    array = np.empty(0, "int32")
    for form in FORMATS:
        one_array(d, device, array, "add", "int64", "--memory", 8, *given(d, array, form))
    d.bad(1, "is empty, and max needs", "reduce", "--op", "max", "--memory", 8, "--device",
          device["index"], *given(d, array, "raw"))  # fmt: skip


def places(d, device):
    """Places count in the whole input; the first of equals and of NaN wins."""
    nan = math.nan
    for i, numbers in enumerate([
        [1, nan, 2, nan], [3, 2, nan], [nan] * 5, [-math.inf, nan, 5, nan, math.inf],
        [7] * 6, [3, 1, 2, 1, 3], [2, 1, 1, 2], [0.0, -0.0, 0.0], [-0.0, 0.0], [5, 5, 6, 4, 6, 4],
        [-math.inf, -math.inf, 1], [1, math.inf, math.inf],
    ]):  # fmt: skip
        array = np.array(numbers, "float32")
        for most, op in [(1, "arg-min-max"), (2, ["arg-min", "arg-max"][i % 2])]:
            words, pieces = split(array.size, most, 4)
            path = d.save(array)
            one_array(d, device, array, op, "float32", *words, path, pieces=pieces(path))
    for op in ["min", "max", "min-max"]:
        array = np.array([1, 2, nan, 3], "float32")
        one_array(d, device, array, op, "float32", "--memory", 8, d.save(array), pieces=4)
    # signed and unsigned, 64 bits wide, where a double or the other sign would mistake them
    for array in [
        np.array([2**63 - 2, 2**63 - 1, -(2**63), 2**63 - 1], "int64"),
        np.array([2**64 - 2, 2**64 - 1, 1, 2**64 - 1, 0], "uint64"),
    ]:
        one_array(d, device, array, "arg-min-max", array.dtype.name, "--memory", 16, d.save(array),
                  pieces=array.size)  # fmt: skip
    array = values(d, "arg-min", "int16", 100003)
    one_array(d, device, array, "arg-min-max", "int16", "--memory", 40004, d.save(array), pieces=10)


def forms(d, device):
    """A mean, an init and a column of text belong to the whole input, not to a piece."""
    array = values(d, "add", "int16", 1001)
    words = ["reduce", "--device", device["index"], "--memory", 404]
    if has_type(device, "float64"):
        one_array(d, device, array, "mean", "float64", *words[3:], d.save(array), pieces=10)
    total = int(array.sum(dtype="i8"))
    said = d.good(*words, "--init", 7, d.save(array))
    check(said == f"{total + 7}\n", f"--init 7: {said}")
    text = "id,n\n" + "".join(f"{i},{n}\n" for i, n in enumerate(array))
    said = d.good(*words, "--text", "i16", "--column", "n", "-", data=text.encode())
    check(said == f"{total}\n", f"--column n: {said}")
    # all of it is read before a comma counts as one that may separate thousands
    text = "1,234\n" * 5000
    for end, warned in [("", True), ("1,2", False)]:
        done = d.run(*words, "--text", "i32", "-", data=(text + end).encode())
        check(done.returncode == 0 and (b"thousands" in done.stderr) == warned, f"{end}: {done}")


def scans(d, device):
    for i, j, op, element, acc in folds(d, device, UFUNCS):
        place = i * 2 + j
        count = int(d.random.integers(2, 12 if place % 6 == 0 else 3000))
        most = piece(d, count, place)
        words, pieces = split(count, most, size_of(element), size_of(acc))
        init = int(d.random.integers(1, 3)) if place % 3 == 0 else None
        array = values(d, op, element, count)
        scan_cases.scan(d, device, array, *words, op=op, kind=KINDS[place % 2],
                        init=init, form=FORMATS[place % 4], out=OUTS[j % 4],
                        algorithm=scan_cases.algorithm_of(i, j),
                        pieces=pieces)  # fmt: skip
    # the count is known at the end only, and its place is in the header
    array = values(d, "add", "int32", 1000)
    words = ["scan", "--device", device["index"], "--memory", 1600, "--raw", "i32", "-"]
    for count in [0, 1, 99, 100, 101, 1000]:
        d.good(*words, d.path("out.npy"), data=array[:count].tobytes())
        told = np.load(d.path("out.npy"), allow_pickle=False)
        check(scan_cases.same(told, np.cumsum(array[:count], dtype="i8")), f"{count}: {told!r}")
    # an OUT that is IN
    path = d.save(array)
    d.good(*words[:5], path, path)
    check(scan_cases.same(np.load(path), np.cumsum(array, dtype="i8")), "OUT that is IN")
    for algorithm in scan_cases.ALGORITHMS:
        scan_cases.scan(d, device, array, "--memory", 1600, algorithm=algorithm, pieces=10)


def fortran_order(d, device):
    """What needs C order is held as a whole; a sum is not."""
    array = np.asfortranarray(values(d, "arg-max", "int16", 3 * 50 * 7).reshape(3, 50, 7))
    path, held = d.save(array), array.nbytes
    one_array(d, device, array, "arg-max", "int16", "--memory", held + 404, path, pieces=11)
    one_array(d, device, array, "add", "int64", "--memory", 404, path, pieces=11)
    out = d.path("out.npy")
    words = ["scan", "--device", device["index"], path, out, "--memory"]
    d.good(*words, held + 1000)
    check(scan_cases.same(np.load(out), np.cumsum(array, dtype="i8")), "a scan")
    os.remove(out)
    part = f"data.npy: needs {held + 12} bytes of memory at least, as its Fortran order"
    d.bad(1, part, *words, held + 11)
    d.bad(1, "data.npy: needs 2104 bytes", "reduce", "--op", "arg-min", "--device",
          device["index"], path, "--memory", 2103)  # fmt: skip
    check(not os.path.exists(out), "OUT is there")


def too_little(d, device):
    words = ["--device", device["index"], "--memory"]
    for count, reduced, scanned in [(1, 4, 8), (3, 8, 12)]:
        path = d.save(np.ones(count, "float32"))
        d.bad(1, f"data.npy: needs {reduced} bytes of memory at least, and --memory allows "
              f"{reduced - 1}", "reduce", *words, reduced - 1, path)  # fmt: skip
        check(d.good("reduce", *words, reduced, path) == f"{count}\n", f"{count}")
        d.bad(1, f"needs {scanned} bytes of memory at least", "scan", *words, scanned - 1, path,
              d.path("out.npy"))  # fmt: skip
        d.good("scan", *words, scanned, path, "/dev/null")
    check(os.listdir(d.folder) == ["data.npy"], f"left {os.listdir(d.folder)}")


def small_device(d, device):
    """A device that takes few bytes in a buffer; its limit is that of the wider side."""
    env = {**os.environ, "LD_PRELOAD": d.small_device, "CLFOLD_TEST_LIMIT": "65536"}
    array = values(d, "add", "uint8", 3 * 65536)
    path = d.save(array)
    one_array(d, device, array, "add", "uint64", path, pieces=3, env=env)
    one_array(d, device, array, "arg-max", "uint8", path, pieces=3, env=env)
    one_array(d, device, array[:65536], "add", "uint64", d.save(array[:65536]), env=env)
    scan_cases.scan(d, device, array, pieces=24, env=env)
    scan_cases.scan(d, device, array, "--memory", 10000, pieces=197, env=env)
    # what is held on the host is no matter of the device
    scan_cases.scan(d, device, np.asfortranarray(array.reshape(3, -1)), pieces=24, env=env)
    # numbers of 1 byte and results of 8 in half of its memory
    env["CLFOLD_TEST_MEMORY"] = str(2 * 9 * 1000)
    scan_cases.scan(d, device, array[:2500], pieces=3, env=env)
    one_array(d, device, array[:2500], "add", "uint64", d.save(array[:2500]), env=env)
    env["CLFOLD_TEST_MEMORY"] = "17"
    d.bad(1, "has not enough memory for one number", "scan", "--device", device["index"],
          d.save(array[:2]), "-", env=env)  # fmt: skip


def broken_later(d, device):
    """What is wrong in a later piece: status 1, no OUT, or what has gone to the pipe."""
    before = sorted(os.listdir(d.folder))
    words = ["--device", device["index"], "--memory", 12000]
    with open(d.save(np.arange(10000, dtype="i4")), "rb") as file:
        content = file.read()
    os.remove(d.path("data.npy"))
    text = b"1 2 3\n" * 4000 + b"4 x\n"
    short = ["--stream", "y=" + d.save(np.ones(9000, "i4"), "short.npy"), "--load", "x + y"]
    before.append("short.npy")
    for part, options, data in [
        ("short.npy: has 9000 numbers, and standard input has at least 9", ["--raw", "i32", *short],
         content[128:]),
        ("holds 39996 bytes of data, and its .npy header says 40000", [], content[:-4]),
        ("holds more than 40000 bytes", [], content + b"1"),
        ("holds 39998 bytes, which is not a multiple of the 4 of i32", ["--raw", "i32"],
         content[128:-2]),
        ('line 4001, byte 3: "x" is not a valid number', ["--text", "i32"], text),
    ]:  # fmt: skip
        d.bad(1, part, "reduce", *words, *options, "-", data=data)
        d.bad(1, part, "scan", *words, *options, "-", d.path("out.npy"), data=data)
        check(sorted(os.listdir(d.folder)) == before, f"left {os.listdir(d.folder)}")
    done = d.run("scan", *words, "--text", "i32", "-", "-", data=text)
    lines = done.stdout.decode().split()
    check(done.returncode == 1 and lines[:3] == ["1", "3", "6"] and len(lines) < 12001, f"{done}")


def in_turns(d, device):
    """Both buffers in turn, an odd and an even number of times, the last of them full or not."""
    where = ["--device", device["index"]]
    for count in [201, 299, 300, 301, 400, 499, 500, 501]:
        x, y = (d.random.integers(0, 4, count).astype("i4") for _ in range(2))
        path, piped = d.save(x), {"data": x.tobytes()}
        stream = ["--stream", "y=" + d.save(y, "data2.npy")]
        starts = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
        lengths = np.diff(np.append(starts, count)).astype("u8")
        dot, total = int(np.dot(x.astype("i8"), y)), np.cumsum(x, dtype="i8")
        for words, told in [(["--load", "to_i64(x) * to_i64(y)", "--acc", "i64", *stream], dot),
                            (["--init", "-7"], int(total[-1]) - 7)]:  # fmt: skip
            for data, given_by in [({}, [path]), (piped, ["--raw", "i32", "-"])]:
                text = d.good("reduce", *where, *split(count, 100, 8)[0], *words, *given_by, **data)
                check(text == f"{told}\n", f"{count} {words}: {text!r}, not {told}")
        for words, limit, files in [
            (["scan"], split(count, 100, 4, 8), [("o", total)]),
            (["scan", "--exclusive"], split(count, 100, 4, 8), [("o", total - x)]),
            (["map", "--result", "3 * x + y", *stream], split(count, 100, 8, 4),
             [("o", 3 * x + y)]),
            (["select", "--where", "x > y", *stream, "--rest", d.path("r.bin")],
             split(count, 100, 8, 8), [("o", x[x > y]), ("r", x[x <= y])]),
            (["unique", "--lengths", d.path("r.bin")], split(count, 101, 4, 12),
             [("o", x[starts]), ("r", lengths)]),
        ]:  # fmt: skip
            for data, given_by in [({}, [path]), (piped, ["--raw", "i32", "-"])]:
                text = d.good(*words, *where, *limit[0], *given_by, d.path("o.bin"), **data)
                for name, right in files:
                    told = np.fromfile(d.path(name + ".bin"), right.dtype)
                    check(not text and np.array_equal(told, right), f"{count} {words}: {told!r}")


def start(d, *words, **options):
    return subprocess.Popen([d.command, *map(str, words)], stdin=subprocess.PIPE,
                            stderr=subprocess.PIPE, cwd=d.folder, **options)  # fmt: skip


def slow_pipes(d, device):
    """What has come is folded and written while the reader waits for more; an error and a signal
    end the wait."""
    array = d.random.integers(0, 9, 10500).astype("i4")
    words = ["--device", device["index"], "--memory", 16000]  # pieces of 1000
    half = array[:5300].tobytes()
    with start(d, "scan", *words, "--raw", "i32", "-", "-", stdout=subprocess.PIPE) as run:
        run.stdin.write(half)
        run.stdin.flush()
        total = np.cumsum(array, dtype="i8")
        early = run.stdout.read(32768)  # of 40000 bytes; a part may be in the stream's buffer
        check(early == total.tobytes()[:32768] and run.poll() is None, "results come late")
        late, _ = run.communicate(array[5300:].tobytes(), 60)
        check(run.returncode == 0 and early + late == total.tobytes(), f"exit {run.returncode}")
    with start(d, "scan", *words, "--raw", "i32", "-", "/dev/full") as run:
        run.stdin.write(half)
        run.stdin.flush()
        check(run.wait(60) == 1, f"exit {run.returncode}")
        text = run.stderr.read()
        check(text == b"clfold: /dev/full: No space left on device\n", text)
    for operation, out in [("reduce", []), ("scan", [d.path("out.bin")])]:
        with start(d, operation, *words, "--raw", "i32", "-", *out) as run:
            run.stdin.write(half)
            run.stdin.flush()
            time.sleep(0.5)
            run.send_signal(signal.SIGINT)
            check(run.wait(60) == -signal.SIGINT, f"{operation}: exit {run.returncode}")
            check(os.listdir(d.folder) == [], f"left {os.listdir(d.folder)}")
    # results that nobody takes any more, while data go on
    with start(d, "scan", *words, "--raw", "i32", "/dev/zero", "-", stdout=subprocess.PIPE) as run:
        check(run.stdout.read(8) == bytes(8), "no results")
        run.stdout.close()
        check(run.wait(60) == -signal.SIGPIPE, f"exit {run.returncode}")


def peak(d, *words, shell):
    """The most memory that a run had, in bytes; its output."""
    run = subprocess.Popen(["sh", "-c", shell, "sh", d.command, *map(str, words)],
                           stdout=subprocess.PIPE)  # fmt: skip
    text = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    run.stdout.close()
    check(run.returncode == 0, f"{words}: exit {run.returncode}")
    return usage.ru_maxrss * 1024, text


def memory(d, device):
    """2^26 numbers of a pipe, 256 MiB, in little more memory than few numbers take."""
    zeros = "head -c %d /dev/zero | tr '\\0' '\\1' | { exec \"$@\"; }"
    words = ["--device", device["index"], "--raw", "i32", "-"]
    few = zeros % 2**23  # more than a piece; the second time nothing is built, which takes memory
    least = min(peak(d, "reduce", *words, "--memory", "4Mi", shell=few)[0] for _ in range(2))
    most, text = peak(d, "reduce", *words, "--memory", "4Mi", shell=zeros % 2**28)
    check(text == b"%d\n" % (0x01010101 * 2**26), text)
    check(most < least + (40 << 20), f"reduce: {most >> 20} MiB and not {least >> 20}")
    words += ["--memory", "4Mi"]
    least = min(peak(d, "scan", *words, "/dev/null", shell=few)[0] for _ in range(2))
    most, text = peak(d, "scan", *words, "-", shell=zeros % 2**28 + " | tail -c 8")
    check(int.from_bytes(text, "little") == 0x01010101 * 2**26, text)
    check(most < least + (40 << 20), f"scan: {most >> 20} MiB and not {least >> 20}")
    # without a limit too
    most, _ = peak(d, "reduce", *words[:-2], shell=zeros % 2**28)
    check(most < least + (140 << 20), f"no limit: {most >> 20} MiB and not {least >> 20}")


def profile(d, device):
    """A line for each kernel, with its bytes of all pieces."""
    path = d.save(np.arange(40000, dtype="i4"))
    for operation, words, size in [
        ("reduce", [path], 8), ("scan", [path, d.path("out.npy")], 16),
    ]:  # fmt: skip
        words = ["--device", device["index"], "--memory", 10000 * size, "--profile", *words]
        done = d.run(operation, *words)
        _, *lines = done.stderr.decode().splitlines()
        told = json.loads(
            d.good("explain", operation, "--type", "i32", "--acc", "i64", "--count", 10000,
                   "--json", "--device", device["index"])
        )  # fmt: skip
        check(done.returncode == 0 and len(lines) == told["launches"], f"{done}")
        moved = [sum(int(line.split()[k]) for line in lines) for k in (3, 4)]
        check(moved == [4 * told["bytes_read"], 4 * told["bytes_written"]], f"{told} {lines}")


def bars(d, device):
    """How far a file is read, or how much of a pipe, if it takes more than a second."""
    fifo = d.path("fifo")
    os.mkfifo(fifo)
    slow = "(head -c 3145728 /dev/zero; sleep 1.3; head -c 1048576 /dev/zero)"
    header = d.save(np.zeros(1 << 20, "u4"))
    for shell, words, bar in [
        (f"{slow} >fifo & exec \"$@\"", ["reduce", "--raw", "u8", fifo], b"\rreading 4 MiB"),
        (f"{slow} >fifo & exec \"$@\"", ["reduce", "--raw", "u8", "--memory", "1Mi", fifo],
         b"\rreading 3 MiB"),
        (f"(head -c 128 {header}; {slow}) >fifo & exec \"$@\"", ["reduce", fifo],
         b"\rreading [########################################] 100 %"),
        (f"(head -c 128 {header}; {slow}) >fifo & exec \"$@\"", ["scan", fifo, "/dev/null"],
         b"\rscanning [####################                    ]  50 %"),
        (f"{slow} >fifo & exec \"$@\"", ["reduce", "--quiet", "--raw", "u8", fifo], None),
    ]:  # fmt: skip
        limit = [] if "--memory" in words else ["--memory", "12Mi"]
        words = [d.command, *words, "--device", str(device["index"]), *limit]
        shown = on_terminal(["sh", "-c", shell, "sh", *words], cwd=d.folder)
        right = bar in shown and shown.endswith(b" \r") if bar else shown == b""
        check(right, f"{words}: {shown!r}")


def building(d, device):
    """Where the program is kept that is being built, once that has taken a second."""
    words = [d.command, "reduce", "--device", str(device["index"]), d.save(np.ones(3, "i4"))]
    env = {**d.no_limit(), "CLFOLD_TEST_BUILD": "2"}
    check(on_terminal([*words, "--quiet"], env=env) == b"", "--quiet")
    shown = on_terminal([*words, "--no-cache"], env={**env, "POCL_CACHE_DIR": d.folder})
    place = f"kept in {d.folder}" if "pthread" in device["name"] else "not kept"
    text = f"clfold: building a program for {device['name']}, which is {place}\r\n"
    check(shown.count(text.encode()) == 1, f"{shown!r}")


def float_sums(d, device):
    """Inexact sums are near numpy's in any pieces, and those of one piece the same bits."""
    for element in ["float32", "float64"]:
        if not has_type(device, element):
            continue
        array = d.random.standard_normal(100003).astype(element)
        path = d.save(array)
        words = ["reduce", "--device", device["index"], path]
        whole = d.good(*words)
        check(whole == d.good(*words, "--memory", array.nbytes), "one piece gives other bits")
        exact, bound = math.fsum(array), 64 * np.finfo(element).eps * float(np.abs(array).sum())
        for most in [1001, 65536]:
            told = float(d.good(*words, "--memory", most * array.itemsize))
            check(is_float(element) and abs(told - exact) <= bound, f"{told}, not {exact}")


CASES = [
    reductions, places, forms, scans, in_turns, fortran_order, too_little, small_device,
    broken_later, slow_pipes, profile, bars, building,
    float_sums,
]  # fmt: skip
DRIVERS = [memory]

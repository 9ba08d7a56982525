"""Cases on one device: selects, runs of equal neighbours and their lengths, and back, as numpy has
them, in every format, of one call and in pieces."""

import json
import os
import signal
import subprocess
import time

import numpy as np

from cases import unplaced
from driver import NAMES, check, has_type, split
from fold_cases import FORMATS, given
from scan_cases import ENDS, read_out, same
from user_cases import good

TYPES = ["uint8", "int32", "float32", "float64", "uint64"]
WORDS = dict(zip(TYPES, ["uchar", "int", "float", "double", "ulong"], strict=True))
COUNTS = [0, 1, 99, 100, 101, 200, 1999]  # pieces are of 100
OUTS = [".npy", ".bin", ".txt"]
WAYS = [["--json"], []]  # timed pieces are not read ahead
KEYS = ["type", "out", "count", "kept", "pieces", "algorithm", "device", "seconds"]


def runs(array):
    """The first of each run, and the runs' lengths."""
    flat = array.reshape(-1)
    starts = np.flatnonzero(np.append(np.ones(min(flat.size, 1), bool), flat[1:] != flat[:-1]))
    return flat[starts], np.diff(np.append(starts, flat.size)).astype("u8")


def in_runs(d, count, dtype, most=9):
    """Few values, in runs of up to `most`."""
    lengths = d.random.integers(1, most + 1, count)
    return np.repeat(d.random.integers(0, 6, count), lengths)[:count].astype(dtype)


def memory(array, *others, most=100):
    """For pieces of `most` elements, two at once, and others that are written besides."""
    return ["--memory", most * (3 * array.itemsize + sum(others))]


def written(d, out, dtype):
    with open(d.path(out), "rb") as file:
        return read_out(d, file.read(), os.path.splitext(out)[1], dtype)


def expect(d, what, **files):
    """The files that the command has written, by name, and nothing else in its folder."""
    for name, right in files.items():
        name = name.replace("_", ".")
        told = written(d, name, right.dtype)
        check(same(told, right), f"{what}: {name} has {told!r}, not {right!r}")
        os.remove(d.path(name))
    left = [name for name in os.listdir(d.folder) if not name.startswith(("data", "c."))]
    check(not left, f"{what}: left {left}")


def told(d, device, text, array, kept, pieces=None):
    """What --json says."""
    found = json.loads(text)
    name = NAMES[array.dtype.name]
    check(list(found) == KEYS and found["device"] == device["name"], text)
    check(found["type"] == name and found["count"] == array.size, text)
    check(found["kept"] == kept and found["pieces"] == (pieces or found["pieces"]), text)
    check(0 < found["seconds"] < 60, text)


def cases(d, device):
    """Arrays of each type and count, with the words that give them, the end of what is written,
    and the words of pieces or none."""
    for i, dtype in enumerate(TYPES):
        if not has_type(device, dtype):
            continue
        for j, count in enumerate(COUNTS):
            array = in_runs(d, count, dtype, [9, 900][j % 2])
            yield array, given(d, array, FORMATS[(i + j) % 4]), OUTS[(i + j // 2) % 3], j % 3 > 0


def selects(d, device):
    """Some are kept, all and none; what is not known before the last piece is in the header."""
    for turn, (array, words, end, cut) in enumerate(cases(d, device)):
        level = [3, 0, 9, 3][turn % 4]
        keeps = array >= level
        words = ["--device", device["index"], "--where", "x >= c", "--arg",
                 f"{WORDS[array.dtype.name]} c={level}", *words]  # fmt: skip
        rest = ["--rest", d.path("r" + OUTS[turn % 3])] if turn % 2 else []
        size = array.itemsize
        limit, pieces = split(array.size, 100, size, 2 * size if rest else size)
        pieces = pieces(words[-1]) if cut else 1
        words = [*limit, *words] if cut else words
        for way in WAYS:
            text = good(d, "select", *way, *words, *rest, d.path("o" + end))
            if way:
                told(d, device, text, array, int(keeps.sum()), pieces)
            files = {"o" + end.replace(".", "_"): array[keeps]}
            if rest:
                files["r" + OUTS[turn % 3].replace(".", "_")] = array[~keeps]
            expect(d, words, **files)


def places(d, device):
    """Indices and counts are those of the whole input, of pipes as well."""
    array = in_runs(d, 1999, "int32")
    where = ["select", "--device", device["index"], "--load", "i", "--type", "u64", "--where"]
    for cut in [], ["--memory", 1201]:
        good(d, *where, "x == 3", *cut, d.save(array), d.path("o.npy"))
        expect(d, f"indices {cut}", o_npy=np.flatnonzero(array == 3).astype("u8"))
        good(d, *where, "i > n / 2", *cut, d.save(array), d.path("o.bin"))
        expect(d, f"half {cut}", o_bin=np.arange(1000, 1999, dtype="u8"))
        with open(given(d, array, "text")[-1], "rb") as file:
            text = file.read()
        good(d, *where, "x == 3", *cut, "--text", "i32", "-", d.path("o.npy"), data=text)
        expect(d, f"a pipe {cut}", o_npy=np.flatnonzero(array == 3).astype("u8"))
    words = ["select", "--device", device["index"], "--where"]
    flags = d.random.integers(0, 2, array.size).astype("i4")
    good(d, *words, "flag != 0", "--stream", "flag=" + d.save(flags, "data2.npy"), "--memory", 1200,
         d.save(array), d.path("o.npy"))  # fmt: skip
    expect(d, "a stream", o_npy=array[flags != 0])
    path = d.save(array)
    good(d, *words, "x > 2", "--result", "2 * x", "--memory", 999, path, path)
    check(same(np.load(path), 2 * array[array > 2]), "OUT that is IN")
    for cut in [], ["--memory", 800]:  # of one piece the count is known at its end
        done = d.run(*words, "x > 2", *cut, d.save(array), "-")
        if cut:
            check(done.returncode == 1 and b"begins with its count" in done.stderr, f"{done}")
        else:
            check(same(read_out(d, done.stdout, ".npy", "i4"), array[array > 2]), "to stdout")


def uniques(d, device):
    for turn, (array, words, end, cut) in enumerate(cases(d, device)):
        right, lengths = runs(array)
        words = ["--device", device["index"], *words]
        other = OUTS[(turn + turn // 3) % 3]
        if cut:
            words = [*memory(array, 8, most=101), *words]
        option = ["--lengths", d.path("l" + other)] if turn % 4 else []
        for way in WAYS:
            text = good(d, "unique", *way, *words, *option, d.path("o" + end))
            if way:
                told(d, device, text, array, right.size)
            files = {"o" + end.replace(".", "_"): right}
            if option:
                files["l" + other.replace(".", "_")] = lengths
            expect(d, words, **files)


def unique_texts(d, device):
    """Keys, comparisons and elements of the user's; nan is a run by itself, and zeros are equal."""
    words, array = ["unique", "--device", device["index"]], in_runs(d, 1999, "float32")
    both = ["--lengths", d.path("l.npy"), d.path("o.npy")]
    keys = in_runs(d, 1999, "int32")
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    for cut in [], ["--memory", 3000]:
        good(d, *words, "--load", "k", "--stream", "k=" + d.save(keys, "data2.npy"), "--type",
             "i32", "--result", "x", "--out", "f32", *cut, d.save(array), *both)  # fmt: skip
        expect(d, "by key", o_npy=array[starts], l_npy=runs(keys)[1])
        good(d, *words, "--same", "fabs(a - b) < 2.0f", *cut, d.save(array), *both)
        near = np.flatnonzero(np.append(True, np.abs(np.diff(array)) >= 2))
        expect(d, "near", o_npy=array[near], l_npy=np.diff(np.append(near, 1999)).astype("u8"))
    numbers = np.array([0, -0.0, 1, np.nan, np.nan], "f4")
    good(d, *words, d.save(numbers), *both)
    expect(d, "nan", o_npy=numbers[[0, 2, 3, 4]], l_npy=np.array([2, 1, 1, 1], "u8"))
    pairs = np.array([[1, 2], [1, 2], [1, 3], [2, 3]], "i4")
    good(d, *words, "--components", "int a; int b", d.save(pairs), *both)
    check(np.array_equal(np.load(d.path("o.npy")), pairs[[0, 2, 3]]), "pairs")


def round_trips(d, device):
    """A file as runs and back, bit by bit; what lies across pieces is one run."""
    words = ["--device", device["index"]]
    odd = np.array([0, -0.0, -0.0, np.nan, np.nan, np.inf] * 50)
    arrays = [*(array for array, *_ in cases(d, device)), np.full(1999, 7, "i8"), odd.astype("f4"),
              odd.astype("f2"), odd.astype("f8"), odd.astype("c8"), odd.astype("c16")]  # fmt: skip
    for turn, array in enumerate(arrays):
        path = d.save(array)
        bits = array.view({1: "u1", 2: "u2", 4: "u4", 8: "u8"}.get(array.itemsize, "V16"))
        end, right, lengths = OUTS[turn // 2 % 3], *runs(bits)
        values = d.path("v.npy" if array.dtype.kind == "c" else "v" + OUTS[turn % 3])
        name = NAMES.get(array.dtype.name)
        form = {".npy": [], ".bin": ["--raw", name], ".txt": ["--text", name]}[values[-4:]]
        cut = memory(array, 8, most=101) if turn % 2 else []
        good(d, "rle", *words, *cut, path, values, d.path("l" + end))
        check(same(written(d, "l" + end, "u8"), lengths), f"lengths of {array!r}")
        if not form:
            check(np.load(values).tobytes() == right.tobytes(), f"values of {array!r}")
        good(d, "unrle", *words, *form, values, d.path("l" + end), d.path("o.npy"))
        back = np.load(d.path("o.npy"))
        is_nan_text = values.endswith("txt") and array.dtype.kind == "f"
        same_bits = same(back, array) if is_nan_text else back.tobytes() == array.tobytes()
        check(back.dtype == array.dtype and same_bits, f"{array!r} comes back as {back!r}")
        for file in [values, d.path("l" + end), d.path("o.npy")]:
            os.remove(file)


def lengths(d, device):
    """In any type of integers; values that come by a pipe; and lengths that are wrong."""
    words = ["unrle", "--device", device["index"]]
    values, numbers = d.save(np.arange(4, dtype="i2")), np.array([3, 0, 100, 2])
    right = np.repeat(np.arange(4), numbers).astype("i2")
    for turn, dtype in enumerate(["i1", "u1", "i2", "u4", "i4", "i8", "u8"]):
        content = numbers.astype(dtype)
        name = NAMES[content.dtype.name]
        path, option = d.save(content, "data2.npy"), []
        if turn % 2:
            path, option = d.write(content.tobytes(), "data2.bin"), ["--lengths-type", name]
        good(d, *words, *option, values, path, d.path("o.npy"))
        expect(d, dtype, o_npy=right)
    path = d.write(b"3 0 100 2", "data2.txt")
    told = good(d, *words, "--text", "i16", "-", path, "-", data=b"0 1 2 3")
    check(told == "".join(f"{number}\n" for number in right), "a pipe")
    for content, name, part in [
        (b"1 -1 2 3", "i32", "number 1 is negative, or makes the sum too large"),
        (b"1 1 18446744073709551615 3", "u64", "number 2 is negative, or makes the sum"),
        (b"1 2 3", "u64", "has 3 numbers, and"), (b"1 2 3 4", "f32", "and lengths are integers"),
        (b"", "u8", "has 0 numbers, and"), (b"1 2 3 x", "u8", "data2.txt: line 1"),
    ]:  # fmt: skip
        d.bad(1, part, *words, "--lengths-type", name, values, d.write(content, "data2.txt"),
              d.path("o.npy"))  # fmt: skip
        expect(d, content)


def together(d, device):
    """Both outputs are new or neither, whatever signal comes and if the second one's place becomes
    a folder; and both may be pipes."""
    words, places = ["rle", "--device", device["index"]], [d.path("v.txt"), d.path("l.txt")]
    text = [*words, "--text", "i32", "--memory", 4000]
    old = d.write(b"old", "v.txt")
    command = list(map(str, [d.command, *text, "-", *places]))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdin.write(b"1 1 2 " * 20000)
        run.stdin.flush()
        while run.poll() is None and len(unplaced(run, d.folder)) < 2:
            time.sleep(0.01)
        os.mkdir(places[1])
        told = run.communicate(timeout=300)[1]
    check(run.returncode == 1 and b"l.txt: Is a directory" in told, f"{told}")
    with open(old, "rb") as file:
        check(file.read() == b"old", "VALUES is not put back")
    os.rmdir(places[1])
    files = {"v_txt": np.array([1, 2], "i4"), "l_txt": np.array([2, 1], "u8")}
    for turn in "12":
        for name in "v.txt", "l.txt":
            d.write(b"old", name)
        env = {**d.no_limit(), "CLFOLD_TEST_RENAME": turn}
        done = d.run(*words, d.save(np.array([1, 1, 2], "i4")), *places, env=env)
        check(done.returncode == -signal.SIGTERM, f"{done}")
        expect(d, "a signal", **files)
    for shell in ['"$@" - l.txt >v.txt', '"$@" v.txt - | cat >l.txt',
                  '{ "$@" /dev/fd/3 - 3>&1 >&4 | cat >v.txt; } 4>&1 | cat >l.txt']:  # fmt: skip
        good(d, *text, "-", shell=shell, data=b"1 1 2", cwd=d.folder)
        expect(d, shell, **files)


def failures(d, device):
    """Outputs are there whole or not at all, those that were there before too."""
    where = ["--device", device["index"]]
    old = d.write(b"old", "data.old.npy")
    text = d.write(b"1 1 2 " * 500 + b"x", "data.txt")
    select = ["select", *where, "--where", "x > 1"]
    unique, other = ["unique", *where], d.path("o.bin")
    for words in [*select, "--rest", other], [*unique, "--lengths", other]:
        d.bad(1, "data.txt: line 1", *words, "--memory", 1600, "--text", "i32", text, old)
        expect(d, words)
        os.mkdir(d.path("data.npy"))
        d.bad(1, "data.npy: ", *words[:-1], d.path("data.npy"), "--text", "i32", text,
              d.path("o.npy"))  # fmt: skip
        os.rmdir(d.path("data.npy"))
        expect(d, words)
    with open(old, "rb") as file:
        check(file.read() == b"old", "an old file has changed")
    path = d.save(np.ones(9, "i4"))
    for part, *words in [
        ("--where may use in, that", *select[:-1], "x > in[0]", "--memory", 16),
        ("needs 24 bytes of memory at least", *unique, "--memory", 23),
        ("(CLFOLD_ERROR_BUILD)", *select[:-1], "x > y"),
    ]:  # fmt: skip
        done = d.run(*words, path, d.path("o.npy"))
        check(done.returncode == 1 and part.encode() in done.stderr, f"{words}: {done}")
        expect(d, words)
    done = d.run(*select[:-1], "sqrt(x) > 1", path, d.path("o.npy"))
    check(b"write to_f" in done.stderr, f"{done}")


CASES = [selects, places, uniques, unique_texts, round_trips, lengths, together, failures]

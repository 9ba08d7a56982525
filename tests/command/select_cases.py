"""Cases on one device: the two files of selects and of runs, together or not at all."""

import os
import signal

import numpy as np

from cases import read
from driver import check, good, read_out, same_array


def written(d, out, dtype):
    return read_out(read(d.path(out)), os.path.splitext(out)[1], dtype)


def expect(d, what, **files):
    """The files that the command has written, by name, and nothing else in its folder."""
    for name, right in files.items():
        name = name.replace("_", ".")
        told = written(d, name, right.dtype)
        check(same_array(told, right), f"{what}: {name} has {told!r}, not {right!r}")
        os.remove(d.path(name))
    left = [name for name in os.listdir(d.folder) if not name.startswith(("data", "c."))]
    check(not left, f"{what}: left {left}")


def together(d, device):
    """Both outputs are new, whatever signal comes, and both may be pipes. The unit test `replace`
    has a second one that cannot be put in its place."""
    words, places = ["rle", "--device", device["index"]], [d.path("v.txt"), d.path("l.txt")]
    text = [*words, "--text", "i32", "--memory", 4000]
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


def kept(d, device):
    """What was there before stays where a later piece is wrong."""
    where, old = ["--device", device["index"]], d.write(b"old", "data.old.npy")
    text = ["--memory", 1600, "--text", "i32", d.write(b"1 1 2 " * 500 + b"x", "data.txt")]
    os.mkdir(d.path("data.npy"))
    for operation, *words in [["select", "--where", "x > 1", "--rest"], ["unique", "--lengths"]]:
        words = [operation, *where, *words]
        d.bad(1, "data.txt: line 1", *words, d.path("o.bin"), *text, old)
        d.bad(1, "data.npy: ", *words, d.path("data.npy"), *text, d.path("o.npy"))
        expect(d, words)
    check(read(old) == b"old", "an old file has changed")


CASES = [together, kept]

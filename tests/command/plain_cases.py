"""Cases that need no device: arguments, streams and files that are refused."""

import os
import re
import subprocess

import numpy as np

from driver import check


def usage(d, _):
    """The unit test `options` tries every option; this one, that main prints what they say."""
    general = d.good("--help")
    check("clfold devices" in general and "clfold reduce" in general, general)
    check("--json" in d.good("devices", "--help"), "devices --help")
    for word in ["--version", "-V"]:
        check(re.fullmatch(r"clfold \d+\.\d+\.\d+\n", d.good(word)), word)
    check(d.good("help") == general, "help")
    check(d.good("help", "reduce") == d.good("reduce", "-h"), "help reduce")
    d.bad(2, "no command was given")
    d.bad(2, "no option --nothing", "reduce", "--nothing", "x")
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
    """What the unit tests `npy` and `input` try out is said with the file's name."""

    def header(text):
        return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode()

    def refuse(part, content, *options):
        text = d.bad(1, part, "reduce", *options, d.write(content))
        check(d.path("data.bin") in text, f"{text!r} does not name the file")

    plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n"
    refuse("is not an .npy file", b"")
    refuse("ends inside its .npy header", header(plain)[:40])
    refuse("holds 13 bytes of data", header(plain) + bytes(13))
    refuse("not a multiple of the 4 of f32", bytes(13), "--raw", "f32")
    refuse("says 4000000000000", header(plain.replace("(3,)", "(1000000000000,)")) + bytes(12))
    refuse("malformed", header("(" * 60000) + bytes(12))

    for array, dtype in [
        (np.ones(3, np.clongdouble), np.dtype(np.clongdouble).str),
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
    d.bad(2, "got an empty name", "reduce", "")
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


def one_file(d, _):
    """Two outputs that lead to one file, by a link to it or to its folder."""
    os.mkdir(d.path("folder"))
    os.symlink("folder", d.path("other"))
    os.symlink("x.npy", d.path("folder/link.npy"))
    for first, second in [("x.npy", "./x.npy"), ("folder/x.npy", "other/x.npy"),
                          ("other/link.npy", "folder/x.npy")]:  # fmt: skip
        first, second = d.path(first), d.path(second)
        part = f"{{}} and {{}} name one file, {second}"
        d.bad(2, part.format("VALUES", "LENGTHS"), "rle", "in.npy", first, second)
        d.bad(2, part.format("--output", "--keys-out"), "reduce", "--keys", "k.npy", "--output",
              first, "--keys-out", second, "in.npy")  # fmt: skip
        d.bad(2, part.format("--csv", "--svg").replace(second, first), "ladder", "--csv", first,
              "--svg", second)  # fmt: skip
    d.bad(1, "in.npy: No such file", "rle", "in.npy", d.path("x.npy"), d.path("folder/x.npy"))


CASES = [one_file, usage, standard_output, bad_files]

"""Cases that need no device: arguments, streams and files that are refused."""

import os
import re
import subprocess

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


def standard_output(d, _):
    for words in [("--help",), ("--version",), ("devices",), ("devices", "--json")]:
        d.fill_output(*words)
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


def hidden(d, _):
    """A file that may not be read, and a closed stream."""
    for words in [["reduce", "-"], ["reduce", "--text", "u8", "-"]]:
        d.bad(1, "standard input: Bad file", *words, shell='"$@" <&-')
    # root reads every file unless it gives that up
    path = d.write(bytes(4), "hidden")
    os.chmod(path, 0)
    give_up = "setpriv --bounding-set=-dac_override,-dac_read_search "
    d.bad(1, "Permission denied", "reduce", "--raw", "u8", path,
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
    d.bad(1, "in.npy: No such file", "rle", "in.npy", d.path("x.npy"), d.path("folder/x.npy"))


CASES = [one_file, usage, standard_output, hidden]

"""Cases of `clfold scan`: where OUT may be, and no OUT where a scan fails."""

import os
import signal
import subprocess
import threading
import time

import numpy as np

from cases import obey, read, unplaced
from driver import check, read_out, same_array, values

# ---- without a device ----


def no_place(d, _):
    """What cannot be written is told before the input is opened, and leaves nothing."""
    os.makedirs(d.path("folder.npy"))
    os.symlink("loop.npy", d.path("loop.npy"))
    os.symlink("missing/x.npy", d.path("nowhere.npy"))
    os.symlink("made.npy", d.path("link.npy"))
    before = d.left()
    for out, part in [
        (d.path("missing/x.npy"), "No such file"),
        (d.path("nowhere.npy"), "No such file"),
        (d.path("loop.npy"), "Too many levels of symbolic links"),
        (d.path("folder.npy"), "Is a directory"),
        (d.path("x" * 300 + ".txt"), "File name too long"),
    ]:
        text = d.bad(1, part, "scan", d.path("no such input"), out)
        check(out in text, f"{text!r} does not name OUT")
    out = d.path("out.npy")
    for place in [out, d.path("link.npy")]:
        text = d.bad(1, "No such file", "scan", d.path("no such input"), place)
        check("no such input" in text, f"{text!r} does not name IN")
    check(d.left() == before, f"left {os.listdir(d.folder)}")


# ---- with a device ----


def replaced(d, device):
    """OUT may be there, may be IN, and may be a link, which stays."""
    array = values(d, "add", "int64", 5000)
    path, words = d.save(array), ["scan", "--device", device["index"]]
    numbers = array
    for _ in range(2):
        d.good(*words, path, path)
        numbers = np.cumsum(numbers)
        check(same_array(np.load(path), numbers), "OUT that is IN")
    os.symlink("there.npy", d.path("link.npy"))
    d.write(b"old", "there.npy")
    d.good(*words, path, d.path("link.npy"))
    check(os.path.islink(d.path("link.npy")), "the link is gone")
    check(same_array(np.load(d.path("there.npy")), np.cumsum(numbers)), "through a link")
    # what fails leaves the old one
    d.bad(1, "--device nothing", "scan", "--device", "nothing", path, d.path("there.npy"))
    check(same_array(np.load(d.path("there.npy")), np.cumsum(numbers)), "the old OUT is gone")
    os.remove(d.path("there.npy"))
    # nor need there be what it leads to
    os.mkdir(d.path("folder"))
    os.symlink(d.path("folder/next.npy"), d.path("far.npy"))
    os.symlink("../link.npy", d.path("folder/next.npy"))
    d.good(*words, path, d.path("far.npy"))
    for name in ["far.npy", "folder/next.npy", "link.npy"]:
        check(os.path.islink(d.path(name)), f"the link {name} is gone")
    check(not os.path.islink(d.path("there.npy")), "what links lead to is a link")
    check(same_array(np.load(d.path("there.npy")), np.cumsum(numbers)), "through links to no file")


def direct(d, device):
    """A FIFO, /dev/stdout and other devices are written into; nothing is left beside them."""
    array = values(d, "add", "int32", 50000)
    path, numbers = d.save(array), np.cumsum(array, dtype="i8")
    words = ["scan", "--device", device["index"], "--memory", "40000"]
    raw = ["--raw", "i32", d.write(array.tobytes())]
    for name, form in [("fifo", [path]), ("fifo", raw), ("fifo.txt", [path]), ("f.npy", raw)]:
        os.mkfifo(d.path(name))
        got = []
        reader = threading.Thread(target=lambda: got.append(open(d.path(name), "rb").read()))
        reader.start()
        try:
            d.good(*words, *form, d.path(name))
        finally:
            # a reader whom the command never opened for must not wait
            os.close(os.open(d.path(name), os.O_RDWR | os.O_NONBLOCK))
            reader.join(60)
        end = os.path.splitext(name)[1] or (".bin" if form == raw else ".npy")
        check(same_array(read_out(got[0], end, "int64"), numbers), name)
        os.remove(d.path(name))
    for shell in ['"$@" /dev/stdout', '"$@" /dev/stdout | cat', '"$@" /dev/fd/3 3>&1 | cat']:
        done = d.run(*words, path, shell=shell)
        check(done.returncode == 0 and not done.stderr, f"{done}")
        told = read_out(done.stdout, ".npy", "int64")
        check(same_array(told, numbers), shell)
    # behind what a file has
    d.write(b"old", "log.bin")
    d.good(*words, *raw, "/dev/stdout", shell='"$@" >>log.bin', cwd=d.folder)
    check(read(d.path("log.bin")) == b"old" + numbers.tobytes(), "it is not appended to")
    d.bad(1, "/dev/full: No space left", *words, path, "/dev/full")
    os.mkfifo(d.path("f.npy"))
    part = "f.npy: an .npy file begins with its count, and only the end of standard input tells it"
    d.bad(1, part, *words, "--raw", "i32", "-", d.path("f.npy"))
    check(d.left() == ["data.bin", "data.npy", "f.npy", "log.bin"],
          f"{os.listdir(d.folder)}")  # fmt: skip


def failed_output(d, device):
    """A place that fills up: status 1 and no file, or the old one."""
    array = values(d, "add", "int32", 400000)
    path, out = d.save(array), d.path("out.npy")
    words = ["scan", "--device", device["index"], path]
    d.good(*words, out)  # a driver may have files of its own to write, once
    d.write(b"old", "out.npy")
    before = d.left()
    for name in ["out.npy", "out.bin", "out.txt"]:
        # blocks of 512 bytes; Intel's runtime has words of its own for the signal
        shell = "trap '' XFSZ; ulimit -f 4000; exec \"$@\""
        done = d.run(*words, d.path(name), shell=shell)
        check(
            done.returncode == 1
            and not done.stdout
            and done.stderr.endswith(f"clfold: {d.path(name)}: File too large\n".encode()),
            f"{name}: {done}",
        )
        check(d.left() == before, f"left {os.listdir(d.folder)}")
    check(read(out) == b"old", "the old OUT is gone")
    os.remove(out)
    for form in [[path], ["--raw", "i32", path], ["--text", "i32", d.write(b"1 " * 100000)]]:
        d.fill_output(*words[:3], *form, "-")
        d.fill_output("reduce", "--json", *words[1:3], *form)
    done = d.run(*words, "-", shell='"$@" >&-')
    check(done.returncode == 1 and b"standard output: " in done.stderr, f"{done}")


def interrupted(d, device):
    """A signal while the text is written: no file, and death by that signal. The unit test
    `replace` kills with SIGKILL."""
    array = d.random.standard_normal(3_000_000).astype("float32")
    words = [d.command, "scan", "--device", str(device["index"]), d.save(array)]
    before = d.left()
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*words, d.path("out.txt")], preexec_fn=obey, **options) as run:
        # the check before the scan makes a file for a moment, which is empty
        while run.poll() is None and not any(unplaced(run, d.folder)):
            time.sleep(0.002)
        run.send_signal(signal.SIGTERM)
        status = run.wait(60)
    check(status == -signal.SIGTERM, f"exit {status}")
    check(d.left() == before, f"left {os.listdir(d.folder)}")


PLAIN = [no_place]
DRIVERS = [failed_output, interrupted]
PLACES = [replaced, direct]

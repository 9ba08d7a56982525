"""Cases on one device: folds in pieces, as --memory and a small device force them."""

import os
import signal
import subprocess
import time

import numpy as np

from cases import obey, on_terminal
from driver import check


def start(d, *words, **options):
    return subprocess.Popen([d.command, *map(str, words)], stdin=subprocess.PIPE,
                            stderr=subprocess.PIPE, cwd=d.folder, preexec_fn=obey,
                            **options)  # fmt: skip


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


CASES = [slow_pipes, bars, building]
DRIVERS = [memory]

"""Drives `clfold explain` and `clfold ladder` as a user does.

usage: drive_ladder.py COMMAND WRONG_READ PART, as run_part of cases.py has it
"""

import csv
import io
import os
import re
import subprocess
import time

from cases import (
    SIGNALS, Runner, check, check_bars, needs_gnuplot, obey, objects, on_terminal, read,
    run_command, run_part, unplaced, write,
)  # fmt: skip
from charts import Chart

RUNGS = [f"reduce{i}" for i in range(7)]
KERNELS = [*RUNGS, "auto"]
BYTES = {name: int(name[1:]) // 8
         for name in "i8 u8 i16 u16 f16 i32 u32 f32 i64 u64 f64".split()}  # fmt: skip
KEYS = ["kernel", "type", "op", "count", "seconds", "gbps", "ok", "device"]
PREDICTED = ["predicted_seconds", "sectors", "predicted_device"]
SMALL = ["--min", "1000", "--max", "2^12"]
SMALL_COUNTS = [1000, 1024, 2048, 4096]


class Driver(Runner):
    def __init__(self, command, wrong_read):
        super().__init__(command)
        self.wrong_read = wrong_read

    def run(self, *words, **options):
        command = [self.command, *map(str, words)]
        options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        return run_command(command, **options)

    def ladder(self, device, *words, **options):
        """The objects of --json, each of the right form."""
        text = self.good("ladder", "--json", "--device", device["index"], *words, **options)
        return self.read_lines(text, device)

    def read_lines(self, text, device):
        lines = objects(text, lambda told: [*KEYS, *PREDICTED] if "sectors" in told else KEYS)
        for line in lines:
            check(
                line["kernel"] in KERNELS
                and line["device"] == device["name"]
                and isinstance(line["ok"], bool)
                and isinstance(line["count"], int)
                and 0 < line["seconds"] < 60,
                f"{line}",
            )
            speed = line["count"] * BYTES[line["type"]] / line["seconds"] / 1e9
            # seconds has nine digits after the point
            check(abs(line["gbps"] / speed - 1) < 1e-9 / line["seconds"] + 1e-4, f"{line}")
        return lines

    def refuse_files(self, command, *options):
        """Told before anything is done: no device has room for the words' count."""
        os.mkfifo(self.path("fifo"))
        before = self.left()
        for name, part in [
            (self.path("missing/file"), "No such file"), (self.folder, "Is a directory"),
            (self.path("fifo"), "not a regular file"),
            ("/dev/null", "not a regular file"), ("/proc/file", ""),
            (self.path("x" * 300), "File name too long"),
        ]:  # fmt: skip
            for option in "--svg", *options:
                text = self.bad(1, part, *command, option, name)
                check(name in text, f"{text!r} does not name the file")
        words = [*command, "--svg", self.path("x.svg")]
        self.bad(1, "needs the program gnuplot", *words, env={**os.environ, "PATH": ""})
        check(self.left() == before, f"left: {self.left()}")

    def write_gnuplot(self, last):
        """A gnuplot that passes the check, begins a chart and then does the last command; the
        environment that has it."""
        os.makedirs(self.path("slow"), exist_ok=True)
        fake = self.path("slow/gnuplot")
        # the check reads three words, the chart's script begins otherwise
        write(fake, "#!/bin/sh\nread -r a b c\n"
              f'[ "$b" = terminal ] && exit 0\necho "<svg>"\n: >{self.path("slow/started")}\n'
              f"{last}\n")  # fmt: skip
        os.chmod(fake, 0o755)
        return {**os.environ, "PATH": self.path("slow") + ":" + os.environ["PATH"]}


def read_table(path):
    return list(csv.DictReader(io.StringIO(read(path).decode(), newline="")))


def types_of(device):
    return [
        name
        for name in BYTES
        if (name != "f64" or device["fp64"]) and (name != "f16" or device["fp16"])
    ]


# ---- without a device ----


def unwritable(d, _):
    d.refuse_files(["ladder", "--max", "2^40"], "--csv")


def no_gnuplot(d, _):
    """One that is there and does not work."""
    os.mkdir(d.path("empty"))
    words = ["ladder", "--max", "2^40", "--svg", d.path("x.svg"), "--csv", d.path("x.csv")]
    fake = write(d.path("empty/gnuplot"), "#!/bin/sh\necho 'gnuplot: no terminal' >&2\nexit 3\n")
    os.chmod(fake, 0o755)
    text = d.bad(1, "status 3", *words, env={**os.environ, "PATH": d.path("empty")})
    check("no terminal" in text and d.left() == ["empty"], f"{text} {d.left()}")


# ---- with a device ----


def folds(d, device):
    """All results are right, for operators of two kinds. That the command expects the right
    results of all is the unit test made_data's."""
    for op, name in [("arg-min-max", "i16"), ("bit-xor", "u64")]:
        lines = d.ladder(device, "--op", op, "--type", name, *SMALL)
        told = [(line["count"], line["kernel"]) for line in lines]
        check(
            told == [(count, kernel) for count in SMALL_COUNTS for kernel in KERNELS],
            f"{told}",
        )
        for line in lines:
            check(line["ok"] and line["type"] == name and line["op"] == op, f"{line}")


def counts(d, device):
    for words, expected in [
        (["--min", "1", "--max", "1"], [1]),
        (["--min", "1", "--max", "5"], [1, 2, 4]),
        (["--min", "5", "--max", "7"], [5]),
        (["--min", "2^16", "--max", "100000"], [65536]),
        (["--min", "3", "--max", "2^3"], [3, 4, 8]),
    ]:
        lines = d.ladder(device, *words)
        told = sorted({line["count"] for line in lines})
        check(told == expected and all(line["ok"] for line in lines), f"{words}: {told}")


def tree_of(kernel, group):
    """Busy and mixed steps, replays and cycles of a group that is a power of two from 32 on."""
    width = group // 32
    busy = 6 * width - 1 if kernel == "reduce0" else width + 4
    replays = 15 * (width - 1) if kernel == "reduce1" else 0
    return [busy, busy if kernel == "reduce0" else 5, replays, 3 * busy + replays]


def tables(d, device):
    text = d.good("ladder", "--device", device["index"], *SMALL)
    check(f"i32 add on {device['name']}, driver {device['driver_version']}\n" in text, text)
    speeds, rungs = text.split("\n\n")[1:]
    rows = [line.split() for line in speeds.splitlines()[1:]]
    check(rows[0] == ["n", *KERNELS], f"{rows[0]}")
    check([row[0] for row in rows[1:]] == ["1000", "2^10", "2^11", "2^12"], f"{rows}")
    check(all(float(cell) >= 0 and len(row) == 9 for row in rows[1:] for cell in row[1:]),
          f"{rows}")  # fmt: skip
    check(rungs.startswith("n = 2^12;"), rungs)
    rows = [line.split() for line in rungs.splitlines()[2:10]]
    check([row[0] for row in rows] == KERNELS, f"{rows}")
    for place, row in enumerate(rows):
        check(len(row) == 15, f"{row}")
        group = int(row[5])
        steps = (group - 1).bit_length()
        if row[0] == "auto":
            check(row[6:12] == ["-"] * 6, f"{row}")
        else:
            check(row[6:8] == [str(steps), str(steps + 1)], f"{row}")
            if group >= 32 and group & (group - 1) == 0:
                check(list(map(int, row[8:12])) == tree_of(row[0], group), f"{row}")
        if place:
            before, first = float(rows[place - 1][1]), float(rows[0][1])
            for told, ratio in [(row[3], before), (row[4], first)]:
                # four digits after the point of a time, two after that of a ratio
                expected = ratio / float(row[1])
                off = 0.0001 / float(row[1]) + 0.0001 / ratio + 0.01
                check(abs(float(told) - expected) < off * expected + 0.006, f"{row}")
    last = re.search(r"\nauto is [a-z_0-9]+; the fastest kernel that only reads takes in (\S+) "
                     r"GB/s\n$", text)  # fmt: skip
    check("ok=no" not in text and last and float(last[1]) > 0, text)


def predictions(d, device):
    words = [*SMALL, "--predict", "a100"]
    text = d.good("ladder", "--device", device["index"], *words)
    rows = [line.split() for line in text.split("\n\n")[2].splitlines()[1:]]
    check(rows[0][-2:] == ["predicted", "sectors"], f"{rows[0]}")
    check(all(len(row) == 17 and float(row[15]) > 0 for row in rows[1:9]), f"{rows}")
    # reduce0 reads each of the 2^12 numbers once, 8 in a sector
    check(512 < int(rows[1][16]) < 600, f"{rows[1]}")
    check("predicted are ms on NVIDIA A100" in text, text)
    needs_gnuplot()
    table = d.path("p.csv")
    seen, lines = draw(d, device, *words, "--csv", table)
    for row, line in zip(read_table(table), lines, strict=True):
        check(list(row) == [*KEYS, *PREDICTED], f"{row}")
        check(row["sectors"] == str(line["sectors"]), f"{row} {line}")
    check("linetype cycle 8\n" in seen.head, "a model has its kernel's colour")


def files(d, device):
    needs_gnuplot()
    table, chart = d.path("x.csv"), d.path("x.svg")
    write(table, "old\n")
    before = d.left()
    lines = d.ladder(device, *SMALL, "--csv", table, "--svg", chart)
    check(d.left() == sorted([*before, "x.svg"]), f"{d.left()}")
    check(os.stat(chart).st_mode & 0o777 == 0o666 & ~umask(), "the chart's permissions")
    for row, line in zip(read_table(table), lines, strict=True):
        line["ok"] = "yes" if line["ok"] else "no"
        check(list(row) == KEYS, f"{row}")
        for key, cell in row.items():
            told = line[key]
            check(float(cell) == told if isinstance(told, float) else cell == str(told),
                  f"{row} {line}")  # fmt: skip
    os.remove(table)

    # through a link, which stays; and one count alone
    os.symlink("there.svg", d.path("link.svg"))
    write(d.path("there.svg"), "")
    words = ["--min", 1000, "--max", 1000, "--op", "max", "--type", "f32"]
    d.ladder(device, *words, "--svg", d.path("link.svg"))
    check(os.path.islink(d.path("link.svg")) and read(d.path("there.svg")), "the link is gone")
    draw(d, device, *words)


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def draw(d, device, *words):
    """The chart that is drawn, and the lines that are told."""
    seen = Chart(d, "ladder", "--json", "--device", device["index"], *words)
    lines = d.read_lines(seen.told, device)
    seen.check_title("ladder", device, None, d.good("--version").strip())
    seen.check_axes(1, is_log=True)
    counts = sorted({line["count"] for line in lines})
    kernels = ["auto", *RUNGS]
    drawn = {name: [line["gbps"] for line in lines if line["kernel"] == name] for name in kernels}
    if "sectors" in lines[0]:
        for name in kernels:
            mine = [line for line in lines if line["kernel"] == name]
            drawn[name + " model"] = [line["gbps"] * line["seconds"] / line["predicted_seconds"]
                                      for line in mine]  # fmt: skip
    [limit] = set(re.findall(r"first (\S+) to .* linestyle 20 ", seen.panels[0]))
    drawn["roofline: read"] = [float(limit)] * len(counts)
    title = f"reduce {lines[0]['op']} {lines[0]['type']}: bytes read"
    seen.check_panel(0, title, counts, drawn)
    [bold] = re.findall(r"^set label '{/:Bold ([^']*)}' .* graph 1", seen.panels[0], re.M)
    check(bold == "auto" and seen.panels[0].count("linetype 1 linewidth 4") == 1, bold)
    return seen, lines


def wrong_results(d, device):
    """Every third result has a wrong bit."""
    environment = {**os.environ, "LD_PRELOAD": d.wrong_read}
    words = ["ladder", "--device", device["index"], *SMALL]
    table = d.path("wrong.csv")
    done = d.run(*words, "--json", "--csv", table, env=environment)
    lines = d.read_lines(done.stdout.decode(), device)
    expected = [i % 3 != 2 for i in range(32)]
    check([line["ok"] for line in lines] == expected, f"{lines}")
    text = done.stderr.decode()
    check(
        done.returncode == 1
        and re.fullmatch(
            r"clfold: 10 of 32 results are wrong: reduce2 at 1000 gives (-?\d+), and the "
            r"host (-?\d+)\n",
            text,
        ),
        f"exit {done.returncode}, {text!r}",
    )
    told = [row["ok"] for row in read_table(table)]
    check(told == ["yes" if ok else "no" for ok in expected], f"{told}")
    os.remove(table)
    done = d.run(*words, env=environment)
    check(done.returncode == 1 and done.stdout.count(b"\nok=no reduce") >= 8, f"{done}")


def interrupted(d, device):
    """A signal while gnuplot draws: no file, and death by that signal."""
    started, environment = d.path("slow/started"), d.write_gnuplot("exec sleep 60")
    words = [d.command, "ladder", "--device", str(device["index"]), *SMALL]
    words += ["--csv", d.path("y.csv"), "--svg", d.path("y.svg")]
    options = {"env": environment, "start_new_session": True, "preexec_fn": obey}
    options.update(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for number in SIGNALS:
        with subprocess.Popen(words, **options) as run:
            for _ in range(1200):
                if os.path.exists(started) or run.poll() is not None:
                    break
                time.sleep(0.05)
            partial = unplaced(run, d.folder)
            os.killpg(run.pid, number)
            status = run.wait(60)
        check(len(partial) == 2, f"while gnuplot draws there is {partial}")
        check(status == -number, f"signal {number}: exit {status}")
        check(d.left() == ["slow"], f"signal {number}: left {d.left()}")
        os.remove(started)
    # and a gnuplot that dies by itself, or leaves a chart without an end
    for last, part in [("kill -9 $$", "by signal 9"), ("exit 0", "not complete")]:
        done = d.run(*words[1:], env=d.write_gnuplot(last))
        check(done.returncode == 1 and part in done.stderr.decode(), f"{done}")
        os.remove(started)
        check(d.left() == ["slow"], f"left {d.left()}")


def full_output(d, device):
    bench = ["bench", "--seconds", 0, "--max", 64, "--types", "i32"]
    for words in [["explain", "reduce"], ["ladder", *SMALL], ["ladder", "--json", *SMALL], bench,
                  [*bench, "--json"]]:  # fmt: skip
        d.fill_output(*words, "--device", device["index"])


def progress(d, device):
    # 8 kernels take their 50 ms at each of 6 counts: more than a second
    words = ["ladder", "--device", str(device["index"]), "--min", "2^15", "--max", "2^20"]
    shown = on_terminal([d.command, *words])
    if not shown:
        # a fast device has 50 calls before its 50 ms are over
        words[-1] = "2^25"
        shown = on_terminal([d.command, *words])
    check(check_bars(shown, "measuring"), f"no bar on a terminal: {shown!r}")
    check(b"\n" not in shown, f"{shown!r}")
    # good() sees that a pipe gets nothing
    d.good(*words)
    # and what takes less than a second shows none
    words = ["ladder", "--device", str(device["index"]), "--min", "5", "--max", "5"]
    begin = time.monotonic()
    shown = on_terminal([d.command, *words])
    check(not shown or time.monotonic() - begin > 1, f"{shown!r}")


RESULTS = [], [counts, folds, wrong_results, interrupted]
FORMS = [unwritable, no_gnuplot], [tables, predictions, files, full_output, progress]


if __name__ == "__main__":
    run_part(Driver, __doc__, RESULTS, FORMS)

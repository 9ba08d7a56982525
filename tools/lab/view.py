"""What views share: options, cases, the programs that they start, and how they end."""

import argparse
import contextlib
import os
import re
import shlex
import signal
import sys
import textwrap

from lab import measure, programs, report
from lab.case import Case, Wrong
from lab.program import Absent, Failed, Trouble
from lab.text import DTYPES, Unknown, count_text

ROOFLINE_MOST = 1 << 30  # bytes of its data; a larger case has the same speed
JUDGED = 32 << 20  # bytes, from which on the memory is what limits
MOST_BYTES = 32  # that an element moves
CASE = """CASE is one of {}; or an operation and its options, as clfold explain takes them, after
all others: select --where 'x > 40'. There --rest, --lengths-out and --keys-out stand alone,
--stream y=TYPE has a type in place of a file, and --segments says how long segments and runs are:
N each, 0-N as many of each, ~N geometric with this mean, or pareto, up to 10^6."""
ENVIRONMENT = """Environment:
  POCL_AFFINITY     whether PoCL's workers are placed, 1 or 0; if not set, 1
  CLFOLD_TUNING     a tuning file, whose rows replace the library's own numbers
  XDG_CACHE_HOME    the folder of clfold, which keeps built programs, probes of
                    devices, peers and other versions; if not set, ~/.cache
"""

def filled(paragraph):
    """In lines of 80 columns, but for a list."""
    return paragraph if "\n  " in paragraph else textwrap.fill(
        " ".join(paragraph.split()), 80, break_on_hyphens=False)  # fmt: skip


def count_of(text):
    """1000, 2^26, 1e6 or 64Mi."""
    match, number = re.fullmatch(r"(\d{1,18})(?:([\^e])(\d{1,2})|([KMGT])i)?", text), 0
    if match:
        word, how, power, unit = match.groups(default="")
        number = int(word) ** int(power) if how == "^" else (
            int(word) * 10 ** int(power or 0) << 10 * " KMGT".index(unit or " "))
    if not 0 < number < 1 << 48:
        raise argparse.ArgumentTypeError(f"{text}: a count is a number from 1 to 2^48 - 1, such as "
                                         "1000, 2^26, 1e6 or 64Mi")
    return number


def counts_of(text):
    """A count each, or LOW..HIGH: doubled from one to the other."""
    found = []
    for word in text.split(","):
        low, dots, high = word.partition("..")
        low, high = count_of(low), count_of(high if dots else low)
        found += [low << n for n in range((high // low).bit_length())]
        if high < low:
            raise argparse.ArgumentTypeError(f"{word}: ends before it begins")
    return found


def list_of(read):
    def read_list(text):
        return [read(word) for word in text.split(",")]

    return read_list


def types_of(text):
    for name in text.split(":"):
        if name not in DTYPES or text.count(":") > 1:
            raise argparse.ArgumentTypeError(f"{text}: the types are {' '.join(DTYPES)}, and "
                                             "u8:u64 is u8 folded in u64")
    return text


def number_from(least, most, kind=float):
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text}: is not a number from {least:g} to {most:g}")
        return value

    return read


def file_path(text):
    if text in ("", "-"):
        raise argparse.ArgumentTypeError("needs a file, and got " + (text or "nothing"))
    return text


class Form(argparse.RawDescriptionHelpFormatter):
    """Help as clfold prints it, which help2man makes pages of."""

    def __init__(self, prog):
        super().__init__(prog, max_help_position=20, width=80)

    def add_usage(self, usage, actions, groups, prefix=None):
        super().add_usage(usage, actions, groups, "Usage: ")


class Parser(argparse.ArgumentParser):
    """One sentence and 2 on wrong usage, as clfold has it. `examples`: what each is for, and on a
    line that is indented, how. `counts`, `seconds`: defaults of a view that measures cases; no
    seconds: it has its own. `known`: its lists of cases; None: it has its own."""

    def __init__(self, name, about, examples, counts=(), seconds=1.0, known=None, usage=""):
        about = about + "\n\n" + CASE.format(", ".join(known)) if known else about
        super().__init__(prog=f"clfold {name}", allow_abbrev=False, formatter_class=Form,
                         usage=f"clfold {name} [options]{' [CASE]' if known else ''}{usage}",
                         description="\n\n".join(map(filled, about.split("\n\n"))), add_help=False,
                         epilog=f"{ENVIRONMENT}\nExamples:\n" + examples.strip("\n"))  # fmt: skip
        self._optionals.title = "Options"
        self.name, self.known = name, known
        self.set_defaults(events=False, once=False, types=None)
        add = self.add_argument
        if counts:
            add("--types", metavar="LIST", type=list_of(types_of),
                help=f"of elements, each one of {' '.join(DTYPES)}; or u8:u64, u8 folded in u64")
            add("--counts", metavar="LIST", type=counts_of, default=counts,
                help="of elements, such as 1000,64Mi or 2^20..2^26, which doubles; default: "
                + ",".join(map(count_text, counts)))
            add("--once", action="store_true", help=argparse.SUPPRESS if name == "small" else
                "one set of buffers, so that small data stay in the caches")  # fmt: skip
        if counts and seconds:
            add("--seconds", metavar="S", type=number_from(0.01, 1e6), default=seconds,
                help=f"for each case, in at least {measure.FEWEST_ROUNDS} rounds and at most "
                f"{measure.MOST_ROUNDS}; default: {seconds:g}")
            add("--rounds", metavar="N", type=number_from(1, measure.MOST_ROUNDS, int),
                help="so many rounds instead")

    def parse_args(self, *words):
        """After what a view adds, each has these."""
        add = self.add_argument
        add("--limit", metavar="S", type=number_from(0.1, 1e6), default=120.0,
            help="seconds for one answer of a program; default: 120")
        add("--device", metavar="SEL", help="an index as clfold devices shows it, gpu, cpu, or a "
            "part of a name; default: the first GPU, else the first device")
        add("--json", action="store_true", help="one object a line")
        for kind in ("svg", "png"):
            add(f"--{kind}", metavar="FILE", type=file_path, help="a chart; needs matplotlib, "
                "Debian's package python3-matplotlib")
        add("-h", "--help", action="help", help="print these options")
        if self.known:
            add("case", metavar="CASE", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
        return super().parse_args(*words)

    def error(self, message):
        message = re.sub(r"^argument (-\w/)?(--[\w-]+): ", r"\2 ", message)
        print(f"clfold: {message}; see clfold {self.name} --help", file=sys.stderr)
        sys.exit(2)


def cases_of(options, known, default):
    """(words, type) each. `known`: lists of (words, types) by name."""
    words = options.case or [default]
    one = words[0] if len(words) == 1 else shlex.join(words)
    rows = known.get(one) or [(one, "f32")]
    for one, _ in rows:
        Case(one)  # that it is one shows before anything is measured
    return [(one, kind) for one, kinds in rows for kind in options.types or kinds.split()]


def make_case(words, kind, count):
    try:
        case = Case(words, count)
        if kind and not {"type", "acc"} & set(case.options):
            case = case.of_type(kind)
        case.title = words
        case.make()
        return case
    except Wrong as wrong:
        raise Failed(str(wrong)) from wrong
    except MemoryError as error:
        raise Failed(f"there is no memory for {count_text(count)} elements") from error


def expected_of(case):
    """Its results by numpy, or None: they are not known."""
    try:
        return case.expected()
    except (Unknown, TypeError):  # of an operator that numpy does not have for the type
        return None


# ---- The roofline ----


class Roofline:
    """What reading and copying the bytes of a case takes: entries, and what follows from them."""

    def __init__(self, pool):
        self.calls = {}
        for name in ["roofline", *(["native"] if pool.get("roofline").about["is_cpu"] else [])]:
            with contextlib.suppress(Absent):  # built without OpenMP
                self.calls[name] = pool.get(name).about.get("calls", [])

    def entries(self, read, written):
        """Of as many bytes: all are read where next to nothing is written, else copied, or written
        several times."""
        self.times = 0 if written < read / 10 else max(1, round(written / read))
        share = (read + written) // (1 + self.times)
        self.share = max(64, min(share, ROOFLINE_MOST // (1 + self.times)) // 64 * 64)
        kind, times = ("copy", [self.times]) if self.times else ("read", [])
        return [measure.Entry(f"{name} {call.partition(' ')[2]}", name, [*call.split(), *times],
                              number=number, bound=True)
                for name, calls in self.calls.items()
                for number, call in enumerate(calls) if call.startswith(kind)]  # fmt: skip

    def line_of(self, program, shared, one):
        """The line that gives a program the data of a measurement: its own, or as many bytes."""
        if program not in self.calls:
            return shared.data_line(one.sets)
        path = os.path.join(shared.folder.name, "bytes")
        with open(path, "wb"):
            os.truncate(path, self.share)
        sets = 1
        if not one.options.once:
            sets, _ = measure.sets_for(self.share * (1 + self.times), one.num_programs)
        out = [f"out={self.share * self.times}"] if self.times else []
        return "\t".join(["data", str(self.share), str(sets), f"in={path}:{self.share}", *out])

    def best(self, entries, names=None):
        """GB/s of the fastest call of these programs, and its name; or None."""
        done = [(self.share * (1 + self.times) / entry.median() / 1e9, entry.name)
                for entry in entries if entry.program in (names or self.calls)
                and entry.seconds and not entry.trouble]  # fmt: skip
        return max(done, default=(None, None))


class Session(measure.Pool):
    """Programs on the device that is asked for, what they found, and what is printed of it.
    `lines_of`: gives a row's lines in a chart."""

    def __init__(self, options, name, columns, lines_of=None, unit=report.SPEED):
        super().__init__(options.limit)
        self.options, self.name, self.lines_of, self.unit = options, name, lines_of, unit
        self.chart, self.columns = report.Chart(options), columns
        self.rows, self.told, self.failed, self.num_cases = [], {""}, False, 0
        self.commands = {}  # of programs that are not built with clfold

    def command(self, name):
        device = ["--device", self.options.device] if self.options.device else []
        return [*(self.commands.get(name) or programs.command(name)), *device]

    def cases(self, known, default):
        """Each case that is asked for, made. The table ends after the last one."""
        picked = cases_of(self.options, known, default)
        self.num_cases = len(picked) * len(self.options.counts)
        self.roofline, about = Roofline(self), self.get("roofline").about
        # small data say nothing of the memory
        is_large = max(self.options.counts) * MOST_BYTES >= JUDGED
        speeds = [self.memory_speed()] if is_large else []
        table = self.table = report.Table(self.options, self.columns)
        for words, kind in picked:
            for count in self.options.counts:
                yield make_case(words, kind, count)
        speeds += [self.memory_speed()] if is_large else []
        table.end(report.last_row(about, speeds))
        self.chart.draw(self.rows, self.lines_of, self.unit, self.name)

    def measure(self, case, entries, with_roofline=True):
        """A case by these entries, and by the roofline's if it is wanted."""
        expected = expected_of(case)
        bounds = self.roofline.entries(*case.moved(expected))
        one = measure.Measurement(self, case, [*entries, *(bounds if with_roofline else [])],
                                  self.options)  # fmt: skip
        one.measure(self.roofline.line_of, expected)
        for entry in entries:
            self.warn(entry.answer)
            ours = entry.program == "clfold"
            self.failed |= bool(entry.trouble) and (ours or not isinstance(entry.trouble, Absent))
        return one

    def warn(self, answer):
        """Of what a program warns of, once."""
        warning = answer.get("warning", "")
        if warning not in self.told:
            print(f"clfold: warning: {warning}", file=sys.stderr)
        self.told.add(warning)

    def add(self, row):
        self.rows.append(row)
        self.table.add(row)

    def memory_speed(self):
        """GB/s of reading and of copying, at best. A GPU copies more, so that a launch is short."""
        num_bytes = 1 << (26 if self.get("roofline").about["is_cpu"] else 28)
        found, options = {}, argparse.Namespace(seconds=0.2, rounds=0, once=False, events=False)
        for name, written in (("read", 0), ("copy", 1)):
            entries = self.roofline.entries(num_bytes, written * num_bytes)
            one = measure.Measurement(self, make_case("map", "f32", 1), entries, options)
            one.measure(self.roofline.line_of, None)
            found[name] = self.roofline.best(entries)[0]
        return found


def run(main):
    """Runs a view; one sentence where it fails. A signal ends it as ctrl-C does, without files
    that stay."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(status)
    except (Failed, Trouble, Wrong) as error:
        print(f"clfold: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"clfold: {error.filename or 'standard output'}: {error.strerror}",
                  file=sys.stderr)
        # the output is closed or full; do not flush it at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)

"""What views share: options, counts, the programs that they start, and how they fail."""

import argparse
import os
import re
import shlex
import signal
import sys
import textwrap

from lab import measure, programs
from lab.case import Case, Wrong
from lab.program import Trouble
from lab.text import DTYPES, Unknown

UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
ROOFLINE_MOST = 1 << 30  # bytes of its data; a larger case has the same speed
CASE = """CASE is one of {}; or an operation and its options, as clfold explain takes them, after
all others: select --where 'x > 40'. There --rest, --lengths-out and --keys-out stand alone,
--stream y=TYPE has a type in place of a file, and --segments says how long segments and runs are:
N each, 0-N as many of each, ~N geometric with this mean, or pareto, up to 10^6."""


class Failed(Exception):
    """Ends a view with 1 and this sentence."""


def filled(paragraph):
    """In lines of 80 columns, but for a list."""
    return paragraph if "\n  " in paragraph else textwrap.fill(
        " ".join(paragraph.split()), 80, break_on_hyphens=False)  # fmt: skip


def count_of(text):
    """1000, 2^26, 1e6 or 64Mi."""
    power = re.fullmatch(r"(\d{1,18})\^(\d{1,2})", text)
    plain = re.fullmatch(r"(\d{1,18})(?:e(\d{1,2})|(|[KMGT]i))", text)
    number = int(power[1]) ** int(power[2]) if power else plain and int(plain[1]) * (
        10 ** int(plain[2]) if plain[2] else UNITS[plain[3]])  # fmt: skip
    if not number or number >= 1 << 48:
        raise argparse.ArgumentTypeError(f"{text}: a count is a number from 1 to 2^48 - 1, such as "
                                         "1000, 2^26, 1e6 or 64Mi")
    return number


def count_text(count):
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power and count > 1 else str(count)


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
    line that is indented, how."""

    def __init__(self, name, about, usage, examples):
        super().__init__(prog=f"clfold {name}", allow_abbrev=False, formatter_class=Form,
                         usage=f"clfold {name} {usage}", add_help=False,
                         description="\n\n".join(map(filled, about.split("\n\n"))),
                         epilog="Examples:\n" + examples.strip("\n"))  # fmt: skip
        self._optionals.title = "Options"
        self.name = name

    def parse_args(self, *words):
        self.add_argument("-h", "--help", action="help", help="print these options")
        return super().parse_args(*words)

    def error(self, message):
        message = re.sub(r"^argument (-\w/)?(--[\w-]+): ", r"\2 ", message)
        print(f"clfold: {message}; see clfold {self.name} --help", file=sys.stderr)
        sys.exit(2)

    def add_common(self, counts, seconds=1.0):
        add = self.add_argument
        add("--types", metavar="LIST", type=list_of(types_of),
            help="of elements, such as f32,u8:u64, where u8:u64 is u8 folded in u64")
        add("--counts", metavar="LIST", type=list_of(count_of), default=counts,
            help="of elements, such as 1000,2^20,64Mi; default: "
            + ",".join(map(count_text, counts)))
        add("--seconds", metavar="S", type=number_from(0.01, 1e6), default=seconds,
            help=f"for the rounds of each case, {measure.FEWEST_ROUNDS} to {measure.MOST_ROUNDS}; "
            f"default: {seconds:g}")
        add("--rounds", metavar="N", type=number_from(1, measure.MOST_ROUNDS, int),
            help="so many rounds instead")
        add("--once", action="store_true",
            help="one set of buffers, so that small data stay in the caches")
        add("--limit", metavar="S", type=number_from(0.1, 1e6), default=120.0,
            help="seconds for one answer of a program; default: 120")
        add("--device", metavar="SEL", help="an index as clfold devices shows it, gpu, cpu, or a "
            "part of a name; default: the first GPU, else the first device")

    def add_outputs(self):
        add = self.add_argument
        add("--json", action="store_true", help="one object a line")
        for kind in ("svg", "png"):
            add(f"--{kind}", metavar="FILE", type=file_path, help="a chart over counts; needs "
                "matplotlib, Debian's package python3-matplotlib")

    def add_case(self, known):
        """After it the help says which there are."""
        self.add_argument("case", metavar="CASE", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
        self.description += "\n\n" + filled(CASE.format(", ".join(known)))


def cases_of(options, known, default):
    """(words, type) each. `known`: lists of (words, types) by name."""
    words = options.case or [default]
    if len(words) == 1 and words[0] in known:
        rows = known[words[0]]
    else:
        rows = [(words[0] if len(words) == 1 else shlex.join(words), None)]
    for one, _ in rows:
        Case(one)  # that it is one shows before anything is measured
    return [(one, kind) for one, kinds in rows
            for kind in (options.types or (kinds or "f32").split())]


def make_case(words, kind, count):
    try:
        case = Case(words, count)
        if kind and not {"type", "acc"} & set(case.options):
            case = case.of_type(kind)
        case.make()
        return case
    except Wrong as wrong:
        raise Failed(str(wrong)) from wrong
    except MemoryError as error:
        raise Failed(f"there is no memory for {count_text(count)} elements") from error


def pool_for(options, extra=None):
    """The programs, on the device that is asked for. `extra`: more of them, by name."""
    os.environ.setdefault("POCL_AFFINITY", "1")

    def start(name):
        command, environment = (extra or {}).get(name) or (programs.command(name), None)
        return [*command, *(["--device", options.device] if options.device else [])], environment

    return measure.Pool(start, options.limit)


# ---- The roofline ----


class Roofline:
    """What reading and copying the bytes of a case takes: entries, and what follows from them."""

    def __init__(self, pool):
        self.names = ["roofline"]
        if pool.get("roofline").about.get("is_cpu"):
            self.names.append("native")
        self.calls = {}
        for name in list(self.names):
            try:
                self.calls[name] = pool.get(name).about.get("calls", [])
            except Trouble:  # built without OpenMP
                self.names.remove(name)

    def entries(self, read, written):
        """Of as many bytes: all are read where next to nothing is written, else copied, or written
        several times."""
        self.times = 0 if written < read / 10 else max(1, round(written / read))
        share = (read + written) // (1 + self.times)
        self.share = max(64, min(share, ROOFLINE_MOST // (1 + self.times)) // 64 * 64)
        kind = "copy" if self.times else "read"
        found = []
        for name in self.names:
            found += [measure.Entry(f"{name} {call.partition(' ')[2]}", name,
                                    [*call.split(), *([self.times] if self.times else [])],
                                    number=number, bound=True)
                      for number, call in enumerate(self.calls[name]) if call.split()[0] == kind]
        return found

    def line(self, shared, once):
        path = os.path.join(shared.folder.name, "bytes")
        with open(path, "wb") as file:
            file.truncate(self.share)
        sets = 1 if once else measure.sets_for(self.share * (1 + self.times))[0]
        out = [f"out={self.share * self.times}"] if self.times else []
        return "\t".join(["data", str(self.share), str(sets), f"in={path}:{self.share}", *out])

    def best(self, entries, program):
        """GB/s of its fastest call, and its name; or None."""
        done = [entry for entry in entries
                if entry.program == program and entry.seconds and not entry.trouble]
        if not done:
            return None, None
        entry = min(done, key=measure.Entry.median)
        return self.share * (1 + self.times) / entry.median() / 1e9, entry.name


def line_for(roofline):
    """The data's line for each program."""

    def line_of(program, shared, sets):
        if program in roofline.names:
            return roofline.line(shared, sets == 1)
        return shared.data_line(sets)

    return line_of


def measured(pool, roofline, case, entries, options):
    """A case by these entries and the roofline's, and its results as numpy has them, or None."""
    try:
        expected = case.expected()
    except Unknown:
        expected = None
    entries = [*entries, *roofline.entries(*case.moved(expected))]
    return measure.measure(pool, case, entries, options, line_for(roofline), expected), expected


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

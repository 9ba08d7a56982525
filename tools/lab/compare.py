"""How fast clfold is beside what a user could take instead, on this machine: all programs in one
run and in turn, on the same data, with results checked by numpy. Prints a line for each case and
program: GB/s of what must be read and written, the range, and how many times as fast clfold is,
with the 95 % interval of the rounds' ratios. Peers in C and C++ are compiled for each case, out
of clfold's sources. What is not installed, has no such call, fails, does not answer or is wrong
is shown as such. The exit status is 1 if a program fails, does not answer or is wrong."""

import argparse
import shlex

from lab import bench, programs, report, view
from lab.measure import Entry
from lab.program import Trouble

CASES = {"usual": [("reduce", "f32 i32"), ("scan", "f32 i32")], **bench.CASES}
COLUMNS = [
    *report.CASE,
    ("program", -14, lambda row: row["program"]),
    ("GB/s", 8, lambda row: report.figures(row["gbps"])),
    ("from - to", 15, lambda row: " - ".join(map(report.figures, row["range_gbps"]))),
    ("clfold is as fast", 23, lambda row: report.ratio_text(row["ratio"])),
    ("", -1, lambda row: "" if row["program"] == "roofline" else
     report.remarks(row).replace(";", "", 1)),
]  # fmt: skip
EXAMPLES = """
Sums and scans beside all that is installed:
  $ clfold compare --types f32
A select of your own condition beside numpy and OpenMP:
  $ clfold compare --peers numpy,openmp select --where 'x > 40 && x < 45'
"""


def peers_of(text):
    """(name, command or None) each."""
    found = []
    for word in text.split(","):
        name, equals, command = word.partition("=")
        if not equals and name not in programs.PEERS:
            raise argparse.ArgumentTypeError(f"{word} is not one of {', '.join(programs.PEERS)}")
        if equals and (not name or not shlex.split(command)):
            raise argparse.ArgumentTypeError(f"{word}: is not NAME=COMMAND")
        found.append((name, shlex.split(command) if equals else None))
    return found


def read_options(arguments):
    parser = view.Parser("compare", __doc__, EXAMPLES, [1 << 26], known=CASES)
    parser.add_argument("--peers", metavar="LIST", type=peers_of,
                        default=[(name, None) for name in programs.PEERS],
                        help=f"one of {', '.join(programs.PEERS)}; default: all. NAME=COMMAND is "
                        "a program of yours that speaks as docs/lab.md says")
    return parser.parse_args(arguments)


def entry_of(name, command, case, commands):
    """A peer's, with the sentence on why there is none."""
    entry = Entry(name, f"{name} here")
    try:
        commands[entry.program] = command or programs.peer(name, case)
    except Trouble as trouble:
        entry.trouble = trouble
    return entry


def lines_of(row):
    return [(row["program"], row["gbps"], row["quartiles_gbps"])]


def main(arguments):
    options = read_options(arguments)
    with view.Session(options, "compare", COLUMNS, lines_of) as session:
        for case in session.cases(CASES, "usual"):
            peers = [entry_of(*peer, case, session.commands) for peer in options.peers]
            one = session.measure(case, [Entry("clfold"), *peers])
            rows = [one.row(entry) for entry in one.entries if not entry.bound]
            best, _ = session.roofline.best(one.entries)
            if best:
                named = ("case", "type", "count", "device", "driver")
                rows.append({name: rows[0][name] for name in named} | {
                    "program": "roofline", "gbps": best, "range_gbps": [], "ok": True,
                    "quartiles_gbps": None, "ratio": None, "checked": False})  # fmt: skip
            for row in rows:
                session.add(row)
            for program in session.commands:
                session.drop(program)
    return session.failed

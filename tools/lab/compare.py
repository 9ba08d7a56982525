"""How fast clfold is beside what a user could take instead, on this machine: all programs in one
run and in turn, on the same data, with results checked by numpy. Prints a line for each case and
program: GB/s of what must be read and written, the range, and how many times as fast clfold is,
with the 95 % interval of the rounds' ratios. What is not installed, has no such call, fails,
does not answer or is wrong is shown as such. Peers in C and C++ are compiled for each case, out
of clfold's sources. The exit status is 1 if clfold fails or is wrong, and not if another program
does."""

import argparse
import shlex

from lab import bench, measure, programs, report, view
from lab.measure import Entry
from lab.program import Trouble

CASES = {"usual": [("reduce", "f32 i32"), ("scan", "f32 i32")], **bench.CASES}
COLUMNS = [
    ("case", -34, lambda row: row["case"]), ("type", -8, lambda row: row["type"]),
    ("count", 8, lambda row: view.count_text(row["count"])),
    ("program", -14, lambda row: row["program"]),
    ("GB/s", 8, lambda row: report.figures(row["gbps"])),
    ("from - to", 15, lambda row: " - ".join(map(report.figures, row["range_gbps"]))),
    ("clfold is as fast", 23, lambda row: report.ratio_text(row["ratio"])),
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
    parser = view.Parser("compare", __doc__, "[options] [CASE]", EXAMPLES)
    parser.add_common([1 << 26])
    parser.add_argument("--peers", metavar="LIST", type=peers_of,
                        default=[(name, None) for name in programs.PEERS],
                        help=f"one of {', '.join(programs.PEERS)}; default: all. NAME=COMMAND is "
                        "a program of yours that speaks as docs/lab.md says")
    parser.add_outputs()
    parser.add_case(CASES)
    options = parser.parse_args(arguments)
    options.events = False
    options.chart = report.Chart(options)
    return options


def entry_of(name, command, case, extra):
    """A peer's, with the sentence on why there is none."""
    entry = Entry(name, f"{name} here")
    try:
        extra[entry.program] = (command or programs.peer(name, case), None)
    except Trouble as trouble:
        entry.trouble = str(trouble)
    return entry


def rows_of(one, expected, roofline, words):
    """A line for each program, and one for the roofline."""
    case, ours = one.case, one.entries[0]
    moved = sum(case.moved(expected)) / 1e9
    for entry in one.entries:
        if entry.bound:
            continue
        theirs = entry.about.get("index", -1)
        if entry.trouble is None and theirs >= 0 and theirs != ours.about.get("index"):
            entry.trouble = f"ran on another device, {entry.about.get('device')}"
        row = {"case": words, "type": case.type_label(), "count": case.count,
               "program": entry.name, "device": entry.about.get("device"),
               "ok": entry.trouble is None}  # fmt: skip
        if entry.trouble:
            yield {**row, "why": entry.trouble}
            continue
        low, high = measure.quartiles(entry.seconds)
        paired = entry is not ours and len(entry.seconds) == len(ours.seconds)
        yield {**row, "checked": expected is not None, "rounds": len(entry.seconds),
               "seconds": entry.median(), "gbps": moved / entry.median(),
               "range_gbps": [moved / max(entry.seconds), moved / min(entry.seconds)],
               "quartiles_gbps": [moved / high, moved / low],
               "ratio": measure.ratio(entry.seconds, ours.seconds) if paired else None}
    best = max((roofline.best(one.entries, name) for name in roofline.names),
               key=lambda found: found[0] or 0)  # fmt: skip
    if best[0]:
        yield {"case": words, "type": case.type_label(), "count": case.count, "ok": True,
               "program": "roofline", "device": ours.about.get("device"), "gbps": best[0],
               "range_gbps": [], "quartiles_gbps": None, "ratio": None, "checked": False}


def main(arguments):
    options = read_options(arguments)
    extra, rows = {}, []
    cases = view.cases_of(options, CASES, "usual")
    with view.pool_for(options, extra) as pool:
        roofline = view.Roofline(pool)
        table = report.Table(options, COLUMNS)
        for words, kind in cases:
            for count in options.counts:
                case = view.make_case(words, kind, count)
                entries = [Entry("clfold", "clfold"),
                           *(entry_of(*peer, case, extra) for peer in options.peers)]
                one, expected = view.measured(pool, roofline, case, entries, options)
                for row in rows_of(one, expected, roofline, words):
                    rows.append(row)
                    table.add(row)
                for program in extra:
                    pool.drop(program)
        about = pool.get("clfold").about
    if not options.json:
        print(f"\n{about['device']}, driver {about['driver']}; {measure.machine()}")
    options.chart.draw(rows, lambda row: [(row["program"], row["gbps"], row["quartiles_gbps"])],
                       "compare")  # fmt: skip
    return int(any(not row["ok"] for row in rows if row["program"] == "clfold"))

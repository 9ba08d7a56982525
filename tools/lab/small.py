"""What a call on few elements costs: from enqueue to finish, beside an empty kernel of one
work-item, the least time that any call takes, all in turn. Prints medians in microseconds, and
as multiples of the empty kernel's. With --instructions it counts the host's own instead, by
callgrind: those that a warm call takes in the library clfold, without the driver's."""

import re
import shutil
import subprocess

from lab import measure, programs, report, view
from lab.measure import Entry
from lab.program import Failed, Shared

CASES = {"calls": [("reduce", "i32"), ("scan", "i32"), ("scan --exclusive", "i32"),
                   ("reduce --combine 'a + b' --identity 0", "i32"), ("map", "i32"),
                   ("select --where 'x > 0'", "i32")]}  # fmt: skip
TIMES = [("us", 9, lambda row: report.figures(1e6 * row["seconds"])),
         ("of empty", 25, lambda row: report.ratio_text(row["ratio"]))]  # fmt: skip
INSTRUCTIONS = ("instructions", 12, lambda row: f"{row['instructions']:.0f}")
COUNTED = (20, 120)  # calls of two runs, whose difference is counted
EXAMPLES = """
Calls on up to 4096 elements beside an empty kernel:
  $ clfold small
The host's instructions of a warm sum of 64 numbers:
  $ clfold small --instructions --counts 64 --types f32 reduce
"""


def read_options(arguments):
    parser = view.Parser("small", __doc__, EXAMPLES, [1, 16, 64, 256, 1024, 4096], known=CASES)
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions; needs valgrind and an OpenCL driver without code "
                        "that valgrind does not know, such as Oclgrind's")
    options = parser.parse_args(arguments)
    options.once = True
    if options.instructions and not shutil.which("valgrind"):
        raise Failed("--instructions needs valgrind, Debian's package valgrind")
    return options


def count_instructions(case, options):
    """Those of one warm call in libclfold: of two runs that differ in the number of calls."""
    totals, device = [], ["--device", options.device] if options.device else []
    with Shared(case) as shared:
        call = "\t".join(["call", "0", "", *case.call_words(shared.paths)])
        for calls in COUNTED:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={shared.results}", "-q",
                 *programs.command("clfold"), *device], capture_output=True, text=True, check=False,
                input=f"{shared.data_line(1)}\n{call}\nround\t0\t{calls}\n")  # fmt: skip
            if done.returncode or '"seconds"' not in done.stdout:
                said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
                raise Failed(f"valgrind: {' '.join(said)}")
            totals.append(own_instructions(shared.results))
    if totals[1] <= totals[0]:
        raise Failed("valgrind: has counted nothing in libclfold")
    return (totals[1] - totals[0]) / (COUNTED[1] - COUNTED[0])


def own_instructions(path):
    """The sum of the self costs of what stands in libclfold, by the file that callgrind writes."""
    total, is_ours, is_call, names = 0, False, False, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            named = re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line)
            if named:
                called, number, name = named.groups()
                names.setdefault(number, name)
                is_ours = is_ours if called else "libclfold" in names[number]
            elif line.startswith("calls="):
                is_call = True  # the next line is the callee's cost
            elif re.match(r"[+\-*\d]", line):
                total += int(line.split()[-1]) if is_ours and not is_call else 0
                is_call = False
    return total


def lines_of(row):
    if "instructions" in row:
        return [("clfold", row["instructions"], None)]
    return [("clfold", 1e6 * row["seconds"], None),
            ("roofline: empty kernel", 1e6 * row["empty_seconds"], None)]  # fmt: skip


def main(arguments):
    options = read_options(arguments)
    columns, unit = [*report.CASE, *TIMES], "microseconds, lower is better"
    if options.instructions:
        columns, unit = [*report.CASE, INSTRUCTIONS], "instructions, lower is better"
    with view.Session(options, "small", columns, lines_of, unit) as session:
        for case in session.cases(CASES, "calls"):
            if options.instructions:
                session.add({"case": case.title, "type": case.type_label(), "count": case.count,
                             "ok": True, "instructions": count_instructions(case, options)})
                continue
            mine, empty = Entry("clfold"), Entry("empty", "roofline", ["empty"], bound=True)
            one = session.measure(case, [mine, empty], with_roofline=False)
            row = one.row(empty if empty.trouble else mine)
            if row["ok"]:
                row |= {"empty_seconds": empty.median(),
                        "ratio": measure.ratio(mine.seconds, empty.seconds)}
            session.add(row)
    return session.failed

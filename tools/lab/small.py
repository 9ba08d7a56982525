"""What a call on few elements costs: from enqueue to finish, beside an empty kernel of one
work-item, the least time that any call takes, all in turn. Prints medians in microseconds, and
as multiples of the empty kernel's. With --instructions it counts the host's own instead, by
callgrind: those that a warm call takes in the library clfold, without the driver's."""

import os
import re
import shutil
import subprocess
import tempfile

from lab import measure, programs, report, view
from lab.measure import Entry
from lab.program import Shared

CASES = {"calls": [("reduce", "i32"), ("scan", "i32"), ("scan --exclusive", "i32"),
                   ("reduce --combine 'a + b' --identity 0", "i32"), ("map", "i32"),
                   ("select --where 'x > 0'", "i32")]}  # fmt: skip
COLUMNS = [
    ("case", -38, lambda row: row["case"]), ("type", -8, lambda row: row["type"]),
    ("count", 8, lambda row: view.count_text(row["count"])),
    ("us", 9, lambda row: report.figures(1e6 * row["seconds"])),
    ("of empty", 25, lambda row: report.ratio_text(row["ratio"])),
    ("instructions", 12, lambda row: f"{row['instructions']:.0f}" if "instructions" in row else ""),
]  # fmt: skip
COUNTED = (20, 120)  # calls of two runs, whose difference is counted
EXAMPLES = """
Calls on up to 4096 elements beside an empty kernel:
  $ clfold small
The host's instructions of a warm sum of 64 numbers:
  $ clfold small --instructions --counts 64 --types f32 reduce
"""


def read_options(arguments):
    parser = view.Parser("small", __doc__, "[options] [CASE]", EXAMPLES)
    parser.add_common([1, 16, 64, 256, 1024, 4096])
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions; needs valgrind and an OpenCL driver without code "
                        "that valgrind does not know, such as Oclgrind's")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_case(CASES)
    options = parser.parse_args(arguments)
    options.events, options.svg, options.png, options.once = False, None, None, True
    return options


def count_instructions(case, options):
    """Those of one warm call in libclfold: of two runs that differ in the number of calls."""
    if not shutil.which("valgrind"):
        raise view.Failed("--instructions needs valgrind, Debian's package valgrind")
    totals = []
    device = ["--device", options.device] if options.device else []
    with Shared(case) as shared, tempfile.TemporaryDirectory() as folder:
        for calls in COUNTED:
            words = case.call_words(shared.paths)
            lines = [shared.data_line(1), "\t".join(["call", "0", "", *words]),
                     f"round\t0\t{calls}"]  # fmt: skip
            out = os.path.join(folder, "out")
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "-q",
                 *programs.command("clfold"), *device],
                input="\n".join(lines) + "\n", capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode or '"seconds"' not in done.stdout:
                said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
                raise view.Failed(f"valgrind: {' '.join(said)}")
            totals.append(own_instructions(out))
    return (totals[1] - totals[0]) / (COUNTED[1] - COUNTED[0])


def own_instructions(path):
    """The sum of the self costs of what stands in libclfold, by the file that callgrind writes."""
    total, is_ours, is_call, names = 0, False, False, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            named = re.match(r"ob=\((\d+)\)(?: (.*))?", line)
            if named:
                names.setdefault(named[1], named[2] or "")
                is_ours = "libclfold" in names[named[1]]
            elif line.startswith("calls="):
                is_call = True  # the next line is the callee's cost
            elif is_ours and not is_call and re.match(r"[+\-*\d]", line):
                total += int(line.split()[-1])
            elif re.match(r"[+\-*\d]", line):
                is_call = False
    return total


def main(arguments):
    options = read_options(arguments)
    table, failed = report.Table(options, COLUMNS), False
    with view.pool_for(options) as pool:
        for words, kind in view.cases_of(options, CASES, "calls"):
            for count in options.counts:
                case = view.make_case(words, kind, count)
                row = {"case": words, "type": kind, "count": count, "ok": True}
                if options.instructions:
                    row |= {"seconds": None, "ratio": None,
                            "instructions": count_instructions(case, options)}  # fmt: skip
                    table.add(row)
                    continue
                expected = case.expected() if "combine" not in case.options else None
                entries = [Entry("clfold", "clfold"),
                           Entry("empty", "roofline", ["empty"], number=0, bound=True)]
                one = measure.Measurement(pool, case, entries, options)
                with Shared(case) as shared:
                    one.prepare(shared, lambda _, shared, sets: shared.data_line(sets))
                    one.check(shared, expected)
                    one.run()
                trouble = next((entry.trouble for entry in entries if entry.trouble), None)
                row |= {"ok": False, "why": trouble} if trouble else {
                    "seconds": entries[0].median(), "empty_seconds": entries[1].median(),
                    "ratio": measure.ratio(entries[0].seconds, entries[1].seconds)}
                failed |= trouble is not None
                table.add(row)
        about = pool.get("clfold").about
    if not options.json:
        print(f"\n{about['device']}, driver {about['driver']}; {measure.machine()}")
    return int(failed)

"""Times calls of clfold, and in turn with each, in the same rounds, kernels and native loops that
only read the same bytes, or copy them: the roofline. Every result is compared with numpy's, or it
says that it is not known; a wrong one is reported, and the exit status is 1."""

import os

from lab import measure, programs, report, tuning, view
from lab.case import PAIRS
from lab.measure import Entry

REDUCE, SCAN, PAIR = "reduce", "scan", "--identity '{ 1, 0 }' --components 'float x; float y'"
CASES = {
    "sums": [(REDUCE, "f32 f64 i32 i64 u8:u64 i16:i64 f32:f64"), *(
        (f"{REDUCE} --op {op}", "f32") for op in ("min", "max", "arg-min")),
        (SCAN, "f32 f64 i32 i64 u8:u32"), (f"{SCAN} --op max", "f32")],
    "accuracies": [("reduce --accuracy compensated", "f32 f64"),
                   ("reduce --accuracy reproducible", "f32 f64"),
                   ("scan --accuracy compensated", "f32 f64")],
    "rows": [(f"{op} --length {n}", "f32") for op in (REDUCE, SCAN) for n in (3, 64, 10**4, 2**24)],
    "columns": [(f"{op} --columns {n}", "f32") for op in (REDUCE, SCAN)
                for n in (2, 3, 4, 8, 16, 17, 100, 256, 4096)],
    "offsets": [(f"reduce --by offsets:u32 --segments {n}", "f32")
                for n in ("1000", "64", "0-127", "~8", "3", "0-3", "pareto")],
    "keys": [("reduce --by keys:u32 --keys-out --segments ~8", "f32"),
             ("scan --by flags:u8 --segments 100", "f32"), ("scan --by keys:u32", "f32")],
    "selects": [*((f"select --where 'x > {n}'", "f32") for n in (49, 0, -50)),
                ("select --where 'x > 0' --rest", "f32"),
                *((f"unique --segments {n}", "f32") for n in ("1", "~4", "1000")),
                *((f"rle --segments {n}", "f32") for n in ("1", "~4", "1000"))],
    "maps": [("map --load '2 * x + 1'", "f32"), ("map --load 'x * y' --stream y=f32", "f32"),
             ("map --out u8", "i32"), ("map", "f32")],
    "texts": [("reduce --load 'x * x'", "f32"), ("reduce --load 'x * y' --stream y=f32", "f32"),
              ("reduce --load 'x > 40 ? 1 : 0'", "f32"), ("scan --load 'x * x'", "f32"), *(
        (f"{op} --combine '{PAIRS[name]}' {PAIR}" + " --commutative" * (name == "dual"), "f32")
        for op in (REDUCE, SCAN) for name in PAIRS)],
}  # fmt: skip
CASES["all"] = [row for rows in CASES.values() for row in rows]
EXAMPLES = """
Scans of two types, as a chart:
  $ clfold bench --types f32,u8:u32 --svg bench.svg scan
All cases, in an hour:
  $ clfold bench --counts 2^26 all
This build beside another commit's, where sums are concerned:
  $ clfold bench --against HEAD~3 --counts 2^26 reduce
"""


COUNTS = [1 << n for n in range(20, 27, 2)]
COLUMNS = [
    *report.CASE,
    ("GB/s", 8, lambda row: report.figures(row["gbps"])),
    ("spread", 7, lambda row: f"{100 * row['spread']:.1f} %"),
    ("roofline", 9, lambda row: report.figures(row["roofline_gbps"])),
    ("share", 6, lambda row: f"{row['fraction']:.2f}"),
    ("", -1, lambda row: f" {row['algorithm']}, {row['policy']}; {row['roofline'] or 'no roofline'}"
     + report.remarks(row)),
]  # fmt: skip
AGAINST = ("as fast", 25, lambda row: report.ratio_text(row["ratio"]) or str(row["against"]))


def read_options(arguments):
    parser = view.Parser("bench", __doc__, EXAMPLES, COUNTS, known=CASES)
    parser.add_argument("--events", action="store_true",
                        help="with --json: also times by the clock of the device, of a call more "
                        "each round")
    parser.add_argument("--against", metavar="FILE|COMMIT", type=view.file_path,
                        help="a tuning file, or a commit of clfold's repository that is built for "
                        "this: each call by it has its turn in the same rounds")
    return parser.parse_args(arguments)


def against(name, commands):
    """Arguments of the entry that each case has besides, by a tuning file or another version."""
    if os.path.exists(name):
        tuning.read_rows(name)  # that it is one
        return "against", "clfold", None, os.path.abspath(name), 1
    commands["against"] = programs.of_commit(name)
    return "against", "against", None, "", 1


def row_of(one, roofline, has_other):
    """A case's line, as JSON has it."""
    row = one.row(one.entries[0])
    if not row["ok"]:
        return row
    opencl, way = roofline.best(one.entries, ["roofline"])
    native, native_way = roofline.best(one.entries, ["native"])
    judged = one.moved() >= view.JUDGED and native
    is_native = bool(judged and (opencl or 0) < native)
    best = native if is_native else opencl
    row |= {
        "opencl_gbps": opencl, "native_gbps": native, "roofline_gbps": best,
        "roofline": native_way if is_native else way,
        "roofline_broken": bool(judged and (opencl or 0) < 0.9 * native),
        "fraction": row["gbps"] / best if best else None,
    }  # fmt: skip
    if has_other:
        mine, other = one.entries[:2]
        none = other.tuning and other.answer.get("policy") != "tuned"
        why = other.trouble or ("the file has no row for it" if none else None)
        row["against"] = str(why) if why else other.median()
        row["ratio"] = None if why else measure.ratio(mine.seconds, other.seconds)
    return row


def lines_of(row):
    return [("clfold", row["gbps"], row["quartiles_gbps"]),
            ("roofline", row["roofline_gbps"], None)]  # fmt: skip


def main(arguments):
    options = read_options(arguments)
    columns = [*COLUMNS[:-1], *([AGAINST] if options.against else []), COLUMNS[-1]]
    with view.Session(options, "bench", columns, lines_of) as session:
        other = against(options.against, session.commands) if options.against else None
        for case in session.cases(CASES, "sums"):
            entries = [Entry("clfold"), *([Entry(*other)] if other else [])]
            session.add(row_of(session.measure(case, entries), session.roofline, other))
    return session.failed

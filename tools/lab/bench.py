"""Times calls of clfold, and in turn with each, in the same rounds, kernels and native loops that
only read the same bytes, or copy them: the roofline. Every result is compared with numpy's, or it
says that it is not known; a wrong one is reported, and the exit status is 1."""

import os
import statistics

from lab import measure, programs, report, tune, view
from lab.case import PAIRS
from lab.measure import Entry

JUDGED = 32 << 20  # bytes, from which on native loops count, and the speed of memory
REDUCE, SCAN, PAIR = "reduce", "scan", "--identity '{ 1, 0 }' --components 'float x; float y'"
MOST_BYTES = 32  # that an element moves
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


def read_options(arguments):
    parser = view.Parser("bench", __doc__, "[options] [CASE]", EXAMPLES)
    parser.add_common([1 << n for n in range(20, 27, 2)])
    parser.add_argument("--events", action="store_true",
                        help="also times by the clock of the device, of a call more each round")
    parser.add_argument("--against", metavar="FILE", type=view.file_path,
                        help="a tuning file, or a commit of clfold's repository that is built for "
                        "this: each call by it has its turn in the same rounds")
    parser.add_outputs()
    parser.add_case(CASES)
    options = parser.parse_args(arguments)
    options.chart = report.Chart(options)
    return options


def against(options, extra):
    """Makes the entry that each case has besides, by a tuning file or another version; or None."""
    if not options.against:
        return None
    if os.path.exists(options.against):
        tuning = os.path.abspath(options.against)
        tune.read_rows(tuning)  # that it is one
        return lambda: Entry("against", "clfold", None, tuning, 1)
    extra["against"] = (programs.of_commit(options.against), None)
    return lambda: Entry("against", "against", None, "", 1)


def memory_speed(pool, roofline, options):
    """GB/s of reading and of copying, at best."""
    found = {}
    for name, written in (("read", 0), ("copy", 1)):
        case = view.make_case("map", "f32", 1)
        entries = roofline.entries(1 << 28, written << 28)
        quick = type(options)(**{**vars(options), "seconds": 0.2, "rounds": None, "once": False})
        measure.measure(pool, case, entries, quick, view.line_for(roofline), None)
        found[name] = max(filter(None, (roofline.best(entries, one)[0] for one in roofline.names)),
                          default=None)
    return found


def row_of(one, expected, roofline, words):
    """A case's line, as JSON has it."""
    entry, case = one.entries[0], one.case
    read, written = case.moved(expected)
    row = {"case": words, "type": case.type_label(), "count": case.count,
           "device": entry.about.get("device"), "driver": entry.about.get("driver"),
           "ok": entry.trouble is None, "checked": expected is not None}  # fmt: skip
    if entry.trouble:
        return {**row, "why": entry.trouble}
    moved, median = (read + written) / 1e9, entry.median()
    low, high = measure.quartiles(entry.seconds)
    opencl, way = roofline.best(one.entries, "roofline")
    native, native_way = roofline.best(one.entries, "native")
    judged = read + written >= JUDGED and native
    is_native = bool(judged and (opencl or 0) < native)
    best = native if is_native else opencl
    events = statistics.median(entry.events) if entry.events else None
    row |= {
        "algorithm": entry.answer.get("algorithm"), "policy": entry.answer.get("policy"),
        "seconds": median, "spread": (high - low) / median, "rounds": len(entry.seconds),
        "event_seconds": events, "gbps": moved / median,
        "quartiles_gbps": [moved / high, moved / low], "opencl_gbps": opencl,
        "native_gbps": native, "roofline_gbps": best,
        "roofline": native_way if is_native else way,
        "roofline_broken": bool(judged and (opencl or 0) < 0.9 * native),
        "fraction": moved / median / best if best else None,
        "sets": one.sets, "set_bytes": one.set_bytes, "sets_few": one.sets_few,
    }  # fmt: skip
    other = next((other for other in one.entries if other.name == "against"), None)
    if other:
        none = other.tuning and other.answer.get("policy") != "tuned"
        why = other.trouble or ("the file has no row for it" if none else None)
        row["against"] = why or statistics.median(other.seconds)
        row["ratio"] = None if why else measure.ratio(entry.seconds, other.seconds)
    return row


def main(arguments):
    options = read_options(arguments)
    extra, rows, moved = {}, [], 0
    other = against(options, extra)
    cases = view.cases_of(options, CASES, "sums")
    with view.pool_for(options, extra) as pool:
        roofline = view.Roofline(pool)
        # small data say nothing of the memory
        is_large = max(options.counts) * MOST_BYTES >= JUDGED
        speeds = [memory_speed(pool, roofline, options)] if is_large else []
        table = report.Table(options, report.BENCH + (report.AGAINST if other else []))
        for words, kind in cases:
            for count in options.counts:
                case = view.make_case(words, kind, count)
                entries = [Entry("clfold", "clfold"), *([other()] if other else [])]
                one, expected = view.measured(pool, roofline, case, entries, options)
                rows.append(row_of(one, expected, roofline, words))
                moved = max(moved, sum(case.moved(expected)))
                table.add(rows[-1])
        if speeds and moved >= JUDGED:
            speeds.append(memory_speed(pool, roofline, options))
            table.end(report.memory_row(speeds, pool.get("clfold").about))
    options.chart.draw(rows, lambda row: [("clfold", row["gbps"], row["quartiles_gbps"]),
                                          ("roofline", row["roofline_gbps"], None)], "bench")
    return int(any(not row["ok"] for row in rows))

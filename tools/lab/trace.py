"""Scans made data by look-back, with a program that records what each tile did, and shows some
neighbouring tiles at the moment when they differ most, how deep tiles looked back, and how often.
The result is compared with numpy's; a wrong one is reported, and the exit status is 1.

Of a tile,
  flag        P: its inclusive prefix is published; A: only its aggregate, the
              fold of its own elements; X: neither
  depth       tiles between it and the prefix that its look-back ended at: 0 if
              that was the tile before
  polls       looks at other tiles, or at windows of them
  fallbacks   tiles that it folded itself, whose owners had not published yet
Times count from the first tile's start, in cycles where the device's compiler
has a counter, else in steps: each record is one."""

import json

import numpy as np

from lab import report, view
from lab.case import OPERATORS
from lab.program import Failed, Shared, WrongResult
from lab.text import DTYPES, count_text

TILE = np.dtype([("started", "u8"), ("aggregate", "u8"), ("prefix", "u8"), ("tile", "u4"),
                 ("depth", "u4"), ("polls", "u4"), ("fallbacks", "u4"), ("folded", "u8")])
TIMES, COUNTS = ("started", "aggregate", "prefix"), ("depth", "polls", "fallbacks")
SHOWN, BARS, STEPS = 10, 120, 3
OPS = [op for op in OPERATORS if op != "mul"]  # of which the data stay in range
EXAMPLES = """
The tiles of a scan of 2^24 numbers, as a timeline:
  $ clfold trace --count 2^24 --svg trace.svg
"""


def read_options(arguments):
    parser = view.Parser("trace", __doc__, EXAMPLES)
    add = parser.add_argument
    add("--op", default="add", choices=OPS, metavar="OP",
        help=f"the operator, one of {' '.join(OPS)}; default: add")
    add("--type", default="f32", type=view.types_of, metavar="TYPE",
        help=f"of the elements, one of {' '.join(DTYPES)}; or u8:u64, u8 folded in u64; default: "
        "f32")
    add("--count", type=view.count_of, default=1 << 24, metavar="N", help="default: 2^24")
    add("--algorithm", default="scan_lookback", choices=("scan_lookback", "scan_chained"),
        metavar="NAME", help="scan_lookback, or scan_chained, where each tile waits for the one "
        "before it; default: scan_lookback")
    return parser.parse_args(arguments)


def flags_at(tiles, moment, publishes):
    flags = np.full(len(tiles), "X")
    flags[(tiles["aggregate"] <= moment) & publishes] = "A"
    flags[tiles["prefix"] <= moment] = "P"
    return flags


def snapshot(tiles, publishes):
    """The moment, and the first of SHOWN tiles, at which most states change from one to the
    next."""
    num = min(SHOWN, len(tiles))
    moments = np.unique([tiles["aggregate"], tiles["prefix"]])
    best = (-1, 0, 0)
    for moment in moments[:: max(1, len(moments) // 2000)]:
        flags = flags_at(tiles, moment, publishes)
        changes = np.cumsum(flags != np.roll(flags, 1))
        rated = changes[num - 1 :] - changes[: len(changes) - num + 1]
        first = int(rated.argmax())
        kinds = len(set(flags[first : first + num]))
        best = max(best, (int(rated[first]) + kinds, int(moment), first))
    return best[1:]


def print_tables(tiles, case, known, whole, publishes):
    moment, first = snapshot(tiles, publishes)
    print(f"{whole['algorithm']}, {whole['type']} {whole['op']}, n = {count_text(case.count)}\n"
          f"{len(tiles)} tiles of {whole['tile_size']} by {whole['groups']} groups of "
          f"{whole['group_size']}, {whole['duration']} {whole['clock']}"
          + report.remarks(whole) + "\n\n"
          f"after {moment} {whole['clock']}:\n{'tile':>8} flag {'aggregate':>22} "
          f"{'inclusive prefix':>22}")  # fmt: skip
    size, by, kind = int(whole["tile_size"]), OPERATORS[whole["op"]][2], DTYPES[case.acc]
    for place, flag in enumerate(flags_at(tiles, moment, publishes)[first : first + SHOWN], first):
        part = slice(place * size, min((place + 1) * size, case.count))
        total = np.asarray(by.reduce(case.arrays["in"][part].astype(kind))).astype(kind)[()]
        print(f"{place:>8} {flag:>4} {'-' if flag == 'X' else total:>22} "
              f"{known['out'][part.stop - 1] if known and flag == 'P' else '-':>22}")  # fmt: skip
    print(f"\n{'depth':>12} {'tiles':>9}")
    # 0, 1, 2, and then up to powers of two
    ends = [-1, 0, *(1 << n for n in range(int(tiles["depth"].max() + 1).bit_length() + 1))]
    for low, high in zip(ends, ends[1:]):
        num = np.count_nonzero((tiles["depth"] > low) & (tiles["depth"] <= high))
        if num:
            print(f"{high if high - low == 1 else f'{low + 1}-{high}':>12} {num:>9}")
    print(f"\n{'':>12} {'mean':>9} {'greatest':>9} {'total':>11}")
    for name in COUNTS:
        print(f"{name:>12} {tiles[name].mean():>9.3f} {tiles[name].max():>9} "
              f"{tiles[name].sum(dtype='u8'):>11}")  # fmt: skip


def draw(tiles, publishes):
    """When each prefix was published; and bars of some tiles."""
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel

    figure, (whole, part) = pyplot.subplots(1, 2, figsize=(13, 6), layout="constrained")
    since = {name: tiles[name].astype("i8") for name in TIMES}
    numbers = np.arange(len(tiles))
    helped = np.flatnonzero(tiles["folded"])
    middle = int(helped[0]) if helped.size else snapshot(tiles, publishes)[1]
    first = max(0, min(middle - BARS // 2, len(tiles) - BARS))
    seen = slice(first, min(first + BARS, len(tiles)))
    whole.scatter(since["prefix"], numbers, s=2, color="#000000")
    whole.axhspan(seen.start, seen.stop, color="#009e73", alpha=0.25)
    whole.set_title("all tiles: when each prefix was published")
    looks = "aggregate published, looks back" if publishes else "waits for the tile before it"
    for a, b, colour, label in (("started", "aggregate", "#56b4e9", "folds its elements"),
                                ("aggregate", "prefix", "#d55e00", looks)):  # fmt: skip
        part.barh(numbers[seen], (since[b] - since[a])[seen], left=since[a][seen], height=0.8,
                  color=colour, label=label)  # fmt: skip
    part.scatter(since["prefix"][seen], numbers[seen], marker="|", color="#000000",
                 label="prefix published")  # fmt: skip
    for place in helped[(helped >= seen.start) & (helped < seen.stop)]:
        for bit in range(64):
            if int(tiles["folded"][place]) >> bit & 1:
                at = since["prefix"][place]
                part.annotate("", (at, place - 1 - bit), (at, place),
                              arrowprops={"arrowstyle": "->", "color": "#5b3a8c"})  # fmt: skip
    part.set_title(f"tiles {seen.start} to {seen.stop - 1}")
    part.legend(fontsize=8)
    for axis in (whole, part):
        axis.set_xlabel("time since the first tile was started")
        axis.set_ylabel("tile")
    return figure


def main(arguments):
    options = read_options(arguments)
    publishes = options.algorithm == "scan_lookback"
    case = view.make_case(f"scan --op {options.op} --algorithm {options.algorithm}", options.type,
                          options.count)  # fmt: skip
    known, wrong = view.expected_of(case), None
    with view.Session(options, "trace", []) as session, Shared(case) as shared:
        program = session.get("clfold")
        program.ask(*shared.data_line(1).split("\t"))
        session.warn(program.ask("call", 0, "", *case.call_words(shared.paths)))
        try:
            program.check(shared, known)
        except WrongResult as trouble:
            wrong = trouble
        answer = program.ask("trace", 0, shared.results)
        tiles = np.fromfile(shared.results, TILE)
        last = report.last_row(program.about)
    tiles = tiles[np.argsort(tiles["tile"])]
    begin = tiles["started"].min()
    for name in TIMES:
        tiles[name] -= begin
    duration = int(tiles["prefix"].max())
    whole = {"algorithm": options.algorithm, "type": options.type, "op": options.op,
             "count": case.count, "tiles": len(tiles), "tile_size": answer["tile"],
             "group_size": answer["group_size"], "groups": answer["groups"],
             "clock": "steps" if duration < STEPS * len(tiles) else "cycles", "duration": duration,
             "mean_depth": float(tiles["depth"].mean()), "mean_polls": float(tiles["polls"].mean()),
             "fallbacks": int(tiles["fallbacks"].sum()), "ok": wrong is None,
             "checked": known is not None}  # fmt: skip
    if options.json:
        for tile in tiles:
            print(json.dumps({name: int(tile[name]) for name in TILE.names}))
        print(json.dumps(whole | last))
    else:
        print_tables(tiles, case, known, whole, publishes)
        report.print_last(last)
    if session.chart.paths:
        session.chart.save(draw(tiles, publishes),
                           f"{last['device']}, clfold trace, {options.algorithm}")  # fmt: skip
    if wrong:
        raise Failed(wrong)
    return 0

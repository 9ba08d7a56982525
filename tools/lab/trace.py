"""Scans made data by look-back, with a program that records what each tile did, and shows some
neighbouring tiles at the moment when they differ most, how deep tiles looked back, and how often.
The result is compared with numpy's; a wrong one is reported, and the exit status is 1.

Of a tile,
  flag        P: its inclusive prefix is published; A: only its aggregate, the fold of its own
              elements; X: neither
  depth       tiles between it and the prefix that its look-back ended at: 0 if that was the tile
              before
  polls       looks at other tiles, or at windows of them
  fallbacks   tiles that it folded itself, since their owners had not published yet
Times count from the first tile's start, in cycles where the device's compiler has a counter, else
in steps: each record is one."""

import json

import numpy as np

from lab import measure, report, view
from lab.case import OPERATORS
from lab.measure import Entry
from lab.program import Shared

TILE = np.dtype([("started", "u8"), ("aggregate", "u8"), ("prefix", "u8"), ("tile", "u4"),
                 ("depth", "u4"), ("polls", "u4"), ("fallbacks", "u4"), ("folded", "u8")])
SHOWN, BARS, STEPS = 10, 120, 3
EXAMPLES = """
The tiles of a scan of 2^24 numbers, as a timeline:
  $ clfold trace --count 2^24 --svg trace.svg
"""


def read_options(arguments):
    parser = view.Parser("trace", __doc__, "[options]", EXAMPLES)
    add = parser.add_argument
    add("--op", default="add", choices=[op for op in OPERATORS if op != "mul"], metavar="OP",
        help="the operator; default: add")
    add("--type", default="f32", type=view.types_of, metavar="TYPE",
        help="of the elements, and the one to fold in; default: f32")
    add("--count", type=view.count_of, default=1 << 24, metavar="N", help="default: 2^24")
    add("--algorithm", default="scan_lookback", choices=("scan_lookback", "scan_chained"),
        metavar="NAME", help="scan_lookback, or scan_chained, where each tile waits for the one "
        "before it; default: scan_lookback")
    add("--device", metavar="SEL", help="as for clfold reduce")
    parser.add_outputs()
    options = parser.parse_args(arguments)
    options.limit = 120.0
    options.chart = report.Chart(options)
    return options


def flags_at(tiles, moment, publishes):
    flags = np.full(len(tiles), "X")
    flags[(tiles["aggregate"] <= moment) & publishes] = "A"
    flags[tiles["prefix"] <= moment] = "P"
    return flags


def snapshot(tiles, publishes):
    """The moment and the first of SHOWN tiles that differ most: many changes from one to the next,
    and all states there are."""
    num = min(SHOWN, len(tiles))
    moments = np.unique(np.concatenate([tiles["aggregate"], tiles["prefix"]]))
    best = (-1, 0, 0)
    for moment in moments[:: max(1, len(moments) // 2000)]:
        flags = flags_at(tiles, moment, publishes)
        changes = np.concatenate([[0], np.cumsum(flags[1:] != flags[:-1])])
        rated = changes[num - 1 :] - changes[: len(changes) - num + 1]
        first = int(rated.argmax())
        kinds = len(set(flags[first : first + num]))
        if (int(rated[first]) + kinds, 0, 0) > (best[0], 0, 0):
            best = (int(rated[first]) + kinds, int(moment), first)
    return best[1], best[2], num


def print_tables(options, tiles, case, expected, answer, about, publishes):
    moment, first, num = snapshot(tiles, publishes)
    span = int(tiles["prefix"].max() - tiles["started"].min())
    unit = "steps" if span < STEPS * len(tiles) else "cycles"
    print(f"{options.algorithm}, {options.type} {options.op}, n = {view.count_text(case.count)} on "
          f"{about['device']}, driver {about['driver']}\n{len(tiles)} tiles of {answer['tile']} by "
          f"{answer['groups']} groups of {answer['group_size']}, {span} {unit}\n")
    start = int(tiles["started"].min())
    print(f"after {moment - start} {unit}:\n{'tile':>8} flag {'aggregate':>22} "
          f"{'inclusive prefix':>22}")  # fmt: skip
    size = int(answer["tile"])
    by = OPERATORS[options.op][2]
    for place, flag in enumerate(flags_at(tiles, moment, publishes)[first : first + num], first):
        part = case.arrays["in"][place * size : (place + 1) * size]
        whole = by.reduce(part, dtype=case.dtype)
        last = expected[min((place + 1) * size, case.count) - 1]
        print(f"{place:>8} {flag:>4} {'-' if flag == 'X' else whole:>22} "
              f"{last if flag == 'P' else '-':>22}")  # fmt: skip
    buckets = np.ceil(np.log2(np.maximum(tiles["depth"], 1))).astype(int) + (tiles["depth"] > 0)
    print(f"\n{'depth':>12} {'tiles':>9}")
    for bucket, number in enumerate(np.bincount(buckets)):
        low, high = (1 << max(bucket - 2, 0)) + 1, 1 << max(bucket - 1, 0)
        print(f"{bucket if bucket <= 2 else f'{low}-{high}':>12} {number:>9}")
    print(f"\n{'':>12} {'mean':>9} {'greatest':>9} {'total':>11}")
    for name in ("depth", "polls", "fallbacks"):
        print(f"{name:>12} {tiles[name].mean():>9.3f} {tiles[name].max():>9} "
              f"{tiles[name].sum(dtype='u8'):>11}")  # fmt: skip


def draw(options, tiles, about, publishes):
    """When each prefix was published; and bars of some tiles."""
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel

    figure, (whole, part) = pyplot.subplots(1, 2, figsize=(13, 6), layout="constrained")
    begin = tiles["started"].min()
    since = {name: (tiles[name] - begin).astype("i8")
             for name in ("started", "aggregate", "prefix")}  # fmt: skip
    numbers = np.arange(len(tiles))
    helped = np.flatnonzero(tiles["folded"])
    middle = int(helped[0]) if helped.size else snapshot(tiles, publishes)[1]
    first = max(0, min(middle - BARS // 2, len(tiles) - BARS))
    seen = slice(first, first + BARS)
    whole.scatter(since["prefix"], numbers, s=2, color="#000000")
    whole.axhspan(first, min(first + BARS, len(tiles)), color="#009e73", alpha=0.25)
    whole.set_title("all tiles: when each prefix was published")
    for a, b, colour, label in (
        ("started", "aggregate", "#56b4e9", "folds its elements"),
        ("aggregate", "prefix", "#d55e00",
         "aggregate published, looks back" if publishes else "waits for the tile before it"),
    ):  # fmt: skip
        part.barh(numbers[seen], (since[b] - since[a])[seen], left=since[a][seen], height=0.8,
                  color=colour, label=label)  # fmt: skip
    part.scatter(since["prefix"][seen], numbers[seen], marker="|", color="#000000",
                 label="prefix published")  # fmt: skip
    for place in helped[(helped >= first) & (helped < first + BARS)]:
        for bit in range(64):
            if int(tiles["folded"][place]) >> bit & 1:
                part.annotate("", (since["prefix"][place], place - 1 - bit),
                              (since["prefix"][place], place),
                              arrowprops={"arrowstyle": "->", "color": "#5b3a8c"})  # fmt: skip
    part.set_title(f"tiles {first} to {min(first + BARS, len(tiles)) - 1}")
    part.legend(fontsize=8)
    for axis in (whole, part):
        axis.set_xlabel("time since the first tile was started")
        axis.set_ylabel("tile")
    options.chart.save(figure, f"{about['device']}, clfold trace, {options.algorithm}")


def main(arguments):
    options = read_options(arguments)
    publishes = options.algorithm == "scan_lookback"
    case = view.make_case(f"scan --op {options.op} --algorithm {options.algorithm}", options.type,
                          options.count)  # fmt: skip
    expected = case.expected()
    with view.pool_for(options) as pool, Shared(case) as shared:
        program = pool.get("clfold")
        program.ask(*shared.data_line(1).split("\t"))
        program.ask("call", 0, "", *case.call_words(shared.paths))
        entry = Entry("clfold", "clfold")
        with entry.guarded(pool):
            program.check(shared, expected)
        answer = program.ask("trace", 0, shared.results)
        tiles = np.fromfile(shared.results, TILE)
        tiles = tiles[np.argsort(tiles["tile"])]
        about = program.about
    whole = {"algorithm": options.algorithm, "type": options.type, "op": options.op,
             "count": case.count, "tiles": len(tiles), "tile_size": answer["tile"],
             "group_size": answer["group_size"], "groups": answer["groups"],
             "mean_depth": float(tiles["depth"].mean()), "mean_polls": float(tiles["polls"].mean()),
             "fallbacks": int(tiles["fallbacks"].sum()), "ok": entry.trouble is None,
             "device": about["device"], "machine": measure.machine()}  # fmt: skip
    if options.json:
        begin = int(tiles["started"].min())
        for tile in tiles:
            row = {name: int(tile[name]) for name in TILE.names}
            row |= {name: row[name] - begin for name in ("started", "aggregate", "prefix")}
            print(json.dumps(row))
        print(json.dumps(whole))
    else:
        print_tables(options, tiles, case, expected["out"], answer, about, publishes)
    if options.chart.paths:
        draw(options, tiles, about, publishes)
    if entry.trouble:
        raise view.Failed(entry.trouble)
    return 0

"""Searches for tiles, groups and other numbers with which a device is faster than with the
library's own, on made data, and keeps them in a file, a row for each operation, size of elements
and class of counts. A program loads the file if it passes the path to the library, or if
CLFOLD_TUNING is set to it; it may change the bits of float results.

Candidates, each one number away from the best so far, race in rounds, and the slower half leaves
after each few of them; the last one is the best from then on. In the end it meets the library's
own numbers in many rounds, and its row is kept only if it wins by more than the measured noise,
with right results; an older row that does not win is removed. Other rows and those of other
devices stay, and so does a row that there was no time to try. A signal or a failure leaves the
file as it was. Without rows, no file is made. A row serves all operators, types of its size,
accuracies and segments."""

import argparse
import os
import time

from lab import measure, report, tuning, view
from lab.measure import Entry
from lab.program import Failed, Shared, Trouble, Unsupported, WrongResult
from lab.tuning import numbers_in, text_of

# The numbers, and which values are worth a try: powers of a step, from one to another.
NUMBERS = {"tile_bytes": (1 << 10, 4 << 20, 2), "group_size": (32, 1024, 2),
           "groups": (16, 16384, 2), "lane_bytes": (16, 256 << 10, 4), "anchor": (1, 256, 4),
           "ahead_bytes": (1 << 10, 64 << 10, 4), "stream_bytes": (0, 0, 2)}  # fmt: skip
OF = {"lane_bytes": "reduce", "anchor": "scan select", "stream_bytes": "scan select map"}
TILES = {"tile_vector": "tile_group", "tile_group": "tile_vector"}  # to the other one
BY_TILE = {"group_size": "tile_group", "ahead_bytes": "tile_vector", "stream_bytes": "tile_vector"}
SILENT = {"tile", "anchor", "ahead_bytes", "stream_bytes"}  # a report does not show them
REPORT = ("algorithm", "items", "group_size", "num_groups", "num_launches")
NEVER = 1 << 62  # bytes of output from which on stores pass the caches: above all
RACE_ROUNDS, LAST_ROUNDS, BETTER = 3, 41, 1.02
RACERS = 24  # candidates of one race
LAST_SHARE = 0.2  # of the time, for the last comparison
CASES = {"sums": [("reduce", "i32 i64"), ("scan", "i32 i64")], "maps": [("map", "i32 i64")]}
COLUMNS = [
    *report.CASE,
    ("default", 9, lambda row: report.figures(row["before"])),
    ("tuned", 9, lambda row: report.figures(row["after"])),
    ("as fast", 25, lambda row: report.ratio_text(row["ratio"])),
    ("numbers", -1, lambda row: f" {row['what']}" + report.remarks(row)),
]  # fmt: skip
EXAMPLES = """
Search for a minute, for about 2^20 elements, and show the rows:
  $ clfold tune --counts 2^20 --seconds 60
  $ clfold tune --show
By sums along the rows of matrices that have 256 columns:
  $ clfold tune --types f32 reduce --length 256
"""


def read_options(arguments):
    parser = view.Parser("tune", __doc__, EXAMPLES, [1 << 26], None, CASES,
                         "\n  or:  clfold tune --show | --reset")  # fmt: skip
    data, home = (os.environ.get(name, "") for name in ("XDG_DATA_HOME", "HOME"))
    path = os.path.join(data if os.path.isabs(data) else os.path.join(home, ".local/share"),
                        "clfold/tuning")  # fmt: skip
    parser.add_argument("--seconds", metavar="S", type=view.number_from(0.01, 1e6), default=90.0,
                        help="for the whole search; default: 90")
    parser.add_argument("--file", metavar="FILE", type=view.file_path,
                        default=path if os.path.isabs(path) else None,
                        help="default: clfold/tuning in $XDG_DATA_HOME or ~/.local/share")
    for name, words in (("show", "print the rows of the file, and which of them serve the device"),
                        ("reset", "remove the file")):
        parser.add_argument(f"--{name}", action="store_true", help=words)
    options = parser.parse_args(arguments)
    options.rounds = measure.FEWEST_ROUNDS  # before the search
    if not options.file:
        parser.error("neither $XDG_DATA_HOME nor $HOME is absolute: --file names the tuning file")
    return options


class Search:
    """Of one case: races of candidates, each a set of numbers in a tuning file of its own."""

    def __init__(self, pool, case, shared, options):
        self.case, self.shared, self.program = case, shared, pool.get("clfold")
        self.one = measure.Measurement(pool, case, [], options)
        self.program.ask(*shared.data_line(self.one.sets).split("\t"))
        self.words, self.free = case.call_words(shared.paths), list(range(63, -1, -1))
        self.build, self.short = 0.0, False
        self.calls = self.key = None
        self.default = self.enter({})
        self.tried = [self.default.numbers]
        self.one.expected = view.expected_of(case)
        self.program.check(shared, self.one.expected, self.default.number)

    def enter(self, numbers):
        """The entry of these numbers, built and ready; the library has those that are left out.
        Unsupported: they will not do."""
        path = os.path.join(self.shared.folder.name, "tuning") if numbers else ""
        if path:
            tuning.write_rows(path, [(self.calls, text_of(numbers), self.key)])
        entry = Entry("tuned", "clfold", self.words, path, self.free[-1])
        entry.asked = numbers
        begin = time.monotonic()
        entry.answer = self.program.ask("call", entry.number, path, *self.words)
        self.build = max(time.monotonic() - begin, 0.75 * self.build)
        self.free.pop()
        self.calls, found, self.key = tuning.ROW.fullmatch(entry.answer["row"]).groups()
        operation = self.calls.split()[0]
        entry.numbers = {name: value for name, value in numbers_in(found).items()
                         if operation in OF.get(name, operation)}  # fmt: skip
        return entry

    def leave(self, entry):
        if entry is not self.default:
            self.free.append(entry.number)

    def rounds(self, num, entries):
        self.one.entries = entries
        for turn in range(num):
            self.one.round(turn)
        self.require()

    def require(self):
        """Raises what the program has failed by."""
        for entry in self.one.entries:
            if entry.trouble:
                raise entry.trouble

    def neighbours(self, at, stride):
        """Sets that differ from `at` in one number, by `stride` values of it."""
        for name in [name for name in NUMBERS if name in at]:
            if BY_TILE.get(name, at["tile"]) == at["tile"]:
                for value in self.values(name, at[name], stride):
                    yield {**at, name: value}

    def values(self, name, now, stride):
        least, most, step = NUMBERS[name]
        if name == "stream_bytes":
            return {NEVER if 0 < now < NEVER else 1} - {now}
        wanted = {now * step**stride, now // step**stride} if now else {least * step}
        return {value for value in wanted if least <= value <= most} | (
            {0} - {now} if name == "ahead_bytes" else set())

    def candidates(self, best, hints, stride):
        """New ones, ready: each makes another call than the best does, as far as a report says."""
        found = []
        for numbers in [*hints, *self.neighbours(best.numbers, stride)]:
            if numbers in self.tried:
                continue
            if len(found) == RACERS or not self.has_time(len(found) + 1):
                self.short = True
                break
            self.tried.append(numbers)
            try:
                entry = self.enter(numbers)
            except Unsupported:
                continue
            differ = {name for name in entry.numbers
                      if entry.numbers[name] != best.numbers.get(name)}  # fmt: skip
            if not differ or (not differ & SILENT and all(
                    entry.answer.get(key) == best.answer.get(key) for key in REPORT)):
                self.leave(entry)
                continue
            found.append(entry)
        return found

    def has_time(self, num):
        """For a race of so many, and the last comparison."""
        rounds = 2 * RACE_ROUNDS * self.call * num * 2
        return time.monotonic() + 1.5 * self.build + rounds < self.end

    def race(self, entries):
        """Rounds, after which the slower half leaves, until one is left. All that remain have taken
        part in the same rounds."""
        for entry in entries:
            entry.seconds = []
        while len(entries) > 1:
            self.rounds(RACE_ROUNDS * (2 if len(entries) <= 4 else 1), entries)
            entries = sorted(entries, key=Entry.median)
            half = (len(entries) + 1) // 2
            for entry in entries[half:]:
                self.leave(entry)
            entries = entries[:half]
        return entries[0]

    def search(self, seconds, hints):
        """The best entry; the default's own where nothing looks better."""
        begin, best = time.monotonic(), self.default
        self.one.entries = [best]
        self.one.run()
        self.require()
        self.call = best.median() * self.one.calls
        self.end = begin + (1 - LAST_SHARE) * seconds
        stride = 2
        while stride and not self.short:
            before = list(self.tried)
            racers = self.candidates(best, hints, stride)
            winner = self.race([best, *racers]) if racers else best
            if winner is not best and self.is_wrong(winner):
                self.leave(winner)
                self.tried = [*before, winner.asked]  # the others race again, without it
                best = self.enter(best.asked) if best is not self.default else best
                continue
            hints, stride, best = [], stride - (winner is best), winner
        self.end = begin + seconds
        return best

    def is_wrong(self, entry):
        try:
            self.program.check(self.shared, self.one.expected, entry.number)
        except WrongResult:
            return True
        return False

    def decide(self, best):
        """The ratio of the default's time to the best's, in as many rounds as there is time for:
        stopping at a good moment would favour noise."""
        left = self.end - time.monotonic()
        for entry in (self.default, best):
            entry.seconds = []
        self.rounds(max(11, min(LAST_ROUNDS, int(left / (4 * self.call + 1e-9)))),
                    [self.default, best])  # fmt: skip
        self.program.check(self.shared, self.one.expected, best.number)
        return measure.ratio(self.default.seconds, best.seconds)


def key_of(pool):
    """The device's, in rows."""
    case, options = view.make_case("reduce", "i32", 1), argparse.Namespace(once=True)
    with Shared(case) as shared:
        return Search(pool, case, shared, options).key


def tune_one(search, seconds, hints, row):
    """Fills the row; returns the numbers that are better, or {}, or None: nothing was tried."""
    other = {"tile": TILES.get(search.default.numbers["tile"])}
    best = search.search(seconds, [*hints, *([other] if other["tile"] else [])])
    moved, default = search.one.moved() / 1e9, search.default
    row |= {"before": moved / default.median(), "after": None, "ratio": None,
            "checked": search.one.expected is not None}  # fmt: skip
    if best is default:
        tried = len(search.tried) > 1
        row["what"] = "the default" if tried else "no time to try others"
        return {} if tried else None
    row["ratio"] = search.decide(best)
    row |= {"before": moved / default.median(), "after": moved / best.median()}
    if row["ratio"][0] < BETTER or row["ratio"][1] <= 1:
        row["what"] = "the default: others are not faster, or by noise"
        return {}
    row["what"] = text_of({name: value for name, value in best.numbers.items()
                           if value != default.numbers.get(name)})
    return best.numbers


def lines_of(row):
    return [("default", row["before"], None), ("clfold: tuned", row["after"] or row["before"],
                                               None)]  # fmt: skip


def main(arguments):
    options = read_options(arguments)
    os.environ["CLFOLD_TUNING"] = ""  # the default is the library's own
    if options.reset:
        tuning.reset(options.file)
        return 0
    with view.Session(options, "tune", COLUMNS, lines_of) as session:
        if options.show:
            tuning.show(options.file, key_of(session))
            return 0
        older, decided, hints, end = tuning.read_rows(options.file) or [], {}, [], 0
        num = 0
        for done, case in enumerate(session.cases(CASES, "sums")):
            end = end or time.monotonic() + options.seconds  # the memory's speed is measured
            row = {"case": case.title, "type": case.type_label(), "count": case.count, "ok": True}
            try:
                with Shared(case) as shared:
                    one = Search(session, case, shared, options)
                    mine = [one.default.numbers | numbers_in(numbers)
                            for calls, numbers, key in older
                            if (calls, key) == (one.calls, one.key)]  # fmt: skip
                    share = (end - time.monotonic()) / (session.num_cases - done)
                    found = tune_one(one, share, [*mine, *hints], row)
            except Trouble as trouble:
                raise Failed(f"{case.title}, {row['type']}: {trouble}") from trouble
            about = session.get("clfold").about
            session.add(row | {"device": about["device"], "driver": about["driver"]})
            if found is not None:
                decided[one.calls, one.key] = decided.get((one.calls, one.key)) or found
            hints = [found] if found else hints
            num += bool(found)
    rows = [row for row in tuning.read_rows(options.file) or [] if (row[0], row[2]) not in decided]
    rows += [(calls, text_of(numbers), key) for (calls, key), numbers in decided.items() if numbers]
    if rows or os.path.exists(options.file):
        tuning.write_rows(options.file, rows)
    if not options.json:
        print(f"{num} of {session.num_cases} are faster"
              + (f", and their rows stand in {options.file}" if num else ""))
    return 0

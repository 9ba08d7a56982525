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

import os
import re
import tempfile
import time

from lab import measure, report, view
from lab.measure import Entry
from lab.program import Shared, Trouble, Unsupported, WrongResult

FIRST = "clfold tuning 5\n"
ROW = re.compile(r"(\w+ \d+ 2\^\d+\.\.2\^\d+) ((?:\w+=\w+ ?)+)on (.*)")
# The numbers, and which values are worth a try: powers of a step, from one to another.
NUMBERS = {"tile_bytes": (1 << 10, 4 << 20, 2), "group_size": (32, 1024, 2),
           "groups": (16, 16384, 2), "lane_bytes": (16, 256 << 10, 4), "anchor": (1, 256, 4),
           "ahead_bytes": (1 << 10, 64 << 10, 4), "stream_bytes": (0, 0, 2)}  # fmt: skip
OF = {"lane_bytes": "reduce", "anchor": "scan select", "stream_bytes": "scan select map"}
BY_TILE = {"group_size": "tile_group", "ahead_bytes": "tile_vector", "stream_bytes": "tile_vector"}
SILENT = {"anchor", "ahead_bytes", "stream_bytes"}  # a report does not show them
REPORT = ("algorithm", "items", "group_size", "num_groups", "num_launches")
NEVER = 1 << 62  # bytes of output from which on stores pass the caches: above all
RACE_ROUNDS, LAST_ROUNDS, BETTER = 3, 41, 1.02
RACERS = 24  # candidates of one race
LAST_SHARE = 0.2  # of the time, for the last comparison
CASES = {"sums": [("reduce", "i32 i64"), ("scan", "i32 i64")], "maps": [("map", "i32 i64")]}
USAGE = "[options] [CASE]\n  or:  clfold tune --show | --reset"
EXAMPLES = """
Search for a minute, for about 2^20 elements, and show the rows:
  $ clfold tune --counts 2^20 --seconds 60
  $ clfold tune --show
By sums along the rows of matrices that have 256 columns:
  $ clfold tune --types f32 reduce --length 256
"""


def read_options(arguments):
    parser = view.Parser("tune", __doc__, USAGE, EXAMPLES)
    parser.add_common([1 << 26], 90.0)
    parser.add_argument("--file", metavar="FILE", type=view.file_path, default=usual_file(),
                        help="default: clfold/tuning in $XDG_DATA_HOME or ~/.local/share")
    for name, words in (("show", "print the rows of the file, and which of them serve the device"),
                        ("reset", "remove the file")):
        parser.add_argument(f"--{name}", action="store_true", help=words)
    parser.add_case(CASES)
    options = parser.parse_args(arguments)
    options.json, options.events, options.svg, options.png = False, False, None, None
    options.rounds = options.rounds or measure.FEWEST_ROUNDS  # before the search
    if not options.file:
        parser.error("neither $XDG_DATA_HOME nor $HOME is set: --file names the tuning file")
    return options


def usual_file():
    home = os.environ.get("XDG_DATA_HOME") or (
        os.environ.get("HOME") and os.path.join(os.environ["HOME"], ".local/share"))
    return os.path.join(home, "clfold", "tuning") if home else None


# ---- The file ----


def read_rows(path):
    """(calls, numbers, device) each, or None: there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1 << 20)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise view.Failed(f"{path}: {getattr(error, 'strerror', error)}") from error
    if not text.startswith(FIRST[:-2]):
        raise view.Failed(f"{path}: is not a tuning file")
    return [tuple(part.strip() for part in row.groups()) for row in ROW.finditer(text)]


def write_rows(path, rows):
    """At once: a reader sees the old ones or the new."""
    real = os.path.realpath(path)
    part = f"{real}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with open(part, "x", encoding="utf-8") as file:
            file.write(FIRST + "".join(f"{calls} {numbers} on {device}\n"
                                       for calls, numbers, device in rows))
        os.replace(part, real)
    except OSError as error:
        raise view.Failed(f"{path}: {error.strerror}") from error


def row_in(line):
    """Its calls, numbers and device."""
    return tuple(part.strip() for part in ROW.fullmatch(line).groups())


def numbers_in(text):
    found = dict(word.split("=") for word in text.split())
    return {name: value if name == "tile" else int(value) for name, value in found.items()}


def text_of(numbers):
    return " ".join(f"{name}={value}" for name, value in numbers.items())


def show(options, pool):
    rows = read_rows(options.file)
    if rows is None:
        print(f"{options.file}: nothing is tuned, there is no such file")
        return
    mine = device_of(pool)
    serves = [f"{mine};".startswith((f"{device};", f"{device} ")) for *_, device in rows]
    for (calls, numbers, device), is_mine in zip(rows, serves):
        print(f"{'serves' if is_mine else '-':<6}  {calls}  {numbers}"
              + ("" if is_mine else f"  on {device}"))
    print(f"{options.file}: {len(rows)} row{'s' * (len(rows) != 1)}, {sum(serves)} for {mine}")


def reset(path):
    if read_rows(path) is None:
        print(f"{path}: there was no such file")
        return
    try:
        os.unlink(path)
    except OSError as error:
        raise view.Failed(f"{path}: {error.strerror}") from error
    print(f"{path}: removed")


def device_of(pool):
    """The key of rows."""
    with Shared(view.make_case("reduce", "i32", 1)) as shared:
        program = pool.get("clfold")
        program.ask(*shared.data_line(1).split("\t"))
        return row_in(program.ask("call", 0, "", *shared.case.call_words(shared.paths))["row"])[2]


# ---- The search ----


class Search:
    """Of one case: races of candidates, each a set of numbers in a tuning file of its own."""

    def __init__(self, pool, case, shared, options, folder):
        self.pool, self.case, self.shared, self.folder = pool, case, shared, folder
        self.program = pool.get("clfold")
        self.one = measure.Measurement(pool, case, [], options)
        self.program.ask(*shared.data_line(self.one.sets).split("\t"))
        self.words, self.free = case.call_words(shared.paths), list(range(63, -1, -1))
        self.build, self.num, self.tried = 0.0, 0, []
        self.default = self.enter({})
        self.calls, numbers, self.key = row_in(self.default.answer["row"])
        operation = self.calls.split()[0]
        self.policy = {name: value for name, value in numbers_in(numbers).items()
                       if operation in OF.get(name, operation)}  # fmt: skip
        self.expected = case.expected()
        self.check(self.default)

    def enter(self, numbers):
        """The entry of these numbers, built and ready. Unsupported: they will not do."""
        path = ""
        if numbers:
            self.num += 1
            path = os.path.join(self.folder, str(self.num))
            write_rows(path, [(self.calls, text_of(numbers), self.key)])
        entry = Entry(text_of(numbers), "clfold", self.words, path, self.free.pop())
        begin = time.monotonic()
        try:
            entry.answer = self.program.ask("call", entry.number, path, *self.words)
        except Unsupported:
            self.free.append(entry.number)
            raise
        self.build = max(time.monotonic() - begin, 0.75 * self.build)
        entry.numbers = numbers
        return entry

    def leave(self, entry):
        if entry is not self.default:
            self.free.append(entry.number)

    def check(self, entry):
        self.program.check(self.shared, self.expected, entry.number)

    def is_wrong(self, entry):
        try:
            self.check(entry)
        except WrongResult:
            return True
        return False

    def rounds(self, num):
        for turn in range(num):
            self.one.round(turn)
        self.require()

    def require(self):
        """Raises what the program has failed by, which is not that it is asked again."""
        troubles = [entry.trouble for entry in self.one.entries if entry.trouble]
        if troubles:
            raise Trouble(min(troubles, key=lambda trouble: "not ready" in trouble))

    def neighbours(self, at, stride):
        """Sets that differ from `at` in one number, by `stride` values of it."""
        for name in [name for name in NUMBERS if name in at]:
            if BY_TILE.get(name, at["tile"]) != at["tile"]:
                continue
            for value in self.values(name, at[name], stride):
                yield {**at, name: value}

    def values(self, name, now, stride):
        least, most, step = NUMBERS[name]
        if name == "stream_bytes":
            return {NEVER if 0 < now < NEVER else 1} - {now}
        wanted = {now * step**stride, now // step**stride} if now else {least * step}
        return {value for value in wanted if least <= value <= most} | (
            {0} - {now} if name == "ahead_bytes" else set())

    def candidates(self, best, others, stride):
        """New ones, ready: each makes another call than the best does, as far as a report says."""
        found = []
        for numbers in [*others, *self.neighbours(best.numbers or self.policy, stride)]:
            if numbers in self.tried or numbers == self.policy:
                continue
            if len(found) == RACERS or not self.has_time(len(found) + 1):
                self.short = True
                break
            self.tried.append(numbers)
            try:
                entry = self.enter(numbers)
            except Unsupported:
                continue
            at = best.numbers or self.policy
            shown = {name for name in numbers if numbers[name] != at.get(name)} - SILENT
            if shown and all(entry.answer.get(key) == best.answer.get(key) for key in REPORT):
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
        self.one.entries = entries
        for entry in entries:
            entry.seconds = []
        while len(entries) > 1:
            self.rounds(RACE_ROUNDS * (2 if len(entries) <= 4 else 1))
            entries = sorted(entries, key=Entry.median)
            for entry in entries[(len(entries) + 1) // 2 :]:
                self.leave(entry)
            self.one.entries = entries = entries[: (len(entries) + 1) // 2]
        return entries[0]

    def search(self, seconds, hints):
        """The best entry; the default's own where nothing looks better."""
        begin, self.short, best = time.monotonic(), False, self.default
        self.one.entries = [best]
        self.one.run()
        self.require()
        self.call = best.median() * self.one.calls
        self.end = begin + (1 - LAST_SHARE) * seconds
        stride = 2
        while stride and not self.short:
            racers = self.candidates(best, hints, stride)
            hints = []
            winner = self.race([best, *racers]) if racers else best
            if winner is not best and self.is_wrong(winner):
                others = [entry.numbers for entry in racers if entry is not winner]
                self.tried = [numbers for numbers in self.tried if numbers not in others]
                self.leave(winner)
                best = self.enter(best.numbers) if best.numbers else best
                continue  # without it
            stride -= winner is best
            best = winner
        self.end = begin + seconds
        return best

    def decide(self, best):
        """The ratio of the default's time to the best's, in as many rounds as there is time for:
        stopping at a good moment would favour noise."""
        left = self.end - time.monotonic()
        rounds = max(11, min(LAST_ROUNDS, int(left / (4 * self.call + 1e-9))))
        self.one.entries = [self.default, best]
        for entry in self.one.entries:
            entry.seconds = []
        self.rounds(rounds)
        return measure.ratio(self.default.seconds, best.seconds)


def tune_one(search, seconds, hints, row):
    """Fills the row; returns the numbers that are better, or {}, or None: nothing was tried."""
    best = search.search(seconds, hints)
    moved = sum(search.case.moved(search.expected)) / 1e9
    row |= {"before": moved / search.default.median(), "after": None, "ratio": None, "what": ""}
    if best is search.default:
        row["what"] = "the default" if search.tried else "no time to try others"
        return {} if search.tried else None
    found = search.decide(best)
    search.check(best)
    row |= {"before": moved / search.default.median(), "after": moved / best.median(),
            "ratio": found}  # fmt: skip
    if found[0] < BETTER or found[1] <= 1:
        row["what"] = "the default: others are not faster, or by noise"
        return {}
    row["what"] = text_of({name: value for name, value in best.numbers.items()
                           if value != search.policy.get(name)})
    return best.numbers


COLUMNS = [
    ("case", -26, lambda row: row["case"]), ("type", -8, lambda row: row["type"]),
    ("count", 8, lambda row: view.count_text(row["count"])),
    ("default", 9, lambda row: report.figures(row["before"])),
    ("tuned", 9, lambda row: report.figures(row["after"])),
    ("as fast", 25, lambda row: report.ratio_text(row["ratio"])),
    ("numbers", -1, lambda row: " " + row["what"]),
]  # fmt: skip


def main(arguments):
    options = read_options(arguments)
    os.environ["CLFOLD_TUNING"] = ""  # the default is the library's own
    if options.reset:
        reset(options.file)
        return 0
    with view.pool_for(options) as pool:
        if options.show:
            show(options, pool)
            return 0
        older = read_rows(options.file) or []
        jobs, end = view.cases_of(options, CASES, "sums"), time.monotonic() + options.seconds
        table, decided, hints = report.Table(options, COLUMNS), [], []
        for place, (words, kind) in enumerate(jobs):
            case = view.make_case(words, kind, options.counts[0])
            with Shared(case) as shared, tempfile.TemporaryDirectory() as folder:
                try:
                    one = Search(pool, case, shared, options, folder)
                except Trouble as trouble:
                    raise view.Failed(f"{words}, {kind}: {trouble}") from trouble
                mine = [one.policy | numbers_in(numbers) for calls, numbers, device in older
                        if (calls, device) == (one.calls, one.key)]
                row = {"case": words, "type": kind, "count": case.count, "ok": True}
                share = (end - time.monotonic()) / (len(jobs) - place)
                found = tune_one(one, share, [*mine, *hints], row)
                table.add(row)
            if found is not None:
                decided.append((one.calls, found, one.key))
            hints = [found] if found else hints
    rows = [row for row in read_rows(options.file) or []
            if (row[0], row[2]) not in {(calls, key) for calls, _, key in decided}]
    rows += [(calls, text_of(numbers), key) for calls, numbers, key in decided if numbers]
    if rows or os.path.exists(options.file):
        write_rows(options.file, rows)
    num = sum(bool(numbers) for _, numbers, _ in decided)
    print(f"{num} of {len(jobs)} are faster"
          + (f", and their rows stand in {options.file}" if num else ""))
    return 0

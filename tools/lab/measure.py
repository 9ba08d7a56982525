"""Rounds, in which programs take turns, and what follows from their times."""

import contextlib
import glob
import math
import os
import re
import statistics
import time

import numpy as np

from lab.program import Absent, GoesOn, Program, Shared, Trouble

ALL_SETS, MOST_SETS = 512 << 20, 128  # bytes of all sets: more than the caches; how many
FEWEST_ROUNDS, MOST_ROUNDS = 6, 101
PAUSE = 0.002  # seconds between programs, in which threads that spin go to sleep
ROUND = 0.001  # seconds that the calls of a round take at least, where they are short
MOST_CALLS = 64
MOVED = 1.15  # a memory that becomes faster or slower by that has moved


class Pool:
    """Programs that go on from case to case. `command`, which others add: of a name."""

    def __init__(self, limit):
        self.limit, self.programs, self.ended = limit, {}, {}

    def get(self, name):
        if name in self.ended:
            raise self.ended[name]
        if name not in self.programs:
            self.programs[name] = Program(self.command(name), self.limit)
        return self.programs[name]

    def drop(self, name):
        if name in self.programs:
            self.programs.pop(name).close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in list(self.programs):
            self.drop(name)


class Entry:
    """One call of a program: a line of a table. `words`: other ones than the case's; `more`: after
    them. `trouble`: what is in place of times. `bound`: it is a limit, which has no result to
    check."""

    def __init__(self, name, program="clfold", words=None, tuning="", number=0, more=(),
                 bound=False):
        self.name, self.program, self.words, self.tuning = name, program, words, tuning
        self.number, self.more, self.bound = number, more, bound
        self.trouble, self.answer, self.about = None, {}, {}
        self.seconds, self.events = [], []

    @contextlib.contextmanager
    def guarded(self, pool):
        """Notes what fails. A program that has failed is not asked again, but by the next case."""
        try:
            yield
        except Trouble as trouble:
            self.trouble = trouble
            if not isinstance(trouble, GoesOn):
                pool.drop(self.program)
                pool.ended[self.program] = trouble

    def median(self):
        return statistics.median(self.seconds)


def sets_for(bytes_of_set, num_programs=1):
    """How many take turns, and whether memory is too short for as many as there should be: a
    quarter of it is for the sets of all programs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (4 * num_programs)
    wanted = -(-ALL_SETS // bytes_of_set)
    if wanted == 1 and bytes_of_set < 1 << 30:
        wanted = 2
    wanted, held = min(wanted, MOST_SETS), max(1, memory // bytes_of_set)
    return min(wanted, held), held < wanted


class Measurement:
    """A case by its entries: prepare, check, rounds. What they find stands in the entries."""

    def __init__(self, pool, case, entries, options):
        """`options`: seconds, rounds (or None), once (data in the caches), events."""
        self.pool, self.case, self.entries, self.options = pool, case, entries, options
        self.sets, self.sets_few, self.calls, self.expected = 1, False, 1, None
        self.num_programs = len({entry.program for entry in entries}) or 1
        self.set_bytes = sum(array.nbytes for array in case.arrays.values()) + sum(
            case.room().values())  # fmt: skip
        if not options.once:
            self.sets, self.sets_few = sets_for(self.set_bytes, self.num_programs)

    def measure(self, line_of, expected):
        with Shared(self.case) as shared:
            self.prepare(shared, line_of)
            self.check(shared, expected)
            self.run()

    def prepare(self, shared, line_of):
        """`line_of`: the line that gives a program the data. Entries of one share them."""
        loaded = set()
        self.pool.ended.clear()
        for entry in self.living():
            with entry.guarded(self.pool):
                program = self.pool.get(entry.program)
                entry.about, ours = program.about, self.entries[0].about
                if entry.about.get("index", -1) not in (-1, ours.get("index")) and ours:
                    raise Absent(f"ran on another device, {entry.about['device']}")
                if entry.program not in loaded:
                    program.ask(*line_of(entry.program, shared, self).split("\t"))
                    loaded.add(entry.program)
                words = self.case.call_words(shared.paths) if entry.words is None else entry.words
                entry.answer = program.ask("call", entry.number, entry.tuning, *words, *entry.more)

    def living(self):
        return [entry for entry in self.entries if entry.trouble is None]

    def round(self, turn):
        """Each in turn; the first one changes."""
        living, last = self.living(), None
        first = turn % max(1, len(living))
        for entry in living[first:] + living[:first]:
            with entry.guarded(self.pool):
                if entry.program != last:
                    time.sleep(PAUSE)
                last = entry.program
                seconds, event = self.pool.get(entry.program).round(
                    entry.number, self.calls, self.options.events and not entry.bound)
                entry.seconds.append(seconds)
                entry.events += [event] if event else []

    def run(self):
        """Rounds for the seconds that there are, or as many as are asked for."""
        self.round(0)
        times = [entry.seconds[-1] for entry in self.living() if entry.seconds]
        if times:
            self.calls = max(1, min(MOST_CALLS, math.ceil(ROUND / max(min(times), 1e-7))))
        for entry in self.entries:
            entry.seconds, entry.events = [], []
        end, turn = time.monotonic() + self.options.seconds, 0
        while self.living() and turn < (self.options.rounds or MOST_ROUNDS):
            if not self.options.rounds and turn >= FEWEST_ROUNDS and time.monotonic() >= end:
                break
            self.round(turn)
            turn += 1

    def check(self, shared, expected):
        """`expected`: the results by name, or None: they are not known."""
        self.expected = expected
        for entry in self.living():
            if not entry.bound:
                with entry.guarded(self.pool):
                    self.pool.get(entry.program).check(shared, expected or {}, entry.number)

    def moved(self):
        """Bytes that must be read and written."""
        return sum(self.case.moved(self.expected))

    def row(self, entry):
        """What views say of an entry. Its `ratio` is to the first entry, in the same rounds."""
        first = self.entries[0]
        row = {"case": self.case.title, "type": self.case.type_label(), "count": self.case.count,
               "program": entry.name, "device": entry.about.get("device"),
               "driver": entry.about.get("driver"), "ok": entry.trouble is None}  # fmt: skip
        if entry.trouble:
            return {**row, "why": str(entry.trouble)}
        seconds, moved = entry.seconds, self.moved() / 1e9
        low, high = (float(one) for one in np.percentile(seconds, [25, 75]))
        paired = entry is not first and len(seconds) == len(first.seconds)
        return row | {
            "checked": self.expected is not None and not entry.bound, "rounds": len(seconds),
            "seconds": entry.median(), "spread": (high - low) / entry.median(),
            "event_seconds": statistics.median(entry.events) if entry.events else None,
            "gbps": moved / entry.median(), "range_gbps": [moved / max(seconds),
                                                           moved / min(seconds)],
            "quartiles_gbps": [moved / high, moved / low],
            "ratio": ratio(seconds, first.seconds) if paired else None,
            "algorithm": entry.answer.get("algorithm"), "policy": entry.answer.get("policy"),
            "sets": self.sets, "set_bytes": self.set_bytes, "sets_few": self.sets_few,
        }  # fmt: skip


def ratio(a, b):
    """Of the times of two in the same rounds, a over b: the median, and bounds of its 95 %
    confidence interval, or None where there are fewer than 6. Each ratio is below the median or
    above it, as a coin falls, and as many are left out at each end as fall so in 1 of 40 cases."""
    ratios = sorted(x / y for x, y in zip(a, b))
    num, out, share = len(ratios), 0, 0.0  # of the cases in which `out` or fewer are below
    while (share := share + math.comb(num, out) / 2**num) <= 0.025:
        out += 1
    bounds = (ratios[out - 1], ratios[num - out]) if out else (None, None)
    return statistics.median(ratios), *bounds


# ---- The machine ----

# What /proc/cpuinfo names, and how it is told.
CPU = {"vendor_id": "", "cpu family": "family ", "model": "model ", "stepping": "stepping ",
       "model name": "", "CPU implementer": "implementer ", "CPU part": "part "}  # fmt: skip


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def machine():
    """What the system says of its processors, caches and huge pages."""
    text = text_of("/proc/cpuinfo")
    known = dict(re.findall(r"^(.*\S)\s*: (.*)$", text, re.M))
    facts = [word + known[key] for key, word in CPU.items() if key in known]
    num = len(re.findall(r"^processor\s*:", text, re.M))
    facts += [f"{num} CPU{'s' * (num != 1)}"] if num else []
    for folder in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        level, kind, size = (text_of(f"{folder}/{name}") for name in ("level", "type", "size"))
        letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
        facts.append(f"L{level}{letter} {size}")
    pages = re.search(r"\[(\w+)\]", text_of("/sys/kernel/mm/transparent_hugepage/enabled"))
    return ", ".join(facts + ([f"huge pages {pages[1]}"] if pages else [])) or None

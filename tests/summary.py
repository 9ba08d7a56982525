#!/usr/bin/env python3
"""summary.py [--matrix FILE] BUILD...: what the last `meson test` of each build folder came to.

Prints what failed and some lines of what was said of it, the ten dearest tests by programs that
they built and by seconds, how many programs all built and loaded, the support matrix, a line a
device, and as its last line "N passed, N failed, N skipped". With --matrix it also puts the
matrix between the marks in FILE. Ends with 1 if something failed, or if nothing ran.
"""

import argparse
import collections
import json
import os
import re
import sys
import tempfile

MARKS = ("<!-- support matrix: begin, written by tools/run-tests -->",
         "<!-- support matrix: end -->")
# "ok 3 - PLATFORM: DEVICE (OpenCL 3.0, driver 3.1): test_name # SKIP why"
POINT = re.compile(r"^(not )?ok \d+(?: -)? ?([^#\n]*)(# ?SKIP\b)?", re.M | re.I)
DEVICE = re.compile(r"(.+?: .+? \(OpenCL .*?, driver .*?\))")
# "# LABEL: programs: 12 built in 3.4 s, 30 loaded in 0.7 s"
PROGRAMS = re.compile(r"^# .*: programs: (.*)$", re.M)
MADE = re.compile(r"(\d+) ([a-z ]+) in ([\d.]+) s")
DEAREST = 10
STATES = ("passed", "failed", "skipped")
SAID_LINES, SAID_WIDTH = 12, 300  # of a failure, at most


def lines_of(text):
    return [line.rstrip()[:SAID_WIDTH] for line in text.splitlines() if line.strip(" #")]


def tests_of(build):
    with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cases_of(tests):
    """Name and state of each test of a build, or of its points where it speaks TAP, and what
    was printed after it.

    Meson's own count of points leaves out the program that crashed after its last one, so
    a test that failed without a failed point is a failure more.
    """
    for test in tests:
        states = []
        out = test.get("stdout", "")
        points = list(POINT.finditer(out))
        for place, match in enumerate(points):
            states.append("failed" if match[1] else "skipped" if match[3] else "passed")
            end = points[place + 1].start() if place + 1 < len(points) else len(out)
            yield match[2], states[-1], lines_of(out[match.end() : end])[:SAID_LINES]
        if test["result"] == "SKIP":
            if not states:
                yield test["name"], "skipped", []
        elif test["result"] not in ("OK", "EXPECTEDFAIL"):
            if "failed" not in states:
                yield test["name"], "failed", lines_of(out + test.get("stderr", ""))[-SAID_LINES:]
        elif not states:
            yield test["name"], "passed", []


def costs_of(build, tests):
    """Of each test its name, what became of programs, and its seconds."""
    for test in tests:
        programs, seconds = collections.Counter(), collections.Counter()
        for line in PROGRAMS.findall(test.get("stdout", "")):
            for count, end, took in MADE.findall(line):
                programs[end] += int(count)
                seconds[end] += float(took)
        name = re.sub(r"^.*? / ", "", test["name"])
        yield (f"{name} ({os.path.basename(os.path.abspath(build))})", programs, seconds,
               test["duration"])


def print_dearest(heading, costs):
    print(heading)
    for cost, name in sorted(costs, reverse=True)[:DEAREST]:
        if cost > 0:
            print(f"{cost:7.0f}  {name}")


def print_costs(costs):
    programs, seconds = collections.Counter(), collections.Counter()
    for _, made, took, _ in costs:
        programs.update(made)
        seconds.update(took)
    print_dearest("The dearest tests by seconds:", [(cost[3], cost[0]) for cost in costs])
    print_dearest("By programs built:", [(cost[1]["built"], cost[0]) for cost in costs])
    print("Programs: " + ", ".join(f"{programs[end]} {end} in {seconds[end]:.0f} s"
                                   for end in sorted(programs)))


def table(devices):
    rows = ["| device | passed | failed | skipped |", "|---|---|---|---|"]
    for name in sorted(devices):
        counts = devices[name]
        rows.append(f"| {name} | " + " | ".join(str(counts[state]) for state in STATES) + " |")
    return rows


def write_matrix(path, rows):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = (text.find(mark) for mark in MARKS)
    if begin < 0 or end < begin:
        print(f"summary.py: {path} has no marks for the support matrix", file=sys.stderr)
        return 1
    matrix = "\n".join(["", *rows, ""])
    text = text[: begin + len(MARKS[0])] + matrix + text[end:]
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as file:
        file.write(text)
    os.chmod(file.name, os.stat(path).st_mode)
    os.replace(file.name, path)
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--matrix")
    parser.add_argument("builds", nargs="+")
    arguments = parser.parse_args()

    total = collections.Counter()
    devices = collections.defaultdict(collections.Counter)
    costs = []
    for build in arguments.builds:
        tests = tests_of(build)
        costs += costs_of(build, tests)
        for name, state, said in cases_of(tests):
            total[state] += 1
            if state == "failed":
                print("\n  ".join([f"failed: {name.strip()}", *said]))
            match = DEVICE.match(name)
            if match:
                devices[match[1]][state] += 1
    status = write_matrix(arguments.matrix, table(devices)) if arguments.matrix else 0
    print()
    print_costs(costs)
    print("\n".join(["", *table(devices), ""]))
    print(", ".join(f"{total[state]} {state}" for state in STATES))
    return 1 if status or total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())

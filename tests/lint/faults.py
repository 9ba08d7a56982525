#!/usr/bin/env python3
"""faults.py ROOT [--write]: docs/devices.md has the table of what trials leave out, as left_out in
tests/support/trial_rules.c says it; with --write it is written there."""

import os
import re
import sys

import tools

SOURCE, PAGE = "tests/support/trial_rules.c", "docs/devices.md"
BEGIN = f"<!-- left out of trials: begin, written by tests/lint/faults.py from {SOURCE} -->\n"
END = "<!-- left out of trials: end -->\n"


def table_of(text):
    """Rows of Markdown: a comment names the driver of the rows after it."""
    rows, driver = ["| driver | left out, since |", "|---|---|"], "all"
    faults = text.partition("faults[] = {")[2].partition("};")[0]
    for comment, why in re.findall(r'/\* (.*?) \*/|\n *"(.*)" },', faults):
        driver = comment or driver
        row = f"| {driver} | {why} |"
        if why and row not in rows:
            rows.append(row)
    return "\n".join(rows) + "\n"


def main():
    root, *options = sys.argv[1:]
    with open(os.path.join(root, SOURCE), encoding="utf-8") as file:
        table = table_of(file.read())
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        page = file.read()
    before, begin, rest = page.partition(BEGIN)
    written, end, after = rest.partition(END)
    if options == ["--write"] and begin and end:
        with open(os.path.join(root, PAGE), "w", encoding="utf-8") as file:
            file.write(before + begin + table + end + after)
        written = table
    planted = table_of('faults[] = {\n/* D 1 */\n{ x("y"),\n "why" },\n};')
    tools.finish(
        [f"{PAGE} has another table than {SOURCE}: faults.py ROOT --write"] * (written != table)
        + ["no row was read"] * (not planted.endswith("| why |\n") or table.count("\n") < 5),
        f"{table.count(chr(10)) - 2} rows",
    )


main()

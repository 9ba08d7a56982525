"""Writes report.md: Markdown whose parts can be pasted into docs/gpu.md and docs/devices.md."""

import json
import os
import platform
import re

from gpu_host.steps import printed

# but that of a program which was cut off
POINT = re.compile(r"^(ok|not ok) \d+ - (?!.* took more than )[^#\n]*(# SKIP)?", re.M)
UNTOLD = ("ok ", "# #", "# TID ")  # what passed, and stacks
MAX_LINES = 20  # of a failure


def read(out, name, kind="out"):
    try:
        with open(printed(out, name, kind), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def cells(text, cell):
    """Of its lines of JSON, but for those that are cut off or not about a case, such as the one of
    the memory's speed."""
    found = []
    for line in text.splitlines():
        try:
            found.append(cell(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            pass
    return found


def power(count):
    exponent = count.bit_length() - 1
    return f"2^{exponent}" if count == 1 << exponent else str(count)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def grid(found, corner):
    """Of (row, column, text), in the order in which rows and columns come."""
    texts = {(row, column): text for row, column, text in found}
    rows, columns = (list(dict.fromkeys(part)) for part in list(zip(*found))[:2])
    return table([corner, *columns],
                 [[row, *(texts.get((row, column), "") for column in columns)] for row in rows])


def speed(row):
    return f"{row['gbps']:.0f}" if row["gbps"] >= 100 else f"{row['gbps']:.1f}"


def bench_cell(row):
    text = f"{speed(row)}, {row['fraction']:.2f}" if row["ok"] else "WRONG"
    return f"{row['op']} {row['fold']} {row['type']}", power(row["count"]), text


def ladder_cell(row):
    return row["kernel"], power(row["count"]), speed(row) if row["ok"] else "WRONG"


def compare_cell(row):
    name = f"{row['op']} {row['operator']} {row['type']} {row['implementation']}"
    text = row.get("why") or f"{speed(row)}, {row['ratio']:.2f}"
    return name, power(row["count"]), text


# The step, what its table is of, its corner, and a row of its JSON as (row, column, text).
BENCH = "GB/s, and share of the fastest kernel that reads or copies the same bytes"
COMPARE = "GB/s, and clfold's throughput over the peer's"
TABLES = (
    ("bench", BENCH, "case", bench_cell),
    ("bench-counts", BENCH, "case", bench_cell),
    ("bench-large", BENCH, "case", bench_cell),
    ("ladder", "GB/s of sums of i32", "kernel", ladder_cell),
    ("compare", COMPARE, "case, program", compare_cell),
    ("compare-large", COMPARE, "case, program", compare_cell),
)
TEXTS = ("bench-select", "bench-segments", "tune", "devices")


def verdict(names, records):
    """How the steps of these names came out, in a line."""
    parts = []
    for state in ("FAILED", "cut off", None):
        found = [name for name in names if records.get(name, {}).get("state") == state]
        parts += [f"{state or 'not run'}: {', '.join(found)}"] if found else []
    right = sum(records.get(name, {}).get("state") == "ok" for name in names)
    return "; ".join([f"right: {right} of {len(names)}", *parts])


def tests(out, names, records):
    """A row for each, and passed, failed and skipped of all."""
    rows, sums = [], [0, 0, 0]
    for name in names:
        points = POINT.findall(read(out, name))
        failed = sum(state == "not ok" for state, _ in points)
        skipped = sum(bool(skip) for _, skip in points)
        counts = [len(points) - failed - skipped, failed, skipped]
        sums = [a + b for a, b in zip(sums, counts)]
        record = records[name]
        rows.append([name.partition(" ")[2], record["state"], *counts, f"{record['seconds']:.0f}"])
    return rows, sums


def failure(out, name):
    """The end of what it printed beside results."""
    lines = read(out, name).splitlines() if name.startswith("test ") else []
    lines += read(out, name, "log").splitlines()
    return "\n".join([line for line in lines if not line.startswith(UNTOLD)][-MAX_LINES:])


def write(out, plan, records, host):
    device = host.device
    opencl, driver = " ".join(device["device_version"].split()[:2]), device["driver_version"]
    label = f"{device['platform']}: {device['name']} ({opencl}, driver {driver})"
    dates = ", ".join(sorted({record["date"] for record in records.values()}))
    names = list(dict.fromkeys(step.name for stage in plan.values() for step in stage))
    text = f"""# {device['name']}

{label}, {device['compute_units']} compute units, {device['global_memory'] / 2**30:.0f} GiB.
{host.version}; {dates}. Host: {platform.machine()}, {len(os.sched_getaffinity(0))} CPUs.

Check: {verdict([step.name for step in plan['check']], records)}.

All steps: {verdict(names, records)}.
"""
    ran = [name for name in names if name in records]
    for name, words, corner, cell in TABLES:
        found = cells(read(out, name), cell) if name in ran else []
        if found:
            text += f"\n## {name}\n\n{words}.\n\n{grid(found, corner)}"
    for name in TEXTS:
        if name in ran and read(out, name):
            text += f"\n## {name}\n\n```\n{read(out, name).rstrip()}\n```\n"
    rows, sums = tests(out, [name for name in ran if name.startswith("test ")], records)
    if rows:
        head = ["passed", "failed", "skipped"]
        text += f"\n## tests\n\n{table(['test', 'state', *head, 's'], rows)}\n"
        text += table(["device", *head], [[label, *sums]])
    for name in ran:
        said = failure(out, name).replace(f"{label}: ", "")
        if records[name]["state"] != "ok" and said:
            text += f"\n## {name}: {records[name]['state']}\n\n```\n{said}\n```\n"
    with open(os.path.join(out, "report.md"), "w", encoding="utf-8") as file:
        file.write(text)

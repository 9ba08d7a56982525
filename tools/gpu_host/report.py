"""Writes report.md: Markdown whose parts can be pasted into docs/gpu.md and docs/devices.md."""

import json
import os
import platform
import re

from gpu_host.steps import printed

POINT = re.compile(r"^(ok|not ok) \d+ - ?(.*?)(# SKIP.*)?$", re.M)
MAX_LINES = 12  # of failures of a test


def read(out, name):
    try:
        with open(printed(out, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def objects(text):
    """Those of the lines that are whole."""
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def power(count):
    exponent = count.bit_length() - 1
    return f"2^{exponent}" if count == 1 << exponent else str(count)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def grid(cells, corner):
    """Of (row, column, text), in the order in which rows and columns come."""
    texts = {(row, column): text for row, column, text in cells}
    rows, columns = (list(dict.fromkeys(part)) for part in list(zip(*cells))[:2])
    return table([corner, *columns],
                 [[row, *(texts.get((row, column), "") for column in columns)] for row in rows])


def bench_cell(row):
    text = f"{row['gbps']:.0f}, {row['fraction']:.2f}" if row["ok"] else "WRONG"
    return f"{row['op']} {row['fold']} {row['type']}", power(row["count"]), text


def ladder_cell(row):
    return row["kernel"], power(row["count"]), f"{row['gbps']:.0f}" if row["ok"] else "WRONG"


def compare_cell(row):
    name = f"{row['op']} {row['operator']} {row['type']} {row['implementation']}"
    text = row.get("why") or f"{row['gbps']:.0f}, {row['ratio']:.2f}"
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


def verdict(steps, records):
    """How they came out, in a line."""
    names = [step.name for step in steps]
    of = {state: [name for name in names if records.get(name, {}).get("state") == state]
          for state in ("ok", "FAILED", "cut off")}  # fmt: skip
    parts = [f"right: {len(of['ok'])} of {len(names)}"]
    missing = [name for name in names if name not in records]
    for words, some in (("WRONG", of["FAILED"]), ("cut off", of["cut off"]), ("not run", missing)):
        parts += [f"{words}: {', '.join(some)}"] if some else []
    return "; ".join(parts)


def tests(out, names, records):
    """The table of tests that have run, and what failed of each."""
    rows, failures, sums = [], "", [0, 0, 0]
    for name in names:
        record = records[name]
        points = POINT.findall(read(out, name))
        failed = [text.strip() for state, text, _ in points if state == "not ok"]
        skipped = sum(bool(skip) for _, _, skip in points)
        passed = len(points) - len(failed) - skipped
        sums = [a + b for a, b in zip(sums, (passed, len(failed), skipped))]
        rows.append([name[len("test "):], record["state"], passed, len(failed), skipped,
                     f"{record['seconds']:.0f}"])
        if failed:
            failures += f"\n`{name}`:\n\n```\n" + "\n".join(failed[:MAX_LINES]) + "\n```\n"
    rows.append(["all", "", *sums, ""])
    return table(["test", "state", "passed", "failed", "skipped", "s"], rows) + failures, sums


def write(out, plan, records, host):
    device = host.device
    opencl, driver = " ".join(device["device_version"].split()[:2]), device["driver_version"]
    label = f"{device['platform']}: {device['name']} ({opencl}, driver {driver})"
    dates = ", ".join(sorted({record["date"] for record in records.values()}))
    text = f"""# {device['name']}

{label}, {device['compute_units']} compute units, {device['global_memory'] / 2**30:.0f} GiB.
{host.version}; {dates}. Host: {platform.machine()}, {len(os.sched_getaffinity(0))} CPUs.

Check: {verdict(plan['check'], records)}.
"""
    names = list(dict.fromkeys(step.name for stage in plan.values() for step in stage))
    for words, some in (
        ("Failed", [name for name in names if records.get(name, {}).get("state") == "FAILED"]),
        ("Cut off", [f"{name} after {records[name]['seconds']:.0f} s" for name in names
                     if records.get(name, {}).get("state") == "cut off"]),
        ("Left out so far", [name for name in names if name not in records]),
    ):  # fmt: skip
        text += f"\n{words}: {', '.join(some)}.\n" if some else ""
    for name, words, corner, cell in TABLES:
        rows = [cell(row) for row in objects(read(out, name))] if name in records else []
        if rows:
            text += f"\n## {name}\n\n{words}.\n\n{grid(rows, corner)}"
    for name in TEXTS:
        if name in records and read(out, name):
            text += f"\n## {name}\n\n```\n{read(out, name).rstrip()}\n```\n"
    ran = [name for name in names if name.startswith("test ") and name in records]
    if ran:
        words, sums = tests(out, ran, records)
        text += f"\n## tests\n\n{words}\nThe row of docs/devices.md:\n\n"
        text += table(["device", "passed", "failed", "skipped"], [[label, *sums]])
    with open(os.path.join(out, "report.md"), "w", encoding="utf-8") as file:
        file.write(text)

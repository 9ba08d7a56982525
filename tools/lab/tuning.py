"""Tuning files: rows of numbers that are the library's for a device's calls."""

import os
import re

from lab.program import Failed, replaced

FIRST = "clfold tuning 5\n"
ROW = re.compile(r"(\w+ \d+ 2\^\d+\.\.2\^\d+) ((?:\w+=\w+ ?)+)on (.*)")


def read_rows(path):
    """(calls, numbers, device) each, or None: there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except FileNotFoundError:
        return None
    if not text.startswith(FIRST[:-2]):
        raise Failed(f"{path}: is not a tuning file")
    return [tuple(part.strip() for part in row.groups()) for row in ROW.finditer(text)]


def write_rows(path, rows):
    real = os.path.realpath(path)
    os.makedirs(os.path.dirname(real), exist_ok=True)
    with replaced(real) as part, open(part, "x", encoding="utf-8") as file:
        file.write(FIRST)
        file.writelines(f"{calls} {numbers} on {device}\n" for calls, numbers, device in rows)


def numbers_in(text):
    found = dict(word.split("=") for word in text.split())
    return {name: value if name == "tile" else int(value) for name, value in found.items()}


def text_of(numbers):
    return " ".join(f"{name}={value}" for name, value in numbers.items())


def show(path, mine):
    """`mine`: the device's key."""
    rows = read_rows(path)
    if rows is None:
        print(f"{path}: nothing is tuned, there is no such file")
        return
    serves = [f"{mine};".startswith((f"{device};", f"{device} ")) for *_, device in rows]
    for (calls, numbers, device), is_mine in zip(rows, serves):
        print(f"{'serves' if is_mine else '-':<6}  {calls}  {numbers}"
              + ("" if is_mine else f"  on {device}"))
    print(f"{path}: {len(rows)} row{'s' * (len(rows) != 1)}, {sum(serves)} for {mine}")


def reset(path):
    if read_rows(path) is None:
        print(f"{path}: there was no such file")
        return
    os.unlink(path)
    print(f"{path}: removed")

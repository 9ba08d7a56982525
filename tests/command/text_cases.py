"""Cases on one device: numbers as text, from files, pipes and standard input."""

import csv
import io
import re

from driver import check


def written(d, rows, separator):
    """The rows as RFC 4180 has them: what needs quotes has them, other fields sometimes. A
    comment and an empty line may come before any row."""
    lines = []
    for row in rows:
        lines += ["# a, b; \"c\n", "\n", ""][int(d.random.integers(3)) :][:1]
        fields = []
        for field in row:
            if set(field) & set(separator + '\n\r"# \t') or d.random.integers(3) == 0:
                field = '"' + field.replace('"', '""') + '"'
            fields.append(field)
        lines.append(separator.join(fields) + ["\n", "\r\n"][int(d.random.integers(2))])
    return "".join(lines)


def without_comments(text):
    """What Python's csv module can read, since it knows no comments."""
    return re.sub(r'^# a, b; "c\n', "", text, flags=re.MULTILINE)


def columns(d, device):
    """Random files, whose columns are what Python's csv module finds."""
    words = ["reduce", "--device", device["index"], "--text", "i32"]
    pieces = ["a", "7", '"', " ", "\n", ",", ";", "\t", "#", "\r\n", "é", "x y"]
    for turn in range(24):
        separator = ",;\t|"[turn % 4]
        width, height = (int(n) for n in d.random.integers(1, 9, 2))
        place = int(d.random.integers(width))
        rows = [[f"n{i}" + "".join(d.random.choice(pieces, 2)) for i in range(width)]]
        for _ in range(height):
            row = ["".join(d.random.choice(pieces, d.random.integers(1, 5))) for _ in range(width)]
            row[place] = str(d.random.integers(-1000, 1000))
            rows.append(row + ["more"] * int(d.random.integers(2)))
        text = written(d, rows, separator)
        read = [row for row in csv.reader(io.StringIO(without_comments(text), newline=""),
                                          delimiter=separator) if row]  # fmt: skip
        check(read == rows, f"csv reads {text!r} as {read}")
        total = f"{sum(int(row[place]) for row in read[1:])}\n"
        form = ["--separator", separator, "--column", rows[0][place]]
        path = d.write(text.encode(), "table.csv")
        said = d.good(*words, *form, path)
        check(said == total, f"{form} of {text!r}: {said}, not {total}")
        # by its number, after the lines of the header
        skipped = 0
        while not text.split("\n")[skipped].startswith(("n0", '"n0')):
            skipped += 1
        skipped += 1 + sum(field.count("\n") for field in rows[0])
        form = ["--separator", separator, "--column", place + 1, "--skip", skipped]
        said = d.good(*words, *form, "-", data=text.encode())
        check(said == total, f"{form} of {text!r}: {said}, not {total}")


def thousands(d, device):
    """A comma that may be one of thousands."""
    words = ["reduce", "--device", device["index"], "--text", "f32"]
    part = "clfold: warning: standard input: line 2, byte 4: this comma may separate thousands"
    done = d.run(*words, "-", data=b"# 1,23\n777,234 5\n")
    check(done.returncode == 0 and done.stderr.decode().startswith(part), f"{done}")
    check(done.stderr.count(b"\n") == 1, f"{done}")
    d.good(*words, "--quiet", "-", data=b"777,234 5\n")


CASES = [columns, thousands]

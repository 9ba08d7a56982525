"""Cases on one device: numbers as text, from files, pipes and standard input."""

import csv
import io
import math
import os
import re

import numpy as np

from driver import accumulator, check, has_type, one_array

def spellings(d, device):
    array = np.array([1, 2, 3], "u1")
    for op, text in [("add", b"\xef\xbb\xbf1\n2\n3\n"), ("arg-max", b'# 0\n"1",\t2 # 5\r\n+3')]:
        one_array(d, device, array, op, accumulator(op, "uint8"), "--text", "u8", d.write(text))
    text = b"1e2 .5,-25E-2 +4. 0.1"
    array = np.array([1e2, 0.5, -0.25, 4, 0.1], "f4")
    one_array(d, device, array, "min-max", "float32", "--text", "f32", d.write(text))
    array = np.array([np.inf, 1, -np.inf, np.nan, 0, -0.0], "f4")
    text = b"inf 1 -Infinity NaN 1e-60,-0"
    for op in ["add", "arg-min", "arg-max", "min", "logical-and"]:
        one_array(d, device, array, op, "float32", "--text", "f32", d.write(text))
    if has_type(device, "float16"):
        # just above the middle of 1 and the next f16: through f64 it would be 1
        text = b"1.00048828125000000000000001"
        array = np.array([1 + 2**-10], "f2")
        one_array(d, device, array, "max", "float16", "--text", "f16", d.write(text))


def refused_text(d, device):
    """What is wrong with a text, which the unit test `text` tries out, is said with its file."""
    words = ["reduce", "--device", device["index"], "--text"]
    for element, text, part in [
        ("f32", "1 2\n3 x 4", 'line 2, byte 3: "x" is not a valid number of type f32'),
        ("u8", "1\n2,\n", "line 2, byte 2: a comma with no number after it"),
        ("u8", "1 \x1b[31m", '"?[31m" is not a valid number'),
        ("u8", "0" * 100000, "is longer than any number of type u8"),
    ]:
        path = d.write(text.encode())
        said = d.bad(1, part, *words, element, path)
        check(said.startswith(f"clfold: {path}: line "), said)
        said = d.bad(1, part, *words, element, "-", data=text.encode())
        check(said.startswith("clfold: standard input: line "), said)
    d.bad(1, "is not a valid number of type f32", *words, "f32", d.save(np.ones(3, "f4")))
    d.bad(1, "is longer than any number", *words, "u8", "/dev/zero")
    d.bad(1, "No such file", *words, "u8", d.path("missing"))
    d.bad(1, "Is a directory", *words, "u8", d.folder)
    d.bad(1, "standard input: Bad file", *words, "u8", "-", shell='"$@" <&-')


def streams(d, device):
    """More than any pipe holds, and more than the command reads at once."""
    array = d.random.integers(-(2**31), 2**31, 300007, "int32")
    content = "\n".join(map(str, array)).encode()
    path = d.write(content, "long.txt")
    total = f"{array.sum(dtype='int64')}\n"
    words = ["reduce", "--device", device["index"], "--text", "i32"]
    check(d.good(*words, path) == total, "a file")
    check(d.good(*words, "-", data=content) == total, "standard input")
    check(d.good(*words, "-", shell='cat long.txt | "$@"', cwd=d.folder) == total, "a pipe")
    with open(path, "rb") as file:
        check(d.good(*words, "-", stdin=file) == total, "a file as standard input")
    # a word that comes in two writes
    shell = '{ printf 12; sleep 0.2; printf "3 4"; } | "$@"'
    check(d.good(*words, "-", shell=shell) == "127\n", "a slow pipe")
    line = len(array) + 1
    text = d.bad(1, f'line {line}, byte 1: "end" is', *words, "-", data=content + b"\nend")
    check("i32" in text, text)
    os.remove(path)


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
    # all that a scan reads is the same
    path = d.write(b"year;sum\n2001;5\n2002;6\n", "table.csv")
    form = ["--text", "i32", "--separator", ";", "--column", "sum"]
    said = d.good("scan", "--device", device["index"], *form, path, "-")
    check(said == "5\n11\n", said)
    d.bad(1, f"{path}: line 1: has no column with the name mean", *words, *form[2:4],
          "--column", "mean", path)  # fmt: skip
    d.bad(1, f"{path}: line 1: has 2 of the 3 fields that --column 3 needs", *words, *form[2:4],
          "--column", 3, path)  # fmt: skip
    d.bad(1, f"{path}: has 3 lines, and --skip 4 needs as many", *words, "--skip", 4, path)
    # more than is read at once
    count = 50000
    text = "id,n,m\n" + "".join(f'{i},"{i % 7}",\n' for i in range(count))
    said = d.good(*words, "--column", "n", "-", data=text.encode())
    check(said == f"{sum(i % 7 for i in range(count))}\n", said)


def missing(d, device):
    """Empty and NA fields are nan, or left out with all of their element."""
    where = ["--device", device["index"], "--missing"]
    table = b"year,2020\n1,\n2,NA\n3,5\n4,\"\"\n5,N/A\n6,-7\n\n7,nan\n"
    path, none = d.write(table, "table.csv"), math.nan
    array = np.array([none, none, 5, none, none, -7, none], "f4")
    column = ["--text", "f32", "--column", "=2020", path]
    for how, numbers in [("nan", array), ("skip", array[[2, 5, 6]])]:
        d.good("scan", *where, how, "--op", "max", *column, d.path("out.npy"))
        right = np.maximum.accumulate(numbers)
        told = np.load(d.path("out.npy"))
        check(np.array_equal(told, right, equal_nan=True), f"{how}: {told}")
        d.good("map", *where, how, "--result", "to_f32(i)", *column, d.path("out.npy"))
        check(np.array_equal(np.load(d.path("out.npy")), np.arange(len(numbers))), how)
    words = ["reduce", *where, "skip", "--op"]
    said = d.good(*words, "arg-max", "--text", "i16", "-", data=b"1,NA,,3")
    check(said == "1 3\n", said)
    d.bad(1, "line 2, byte 2: --column =2020 is empty", "reduce", *where, "error", *column)
    part = "ends inside an element"
    d.bad(1, part, *words, "affine", "--text", "i32", "-", data=b"1 2 NA")
    words = ["reduce", *where[:2], "--text", "f32", "--column"]
    d.bad(1, "with the name 2021; its names are year, 2020", *words, "=2021", path)
    d.bad(1, "line 1: has 2 of the 2020 fields that --column 2020 needs; --column =2020 takes",
          *words, "2020", path)  # fmt: skip
    # maps, and not numbers, are left out
    text = b"1 2 NA 3 2 ,\n2 1\nN/A 7"
    said = d.good("scan", *where, "skip", "--op", "affine", "--text", "i32", "-", "-", data=text)
    check(said == "1 2\n2 5\n", said)
    # as many numbers as characters, and one
    count, words = 100000, ["--load", "to_f32(n)", "--result", "item", "--text", "f32"]
    said = d.good("reduce", *where, "nan", *words, "--op", "max", d.write(b"," * count))
    check(said == f"{count + 1}\n", said)
    count = 300007
    text = b"".join(b"%d,%s\n" % (i, b"NA" if i % 3 else b"2") for i in range(count))
    for how, right in [("skip", 2 * (count + 2) // 3), ("nan", math.nan)]:
        said = d.good("reduce", *where, how, "--text", "f32", "--column", 2, "-", data=text)
        check(said == f"{right:g}\n" or float(said) == right, f"{how}: {said}")


def separators(d, device):
    words = ["reduce", "--device", device["index"], "--text", "f32"]
    table = np.array([[1, 2.5], [-3, 4]], "f4")
    for separator in [";", "|", ":", "\\t", "\t", " ", ","]:
        text = "\n".join((separator[-1] if separator != "\\t" else "\t").join(map(str, row))
                         for row in table)  # fmt: skip
        form = ["--separator", separator]
        one_array(d, device, table, "add", "float32", "--text", "f32", *form,
                  d.write(text.encode()))  # fmt: skip
    d.bad(1, "line 1, byte 3: a separator with no number before it", *words, "--separator",
          ";", "-", data=b"1;;2")  # fmt: skip
    # a comma that may be one of thousands
    part = "clfold: warning: standard input: line 2, byte 4: this comma may separate thousands"
    for command in [words, ["scan", *words[1:]]]:
        out = ["-"] if command == words else ["-", d.path("out.npy")]
        done = d.run(*command, *out, data=b"# 1,23\n777,234 5\n")
        check(done.returncode == 0 and done.stderr.decode().startswith(part), f"{done}")
        check(done.stderr.count(b"\n") == 1, f"{done}")
        d.good(*command, "--quiet", *out, data=b"777,234 5\n")
        d.good(*command, "--separator", ",", *out, data=b"777,234\n")
        d.good(*command, *out, data=b"777,234,5\n")


CASES = [columns, separators, missing, spellings, refused_text, streams]

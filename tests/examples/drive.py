#!/usr/bin/env python3
"""drive.py NAME PROGRAM: runs the built example NAME on each of its cases. Each must end as it
should and print the case's lines."""

import csv
import io
import itertools
import math
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib

# Many tiles of a scan and pieces of a file: lines of 0 to 40 words, the last without its end.
LARGE = b"\n".join(b" ".join([b"word"] * (i * 7 % 41)) for i in range(20000)) + b"\nthe end"


def content(path):
    """The bytes of a file, or none if there is no file."""
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def system_v(data):
    """The checksum of System V and the number of blocks, as `sum -s` has them."""
    total = (sum(data) & 0xFFFF) + (sum(data) >> 16)
    return [f"{(total & 0xFFFF) + (total >> 16)} {(len(data) + 511) // 512}"]


def random_walk(num):
    """Where a walk ends and how high it gets, by the steps of stream.c."""
    state, end, top = 1, 0, 0
    for _ in range(num):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        end += 1 if state >> 31 else -1
        top = max(top, end)
    return [f"the walk ends at {end} and gets to {top}"]


def prepared(total):
    return [f"not prepared: sum {total}, and the call compiled its kernels",
            f"prepared: sum {total}, and the call compiled nothing"]


def last_line(data):
    lines = data.split(b"\n")
    start = len(data) - len(lines[-1])
    return [f"{len(lines)} lines", f"line {len(lines)} starts at byte {start}: the end"]


def write_csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def fields(data, record, field):
    """The number of records and fields of a CSV text, and a field as it stands there, where that
    is so in the text which the csv module writes of it."""
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    start = len(write_csv(rows[: record - 1] + [rows[record - 1][: field - 1] + [""]])) - 1
    text = write_csv([[rows[record - 1][field - 1], ""]])[:-2].decode()
    assert data.decode()[start:][: len(text)] == text
    return [*f"record {record}, field {field}: {text}".split("\n"),
            f"{len(rows)} records, {sum(map(len, rows))} fields"]


def wav(num_channels, samples, bits=16, length=None):
    data = b"".join(struct.pack("<h", sample) for sample in samples)
    length = len(data) if length is None else length
    frame = num_channels * bits // 8
    head = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + length, b"WAVEfmt ", 16, 1, num_channels,
                       8000, 8000 * frame, frame, bits, b"data", length)  # fmt: skip
    return head + data


def unsmooth(name, written):
    """Whether the file that smooth wrote has the averages of the one it read, by channel."""
    before, after = content(name), content(written)
    num, = struct.unpack_from("<H", before, 22)
    samples, found = ([x for x, in struct.iter_unpack("<h", data[44:])]
                      for data in (before, after))
    averages = [0.0] * num
    for i, sample in enumerate(samples):
        averages[i % num] += 0.1 * (sample - averages[i % num])
        if abs(found[i] - averages[i % num]) > 0.6:
            return f"sample {i} is {found[i]}, not {averages[i % num]}"
    return None if before[:44] == after[:44] and len(before) == len(after) else "another header"


def f32(numbers):
    return struct.pack(f"{len(numbers)}f", *numbers)


def unsoftmax(name, written, columns):
    """Whether each row of floats is the softmax of its numbers."""
    files = [[x for x, in struct.iter_unpack("f", content(path))] for path in (name, written)]
    if len(files[0]) != len(files[1]):
        return f"there are {len(files[1])} numbers"
    for start in range(0, len(files[0]), int(columns)):
        row, found = (file[start : start + int(columns)] for file in files)
        most = max(row)
        powers = [math.exp(x - most) for x in row]
        total = math.fsum(powers)
        for i, expected in enumerate(power / total for power in powers):
            if abs(found[i] - expected) > 1e-5 * expected + 1e-30:
                return f"number {start + i} is {found[i]}, not {expected}"
    return None


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I4s", len(data), kind) + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(bytes([0, *row]) for row in rows))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*pair) for pair in [(b"IHDR", head), (b"IDAT", data), (b"IEND", b"")])


def rows_of(path):
    """The rows of a grey picture of 8 bits a pixel."""
    data = content(path)
    width, height, *form = struct.unpack_from(">IIBB", data, 16)
    assert form == [8, 0], form
    packed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, rows, above = zlib.decompress(packed), [], [0] * width
    for y in range(height):
        kind, *row = raw[y * (width + 1) : (y + 1) * (width + 1)]
        for x in range(width):
            a, b, c = row[x - 1] if x else 0, above[x], above[x - 1] if x else 0
            paeth = min([a, b, c], key=lambda near, sum=a + b - c: abs(sum - near))
            row[x] = (row[x] + [0, a, b, (a + b) // 2, paeth][kind]) % 256
        rows.append(row)
        above = row
    return rows


def unblurred(name, table, blur):
    """Whether these are the sums of a picture, from black to white, and the means around each
    pixel. Colours are libpng's."""
    if name == PICTURE:
        return None
    rows = rows_of(name)
    height, width = len(rows), len(rows[0])

    def box(left, top, right, bottom):
        return sum(sum(row[max(left, 0) : right]) for row in rows[max(top, 0) : bottom])

    most = max(1, box(0, 0, width, height))
    found = rows_of(table), rows_of(blur)
    for y in range(height):
        for x in range(width):
            pixels = (len(range(width)[max(x - 6, 0) : x + 7])
                      * len(range(height)[max(y - 6, 0) : y + 7]))
            expected = [box(0, 0, x + 1, y + 1) * 255 // most,
                        box(x - 6, y - 6, x + 7, y + 7) // pixels]
            if [picture[y][x] for picture in found] != expected:
                return f"pixel {x}, {y} is not {expected}"
    return None


def summary(data, column=1):
    """What statistics says of a column."""
    numbers = []
    for line in data.decode().split("\n"):
        try:
            number, = struct.unpack("f", struct.pack("f", float(line.split(",")[column - 1])))
            numbers += [number] if math.isfinite(number) else []
        except (IndexError, ValueError, OverflowError):
            pass
    mean, variance = (f(numbers) if numbers else 0
                      for f in (statistics.fmean, statistics.pvariance))
    low, high = min(numbers, default=math.inf), max(numbers, default=-math.inf)
    return [f"{len(numbers)} numbers, mean {mean:.5g}, variance {variance:.5g}, "
            f"from {low:.5g} to {high:.5g}"]


def days(data, letters=10):
    """Each day of a log, as its first letters have it, and the bytes of its lines in a row."""
    runs = itertools.groupby(data.splitlines(True), lambda line: int(
        b"0" + bytes(byte for byte in line.rstrip(b"\n")[:letters] if 48 <= byte < 58)))
    return [f"{day}: {sum(map(len, lines))} bytes" for day, lines in runs]


def means(data, column):
    """Whether lines are the mean of a column for each year of a table, and the count."""
    rows = [line.split(",") for line in data.decode().split("\n") if line[:4].isdigit()]
    numbers = [(row[0][:4], float(row[column - 1])) for row in rows if row[column - 1]]
    groups = [(year, statistics.fmean(x for _, x in group))
              for year, group in itertools.groupby(numbers, lambda pair: pair[0])]

    def is_right(found):
        """the means of the file's rows"""
        pairs = [line.split(": ") for line in found[:-1]]
        return (found[-1:] == [f"{len(numbers)} numbers"] and len(pairs) == len(groups) and all(
            pair[0] == name and math.isclose(float(pair[1]), x, rel_tol=2e-5)
            for pair, (name, x) in zip(pairs, groups, strict=True)))

    return is_right


def product(data):
    """Whether lines are the matrix times 1/n, 2/n, ... 1, as sums of its entries have it."""

    def is_right(found):
        """the product of the file's matrix"""
        head, *lines = [line for line in data.decode().split("\n") if line and line[:1] != "%" or
                        line[:2] == "%%"]  # fmt: skip
        num_rows, num_columns, num = map(int, lines[0].split())
        rows = [[] for _ in range(num_rows)]
        for line in lines[1 : num + 1]:
            i, j, value = (float(word) for word in line.split())
            rows[int(i) - 1].append(value * j / num_columns)
            if head.endswith("symmetric") and i != j:
                rows[int(j) - 1].append(value * i / num_columns)
        return all(abs(float(number) - math.fsum(row)) <= 1e-5 * math.fsum(map(abs, row))
                   for row, number in zip(rows, found, strict=True))

    return is_right


def npy(descr, data, shape, order="False"):
    """An .npy file, as numpy writes it."""
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    return b"\x93NUMPY\1\0" + struct.pack("<H118s", 118, text.ljust(117).encode() + b"\n") + data


def of_parts(num):
    """Whether lines give each rank a part of so many elements, in order."""

    def is_right(found):
        """a line for each rank"""
        at = 0
        for rank, line in enumerate(found):
            said = re.fullmatch(r"rank (\d+): (\d+) elements from (\d+) on, \d+ units of .*", line)
            if not said or (rank, at) != (int(said[1]), int(said[3])):
                return False
            at += int(said[2])
        return at == num

    return is_right


def spread(numbers):
    """Whether the sum and standard deviation of an array of floats are right, to the digit the same
    on any number of ranks."""
    data, seen = npy("<f4", f32(numbers), f"({len(numbers)},)"), set()

    def is_right(found):
        """the sum and standard deviation of the file's array"""
        seen.add(found[-1])
        values = struct.unpack(f"{len(numbers)}f", f32(numbers))
        expected = [math.fsum(values), statistics.pstdev(values) if values else 0]
        last = re.fullmatch(r"(\d+) elements, sum (\S+), standard deviation (\S+)", found[-1])
        close = 1e-6 * math.fsum(map(abs, values)) + 1e-30
        return (last and int(last[1]) == len(values) and len(seen) == 1
                and of_parts(len(values))(found[:-1])
                and all(abs(float(last[k + 2]) - expected[k]) <= close for k in range(2)))

    return data, [], is_right


def unscanned(name, written, way):
    """Whether a file has the running sums of another, to the byte."""
    data, found = content(name), content(written)
    at, sums = 0, []
    for x, in struct.iter_unpack("<q", data[128:]):
        sums.append(at if way == "exclusive" else at + x)
        at = (at + x + 2**63) % 2**64 - 2**63
    sums = [(x + 2**63) % 2**64 - 2**63 for x in sums]
    right = found == data[:128] + struct.pack(f"<{len(sums)}q", *sums)
    return None if right else "there are other sums"


def market(rows, columns, entries, symmetry="general"):
    """A matrix in Matrix Market form."""
    lines = [f"%%MatrixMarket matrix coordinate real {symmetry}", "% a comment", "%",
             f"{rows} {columns} {len(entries)}"]  # fmt: skip
    return "\n".join(lines + [f"{i} {j} {value}" for i, j, value in entries]).encode()


def timed(found):
    """a time for each kernel"""
    return [line.split()[0] for line in found if re.fullmatch(r"\w+ +\d+\.\d{3} ms", line)] == [
        "hillis_steele", "blelloch", "library"]  # fmt: skip


# In Debian's alsa-utils, python-matplotlib-data, glmark2-data and r-cran-matrix, which
# tools/run-tests installs. Cases whose file is missing are left out. The matrices, of a structure
# and of an oil reservoir, are of the Harwell-Boeing collection.
SOUND = "/usr/share/sounds/alsa/Front_Center.wav"
PRICES = "/usr/share/matplotlib/mpl-data/sample_data/Stocks.csv"
PICTURE = "/usr/share/glmark2/textures/nasa1.png"
MATRICES = [f"/usr/lib/R/library/Matrix/external/{name}.mtx" for name in ("lund_a", "pores_1")]
NOISE = [(i * 7919 % 65536) - 32768 for i in range(90000)]
LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "LICENSE")
LOGITS = f32([sample / 3000 for sample in NOISE])
NUMBERS = b"".join(b"%d\n" % (sample % 1000) for sample in NOISE)
CELLS = b"x,y\r\n1,2\r\n,3\nnan,inf\n4,1e40\n5x,5\n \n7\n-1.5,,6"
BLURRED = [[x * y % 211 if x > y else 255 * (x == 3) for x in range(41)] for y in range(23)]
# Rows of 0 to 40 entries, and one of 30000.
SPARSE = market(7001, 30000, [(i, 1 + (i * k * 7919 + k) % 30000, (i * k % 199 - 99) / 8)
                              for i in range(1, 7001) for k in range(i * 7 % 41)]
                + [(7001, k, 1) for k in range(1, 30001)])
# Quotes that are doubled, and separators and line ends in quotes; fields that are empty.
QUOTED = [["".join("a,\"\n b"[(i * k * 7 + k * k) % 6] for k in range(i % 13))
           for i in range(k, k + 1 + k % 11)] for k in range(3000)]
LOG = b"".join(b"2026-%02d-%02d %d lines\n" % (1 + i // 9000, 1 + i // 300 % 30, i * i)
               for i in range(70000))
TABLE = b"".join(b"%d-01-01,%s\n" % (1000 + i // 700, b"" if i % 5 == 2 else b"%d" % (i % 999))
                 for i in range(70000))
LONGS = [(i * i * 7919 << 32) % 2**63 - 2**62 + i for i in range(70001)]
NOWHERE, FOLDER = os.path.join(LICENSE, "file"), os.path.dirname(LICENSE)
SCANS = os.path.join(FOLDER, "examples", "group_scans.cl")

# The arguments after a file that cannot be read, and what is said of it.
UNREAD = {
    **dict.fromkeys(("csr", "days", "event", "fields", "lines", "own_kernel", "prepare", "quotes",
                     "spmv", "statistics"), ([], "Is a directory")),
    **dict.fromkeys(("kept", "smooth"), (["OUT"], "Is a directory")),
    **dict.fromkeys(("cpp", "queues"), ([], "cannot be read")),
    "areas": (["OUT", "OUT 2"], "Read Error"),
    "means": (["1"], "Is a directory"),
    "softmax": (["OUT", "3"], "Is a directory"),
    "group_scans": (["4", "4"], "Is a directory"),
}
# Of each example: a file, its bytes, or None for no file; further arguments, OUT and the like for
# files of the test's; and the lines of stdout, or a function that says whether they are right, or
# where it must fail a part of stderr as a str.
CASES = {
    "areas": [
        (LICENSE, ["OUT", "OUT 2"], "Not a PNG file"),
        (png([[1, 2], [3, 4]])[:-30], ["OUT", "OUT 2"], "areas: "),
        (png([[1]]), [FOLDER, "OUT"], "Is a directory"),
        (png([[1]]), ["OUT", FOLDER], "Is a directory"),
        (png([[1]]), ["OUT"], "usage: areas PICTURE.png TABLE.png BLUR.png"),
        (PICTURE, ["OUT", "OUT 2"], ["512 x 512 pixels"]),
        (png([[0]]), ["OUT", "OUT 2"], ["1 x 1 pixels"]),
        (png([[200]]), ["OUT", "OUT 2"], ["1 x 1 pixels"]),
        (png([[9, 255, 0, 7]]), ["OUT", "OUT 2"], ["4 x 1 pixels"]),
        (png([[9], [255], [0]]), ["OUT", "OUT 2"], ["1 x 3 pixels"]),
        (png(BLURRED), ["OUT", "OUT 2"], ["41 x 23 pixels"]),
    ],
    "boxes": [(None, [], ["x from 1.0 to 3.0", "y from 2.0 to 4.0", "z from 3.0 to 5.0"])],
    "complex": [(None, [], ["1000 products, on the circle"])],
    "cpp": [
        (None, [], "usage: cpp FILE"),
        (LICENSE, [], ["line 1 has 11 bytes", "line 3 has 37 bytes", "line 5 has 76 bytes",
                    "line 6 has 77 bytes", "line 12 has 78 bytes"]),
        (b"", [], []),
        (b"ab\n\nabc\nab\nabcd", [],
         ["line 1 has 2 bytes", "line 3 has 3 bytes", "line 5 has 4 bytes"]),
    ],
    "csr": [
        (None, [], "usage: csr FILE"),
        (LICENSE, [], ["21 lines, 170 words", "line 20 has the most: words 154 to 169"]),
        (b"", [], ["0 lines, 0 words"]),
        (b"a\n\nb c", [], ["3 lines, 3 words", "line 3 has the most: words 2 to 3"]),
        (LARGE, [], [f"20001 lines, {len(LARGE.split())} words",
                     "line 36 has the most: words 681 to 720"]),
    ],
    "days": [
        (None, [], "usage: days LOG [LETTERS]"),
        (LOG, ["0"], "usage: days LOG [LETTERS]"),
        (LOG, [], days(LOG)),
        (LOG, ["7"], days(LOG, 7)),
        (b"", [], []),
        (b"2026-11-26", [], ["20261126: 10 bytes"]),
        (LICENSE, [], days(content(LICENSE))),
        *((PRICES, [letters], days(content(PRICES), int(letters))) for letters in ("4", "7")),
    ],
    "means": [
        (None, ["1"], "usage: means TABLE.csv COLUMN"),
        (LICENSE, ["0"], "usage: means TABLE.csv COLUMN"),
        (b"", ["1"], ["0 numbers"]),
        (b"1990,2\n1990,\n1990,4\n1991,\n1991,7", ["2"],
         ["1990: 3", "1991: 7", "3 numbers"]),
        (TABLE, ["2"], means(TABLE, 2)),
        *((PRICES, [str(column)], means(content(PRICES), column)) for column in (2, 7, 11)),
    ],
    "event": [
        (None, [], "usage: event FILE"),
        (LICENSE, [], ["1075 bytes, mean 81.638"]),
        (b"", [], "is empty, so it has no mean"),
    ],
    "fields": [
        (None, [], "usage: fields FILE [RECORD FIELD]"),
        (LOG, ["1", "x"], "usage: fields FILE"),
        (b"", [], ["0 records, 0 fields"]),
        (b'"', [], ["0 records, 0 fields"]),
        (b'a,"b,""c\n",\nd', ["1", "2"], ['record 1, field 2: "b,""c', '"', "2 records, 4 fields"]),
        (PRICES, ["17", "5"], fields(content(PRICES), 17, 5)),
        (write_csv(QUOTED), ["2000", "7"], fields(write_csv(QUOTED), 2000, 7)),
        (write_csv(QUOTED), ["13", "2"], fields(write_csv(QUOTED), 13, 2)),
    ],
    "group_scans": [
        (SCANS, ["4"], "usage: group_scans group_scans.cl GROUP COUNT"),
        (SCANS, ["0", "4"], "usage: group_scans group_scans.cl GROUP COUNT"),
        (LICENSE, ["4", "4"], "clBuildProgram: "),
        (SCANS, ["1000000", "4"], "group_size 1000000 is not 1 to "),
        *((content(SCANS).replace(*wrong), ["33", "100"], "sum ") for wrong in (
            (b"items[l] +=", b"items[l] ="), (b"3 * s - 1", b"2 * s - 1"), (b"GROUP, &", b"7, &"))),
        *((SCANS, words.split(), timed) for words in (
            "1 3", "3 7", "16 48", "50 729", "256 1000000")),
    ],
    "kept": [
        (None, [], "usage: kept FILE FOLDER"),
        (LARGE, ["OUT"], [f"the sum is {sum(LARGE)}"]),
    ],
    "lines": [
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], "usage: lines FILE [NUMBER]"),
        *((LICENSE, [number], "usage: lines") for number in ("0", "2x")),
        (LICENSE, [], ["21 lines", "line 21 starts at byte 1065: SOFTWARE."]),
        (LICENSE, ["22"], ["21 lines"]),
        (b"", [], ["0 lines"]),
        (b"ab\n\n\ncd", [], ["4 lines", "line 4 starts at byte 5: cd"]),
        (LARGE, [], last_line(LARGE)),
    ],
    "mpi_scan": [
        (LICENSE, ["OUT"], "usage: mpi_scan IN.npy OUT.npy inclusive|exclusive"),
        (LICENSE, ["OUT", "both"], "usage: mpi_scan IN.npy OUT.npy inclusive|exclusive"),
        (NOWHERE, ["OUT", "inclusive"], "LICENSE/file: "),
        (LICENSE, ["OUT", "inclusive"], "LICENSE: not an .npy file of this type"),
        (npy("<i8", b"", (0,)), [FOLDER, "inclusive"], f"{FOLDER}: "),
        *((npy("<i8", struct.pack(f"<{num}q", *LONGS[:num]), shape), ["OUT", way], of_parts(num))
          for way in ("inclusive", "exclusive")
          for num, shape in ((0, (0,)), (1, ()), (2, (2,)), (70000, (7, 100, 100)))),
    ],
    "mpi_sum": [
        (NOWHERE, [], "LICENSE/file: "),
        (LICENSE, [], "LICENSE: not an .npy file of this type"),
        (None, [], "usage: mpi_sum FILE.npy"),
        *((npy(*head), [], "file: not an .npy file of this type") for head in (
            ("<f8", bytes(8), (1,)), (">f4", bytes(4), (1,)), ("<f4", bytes(16), (2, 2), "True"))),
        (b"\x93NUMPY\1\0\xff\xff", [], "file: not an .npy file of this type"),
        *map(spread, ([], [5], [1e8, 1, -1e8], [x / 3000 + 7 for x in NOISE])),
    ],
    "prepare": [
        (None, [], "usage: prepare FILE"),
        (b"", [], prepared(0)),
        (LARGE, [], prepared(sum(LARGE))),
    ],
    "queues": [
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], "usage: queues FILE [BYTES]"),
        (LICENSE, ["1", "2"], "usage: queues FILE [BYTES]"),
        (LICENSE, ["0"], "usage: queues FILE [BYTES]"),
        (LICENSE, [], ["22226 3"]),
        (LICENSE, ["43"], ["22226 3"]),  # 25 pieces, the last of them full
        (b"", [], ["0 0"]),
        (LARGE, ["65536"], system_v(LARGE)),
    ],
    "own_kernel": [
        (b"a", ["x"], "usage: own_kernel FILE"),
        (b"", [], ["0 blocks, 0 line ends"]),
        (b"\n" * 256, [], ["1 blocks, 256 line ends"]),
        (b"az\nb\n" * 103, [], ["3 blocks, 206 line ends"]),
        (LARGE, [], [f"{(len(LARGE) + 255) // 256} blocks, {LARGE.count(10)} line ends"]),
    ],
    "quotes": [
        (None, [], ["3 separators, and 2 commas inside quotes"]),
        (b"", [], ["0 separators, and 0 commas inside quotes"]),
        (b",", ["x"], "usage: quotes [FILE]"),
        (b",", [], ["1 separators, and 0 commas inside quotes"]),
        (b'",', [], ["0 separators, and 1 commas inside quotes"]),
        (b'a,"b,c"\n' * 20000, [], ["20000 separators, and 20000 commas inside quotes"]),
    ],
    "smooth": [
        (LICENSE, ["OUT"], "LICENSE is not a plain WAV file of 16 bits a sample"),
        (b"RIFF", ["OUT"], "is not a plain WAV file"),
        (wav(1, NOISE[:9], 8), ["OUT"], "is not a plain WAV file"),
        (wav(0, NOISE[:9]), ["OUT"], "is not a plain WAV file"),
        (wav(1, NOISE[:9], length=20), ["OUT"], "is not a plain WAV file"),
        (wav(1, NOISE[:9]), [FOLDER], "Is a directory"),
        (wav(1, NOISE[:9]), [], "usage: smooth IN.wav OUT.wav"),
        (SOUND, ["OUT"], ["68545 frames, 1 channels, 48000 Hz"]),
        (wav(1, []), ["OUT"], ["0 frames, 1 channels, 8000 Hz"]),
        (wav(1, NOISE[:1]), ["OUT"], ["1 frames, 1 channels, 8000 Hz"]),
        (wav(2, NOISE), ["OUT"], ["45000 frames, 2 channels, 8000 Hz"]),
        (wav(5, NOISE), ["OUT"], ["18000 frames, 5 channels, 8000 Hz"]),
    ],
    "softmax": [
        (f32([1]), [FOLDER, "1"], "Is a directory"),
        (f32([1]), ["OUT"], "usage: softmax IN OUT COLUMNS"),
        (f32([1]), ["OUT", "0"], "usage: softmax IN OUT COLUMNS"),
        (b"12345", ["OUT", "1"], "file: 5 bytes, not rows of 1 f32"),
        (f32([1, 2, 3]), ["OUT", "2"], "file: 12 bytes, not rows of 2 f32"),
        (b"", ["OUT", "4"], ["0 rows"]),
        (f32([1, 3, 2, -90, 0, 90, 1e30, 1e30, -1e30]), ["OUT", "3"], ["3 rows"]),
        *((LOGITS, ["OUT", str(columns)], [f"{90000 // columns} rows"])
          for columns in (1, 3, 1000, 90000)),
    ],
    "spmv": [
        (None, [], "usage: spmv MATRIX.mtx"),
        (LICENSE, [], "LICENSE is not a sparse real matrix in Matrix Market form"),
        *((file, [], "file is not a sparse real matrix in Matrix Market form") for file in [
            b"", market(2, 2, []).replace(b"real", b"pattern"), market(2, 2, [], "hermitian"),
            market(2, 2, [(3, 1, 1)]), market(2, 2, [(1, 3, 1)]), market(2, 2, [(0, 1, 1)]),
            market(2, 2, [(1, 1, "")]), market(2, 3, [], "symmetric"),
            market(2, 2, [(1, 1, 1)]).replace(b"2 2 1", b"2 2 2"),
            market(2, 2, []).replace(b"2 2 0", b"2 99999999999 0"),
        ]),
        (market(0, 0, []), [], []),
        (market(3, 2, []), [], ["0"] * 3),
        (market(1, 1, [(1, 1, -2.5)]), [], ["-2.5"]),
        (market(3, 4, [(3, 4, 4), (1, 2, 2e0), (3, 1, 1)]), [], ["1", "0", "4.25"]),
        (market(2, 2, [(2, 1, 4), (2, 2, 1)], "symmetric"), [], ["4", "3"]),
        (SPARSE, [], product(SPARSE)),
        *((file, [], product(content(file))) for file in MATRICES),
    ],
    "statistics": [
        (None, [], "usage: statistics TABLE.csv [COLUMN]"),
        (b"1\n", ["2", "3"], "usage: statistics TABLE.csv [COLUMN]"),
        (b"1\n", ["x"], "usage: statistics TABLE.csv [COLUMN]"),
        (b"", [], ["0 numbers, mean 0, variance 0, from inf to -inf"]),
        (b"5", [], ["1 numbers, mean 5, variance 0, from 5 to 5"]),
        (CELLS, [], ["4 numbers, mean 2.625, variance 10.172, from -1.5 to 7"]),
        (CELLS, ["2"], ["3 numbers, mean 3.3333, variance 1.5556, from 2 to 5"]),
        (CELLS, ["3"], ["1 numbers, mean 6, variance 0, from 6 to 6"]),
        (b"1234.5\n" * 70000, [], ["70000 numbers, mean 1234.5, variance 0, "
                                   "from 1234.5 to 1234.5"]),
        (NUMBERS, [], summary(NUMBERS)),
        *((PRICES, [str(column)], summary(content(PRICES), column)) for column in (1, 2, 7, 11)),
    ],
    "stream": [
        (None, [], "usage: stream STEPS [PIECE]"),
        (None, ["0"], "usage: stream STEPS [PIECE]"),
        (None, ["9", "x"], "usage: stream STEPS [PIECE]"),
        *((None, list(map(str, words)), random_walk(words[0]))
          for words in [(1,), (1, 1), (100000,), (100000, 33333), (99999, 33333), (100001, 50000),
                        (300, 1)]),
    ],
    "distance": [(None, [], ["distance 20, 100 of 1000 differ, row 9 most at 3"])],
    "errors": [
        (None, [], ["With a wrong count, on purpose, clfold says:",
                    "    sum: in holds 1000 elements of f32, but in_offset 0 + count 2000 is past "
                    "its end (CLFOLD_ERROR_RANGE)",
                    "The result is still -1.", "With the right count it is 124875."]),
    ],
    "sum": [(None, [], ["124875"])],
}


def unkept(_file, folder):
    """Some drivers keep their programs themselves."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return f"there is {names}" if [n for n in names if not n.endswith(".clfold")] else None


# What is wrong with what a run wrote, as a function of its arguments.
WRITTEN = {"areas": unblurred, "kept": unkept, "mpi_scan": unscanned, "smooth": unsmooth,
           "softmax": unsoftmax}

def fault(name, start, file, arguments, expected):
    """What is wrong with a case, or None."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(file, bytes):
            data, file = file, os.path.join(folder, "file")
            with open(file, "wb") as written:
                written.write(data)
        given = [os.path.join(folder, word) if word.startswith("OUT") else word
                 for word in arguments]
        command = [*start, *([file] if file else []), *given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wrote = given != arguments and done.returncode == 0
        wrong = WRITTEN[name](file, *given) if wrote else None
    if wrong:
        return f"{' '.join(command)} wrote a file in which {wrong}"
    fails = isinstance(expected, str)
    lines = done.stdout.splitlines()
    right = (expected in done.stderr if fails
             else expected(lines) if callable(expected) else lines == expected)
    if done.returncode == fails and right:
        return None
    return (f"{' '.join(command)} ended with {done.returncode} and said:\n"
            f"{done.stdout}{done.stderr}instead of: "
            f"{expected.__doc__ if callable(expected) else expected}")


def main(name, program):
    cases = CASES[name] + [(FOLDER, *row) for row in [UNREAD.get(name)] if row]
    files = (SOUND, PRICES, PICTURE, *MATRICES)
    for missing in [file for file in files if not os.path.exists(file)]:
        kept = [case for case in cases if case[0] != missing]
        if len(kept) < len(cases) and os.environ.get("CLFOLD_REQUIRED_TOOLS"):
            sys.exit(f"there is no {missing}, and CLFOLD_REQUIRED_TOOLS is set")
        if len(kept) < len(cases):
            print(f"there is no {missing}; the other files are tried", file=sys.stderr)
        cases = kept
    starts = ([["mpirun", "-n", num, program] for num in "13"] if name.startswith("mpi_")
              else [[program]])
    found = [text for text in (fault(name, start, *case) for case in cases for start in starts)
             if text]
    print("\n".join([*found, f"{len(cases)} cases"]), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""drive.py NAME PROGRAM: runs the built example NAME on each of its cases. Each must end as it
should and print the case's lines. Inputs are such that the result is known without a program that
computes it."""

import itertools
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib


def wav(num_channels, samples, bits=16, length=None):
    data = struct.pack(f"<{len(samples)}h", *samples)
    length = len(data) if length is None else length
    frame = num_channels * bits // 8
    head = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + length, b"WAVEfmt ", 16, 1, num_channels,
                       8000, 8000 * frame, frame, bits, b"data", length)  # fmt: skip
    return head + data


def png(*rows):
    """A grey picture."""
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(bytes([0, *row]) for row in rows))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in [b"IHDR" + head, b"IDAT" + data, b"IEND"])


def npy(descr, kind, numbers, shape, order="False"):
    """An .npy file, as numpy writes it."""
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    return (b"\x93NUMPY\1\0" + struct.pack("<H118s", 118, text.ljust(117).encode() + b"\n")
            + struct.pack(f"{len(numbers)}{kind}", *numbers))


def market(rows, columns, entries, symmetry="general"):
    """A matrix in Matrix Market form."""
    lines = [f"%%MatrixMarket matrix coordinate real {symmetry}", "% a comment", "%",
             f"{rows} {columns} {len(entries)}"]  # fmt: skip
    return "\n".join(lines + [f"{i} {j} {value}" for i, j, value in entries]).encode()


def ends_in(kind, numbers, most=0):
    """Whether a file ends in these numbers, by an error of `most` at most."""

    def is_right(data):
        form = f"<{len(numbers)}{kind}"
        found = struct.unpack(form, data[len(data) - struct.calcsize(form) :])
        return all(abs(a - b) <= most for a, b in zip(found, numbers, strict=True))

    return is_right


def is_drawn(*sums):
    """Whether pictures have rows of these checksums, with the filters that libpng chooses."""

    def is_right(*pictures):
        return sums == tuple(zlib.crc32(zlib.decompressobj().decompress(
            data.partition(b"IDAT")[2])) for data in pictures)

    return is_right


# In Debian's alsa-utils and glmark2-data, which tools/run-tests installs: a sound that another
# program wrote, and a picture in colours. Cases whose file is missing are left out.
SOUND = "/usr/share/sounds/alsa/Front_Center.wav"
PICTURE = "/usr/share/glmark2/textures/nasa1.png"
LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "LICENSE")
NOWHERE, FOLDER = os.path.join(LICENSE, "file"), os.path.dirname(LICENSE)
SCANS = os.path.join(FOLDER, "examples", "group_scans.cl")
with open(SCANS, "rb") as source:
    RIGHT_SCANS = source.read()
# Of each of its kernels.
WRONG_SCANS = [RIGHT_SCANS.replace(*words) for words in (
    (b"items[l] +=", b"items[l] ="), (b"3 * s - 1", b"2 * s - 1"), (b"GROUP, &", b"7, &"))]
# Many tiles of a scan and pieces of a file: lines of 0 to 40 words, the last without its end.
LARGE = b"\n".join(b" ".join([b"word"] * (i * 7 % 41)) for i in range(20000)) + b"\nthe end"
LONGS = [(i * i * 7919 << 32) % 2**40 - 2**39 + i for i in range(70000)]
# A sound that goes up to a height in each channel comes nearer to it by a tenth at each step.
HEIGHTS = [30000, -20000, 7, 0, 32767]
STEPS = [(1 - 0.9 ** (i + 1)) * height for i in range(18000) for height in HEIGHTS]
# Rows of 0 to 40 entries, and one of 30000, whose products are whole numbers.
ENTRIES = [*((i, 1 + k % 4, 4) for i in range(1, 7001) for k in range(i * 7 % 41)),
           *((7001, 1 + k % 4, 4) for k in range(30000))]
SUMS = [str(sum(1 + k % 4 for k in range(i * 7 % 41))) for i in range(1, 7001)] + ["75000"]

# Of each example: a file, its bytes, or None for no file; further arguments, OUT and the like for
# files of the test's; the lines of stdout, or None if it looks at its results itself, or where it
# must fail a part of stderr as a str; and what holds of the files that it wrote.
CASES = {
    "areas": [
        (FOLDER, ["OUT", "OUT 2"], "Read Error"),
        (LICENSE, ["OUT", "OUT 2"], "Not a PNG file"),
        (png([1]), ["OUT", FOLDER], "Is a directory"),
        (png([1]), ["OUT"], "usage: areas PICTURE.png TABLE.png BLUR.png"),
        (png([1, 2], [3, 4])[:-30], ["OUT", "OUT 2"], "areas: "),
        (png([0]), ["OUT", "OUT 2"], ["1 x 1 pixels"], is_drawn(1104745215, 1104745215)),
        (PICTURE, ["OUT", "OUT 2"], ["512 x 512 pixels"]),
        (png([9, 255, 0, 7]), ["OUT", "OUT 2"], ["4 x 1 pixels"], is_drawn(1227258274, 1927489918)),
        (png(*([x * y % 211 if x > y else 255 * (x == 3) for x in range(41)] for y in range(23))),
         ["OUT", "OUT 2"], ["41 x 23 pixels"], is_drawn(2527200601, 951966760)),
    ],
    "boxes": [(None, [], ["x from 1.0 to 3.0", "y from 2.0 to 4.0", "z from 3.0 to 5.0"])],
    "complex": [(None, [], ["1000 products, on the circle"])],
    "cpp": [
        (FOLDER, [], "cannot be read"),
        (None, [], "usage: cpp FILE"),
        (LICENSE, [], ["line 1 has 11 bytes", "line 3 has 37 bytes", "line 5 has 76 bytes",
                       "line 6 has 77 bytes", "line 12 has 78 bytes"]),
        (b"", [], []),
        (b"ab\n\nabc\nab\nabcd", [],
         ["line 1 has 2 bytes", "line 3 has 3 bytes", "line 5 has 4 bytes"]),
    ],
    "csr": [
        (LICENSE, [], ["21 lines, 170 words", "line 20 has the most: words 154 to 169"]),
        (b"", [], ["0 lines, 0 words"]),
        (LARGE, [], ["20001 lines, 399963 words", "line 36 has the most: words 681 to 720"]),
    ],
    "days": [
        (LARGE, ["0"], "usage: days LOG [LETTERS]"),
        (b"2026-11-26 a line\n" * 30000 + b"2026-11-27\n" + b"2026-12-26 a line\n" * 40000, [],
         ["20261126: 540000 bytes", "20261127: 11 bytes", "20261226: 720000 bytes"]),
        (b"2026-11-26\n2026-11-27\n2026-12-27", ["7"], ["202611: 22 bytes", "202612: 10 bytes"]),
        (b"", [], []),
    ],
    "distance": [(None, [], ["distance 20, 100 of 1000 differ, row 9 most at 3"])],
    "errors": [
        (None, [], ["With a wrong count, on purpose, clfold says:",
                    "    sum: in holds 1000 elements of f32, but in_offset 0 + count 2000 is past "
                    "its end (CLFOLD_ERROR_RANGE)",
                    "The result is still -1.", "With the right count it is 124875."]),
    ],
    "event": [
        (LICENSE, [], ["1075 bytes, mean 81.638"]),
        (b"", [], "is empty, so it has no mean"),
    ],
    "fields": [
        (b"a", ["1", "x"], "usage: fields FILE"),
        (b'"', [], ["0 records, 0 fields"]),
        (b'a,"b,""c\n",\nd', ["1", "2"], ['record 1, field 2: "b,""c', '"', "2 records, 4 fields"]),
        (b'a,"""",\n"b,""c\n"\n' * 20000, ["39998", "1"],
         ['record 39998, field 1: "b,""c', '"', "40000 records, 80000 fields"]),
    ],
    "group_scans": [
        (SCANS, ["0", "4"], "usage: group_scans group_scans.cl GROUP COUNT"),
        (LICENSE, ["4", "4"], "clBuildProgram: "),
        (SCANS, ["1000000", "4"], "group_size 1000000 is not 1 to "),
        *((text, ["33", "100"], "sum ") for text in WRONG_SCANS),
        *((SCANS, words.split(), None) for words in ("1 3", "16 48", "50 729", "256 1000000")),
    ],
    "kept": [(LARGE, ["OUT"], ["the sum is 189957716"])],
    "lines": [
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (FOLDER, [], "Is a directory"),
        (LICENSE, ["2x"], "usage: lines FILE [NUMBER]"),
        (LICENSE, [], ["21 lines", "line 21 starts at byte 1065: SOFTWARE."]),
        (LICENSE, ["22"], ["21 lines"]),
        (b"", [], ["0 lines"]),
        (LARGE, [], ["20001 lines", "line 20001 starts at byte 2000293: the end"]),
    ],
    "means": [
        (LICENSE, ["0"], "usage: means TABLE.csv COLUMN"),
        (b"", ["1"], ["0 numbers"]),
        (b"1990-01,2\n1990-02,\n1990-03,4\n" * 20000 + b"1991,\n" + b"1992,7\n" * 9, ["2"],
         ["1990: 3", "1992: 7", "40009 numbers"]),
    ],
    "mpi_scan": [
        (LICENSE, ["OUT", "both"], "usage: mpi_scan IN.npy OUT.npy inclusive|exclusive"),
        (LICENSE, ["OUT", "inclusive"], "LICENSE: not an .npy file of this type"),
        (npy("<i8", "q", [], (0,)), [FOLDER, "inclusive"], f"{FOLDER}: "),
        (npy("<i8", "q", [7], ()), ["OUT", "exclusive"], None, ends_in("q", [0])),
        *((npy("<i8", "q", LONGS, (7, 100, 100)), ["OUT", which], None,
           npy("<i8", "q", sums, (7, 100, 100)).__eq__) for which, sums in (
            ("inclusive", [*itertools.accumulate(LONGS)]),
            ("exclusive", [0, *itertools.accumulate(LONGS[:-1])]))),
    ],
    "mpi_sum": [
        (NOWHERE, [], "LICENSE/file: "),
        *((npy(*head), [], "file: not an .npy file of this type") for head in (
            ("<f8", "d", [1], (1,)), (">f4", "f", [1], (1,)),
            ("<f4", "f", [1] * 4, (2, 2), "True"))),
        (b"\x93NUMPY\1\0\xff\xff", [], "file: not an .npy file of this type"),
        (npy("<f4", "f", [], (0,)), [], ["0 elements, sum 0, standard deviation 0"]),
        (npy("<f4", "f", [1e8, 1, -1e8], (3,)), [],
         ["3 elements, sum 1, standard deviation 81649659.2"]),
        (npy("<f4", "f", [3, 5] * 40000, (80000,)), [],
         ["80000 elements, sum 320000, standard deviation 1"]),
    ],
    "own_kernel": [
        (b"", [], ["0 blocks, 0 line ends"]),
        (b"\n" * 256, [], ["1 blocks, 256 line ends"]),
        (LARGE, [], ["7814 blocks, 20000 line ends"]),
    ],
    "prepare": [
        (LARGE, [], ["not prepared: sum 189957716, and the call compiled its kernels",
                     "prepared: sum 189957716, and the call compiled nothing"]),
    ],
    "queues": [
        (FOLDER, [], "cannot be read"),
        (LICENSE, ["0"], "usage: queues FILE [BYTES]"),
        (LICENSE, ["43"], ["22226 3"]),  # as `sum -s` has it; 25 pieces, the last of them full
        (b"", [], ["0 0"]),
        (LARGE, ["65536"], ["37286 3907"]),
    ],
    "quotes": [
        (None, [], ["3 separators, and 2 commas inside quotes"]),
        (b"", [], ["0 separators, and 0 commas inside quotes"]),
        (b'a,"b,c"\n' * 20000, [], ["20000 separators, and 20000 commas inside quotes"]),
    ],
    "smooth": [
        (LICENSE, ["OUT"], "LICENSE is not a plain WAV file of 16 bits a sample"),
        *((data, ["OUT"], "is not a plain WAV file") for data in (
            b"RIFF", wav(1, HEIGHTS, 8), wav(0, HEIGHTS), wav(1, HEIGHTS, length=20))),
        (wav(1, HEIGHTS), [FOLDER], "Is a directory"),
        (SOUND, ["OUT"], ["68545 frames, 1 channels, 48000 Hz"]),
        (wav(1, []), ["OUT"], ["0 frames, 1 channels, 8000 Hz"], wav(1, []).__eq__),
        (wav(5, HEIGHTS * 18000), ["OUT"], ["18000 frames, 5 channels, 8000 Hz"],
         ends_in("h", STEPS, 0.6)),
    ],
    "softmax": [
        (b"abcd", ["OUT", "0"], "usage: softmax IN OUT COLUMNS"),
        (b"12345", ["OUT", "1"], "file: 5 bytes, not rows of 1 f32"),
        (b"12341234", ["OUT", "4"], "file: 8 bytes, not rows of 4 f32"),
        (b"", ["OUT", "4"], ["0 rows"]),
        (struct.pack("9f", 1, 3, 2, -90, 0, 90, 1e30, 1e30, -1e30), ["OUT", "3"], ["3 rows"],
         ends_in("f", [0.090031, 0.665241, 0.244728, 0, 0, 1, 0.5, 0.5, 0], 1e-5)),
        (struct.pack("90000f", *[-88, math.log(2) - 88] * 45000), ["OUT", "1000"], ["90 rows"],
         ends_in("f", [1 / 1500, 2 / 1500] * 45000, 1e-8)),
    ],
    "spmv": [
        (LICENSE, [], "LICENSE is not a sparse real matrix in Matrix Market form"),
        *((file, [], "file is not a sparse real matrix in Matrix Market form") for file in [
            b"", market(2, 2, [], "hermitian"), market(2, 2, [(3, 1, 1)]),
            market(2, 2, [(1, 3, 1)]), market(2, 2, [(0, 1, 1)]), market(2, 2, [(1, 1, "")]),
            market(2, 3, [], "symmetric"),
            market(2, 2, [(1, 1, 1)]).replace(b"2 2 1", b"2 2 2"),
            market(2, 2, []).replace(b"2 2 0", b"2 99999999999 0"),
        ]),
        (market(3, 2, []), [], ["0"] * 3),
        (market(3, 4, [(3, 4, 4), (1, 2, 2e0), (3, 1, 1)]), [], ["1", "0", "4.25"]),
        (market(2, 2, [(2, 1, 4), (2, 2, 1)], "symmetric"), [], ["4", "3"]),
        (market(7001, 4, ENTRIES), [], SUMS),
    ],
    "statistics": [
        (b"1\n", ["x"], "usage: statistics TABLE.csv [COLUMN]"),
        (b"", [], ["0 numbers, mean 0, variance 0, from inf to -inf"]),
        *((b"x,y\r\n1,2\r\n,3\nnan,inf\n4,1e40\n5x,5\n \n7\n-1.5,,6", column,
           [said]) for column, said in (
            ([], "4 numbers, mean 2.625, variance 10.172, from -1.5 to 7"),
            (["2"], "3 numbers, mean 3.3333, variance 1.5556, from 2 to 5"))),
        (b"1234.5\n-7\n" * 35000, [],
         ["70000 numbers, mean 613.75, variance 3.8533e+05, from -7 to 1234.5"]),
    ],
    "stream": [
        (None, ["9", "x"], "usage: stream STEPS [PIECE]"),
        *((None, words.split(), ["the walk ends at -106 and gets to 251"])
          for words in ("100000", "100000 33333", "100000 50000")),
    ],
    "sum": [(None, [], ["124875"])],
}  # fmt: skip


def content(path):
    with open(path, "rb") as file:
        return file.read()


def fault(start, file, arguments, expected, holds=None):
    """What is wrong with a case, or None."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(file, bytes):
            data, file = file, os.path.join(folder, "file")
            with open(file, "wb") as written:
                written.write(data)
        outputs = [os.path.join(folder, word) for word in arguments if word.startswith("OUT")]
        command = [*start, *([file] if file else []),
                   *(os.path.join(folder, word) if word in ("OUT", "OUT 2") else word
                     for word in arguments)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        right = done.returncode != 0 or not holds or holds(*map(content, outputs))
    lines = done.stdout.splitlines()
    if start[0] == "mpirun":
        lines = lines[-1:]  # the result, after a line for each rank
    right = right and (expected in done.stderr if isinstance(expected, str) else
                       expected is None or lines == expected)
    if done.returncode == isinstance(expected, str) and right:
        return None
    return (f"{' '.join(command)} ended with {done.returncode} and said:\n"
            f"{done.stdout[:2000]}{done.stderr}instead of: {str(expected)[:2000]}"
            + ", and a file that holds other numbers" * bool(holds))


def main(name, program):
    cases = CASES[name]
    for missing in [file for file in (SOUND, PICTURE) if not os.path.exists(file)]:
        kept = [case for case in cases if case[0] != missing]
        if len(kept) < len(cases) and os.environ.get("CLFOLD_REQUIRED_TOOLS"):
            sys.exit(f"there is no {missing}, and CLFOLD_REQUIRED_TOOLS is set")
        if len(kept) < len(cases):
            print(f"there is no {missing}; the other files are tried", file=sys.stderr)
        cases = kept
    # A folder cannot be read.
    read = [case for case in cases if case[0] and not isinstance(case[2], str)]
    cases += [(FOLDER, arguments, "") for _, arguments, *_ in read[:1]]
    starts = ([["mpirun", "-n", num, program] for num in "13"] if name.startswith("mpi_")
              else [[program]])
    found = [text for text in (fault(start, *case) for case in cases for start in starts) if text]
    print("\n".join([*found, f"{len(cases)} cases"]), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

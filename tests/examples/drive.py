#!/usr/bin/env python3
"""drive.py NAME PROGRAM: runs the built example NAME on each of its cases. Each must end as it
should and print the case's lines."""

import os
import subprocess
import struct
import sys
import tempfile

# Many tiles of a scan and pieces of a file: lines of 0 to 40 words, the last without its end.
LARGE = b"\n".join(b" ".join([b"word"] * (i * 7 % 41)) for i in range(20000)) + b"\nthe end"


def system_v(data):
    """The checksum of System V and the number of blocks, as `sum -s` has them."""
    total = (sum(data) & 0xFFFF) + (sum(data) >> 16)
    return [f"{(total & 0xFFFF) + (total >> 16)} {(len(data) + 511) // 512}"]


def prepared(total):
    return [f"not prepared: sum {total}, and the call compiled its kernels",
            f"prepared: sum {total}, and the call compiled nothing"]


def last_line(data):
    lines = data.split(b"\n")
    start = len(data) - len(lines[-1])
    return [f"{len(lines)} lines", f"line {len(lines)} starts at byte {start}: the end"]


def wav(num_channels, samples, bits=16, length=None):
    data = b"".join(struct.pack("<h", sample) for sample in samples)
    length = len(data) if length is None else length
    frame = num_channels * bits // 8
    head = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + length, b"WAVEfmt ", 16, 1, num_channels,
                       8000, 8000 * frame, frame, bits, b"data", length)  # fmt: skip
    return head + data


def unsmooth(name, written):
    """Whether the file that smooth wrote has the averages of the one it read, by channel."""
    files = []
    for path in [name, written]:
        with open(path, "rb") as file:
            files.append(file.read())
    before, after = files
    num, = struct.unpack_from("<H", before, 22)
    samples, found = ([x for x, in struct.iter_unpack("<h", data[44:])] for data in files)
    averages = [0.0] * num
    for i, sample in enumerate(samples):
        averages[i % num] += 0.1 * (sample - averages[i % num])
        if abs(found[i] - averages[i % num]) > 0.6:
            return f"sample {i} is {found[i]}, not {averages[i % num]}"
    return None if before[:44] == after[:44] and len(before) == len(after) else "another header"


# Front_Center.wav is in Debian's alsa-utils, which tools/run-tests installs.
SOUND = "/usr/share/sounds/alsa/Front_Center.wav"
NOISE = [(i * 7919 % 65536) - 32768 for i in range(90000)]
LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "LICENSE")
NOWHERE, FOLDER = os.path.join(LICENSE, "file"), os.path.dirname(LICENSE)

# Of each example: a file, its bytes, or None for the default, which is the license; further
# arguments, OUT for a file of the test's; and the lines of stdout, or where it must fail a part of
# stderr as a str.
CASES = {
    "boxes": [(None, [], ["x from 1.0 to 3.0", "y from 2.0 to 4.0", "z from 3.0 to 5.0"])],
    "complex": [(None, [], ["1000 products, on the circle"])],
    "cpp": [
        (FOLDER, [], "the text cannot be read"),
        (NOWHERE, [], "the text cannot be read"),
        (None, [], ["line 1 has 11 bytes", "line 3 has 37 bytes", "line 5 has 76 bytes",
                    "line 6 has 77 bytes", "line 12 has 78 bytes"]),
        (b"", [], []),
        (b"\n", [], []),
        (b"a", [], ["line 1 has 1 bytes"]),
        (b"ab\n\nabc\nab\nabcd", [],
         ["line 1 has 2 bytes", "line 3 has 3 bytes", "line 5 has 4 bytes"]),
    ],
    "csr": [
        (FOLDER, [], "Is a directory"),
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], ["21 lines, 170 words", "line 20 has the most: words 154 to 169"]),
        (b"", [], ["0 lines, 0 words"]),
        (b"\n", [], ["1 lines, 0 words"]),
        (b"a", [], ["1 lines, 1 words", "line 1 has the most: words 1 to 1"]),
        (b"a\n\nb c", [], ["3 lines, 3 words", "line 3 has the most: words 2 to 3"]),
        (LARGE, [], [f"20001 lines, {len(LARGE.split())} words",
                     "line 36 has the most: words 681 to 720"]),
    ],
    "event": [
        (FOLDER, [], "Is a directory"),
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], ["1075 bytes, mean 81.638"]),
        (b"", [], "is empty, so it has no mean"),
        (b"a", [], ["1 bytes, mean 97.000"]),
    ],
    "lines": [
        (FOLDER, [], "Is a directory"),
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], ["21 lines", "line 21 starts at byte 1065: SOFTWARE."]),
        (LICENSE, ["3"], ["21 lines", "line 3 starts at byte 13: "
                                   "Copyright (c) 2026 the clfold authors"]),
        (LICENSE, ["22"], ["21 lines"]),
        (b"", [], ["0 lines"]),
        (b"\n", [], ["1 lines", "line 1 starts at byte 0: "]),
        (b"a", [], ["1 lines", "line 1 starts at byte 0: a"]),
        (b"ab\n\n\ncd", [], ["4 lines", "line 4 starts at byte 5: cd"]),
        (LARGE, [], last_line(LARGE)),
    ],
    "prepare": [
        (FOLDER, [], "Is a directory"),
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], prepared(87761)),
        (b"", [], prepared(0)),
        (LARGE, [], prepared(sum(LARGE))),
    ],
    "queues": [
        (FOLDER, [], "cannot be read"),
        (NOWHERE, [], "LICENSE/file: Not a directory"),
        (None, [], ["22226 3"]),
        (LICENSE, ["1074"], ["22226 3"]),
        (LICENSE, ["43"], ["22226 3"]),  # 25 pieces, the last of them full
        (b"", [], ["0 0"]),
        (b"a", [], ["97 1"]),
        (LARGE, ["65536"], system_v(LARGE)),
    ],
    "quotes": [
        (FOLDER, [], "Is a directory"),
        (None, [], ["3 separators, and 2 commas inside quotes"]),
        (b",", [], ["1 separators, and 0 commas inside quotes"]),
        (b'",', [], ["0 separators, and 1 commas inside quotes"]),
        (b'a,"b,c"\n' * 20000, [], ["20000 separators, and 20000 commas inside quotes"]),
    ],
    "smooth": [
        (FOLDER, ["OUT"], "Is a directory"),
        (NOWHERE, ["OUT"], "LICENSE/file: Not a directory"),
        (LICENSE, ["OUT"], "LICENSE: is not a plain WAV file of 16 bits a sample"),
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
    "sum": [
        (None, [], ["124875", "sum: in holds 1000 elements of f32, but in_offset 0 + "
                              "count 2000 is past its end (CLFOLD_ERROR_RANGE)"]),
    ],
}


def fault(program, file, arguments, expected):
    """What is wrong with a case, or None."""
    with tempfile.NamedTemporaryFile() as written, tempfile.NamedTemporaryFile() as out:
        if isinstance(file, bytes):
            written.write(file)
            written.flush()
            file = written.name
        given = [out.name if word == "OUT" else word for word in arguments]
        command = [program, *([file] if file else []), *given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wrong = unsmooth(file, out.name) if given != arguments and done.returncode == 0 else None
    if wrong:
        return f"{' '.join(command)} wrote a file in which {wrong}"
    fails = isinstance(expected, str)
    right = expected in done.stderr if fails else done.stdout.splitlines() == expected
    if done.returncode == fails and right:
        return None
    return (f"{' '.join(command)} ended with {done.returncode} and said:\n"
            f"{done.stdout}{done.stderr}instead of: {expected}")


def main(name, program):
    if name == "smooth" and not os.path.exists(SOUND):
        if os.environ.get("CLFOLD_REQUIRED_TOOLS"):
            sys.exit(f"there is no {SOUND}, and CLFOLD_REQUIRED_TOOLS is set")
        print(f"there is no {SOUND}; the other sounds are tried", file=sys.stderr)
        CASES[name] = [case for case in CASES[name] if case[0] != SOUND]
    found = [text for text in (fault(program, *case) for case in CASES[name]) if text]
    print("\n".join([*found, f"{len(CASES[name])} cases"]), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Cases of `clfold explain`: a whole sentence says why this algorithm and not a faster one, for
each operation, algorithm and operator. Its fields are the ladder's and the scans' to check."""

import json
import os
import re

import numpy as np

from driver import check

OPS = (
    "add mul min max min-max arg-min arg-max arg-min-max bit-and bit-or bit-xor "
    "logical-and logical-or"
).split()
SCANS = ["scan_single_group", "scan_then_propagate", "reduce_then_scan"]
LOOK_BACK = ["scan_lookback", "scan_chained"]


def told(d, device, *words, **options):
    done = d.run("explain", *words, "--device", device["index"], "--json", **options)
    if done.returncode == 1 and words[-1] in LOOK_BACK:
        check(f'algorithm "{words[-1]}": '.encode() in done.stderr, f"{words}: {done}")
        return None
    check(done.returncode == 0 and not done.stderr, f"{words}: {done}")
    found = json.loads(done.stdout)
    check(len(found["why"].encode()) < 256, f"{found}")
    return found


def expect(found, pattern):
    check(re.fullmatch(pattern, found["why"]), f"{pattern}: {found}")


ROW = 'tile_(vector|group) by policy "[^"]+"'
LANES = r"\d+ lanes fill the device, each for \d+ items? or more"
GROUPS = (
    r": \d+ groups? of lanes with \d+ items? each(, the most at once here)?"
    r"(, in one launch(, whose last group folds their partials)?"
    r"|, and a launch that folds their partials"
    r"|, and \d+ launches that fold their partials); "
)
MOVES = r"; moves \d+\.\d\d times the input"
POLICY = "; the policy takes "


def why_reduce(d, device):
    for op in OPS:
        for count in ["1", "5000", "2^26"]:
            found = told(d, device, "reduce", "--type", "i32", "--op", op, "--count", count)
            expect(found, ROW + GROUPS + LANES)
    named = "asked for by name: "
    expect(told(d, device, "reduce", "--kernel", "reduce_tiles"), named + ROW + GROUPS + LANES)
    for rung in range(6):
        found = told(d, device, "reduce", "--kernel", f"reduce{rung}")
        expect(
            found,
            named + r"[12] items? a work-item, so every launch leaves a partial for each group of "
            r"\d+ until one is left" + POLICY + "reduce_tiles",
        )
    found = told(d, device, "reduce", "--kernel", "reduce6")
    groups = r"groups of \d+" + GROUPS.rstrip("; ")
    expect(found, named + groups + POLICY + "reduce_tiles; " + LANES)


def why_scan(d, device):
    rest = "; " + ROW + "(; in place reduce_then_scan, lacking fences)?" + MOVES
    proven = "(, if a probe finds memory for it)?"
    look_back = r"in one launch tiles look back for prefixes(, \d+ at a time)?" + proven
    folded = "tiles are folded, then scanned with their prefixes"
    launches = r"one group takes all tiles in turn, in (one launch|\d+ launches)"
    for kind in ["--inclusive", "--exclusive"]:
        large = None
        for op in OPS if kind == "--inclusive" else ["add", "max"]:
            words = ["scan", kind, "--type", "i32", "--op", op, "--count"]
            expect(told(d, device, *words, "5"), "the count is small: " + launches + rest)
            large = told(d, device, *words, "2^26")
            if large["algorithm"] == "scan_lookback":
                expect(large, "the count is large: " + look_back + rest)
            else:
                expect(large, "look-back is out, [^:]+: " + folded + rest)
        for algorithm in [*SCANS, *LOOK_BACK]:
            found = told(d, device, *words, "2^26", "--algorithm", algorithm)
            if found:
                other = algorithm != large["algorithm"]
                check(found["algorithm"] == algorithm, f"{found}")
                check(found["why"].startswith("asked for by name: "), f"{found}")
                check((POLICY + large["algorithm"] in found["why"]) == other, f"{found}")
                check(re.search(ROW + ".*" + MOVES + "$", found["why"]), f"{found}")
    empty = told(d, device, "scan", "--count", "0")
    expect(empty, "there is nothing to scan: " + launches + "; " + ROW)


def why_scan_by_variable(d, device):
    env = {**os.environ, "CLFOLD_SCAN": "reduce_then_scan"}
    found = told(d, device, "scan", env=env)
    check(found["algorithm"] == "reduce_then_scan", f"{found}")
    check(found["why"].startswith("named by CLFOLD_SCAN: tiles are folded, "), f"{found}")
    found = told(d, device, "scan", "--algorithm", "scan-then-propagate", env=env)
    check(found["why"].startswith("asked for by name: tiles are scanned, "), f"{found}")


def segments(d, device):
    """Rows go by tiles or lanes, few long ones look back, and columns are whole."""
    found = told(d, device, "reduce", "--length", 1000, "--count", 5000)
    check(found["algorithm"] == "reduce_tiles" and found["rows_of"] == 1000, f"{found}")
    found = told(d, device, "scan", "--length", 1 << 22, "--count", 1 << 24)
    check(found["why"].startswith("4 rows of 4194304 items, "), f"{found}")
    env = {"CLFOLD_SCAN": "reduce_then_scan"}
    found = told(d, device, "scan", "--length", 1 << 22, "--count", 1 << 24, env=env)
    check(found["algorithm"] == "reduce_then_scan", f"{found}")
    found = told(d, device, "scan", "--columns", 30, "--count", 5000, env=env)
    check(found["algorithm"] == "scan_lanes", f"{found}")
    found = told(d, device, "scan", "--columns", 30, "--count", 5000)
    check(found["algorithm"] == "scan_lanes" and found["columns"] == 30, f"{found}")
    check(found["count"] == 5010, f"{found}")
    for words in ["--columns", 5], ["--length", 5]:
        found = told(d, device, "reduce", *words, "--count", 0, "--op", "max")
        check(found["count"] == 0, f"{found}")
    check(told(d, device, "reduce", "--columns", 30, "--count", 7)["count"] == 30, "few")
    for columns in 2**63, 2**64 - 1:
        d.bad(1, f"count {columns} of 4 bytes each overflows", "explain", "reduce", "--columns",
              columns, "--count", 2**64 - 1, "--device", device["index"])  # fmt: skip
    check(told(d, device, "map", "--length", 3)["algorithm"] == "map_tiles", "map")
    for way, launches, read in [
        ("flags:u8", 1, 5000), ("keys:f64", 1, 40000), ("offsets:i64", None, 0),
        ("offsets:u32", 3, 8), ("offsets:u64:99", 3, 800), ("flags:f32", None, 0),
    ]:  # fmt: skip
        words = ["--by", way, "--count", 5000]
        if launches is None:
            d.bad(1, f"segments: type {way[-3:]}", "explain", "scan", *words)
            continue
        found = told(d, device, "scan", *words, "--algorithm", "single-group")
        name = way.split(":")[0]
        check(f"; segments by {name}, " in found["why"] and found["by"] == way, f"{found}")
        check(found["launches"] == launches, f"{found}")
        check(found["bytes_read"] >= 20000 + read, f"{found}")
    found = told(d, device, "reduce", "--by", "flags:u8", "--count", 1 << 22)
    check(found["algorithm"] == "reduce_offsets" and found["by"] == "flags:u8", f"{found}")
    check("segments by flags, " in found["why"] and found["launches"] == 5, f"{found}")
    found = told(d, device, "reduce", "--by", "offsets:u32:99", "--count", 5000)
    check(found["algorithm"] == "reduce_offsets" and found["by"] == "offsets:u32:99", f"{found}")
    check(found["bytes_written"] >= 4 * 99 and found["bytes_read"] >= 20400, f"{found}")


def selects(d, device):
    """Of a select and of runs: the operation's own algorithms, and no operator."""
    for count, algorithm, why in [
        ("5", "scan_single_group", "the count is small"), ("2^26", None, "the count is large"),
        ("2^26", "reduce_then_scan", "asked for by name"),
    ]:  # fmt: skip
        words = ["--count", count, *(["--algorithm", algorithm] if why[0] == "a" else [])]
        for condition in ["--where", "x > 3.0f"], ["--same", "a == b"]:
            found = told(d, device, "select", *condition, *words)
            check(why in found["why"] and not {"op", "kind", "accuracy"} & set(found), f"{found}")
            check(found["algorithm"] == algorithm or not algorithm, f"{found}")
            check(found["widths"] in ["agree", "unknown"], f"{found}")


def widths(d, device):
    """Texts are built, so what explain says of them is what a run warns of, once, in pieces
    too."""
    array = (np.arange(5000) % 7).astype("f4")
    path, out = d.save(array), [d.path("out.npy")]
    stream = ["--stream", "y=" + path]
    for operation, expected, cause, *words in [
        ("reduce", "differ", "load gives 1 as a scalar and 18446744073709551615 in a vector",
         "--load", "x > 3", "--acc", "u64"),
        ("scan", "differ", "it does not compile for vectors: ", "--load", "(int)x * y",
         "--acc", "i32", *stream),
        ("reduce", "differ", "it does not compile for vectors: ", "--result", "(int)item",
         "--out", "i32"),
        ("reduce", "agree", "", "--components", "float a; float b", "--combine",
         "{ a.a + b.a, a.b + b.b }", "--load", "{ x, k * y }", "--in-scalars", 1,
         "--arg", "float k=2", *stream),
        ("map", "unknown", "", "--result", "x > 3", "--partial"),
    ]:  # fmt: skip
        words = [operation, "--device", device["index"], *words]
        done = d.run("explain", *words, "--json", "--count", 5000)
        check(done.returncode == 0, f"{words}: {done}")
        found = json.loads(done.stdout)
        on_pocl = device["platform"] == "Portable Computing Language"
        check(found["widths"] in [expected, "unknown"][: 1 if on_pocl else 2], f"{found}")
        for rest in [["--memory", 9000, path], ["--quiet", path]][: 1 + (operation == "scan")]:
            done = d.run(*words, *rest, *(out if operation != "reduce" else []))
            warnings = re.findall(r"clfold: warning: (.*)", done.stderr.decode())
            few = int(found["widths"] == "differ" and "--quiet" not in rest)
            check(done.returncode == 0 and len(warnings) == few, f"{words}: {done}")
            right = "runs on scalars, not on vectors, since " + cause
            check(not few or right in warnings[0], f"{warnings}")
            check(not few or cause in found["why"], f"{found}")
    words = ["explain", "reduce", "--device", device["index"], "--load"]
    done = d.run(*words, "x + z")
    check(done.returncode == 1 and b"load:1:5: " in done.stderr, f"{done}")
    check("widths" not in told(d, device, "reduce"), "widths of no text")


CASES = [widths, segments, selects, why_reduce, why_scan, why_scan_by_variable]

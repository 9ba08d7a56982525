"""Cases of `clfold explain`: a whole sentence says why this algorithm and not a faster one, for
each operation, algorithm and operator. Its fields are the ladder's and the scans' to check."""

import json
import os
import re

import numpy as np

from driver import LOOK_BACK, OPS, SCANS, check


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


def texts(d, device):
    """The program's text, as a whole and resolved, and without a cpp."""
    words = ["explain", "scan", "--algorithm", "reduce-then-scan", "--device", device["index"]]
    words += ["--text"]
    text = d.good(*words)
    for part in ("scan_tiles.cl", "reduce_then_scan.cl"):
        check(f'\n#line 1 "{part}"\n' in text, f"no {part}: {text[:9999]}")
    check("\n#if" in text and "\nclfold_scan_aggregates(" in text, f"{text}")
    d.bad(2, "--json does not go with --text", *words, "--json")
    d.bad(2, "--resolved goes with --text only", *words[:-1], "--resolved")
    d.bad(1, "needs the program cpp", *words, "--resolved", env={**os.environ, "PATH": ""})
    resolved = d.good(*words, "--resolved")
    check(not re.search(r"^\s*#\s*if", resolved, re.M), f"{resolved}")
    check("\nclfold_scan_aggregates(" in resolved and len(resolved) < len(text), f"{resolved}")


CASES = [texts, widths, why_reduce, why_scan]

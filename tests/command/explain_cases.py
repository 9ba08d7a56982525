"""Cases of `clfold explain`: what it says of texts, and the program's text."""

import json
import os
import re

import numpy as np

from driver import check


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


CASES = [texts, widths]

"""Cases of `clfold explain`: what it says of texts, and the program's text; of what --profile
prints, which is what explain says; of tuning files; and of laws that operators break."""

import json
import os
import re

import numpy as np

from driver import AFFINE, PICKS, check


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


def profile(d, device):
    """A line for each kernel on standard error, as many and with the bytes that explain says, of
    all pieces."""
    path = d.save(np.arange(300000, dtype="i4"))
    for operation, out, algorithm, count, *memory in [
        ("reduce", [], "reduce3", 300000),
        ("reduce", [], "auto", 75000, "--memory", 75000 * 8),
        ("scan", [d.path("out.npy")], "reduce-then-scan", 300000),
        ("scan", [d.path("out.npy")], "auto", 75000, "--memory", 75000 * 16),
    ]:
        options = ["--algorithm", algorithm, "--device", device["index"]]
        plain = d.good(operation, *options, *memory, path, *out)
        done = d.run(operation, "--profile", *options, *memory, path, *out)
        check(done.returncode == 0 and done.stdout.decode() == plain, f"{done}")
        head, *lines = done.stderr.decode().splitlines()
        told = json.loads(
            d.good("explain", operation, "--type", "i32", "--acc", "i64", "--count", count,
                   "--json", *options)
        )  # fmt: skip
        check(head.split() == "kernel us GB/s bytes read bytes written".split(), head)
        shown = [line.split() for line in lines if not line.startswith("and ")]
        check(len(shown) == min(told["launches"], 32), f"{told} {lines}")
        check(all(line[0].startswith("clfold_") and float(line[1]) >= 0 for line in shown), head)
        if told["launches"] <= 32:
            moved = [sum(int(line[k]) for line in shown) * count // 300000 for k in (3, 4)]
            check(moved == [told["bytes_read"], told["bytes_written"]], f"{told} {lines}")
    words = ["map", "--profile", "--device", device["index"], "--result", "2 * x", path]
    done = d.run(*words, d.path("out.bin"))
    check(done.returncode == 0 and b"clfold_map_tiles" in done.stderr, f"{done}")


def laws(d, device):
    """check-fold finds what breaks each law, and shows the elements that do."""
    where = ["check-fold", "--device", device["index"], "--count", 100]
    for part, items, *words in [
        ("the operator is not associative", "abc", "--combine", "a - b", "--type", "i32"),
        ("the operator is not associative", "abc", "--combine", "(a + b) / 2"),
        ("identity op a is not a", "a", "--combine", "a + b", "--identity", "1"),
        ("a op identity is not a", "a", "--combine", "b", "--identity", "1"),
        ("the operator is not commutative", "ab", *AFFINE, "--commutative"),
        ("cuts holds for b, but", "ab", *PICKS, "--cuts", "b.v != 0"),
        ("the operator runs on scalars", "", *PICKS[:2], "--combine",
         "{ b.f & 1 ? b.v : a.v + b.v, a.f | b.f }"),
    ]:  # fmt: skip
        done = d.run(*where, *words)
        told = done.stdout.decode()
        check(done.returncode == 1 and part.encode() in done.stderr, f"{words}: {done}")
        check(all(f"  {item} = " in told for item in items), f"{words}: {told!r}")
    told = d.run(*where, "--combine", "a - b", "--type", "i32").stdout.decode()
    check(told == "  a = 0\n  b = 0\n  c = 1\n  (a op b) op c = -1\n  a op (b op c) = 1\n",
          f"{told!r}")  # fmt: skip


def tunings(d, device):
    """A tuning file that cannot serve is told once, and the defaults do."""
    words = ["explain", "reduce", "--count", "4096", "--json", "--device", device["index"]]
    before = d.good(*words)
    row = "reduce 4 2^11..2^13 groups=7 on some; other; device"
    path = d.write("clfold tuning 5\n" + row, "tuning")
    for name, why in [(path, "is ignored: line 2: it has no newline at its end"),
                      (path + "x", "cannot be read: No such file or directory")]:  # fmt: skip
        env = {**os.environ, "CLFOLD_TUNING": name}
        done = d.run(*words, env=env)
        told = f"clfold: warning: the tuning file {name} {why}\n"
        check(done.returncode == 0 and done.stdout.decode() == before, f"{done}")
        check(done.stderr.decode() == told, f"{done.stderr!r} is not {told!r}")
        check(d.good(*words, "--quiet", env=env) == before, "--quiet")


CASES = [texts, widths, profile, tunings]
LAWS = [laws]

"""Cases on one device: what --profile prints, and laws that operators break."""

import json

import numpy as np

from driver import AFFINE, PICKS, check


def profile(d, device):
    """A line for each kernel on standard error, as many and with the bytes that explain says, of
    all pieces."""
    path = d.save(np.arange(300000, dtype="i4"))
    for operation, out, algorithm, count, *memory in [
        ("reduce", [], "reduce_tiles", 300000),
        ("reduce", [], "reduce3", 300000),
        ("reduce", [], "auto", 75000, "--memory", 75000 * 8),
        ("scan", [d.path("out.npy")], "reduce-then-scan", 300000),
        ("scan", [d.path("out.npy")], "single-group", 300000),
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


CASES = [profile]
LAWS = [laws]

"""Bytes past L2, beside a cache of sets, lines and sectors: stencils, products and sweeps.

The cache is simulated here: waves of groups run in step, access by access and turn by turn; lines
of 128 bytes with sectors of 32; the line of a set that was used least recently goes, and takes what
was stored to it to memory. The package is told the same kernels as nests."""

import itertools
import os
import sys
import unittest
from collections import OrderedDict
from types import SimpleNamespace

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
from predict import count, nest, predict, reuse
from predict.model import fit

WAYS = 16
STEPS = ("-1", "+0", "+1")
CROSS = ["i, j", "i+1, j", "i-1, j", "i, j+1", "i, j-1"]
BALL = [f"i{x}, j{y}, k{z}" for x, y, z in itertools.product(STEPS, repeat=3)]
STAR = ["i, j, k", "i+1, j, k", "i-1, j, k", "i, j+1, k", "i, j-1, k", "i, j, k+1", "i, j, k-1"]


def loads(array, *places):
    return [("load", array, place) for place in places]


# Name: lengths of the arrays, which i, j and k go through from `low`, in blocks; a loop; accesses.
CASES = {
    "copy": ([65536], 0, [256], 0, loads("a", "i") + [("store", "b", "i")]),
    "Jacobi": ([1600, 320], 1, [32, 14], 0, loads("a", *CROSS[1:]) + [("store", "b", "i, j")]),
    "nine points": ([1600, 240], 1, [32, 14], 0, loads("a", *(
        f"i{x}, j{y}" for x in STEPS for y in STEPS)) + [("store", "b", "i, j")]),
    "wave": ([600, 600], 1, [32, 14], 0, loads("a", *CROSS) + loads("c", "i, j") + [
        ("store", "b", "i, j")]),
    "seven points": ([96, 70, 98], 1, [32, 2, 7], 0, loads("a", *STAR) + [
        ("store", "b", "i, j, k")]),
    "27 points": ([66, 62, 58], 1, [32, 2, 7], 0, loads("a", *BALL) + [("store", "b", "i, j, k")]),
    "product": ([192, 192], 0, [32, 14], 192, loads("a", "i, m") + loads("c", "m, j") + [
        ("store", "b", "i, j")]),
    "matrix times vector": ([2048, 512], 0, [256], 512, loads("a", "i, m") + loads("c", "m, 0")),
    "transposition": ([512, 512], 0, [32, 14], 0, loads("a", "j, i") + [("store", "b", "i, j")]),
    "red and black": ([1200, 400], 1, [32, 14], 0, loads(
        "a", "2*i-1, j", "2*i, j-1", "2*i, j", "2*i, j+1", "2*i+1, j") + [
            ("store", "a", "2*i, j")]),
    "sweep along columns": ([1024, 300], 0, [64], 300, loads("a", "i, m") + loads("c", "i, m") + [
        ("store", "a", "i, m")]),
    "sweep along rows": ([64, 4096], 0, [64], 64, loads("a", "m, i") + [("store", "b", "m, i")]),
    "step of LU": ([600, 600], 1, [32, 14], 0, loads("a", "i, j", "i, 0", "0, j") + [
        ("store", "a", "i, j")]),
}


def extents(name):
    """How far each counter goes."""
    lengths, low, block, *_ = CASES[name]
    ends = [length - low for length in lengths[: len(block)]]
    return ([lengths[0] // 2 - low, *ends[1:]] if name == "red and black" else
            [min(ends)] * len(ends) if name == "transposition" else
            [lengths[1]] if name == "sweep along rows" else ends)


def nest_of(name):
    lengths, low, block, turns, accesses = CASES[name]
    ends = extents(name)
    groups = ", ".join(f"ceil({end - low}, {size})" for end, size in zip(ends, block))
    lets = " ".join(f"let {counter} = {low} + {size}*g{axis} + t{axis}"
                    for counter, axis, size in zip("ijk", "xyz", block))
    guards = " && ".join(f"{counter} < {end}" for counter, end in zip("ijk", ends))
    arrays = " ".join(f"array {one} f32[{', '.join(map(str, lengths))}] global"
                      for one in sorted({array for _, array, _ in accesses}))
    steps = " ".join(f"{kind} {array}[{place}]" for kind, array, place in accesses)
    steps = f"for m = 0 .. {turns - 1} {{ {steps} }}" if turns else steps
    return (f"kernel k launch groups = {groups} size = {', '.join(map(str, block))} {arrays} "
            f"{lets} if {guards} {{ {steps} }}")


def streams(name, numbers):
    """For each of the groups, the sectors of access after access, as (is_store, sectors)."""
    lengths, low, block, turns, accesses = CASES[name]
    ends, found = extents(name), []
    arrays = sorted({array for _, array, _ in accesses})
    groups = [-(-(end - low) // size) for end, size in zip(ends, block)]
    strides = np.cumprod([1, *lengths[:-1]])
    codes = [(kind == "store", arrays.index(array) << 32, compile(f"({place},)", place, "eval"))
             for kind, array, place in accesses]
    for number in numbers:
        env, at = {}, number
        axes = []
        for size, num in zip(block, groups):
            axes.append(low + at % num * size + np.arange(size))
            at //= num
        grids = np.meshgrid(*axes, indexing="ij")
        inside = np.all([grid < end for grid, end in zip(grids, ends)], axis=0)
        env = {counter: grid[inside] for counter, grid in zip("ijk", grids)}
        stream = []
        for turn in range(max(1, turns)):
            for is_store, base, code in codes:
                places = eval(code, {"m": turn}, env)  # pylint: disable=eval-used
                element = sum(np.asarray(place) * stride for place, stride in zip(places, strides))
                stream.append((is_store, np.unique(base + element // 8)))
        found.append(stream)
    return found


def simulate(name, size, wave):
    """Bytes fetched and written."""
    sets = [OrderedDict() for _ in range(max(1, size // (128 * WAYS)))]
    fetched = written = 0
    _, low, block, *_ = CASES[name]
    total = int(np.prod([-(-(end - low) // one) for end, one in zip(extents(name), block)]))
    for start in range(0, total, wave):
        running = streams(name, range(start, min(start + wave, total)))
        for now in zip(*running):
            for is_store, sectors in now:
                for sector in sectors.tolist():
                    line = sector // 4
                    lines = sets[(line ^ line >> 7 ^ line >> 32) % len(sets)]
                    if line not in lines:
                        if len(lines) == WAYS:
                            _, (_, dirty) = lines.popitem(last=False)
                            written += len(dirty)
                        lines[line] = (set(), set())
                    lines.move_to_end(line)
                    there, dirty = lines[line]
                    fetched += not is_store and sector not in there
                    there.add(sector)
                    if is_store:
                        dirty.add(sector)
    written += sum(len(dirty) for lines in sets for _, dirty in lines.values())
    return 32 * fetched, 32 * written


def gpu_with(size, units=4):
    numbers = {"l2": size, "units": units, "width": 32, "banks": 32, "sub_groups": 64,
               "groups": 32, "l1": 0}
    return SimpleNamespace(number=lambda word, other=0: numbers.get(word, other), numbers=numbers)


def past(name, gpu):
    told = nest.parse(nest_of(name))
    lanes = SimpleNamespace(width=32, banks=32, in_order=False)
    (launch,), _ = count.count(told, lanes, {})
    held = min(fit(gpu, launch.num_items, 0, 0)[0], -(-launch.num_groups // gpu.number("units")))
    _, loads_past, stores_past = reuse.past(told, launch, gpu, lanes, held)
    return loads_past, stores_past, held * gpu.number("units")


def times_of(text, gpu):
    (row,), _ = predict.objects_of(text, {}, gpu)
    return row


def stencil(dims, n, accesses, block):
    names, kind = "ijk"[:dims], "f32"
    lets = " ".join(f"let {name} = 1 + {size}*g{axis} + t{axis}"
                    for name, axis, size in zip(names, "xyz", block))
    guard = " && ".join(f"{name} < {n - 1}" for name in names)
    lengths = ", ".join([str(n)] * dims)
    groups = ", ".join(f"ceil({n - 2}, {size})" for size in block)
    return (f"array a {kind}[{lengths}] global array b {kind}[{lengths}] global kernel k "
            f"launch groups = {groups} size = {', '.join(map(str, block))} {lets} if {guard} {{ "
            + " ".join(f"load a[{place}]" for place in accesses)
            + f" op {len(accesses)} store b[{', '.join(names)}] }}")


class Caches(unittest.TestCase):
    def test_bytes_are_those_of_a_cache(self):
        """Within 20 %, by caches that hold rows, planes or all of it, and some that do not."""
        worst = []
        for name in CASES:
            for size in (96 << 10, 512 << 10):
                gpu = gpu_with(size)
                *predicted, wave = past(name, gpu)
                simulated = simulate(name, size, int(wave))
                worst.append((sum(predicted) / sum(simulated) - 1, name, size, predicted,
                              simulated))
                print(f"{name:>22} {size >> 10:4} KiB: {sum(predicted) / 1e6:7.3f} MB, simulated "
                      f"{sum(simulated) / 1e6:7.3f}, {worst[-1][0]:+.0%}")
        for error, *told in worst:
            self.assertLess(abs(error), 0.2, told)

    def test_there_is_no_cliff(self):
        """What a sweep has to move, however large its arrays are: each of them once."""
        from predict import device  # pylint: disable=import-outside-toplevel

        h100, a100 = device.find("h100"), device.find("a100")
        for dims, n, accesses, block, gpu in (
            (2, 2560, CROSS[1:], [32, 14], h100), (2, 2570, CROSS[1:], [32, 14], h100),
            (2, 4096, CROSS[1:], [32, 14], h100), (3, 512, STAR, [32, 2, 7], a100),
            (3, 512, BALL, [32, 2, 7], a100)):
            row = times_of(stencil(dims, n, accesses, block), gpu)
            least = 8 * n**dims
            self.assertLess(0.95 * least, row["traffic"]["bytes_past_l2"])
            self.assertLess(row["traffic"]["bytes_past_l2"], 1.3 * least, (dims, n))


if __name__ == "__main__":
    unittest.main()

"""Occupancy, times that are published or found by hand, and the formulas of the thesis."""

import math
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
from predict import count, device, model, nest, predict, thesis

# Device, work-items, registers, bytes of local memory, and groups on a unit: from the tables of
# NVIDIA's calculator by hand, and as tools/gpu_code has them, which tests/codegen compares with
# clang; a unit of gfx1100 is half of what its rule is about.
HELD = [
    ("8800gtx", 256, 10, 1024, 3), ("8800gtx", 256, 11, 1024, 2), ("8800gtx", 64, 4, 1024, 8),
    ("gtx295", 256, 16, 2048, 4), ("gtx295", 256, 17, 2048, 3), ("fermi", 256, 20, 1024, 6),
    ("fermi", 256, 21, 1024, 5), ("h100", 448, 40, 1024, 3), ("h100", 256, 32, 40960, 5),
    ("h100", 32, 32, 0, 32), ("a100", 256, 256, 1024, 0), ("a100", 33, 72, 0, 14),
    ("a100", 1000, 33, 0, 1), ("a100", 64, 24, 5000, 27), ("a100", 288, 224, 0, 0),
    ("8800gtx", 96, 24, 0, 2), ("gfx90a", 256, 65, 0, 7), ("gfx90a", 256, 64, 20768, 3),
    ("gfx90a", 100, 129, 0, 6), ("gfx90a", 1024, 72, 4096, 1), ("gfx1100", 32, 172, 0, 16),
    ("gfx1100", 32, 97, 0, 24), ("8800gtx", 513, 0, 0, 0), ("8800gtx", 512, 0, 0, 1),
]
# Device, size of a group, and published ms of reduce0 to 3, 5 and 6: docs/predict.md has what is
# predicted beside them, by which it must stay.
PUBLISHED = [
    ("8800gtx", [7.77, 3.92, 1.72, 0.95, 0.46, 0.29], [0.68, 0.90, 1.75, 1.67, 2.55, 0.73]),
    ("gtx460", [3.90, 2.15, 1.43, 0.72, 0.36], [0.78, 0.87, 1.20, 1.27, 1.86]),
]
H100 = [0.262, 0.153, 0.153, 0.089, 0.074, 0.069, 0.062]
PROFILES = [("fermi", "reduce0", 1908, 1, 4.329e-3), ("fermi", "reduce1", 1076, 1, 3.051e-3),
            ("gtx295", "reduce0", 3412, 0, 11.08e-3), ("gtx295", "reduce1", 1261, 0, 4.97e-3)]
NUMBERS = """width 16 nominal\nbanks 32 nominal\nunits 2 nominal\nclock 1 nominal
bandwidth 10 nominal\ncall 100 nominal\nlaunch 10 nominal\n"""


def rung(number, gpu, settings):
    return predict.objects(f"reduce{number}", settings, gpu)


def shifted(by, n=1 << 22):
    return (f"param n = {n} kernel k launch groups = n/256 size = 256 lines 3 scalars 0\n"
            f"array a f32[n + 1] global array b f32[n] global\n"
            f"load a[256*g + t + {by}] store b[256*g + t]")


def thesis_of(text, gpu, cache=0, grid=None):
    told = nest.parse(text)
    gpu = device.find(gpu)
    (launch,), _ = count.count(told, gpu.lanes, {})
    return thesis.formulas(told, launch, gpu, cache, grid)


class Times(unittest.TestCase):
    def near(self, got, expected, share=1e-9):
        self.assertLessEqual(abs(got - expected), share * abs(expected), f"{got}, not {expected}")

    def test_units_hold_groups(self):
        for name, items, registers, local, groups in HELD:
            with self.subTest(name=name, items=items, registers=registers):
                self.assertEqual(model.fit(device.find(name), items, registers, local)[0], groups)
        self.assertEqual(model.fit(device.find("fermi"), 1024, 20, 1024)[1], "sub-groups")

    def test_rungs_are_in_their_order(self):
        """Each is no slower than the one before by more than 5 %."""
        for name, size in (("8800gtx", 128), ("gtx460", 128), ("gtx295", 256), ("fermi", 256),
                           ("a100", 256), ("h100", 256)):
            gpu = device.find(name)
            held = model.fit(gpu, size, 0, 0)[0] * int(gpu.number("units"))
            for n in (22, 25):
                seconds = [rung(i, gpu, {"n": 1 << n, "B": size, **({"G": held} if i == 6 else {})}
                                )[1]["seconds"] for i in range(7)]
                for before, after in zip(seconds, seconds[1:]):
                    self.assertLess(after, 1.05 * before, f"{name} {seconds}")

    def test_published_times_are_near(self):
        """64 MiB of doubles, by counts of instructions that the profiler gave."""
        for name, one, instructions, replays, seconds in PROFILES:
            gpu = device.find(name)
            gpu.numbers["replays"] = replays
            text, settings = predict.text_of(one, {"n": 1 << 23, "B": 256, "T": 8})
            told = nest.parse(text)
            launch = count.count(told, gpu.lanes, settings)[0][0]
            launch.facts["instructions"] = instructions
            time = model.time_launch(told, launch, gpu, False)
            self.assertEqual(time.binds, "issue")
            self.near(time.seconds, seconds, 0.25)

    def test_times_are_as_the_docs_say(self):
        for name, published, shares in PUBLISHED:
            for i, milliseconds, share in zip((0, 1, 2, 3, 5, 6), published, shares):
                settings = {"n": 1 << 22, "B": 128, **({"G": 96} if i == 6 else {})}
                _, whole = rung(i, name, settings)
                self.near(whole["seconds"] * 1e3, milliseconds * share, 0.05)
        for i, predicted in enumerate(H100):
            _, whole = rung(i, "h100", {"n": 1 << 25})
            self.near(whole["seconds"] * 1e3, predicted, 0.02)

    def test_times_are_found_by_hand(self):
        """4096 bytes each way at 10 GB/s, by two units: 0.8192 us."""
        for more, transfers, facts, launches, crossings in (
            ("", "", "", 100 + 0.8192, 0), ("", "", "times 3", 100 + 2 * 10 + 3 * 0.8192, 0),
            ("", "", "times 0", 0, 0), ("", "", "waves 2", 100 + 10 + 0.8192, 0),
            ("", "", "waves 4", 100 + 3 * 10 + 2 * 0.8192, 0),  # a unit idles
            ("link 2 nominal\nlink_latency 5 nominal", "transfer in a times 2 transfer out b", "",
             100 + 0.8192, 3 * 7.048),
            ("latency 1000 nominal\nbarrier 1000 nominal", "", "waves 4", 130 + 4 * 2, 0),
        ):
            text = (f"array a f32[1024] global array b f32[1024] global {transfers} "
                    f"kernel k launch groups = 4 size = 256 {facts} array c f32[256] local "
                    "load a[256*g + t] store c[t] barrier op 2 store b[256*g + t]")
            _, whole = predict.objects_of(text, {}, device.read(NUMBERS + more))
            with self.subTest(facts=facts, more=more):
                self.near(whole["launch_seconds"] * 1e6, launches, 1e-6)
                self.near(whole["transfer_seconds"] * 1e6, crossings, 1e-6)

    def test_small_launches_cost_time(self):
        text = shifted(0, 1024) + " times 20000"
        _, whole = predict.objects_of(text.replace("lines 3", "lines 3"), {}, device.find("a100"))
        self.assertTrue(0.04 < whole["seconds"] < 0.1, whole["seconds"])

    def test_an_old_chip_wants_order(self):
        """Compute capability 1.0 moves 32 bytes for each work-item of a(i+1)."""
        for by, milliseconds in ((0, 0.388), (1, 1.747)):
            rows, _ = predict.objects_of(shifted(by), {}, device.find("8800gtx"))
            self.near(rows[0]["terms"]["memory"] * 1e3, milliseconds, 0.01)


class Thesis(unittest.TestCase):
    def test_hong_and_kim_give_their_cycles(self):
        """The published example of the model, to 0.01 cycle; and the other two cases by hand."""
        program = count.Record(compute=27, uncoalesced=6, coalesced=0, barriers=6,
                               uncoalesced_each=32, coalesced_each=1, bytes=128, groups=80,
                               groups_of_unit=5, sub_groups_of_group=4)
        got = thesis.hong_kim(1, 80, 420, 4, 10, 4, 16, program)
        self.assertEqual((got.memory_latency, got.compute_cycles, got.memory_cycles, got.cwp,
                          got.rounds), (730, 132, 4380, 20, 1))
        self.assertAlmostEqual(got.mwp, 2.28125)
        self.assertAlmostEqual(got.cycles - got.barrier_cycles, 38428.19, delta=0.01)
        self.assertAlmostEqual(got.cycles, 50728.19, delta=0.01)
        program = count.Record(compute=1, uncoalesced=0, coalesced=1, barriers=0, bytes=128,
                               uncoalesced_each=1, coalesced_each=1, groups=16, groups_of_unit=1,
                               sub_groups_of_group=2)
        got = thesis.hong_kim(1, 1e6, 420, 4, 10, 4, 16, program)
        self.assertEqual((got.mwp, got.cwp, got.cycles), (2, 2, 436))
        program.compute, program.sub_groups_of_group = 99, 8
        got = thesis.hong_kim(1, 1e6, 420, 4, 10, 4, 16, program)
        self.assertEqual((got.mwp, got.cycles), (8, 420 + 400 * 8))

    def test_formulas_stand(self):
        text = ("param n = 1000000 kernel k launch groups = ceil(n, 448) size = 448 iterations n "
                "reduction 8 lines 25 scalars 2 intermediates 3 globals 1 branches 2\n"
                "array a f64[n] global array c i8[4*n] global array b f32[1] global "
                "if 448*g + t < n { load a[448*g + t] load c[4*(448*g + t)] load b[0] "
                "op 3 op reciprocal op tree 5 }")
        t, each = thesis_of(text, "gtx460"), 1e6 / (2233 * 448)
        self.assertAlmostEqual(t.each[0], each)  # (1)
        self.assertEqual([one.segment for one in t.accesses], [128, 32, 128])  # (2)
        self.assertEqual([one.stride for one in t.accesses], [8, 4, 0])  # (3)
        self.assertEqual([one.each for one in t.accesses], [2, 4, 4])  # (4), (5)
        self.assertEqual([one.is_coalesced for one in t.accesses], [False, False, True])
        self.assertEqual(t.program.bytes, 32)
        # scalars, intermediate values, one dimension, an instruction pointer, two of 25 lines
        self.assertEqual((t.registers_of_item, t.registers), (9, 384 * 14))  # (6)
        self.assertEqual(t.reduction_items, 1116.5)  # (7)
        self.assertEqual(t.local, 32 + 448 * 8)  # (8)
        self.assertAlmostEqual(t.extra, math.log2(448 * each))
        self.assertAlmostEqual(t.program.barriers, t.extra)  # (9)
        self.assertAlmostEqual(t.arithmetic, 3 * each + t.extra)  # (10), without the tree
        self.assertAlmostEqual(t.branches, 2 * each)
        self.assertAlmostEqual(t.program.coalesced, 2 * each)  # b, and the scalar
        grid = thesis_of(text, "gtx460", grid=[10])
        self.assertAlmostEqual(grid.each[0], 1e6 / 4480)
        self.assertEqual(grid.program.groups, 10)
        self.assertEqual(grid.registers_of_item, 10)  # and a counter

    def test_grids_have_dimensions(self):
        text = ("kernel k launch groups = 4, 8 size = 32, 14 iterations 128, 100\n"
                "array a f32[128, 112] global load a[32*gx + tx, 14*gy + ty]")
        self.assertEqual(thesis_of(text, "fermi").each, [1, 100 / 112])
        self.assertEqual(thesis_of(text, "fermi", grid=[2, 4]).each, [2, 100 / 56])

    def test_hits_are_of_each_access(self):
        """Of a row's neighbours those after the first hit; a column's does not."""
        text = ("kernel k launch groups = 4, 4 size = 32, 4 array a f32[131, 64] global "
                "array b f32[131, 64] global let i = 32*gx + tx let j = 4*gy + ty\n"
                "load a[i, j] load a[i + 1, j] load a[i + 2, j] load a[i, j + 1] "
                "store b[i, j]")
        t = thesis_of(text, "fermi", 48 << 10)
        self.assertEqual([one.hits for one in t.accesses], [0, 1, 1, 0, 0])
        self.assertEqual((t.program.coalesced, t.program.uncoalesced, t.arithmetic), (3, 0, 2))
        self.assertEqual(t.program.bytes, 128)

    def test_formula_4_is_wrong_for_21_strides(self):
        wrong = 0
        for stride in range(1, 65):
            text = ("kernel k launch groups = 1 size = 32 array a f32[2^20] global "
                    f"load a[{stride}*t]")
            told = nest.parse(text)
            lines = count.count(told, device.find("fermi").lanes, {})[0][0].accesses[0]["lines"]
            formula = thesis_of(text, "fermi", 1 << 14).accesses[0].each
            self.assertTrue(formula <= lines <= 1.94 * formula)
            self.assertTrue(formula == lines or stride < 32)
            wrong += formula != lines
        self.assertEqual(wrong, 21)

    def test_an_old_chip_wants_order(self):
        for by, is_coalesced in ((0, True), (1, False)):
            one = thesis_of(shifted(by), "8800gtx").accesses[0]
            self.assertEqual(one.is_coalesced, is_coalesced)
            self.assertEqual(one.each, 1 if is_coalesced else 32)
        with self.assertRaisesRegex(nest.Wrong, "by its work-items"):
            predict.objects_of(shifted(0).replace("256", "1024"), {}, device.find("8800gtx"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""tools/gpu_code reads assemblies right, and its checks find what is planted in them."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "gpu_code"))
# pylint: disable=wrong-import-position
import assembly as asm
import banks
import checks
import gcn
import gen
import kept_table
import occupancy
import ptx
import sass
from compilers import an_element

# A reduction's loop with its four loads, one of which may be planted.
PTX_REDUCE = """
.visible .entry clfold_reduce_tiles(
\t.param .u64 .ptr .global .align 4 clfold_reduce_tiles_param_0
)
.reqntid 256, 1, 1
{{
\t{depot}
\tld.param.u64 \t%rd1, [clfold_reduce_tiles_param_0];
\t{before}
$L__BB0_1:
\tld.global.v4.f32 \t{{%f1, %f2, %f3, %f4}}, [%rd1];
\tld.global.v4.f32 \t{{%f1, %f2, %f3, %f4}}, [%rd1+4096];
\tld.global.v4.f32 \t{{%f1, %f2, %f3, %f4}}, [%rd1+8192];
\t{load}
\tadd.s64 \t%rd1, %rd1, 16384;
\t@%p1 bra \t$L__BB0_1;
\tbar.sync \t0;
\tst.global.f32 \t[%rd2], %f1;
\tret;
}}
"""
SUM = {"commutative": True, "loads": False, "writes": False, "sizes": [4, 4]}
WIDE = "ld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1+12288];"

PTX_LOOKBACK = """
.visible .entry clfold_scan_lookback(
\t.param .u64 .ptr .global .align 4 clfold_scan_lookback_param_0,
\t.param .u64 .ptr .global .align 8 clfold_scan_lookback_param_9
)
{{
\tld.param.u64 \t%rd1, [clfold_scan_lookback_param_0];
\tld.param.u64 \t%rd2, [clfold_scan_lookback_param_9];
\tadd.s64 \t%rd3, %rd2, 256;
\t// begin inline asm
\t{poll}
\t// end inline asm
\tadd.s64 \t%rd6, %rd1, %rd5;
\tld.global.{vector} \t{{%r1, %r2, %r3, %r4}}, [%rd6];
\tst.global.v4.u32 \t[%rd7], {{%r1, %r2, %r3, %r4}};
\tret;
}}
"""
POLL = "ld.relaxed.gpu.global.u64 %rd5, [%rd3];"

SAID = """ptxas info    : Compiling entry function 'clfold_reduce_tiles' for 'sm_80'
ptxas info    : Function properties for clfold_reduce_tiles
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 55 registers, used 1 barriers, 1056 bytes smem, 392 bytes cmem[0]
"""

GCN = """
\t.protected\tclfold_scan_lookback    ; -- Begin function clfold_scan_lookback
clfold_scan_lookback:
; %bb.0:
\tglobal_load_dword v1, v2, s[0:1]
.LBB0_1:
\t{load}
\t{poll}
\tds_write_b64 v1, v[2:3]
\ts_cbranch_scc1 .LBB0_1
\ts_barrier
\t{store}
\ts_endpgm
\t.section\t.rodata,"a",@progbits
; NumVgprs: 54
; TotalNumVgprs: 56
; ScratchSize: {scratch}
; Occupancy: 8
; LDSByteSize: 1056 bytes/workgroup (compile time only)
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .name:           clfold_scan_lookback
    .sgpr_spill_count: 3
    .vgpr_spill_count: {spills}
"""
GCN_GOOD = {
    "load": "global_load_dwordx4 v[0:3], v4, s[2:3]",
    "store": "global_store_dwordx4 v4, v[0:3], s[2:3]",
    "poll": "global_load_dwordx2 v[0:1], v4, s[2:3] glc",
    "scratch": 0,
    "spills": 0,
}

SASS = """
.text.clfold_reduce_tiles:
        /*0000*/                   LDG.E.128 R4, [R2.64] ;
.L_x_6:
        /*0430*/                   LDG.E.U16 R11, [R10.64] ;
        /*0440*/                   LDS.64 R12, [R10] ;
        /*0450*/                   STL [R1], R12 ;
        /*04a0*/               @P1 BRA `(.L_x_6) ;
        /*04b0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
"""

GEN = """L0:
        send.dc1 (16|M0)  r34  r3  null:0  0x0  0x04205E00  {$4} // untyped surface read with xyzw
        send.dc1 (16|M0)  null r2  r34:2   0x0  0x04025EFE  {$4} // untyped surface write with x
(W)     send.gtwy (1|M0)  null r3  null:0  0x0  0x02000004  {$7} // signal barrier
        send.ugm (16|M0)  r9   r2  null:0  0x0  0x0850D500  {$1} // load.ugm.d64x2.a64
        send.dc0 (16|M0)  null r2  r9:2    0x0  0x020308FE  {$1} // byte scattering write 32b
        send.dc0 (16|M0)  r9   r2  null:0  0x0  0x02110804  {$1} // byte gathering read 8b
        send.dc1 (8|M0)   r9   r2  null:0  0x0  0x0424B2FF  {$1} // a64 atomic int64 logical OR
        send.dc1 (8|M0)   null r2  r9:2    0x0  0x0424B4FF  {$1} // a64 atomic int64 store
        send.dc1 (8|M0)   r9   r2  r3:1    0x0  0x042197FF  {$1} // atomic integer add
        jmpi (1|M0)  L0
"""


# A scan's tile: the reading of rows, the fold, the group's scan, the scan, the writing of rows. A
# loop of each has two elements in a round.
PTX_TILE = """
.visible .entry clfold_scan_lookback(
\t.param .u64 .ptr .global .align 4 clfold_scan_lookback_param_0
)
{{
$L__BB0_0:
\tld.global.v2.f32 \t{{%f1, %f2}}, [%rd1];
\tst.shared.v2.f32 \t[%r1], {{%f1, %f2}};
\t@%p1 bra \t$L__BB0_0;
\tbar.sync \t0;
$L__BB0_1:
\tld.shared.f32 \t%f1, [%r1];
\t{fold}
\tadd.f32 \t%f5, %f5, %f1;
\tadd.f32 \t%f5, %f5, %f2;
\t@%p1 bra \t$L__BB0_1;
\tbar.sync \t0;
$L__BB0_2:
\tld.shared.v4.f32 \t{{%f1, %f2, %f3, %f4}}, [%r2];
\tst.shared.v4.f32 \t[%r2], {{%f1, %f2, %f3, %f4}};
\t@%p1 bra \t$L__BB0_2;
\tst.global.v2.u64 \t[%rd2], {{%rd3, %rd4}};
\tbar.sync \t0;
$L__BB0_3:
\tld.shared.v2.f32 \t{{%f1, %f2}}, [%r1];
\tcvt.{convert} \t%f1, %f1;
\tst.shared.f32 \t[%r1], %f1;
\tst.shared.f32 \t[%r1+4], %f2;
\t@%p1 bra \t$L__BB0_3;
\tld.shared.v4.f32 \t{{%f1, %f2, %f3, %f4}}, [%r3];
\tbar.sync \t0;
$L__BB0_4:
\tld.shared.f32 \t%f1, [%r1];
\tst.global.f32 \t[%rd2], %f1;
\t@%p1 bra \t$L__BB0_4;
\tbar.sync \t0;
\tret;
}}
"""
FOLD = "ld.shared.f32 \t%f2, [%r1+4];"


PTX_BANKS = """
.entry k(
)
{{
ld.param.u64 %rd4, [k_param_0];
mov.u32 %r1, %tid.x;
{address}
{access}
}}
"""


def tile_kernel(fold=FOLD, convert="f32.f32"):
    return ptx.kernels(PTX_TILE.format(fold=fold, convert=convert))["clfold_scan_lookback"]


def reduce_kernel(load=WIDE, depot="", before="ld.global.f32 \t%f9, [%rd1];"):
    text = PTX_REDUCE.format(load=load, depot=depot, before=before)
    return ptx.kernels(text)["clfold_reduce_tiles"]


def lookback_kernel(poll=POLL, vector="v4.u32"):
    return ptx.kernels(PTX_LOOKBACK.format(poll=poll, vector=vector))["clfold_scan_lookback"]


def gcn_kernel(**planted):
    return gcn.kernels(GCN.format(**{**GCN_GOOD, **planted}))["clfold_scan_lookback"]


class Readers(unittest.TestCase):
    def test_ptx(self):
        kernel = reduce_kernel(depot=".local .align 8 .b8 \t__local_depot0[24];")
        self.assertEqual(kernel.group_size, 256)
        self.assertEqual(kernel.depot, 24)
        self.assertEqual(asm.barriers(kernel.steps), 1)
        self.assertEqual(len(asm.instructions(asm.streaming_loop(kernel.steps))), 6)
        sizes = [a.size for a in asm.accesses(kernel.steps, asm.LOAD, asm.GLOBAL)]
        self.assertEqual(sizes, [4, 16, 16, 16, 16])

    def test_ptx_opcodes(self):
        for opcode, wanted in (
            ("ld.volatile.global.u64", (asm.LOAD, asm.GLOBAL, 8, True)),
            ("ld.global.nc.v2.b64", (asm.LOAD, asm.GLOBAL, 16, False)),
            ("st.shared.v4.u8", (asm.STORE, asm.LOCAL, 4, False)),
            ("st.local.u32", (asm.STORE, asm.PRIVATE, 4, False)),
            ("atom.relaxed.gpu.global.add.u64", (asm.ATOMIC, asm.GLOBAL, 8, True)),
        ):
            self.assertEqual(ptx.access_of(opcode), asm.Access(*wanted), opcode)
        self.assertIsNone(ptx.access_of("add.s64"))

    def test_ptxas(self):
        facts = ptx.resources(SAID)["clfold_reduce_tiles"]
        self.assertEqual(facts, {"private": 16, "spills": 20, "registers": 55, "local": 1056})

    def test_gcn(self):
        kernel = gcn_kernel(spills=2)
        self.assertEqual(
            kernel.facts,
            {"registers": 56, "private": 0, "clang_occupancy": 8, "local": 1056, "spills": 8,
             "lane_spills": 12},
        )
        self.assertEqual(len(asm.instructions(asm.streaming_loop(kernel.steps))), 4)
        self.assertEqual(asm.barriers(kernel.steps), 1)
        for text, wanted in (
            ("global_load_b128 v[0:3], v4, s[2:3]", (asm.LOAD, asm.GLOBAL, 16, False)),
            ("global_load_ubyte v1, v2, s[0:1]", (asm.LOAD, asm.GLOBAL, 1, False)),
            ("scratch_store_b32 off, v1, s0", (asm.STORE, asm.PRIVATE, 4, False)),
            ("global_load_dwordx2 v[0:1], v4, s[2:3] sc1", (asm.LOAD, asm.GLOBAL, 8, True)),
        ):
            self.assertEqual(gcn.access_of(text), asm.Access(*wanted), text)

    def test_sass(self):
        kernel = sass.kernels(SASS)["clfold_reduce_tiles"]
        found = [step.access for step in asm.instructions(kernel.steps) if step.access]
        self.assertEqual([a.size for a in found], [16, 2, 8, 4])
        self.assertEqual([a.space for a in found],
                         [asm.GLOBAL, asm.GLOBAL, asm.LOCAL, asm.PRIVATE])
        self.assertEqual(len(asm.instructions(asm.streaming_loop(kernel.steps))), 4)
        self.assertEqual(asm.barriers(kernel.steps), 1)

    def test_gen(self):
        kernel = gen.kernel("k", GEN)
        found = [step.access for step in asm.instructions(kernel.steps) if step.access]
        self.assertEqual(found, [
            asm.Access(asm.LOAD, asm.GLOBAL, 16), asm.Access(asm.STORE, asm.LOCAL, 4),
            asm.Access(asm.LOAD, asm.GLOBAL, 16), asm.Access(asm.STORE, asm.LOCAL, 4),
            asm.Access(asm.LOAD, asm.GLOBAL, 1), asm.Access(asm.LOAD, asm.GLOBAL, 8, True),
            asm.Access(asm.STORE, asm.GLOBAL, 8, True), asm.Access(asm.ATOMIC, asm.GLOBAL, 4, True),
        ])  # fmt: skip
        self.assertEqual(kernel.facts["simd"], 16)
        self.assertEqual(asm.barriers(kernel.steps), 1)
        self.assertEqual(len(asm.instructions(asm.streaming_loop(kernel.steps))), 10)
        said = "warning: kernel k  compiled SIMD32 allocated 128 regs and spilled around 20"
        self.assertEqual(gen.spills(said), {"k": 20})

    def test_nested_loops(self):
        steps = [
            asm.Label("outer"), asm.Instruction("a"), asm.Label("inner"), asm.Instruction("b"),
            asm.Instruction("to inner", "inner"), asm.Instruction("to outer", "outer"),
        ]  # fmt: skip
        self.assertEqual(asm.innermost_loops(steps), [steps[2:5]])
        self.assertEqual(asm.streaming_loop(steps[:2]), [])

    def test_an_element(self):
        entry = {"operation": "scan_lookback", "read": 4, "sizes": [4, 4], "slots": [4, 4, 4]}

        def found(kernel, **other):
            return an_element(kernel.name, kernel.steps, {**entry, **other})[0]

        stages = {"load": 1.5, "fold": 2.5, "scan": 2.5, "write": 3.0}
        self.assertEqual(found(tile_kernel()), stages)
        self.assertEqual(found(tile_kernel(), slots=[4, 4, 8]), {**stages, "scan": 5.0})
        self.assertEqual(found(tile_kernel("mov.b32 %r1, %r2;")), {**stages, "fold": 5.0})
        self.assertEqual(found(reduce_kernel()), {"load": 0.4})
        self.assertEqual(found(reduce_kernel(), read=8), {"load": 0.8})

    def test_under_way(self):
        self.assertEqual(asm.under_way(reduce_kernel().steps), 4)
        self.assertEqual(asm.under_way(lookback_kernel().steps), 1)

    def test_banks(self):
        for address, opcode, wanted in (
            ("shl.b32 %r2, %r1, 2;", "ld.shared.f32 %f1, [%r2];", [1]),
            ("shl.b32 %r2, %r1, 3;", "ld.shared.f32 %f1, [%r2+4];", [2]),
            ("shl.b32 %r2, %r1, 3;", "ld.shared.u64 %rd1, [%r2];", [1]),
            ("shl.b32 %r2, %r1, 4;", "st.shared.u64 [%r2], %rd1;", [2]),
            ("shl.b32 %r2, %r1, 4;", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2];", [1]),
            ("mul.lo.s32 %r2, %r1, 132;", "st.shared.u32 [%r2], %r1;", [1]),  # padded
            ("mul.lo.s32 %r2, %r1, 128;", "st.shared.u32 [%r2], %r1;", [32]),
            ("shr.u32 %r2, %r1, 2;", "ld.shared.u8 %r3, [%r2];", [1]),  # four read the same
            ("mov.b32 %r2, 64;", "ld.shared.u32 %r3, [%r2];", []),  # all do
            ("ld.global.u32 %r2, [%rd4];", "ld.shared.u32 %r3, [%r2];", []),
            ("ld.global.u32 %r2, [%r1];", "ld.shared.u32 %r3, [%r2];", [None]),
            ("shl.b32 %r2, %r1, 7;\nsetp.ge.u32 %p1, %r1, 2;\n@%p1 bra $L_1;",
             "st.shared.u32 [%r2], %r1;\n$L_1:", [2]),  # of two work-items
            ("shl.b32 %r2, %r1, 3;\n$L_1:\nadd.s32 %r2, %r2, 32;",
             "ld.shared.u32 %r3, [%r2];\n@%p1 bra $L_1;", [2]),
        ):  # fmt: skip
            text = PTX_BANKS.format(address=address, access=opcode)
            found = banks.conflicts(ptx.kernels(text)["k"])
            self.assertEqual(found, wanted, f"{address} {opcode}")

    def test_banks_computed(self):
        for opcode, values, wanted in (
            ("add.s32", [5, 0xFFFFFFFF], 4), ("min.s32", [5, 0xFFFFFFFF], 0xFFFFFFFF),
            ("min.u32", [5, 0xFFFFFFFF], 5), ("mul.wide.u32", [1 << 31, 4], 1 << 33),
            ("setp.lt.s32", [0xFFFFFFFF, 0], 1), ("setp.lt.u32", [0xFFFFFFFF, 0], 0),
            ("selp.b32", [7, 8, 0], 8), ("bfe.u32", [0xF0, 4, 2], 3), ("clz.b32", [1], 31),
            ("add.f32", [1, 2], None), ("setp.num.f32", [1, 2], None), ("mul.hi.u32", [1, 2], None),
            ("popc.b32", [3], None), ("cvt.u64.u32", [9], 9), ("not.pred", [1], 0),
            ("cvt.u32.u64", [1 << 32 | 5], 5), ("cvt.s64.s32", [0xFFFFFFFF], (1 << 64) - 1),
            ("cvt.rn.f32.u32", [1], None),
        ):  # fmt: skip
            self.assertEqual(banks.compute(opcode, values), wanted, opcode)


class Rules(unittest.TestCase):
    def test_nvidia(self):
        # 448 work-items of 40 registers and 1 KiB on 8.0: the rule's published example.
        self.assertEqual(occupancy.occupancy("sm_80", 448, 40, 1024), (3, 42, 64))
        self.assertEqual(occupancy.occupancy("sm_80", 256, 256, 0), (0, 0, 64))
        self.assertEqual(occupancy.occupancy("sm_90", 32, 32, 0).groups, 32)
        self.assertEqual(occupancy.occupancy("sm_80", 256, 32, 40960).groups, 4)
        self.assertEqual(occupancy.occupancy("sm_90", 256, 32, 40960).groups, 5)

    def test_amd(self):
        self.assertEqual(occupancy.occupancy("gfx90a", 256, 12, 0), (8, 32, 32))
        self.assertEqual(occupancy.occupancy("gfx90a", 256, 65, 0), (7, 28, 32))
        self.assertEqual(occupancy.occupancy("gfx90a", 256, 64, 20768), (3, 12, 32))
        self.assertEqual(occupancy.occupancy("gfx1030", 256, 139, 0), (3, 24, 64))
        self.assertEqual(occupancy.occupancy("gfx1100", 256, 172, 0), (4, 32, 64))
        self.assertIsNone(occupancy.occupancy("dg2", 256, 64, 0))


class Planted(unittest.TestCase):
    """Correct code passes each check, and each fault is found by its own."""

    def found(self, wrong, part):
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn(part, wrong[0])

    def test_right(self):
        numbers = {"kernel": "k", "spill_bytes": 0, "private_bytes": 0}
        for kernel in (reduce_kernel(), lookback_kernel(), gcn_kernel()):
            self.assertEqual(checks.every(SUM, kernel, numbers), [], kernel.name)

    def test_memory(self):
        numbers = {"kernel": "k", "spill_bytes": 8, "private_bytes": 0}
        self.found(checks.memory(numbers), "8 bytes spilled")
        numbers = {"kernel": "k", "spill_bytes": 0, "private_bytes": 16}
        self.found(checks.memory(numbers), "16 bytes of private memory")

    def test_narrow(self):
        self.found(checks.widths(SUM, lookback_kernel(vector="v2.u32")), "no load of 16 bytes")
        narrow = gcn_kernel(store="global_store_dwordx2 v4, v[0:1], s[2:3]")
        self.found(checks.widths(SUM, narrow), "no store of 16 bytes")
        self.assertEqual(checks.widths({**SUM, "writes": True}, narrow), [])
        self.found(checks.widths(SUM, gcn_kernel(load="s_nop 0")), "no load of 16 bytes")

    def test_under_way(self):
        self.found(checks.under_way(SUM, reduce_kernel(load="mov.u32 %r1, %r2;")), "not 4 times 16")
        # Four predicated loads beside each wide one, which ptxas once made of a merged loop.
        merged = WIDE + "\n\t@%p2 ld.global.f32 \t%f5, [%rd1+4];"
        self.found(checks.under_way(SUM, reduce_kernel(load=merged)), "not 4 times 16")
        # A first chunk alone.
        self.found(checks.under_way(SUM, reduce_kernel(before=WIDE)), "alone before its loop")

    def test_together(self):
        for entry in ({**SUM, "commutative": False}, {**SUM, "sizes": [64, 64]}):
            self.assertEqual(checks.under_way(entry, reduce_kernel(before=WIDE)), [])
            apart = reduce_kernel(load="bra \t$L__BB0_2;\n$L__BB0_2:\n" + WIDE)
            self.found(checks.under_way(entry, apart), "at most 3 loads of 16 bytes together")
            self.assertEqual(checks.under_way({**entry, "sizes": [20, 20]}, apart), [])
        by_text = {**SUM, "loads": True}
        self.found(checks.under_way(by_text, reduce_kernel()), "at most 1 loads of 4 bytes")

    def test_maps(self):
        load = asm.Instruction("load", access=asm.Access(asm.LOAD, asm.GLOBAL, 4, False))
        store = asm.Instruction("store", access=asm.Access(asm.STORE, asm.GLOBAL, 1, False))
        local = asm.Instruction("share", access=asm.Access(asm.STORE, asm.LOCAL, 4, False))
        wait = asm.Instruction("wait", barrier=True)

        def wrong(*steps, inputs=1):
            kernel = asm.Kernel("clfold_map_tiles", list(steps))
            return checks.maps({**SUM, "inputs": inputs}, kernel)

        self.assertEqual(wrong(load, load, load, load, store, store), [])
        self.found(wrong(load, load, load, store, load, store), "at most 3 loads before a store")
        self.found(wrong(load, load, load, load, store, inputs=2), "a store, not 8")
        self.found(wrong(load, load, load, load, local, store), "uses local memory")
        self.found(wrong(load, load, load, load, wait, store), "has a barrier")

    def test_window(self):
        entry = {"op": "add", "type": "f32", "vendor": "nvidia"}
        poll = asm.Instruction("load", access=asm.Access(asm.LOAD, asm.GLOBAL, 8, True))
        jump = asm.Instruction("jump", "on")

        def wrong(*look, **other):
            steps = [*look, jump, poll, asm.Label("on")]
            return checks.window({**entry, **other}, asm.Kernel("clfold_scan_lookback", steps))

        self.assertEqual(wrong(poll, poll), [])
        self.found(wrong(poll, jump, poll), "1 words are read together, not both of a tile")
        self.assertEqual(wrong(poll, jump, poll, type="f64"), [])

    def test_conversions(self):
        entry = {"in": "f32", "type": "f32"}
        by_half = tile_kernel(convert="rn.f16.f32")
        self.assertEqual(checks.conversions(entry, tile_kernel()), [])
        self.found(checks.conversions(entry, by_half), "f16 where the program has none: cvt")
        self.assertEqual(checks.conversions({"in": "f16", "type": "f16"}, by_half), [])

    def test_descriptors(self):
        plain = "ld.global.u64 \t%rd5, [%rd3];"
        self.found(checks.descriptors(lookback_kernel(poll=plain)), "no word is read past")
        both = POLL + "\n\tadd.s64 \t%rd8, %rd3, 8;\n\tld.global.u64 \t%rd9, [%rd8];"
        self.found(checks.descriptors(lookback_kernel(poll=both)), "through the first cache: ld")
        cached = gcn_kernel(poll="global_load_dwordx2 v[0:1], v4, s[2:3]")
        self.found(checks.descriptors(cached), "no word is read past")


class Kept(unittest.TestCase):
    """What the table of figures says of a change."""

    def test_compare(self):
        key = ("sm_80", "scan_lookback", "add", "f32")
        names = [name for name, *_ in kept_table.COLUMNS]
        before = dict(zip(names, [64, 100, 4, 10, 4, 1, 2, 0, 30]))

        def said(**now):
            now = {key: [*{**before, **now}.values()]}
            return kept_table.compare({key: [*before.values()]}, now)

        self.assertEqual(said(), ([], []))
        self.assertEqual(said(registers=70, unknown=5, **{"an-element": 11}), ([], []))
        self.assertEqual(said(registers=72)[0], [
            "sm_80 scan_lookback add f32: 72 registers, before 64: worse by more than a tenth"])
        for name, worse in (("an-element", 11.1), ("waves", 27), ("under-way", 3), ("ways", 1.2),
                            ("most", 3), ("barriers", 5), ("local", 111)):  # fmt: skip
            wrong, better = said(**{name: worse})
            self.assertEqual((len(wrong), better), (1, []), name)
        wrong, better = said(registers=48, waves=36)
        self.assertEqual(wrong, [])
        self.assertEqual(better[0], "sm_80 scan_lookback add f32: 48 registers, before 64: better")
        self.assertEqual(len(better), 2)
        self.assertIn("not in the table", kept_table.compare({}, {key: []})[0][0])
        self.assertIn("no such kernel", kept_table.compare({key: []}, {})[0][0])


if __name__ == "__main__":
    unittest.main()

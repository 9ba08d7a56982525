#!/usr/bin/env python3
"""tools/gpu_code reads assemblies, and its checks find what is planted in them. What it reads of
programs of ours, drive.py compares with the table of figures."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lint"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "gpu_code"))
# pylint: disable=wrong-import-position
import assembly as asm
import banks
import checks
import figures
import kept_table
import occupancy
import readers
import tools

# A reduction's loop with its four loads, one of which may be planted.
PTX_REDUCE = """
.visible .entry clfold_reduce_tiles(
\t.param .u64 .ptr .global .align 4 clfold_reduce_tiles_param_0
)
.reqntid 256, 1, 1
{{
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
SUM = {"commutative": True, "loads": False, "writes": False, "sizes": [4, 4], "vendor": "amd",
       "op": "add", "in": "f32", "type": "f32"}  # fmt: skip
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

GCN = """
\t.protected\tclfold_scan_lookback    ; -- Begin function clfold_scan_lookback
clfold_scan_lookback:
; %bb.0:
\tglobal_load_dword v1, v2, s[0:1]
.LBB0_1:
\tglobal_load_dwordx4 v[0:3], v4, s[2:3]
\tglobal_load_dwordx2 v[0:1], v4, s[2:3] glc
\tds_write_b64 v1, v[2:3]
\ts_cbranch_scc1 .LBB0_1
\ts_barrier
\t{store}
\ts_endpgm
\t.section\t.rodata,"a",@progbits
"""
REMARKS = """
x.cl:1:1: remark: Function Name: clfold_scan_lookback [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     SGPRs: 30 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     VGPRs: 54 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     AGPRs: 2 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     ScratchSize [bytes/lane]: 16 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     Occupancy [waves/SIMD]: 8 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     SGPRs Spill: 3 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     VGPRs Spill: 4 [-Rpass-analysis=kernel-resource-usage]
x.cl:1:1: remark:     LDS Size [bytes/block]: 1056 [-Rpass-analysis=kernel-resource-usage]
"""
PTXAS = """
ptxas info    : Compiling entry function 'a' for 'sm_90'
    24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 1056 bytes smem
ptxas info    : Compiling entry function 'b' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
"""
OCLOC = "warning: kernel k  compiled SIMD32 allocated 128 regs and spilled around 20"
# What compilers say of kernels.
FACTS = (
    ("amd", REMARKS, {"clfold_scan_lookback": {
        "private": 16, "spills": 4, "registers": 56, "local": 1056, "clang_occupancy": 8}}),
    ("nvidia", PTXAS, {"a": {"private": 24, "spills": 24, "registers": 24, "local": 1056},
                       "b": {"private": 0, "spills": 0, "registers": 8, "local": 0}}),
    ("intel", OCLOC, {"k": {"spills": 20}}),
)  # fmt: skip

GEN = """kernel k
L0:
        send.dc1 (16|M0)  r34  r3  null:0  0x0  0x04205E00  {$4} // untyped surface read with xyzw
        send.dc1 (16|M0)  null r2  r34:2   0x0  0x04025EFE  {$4} // untyped surface write with x
(W)     send.gtwy (1|M0)  null r3  null:0  0x0  0x02000004  {$7} // signal barrier
        send.ugm (16|M0)  r9   r2  null:0  0x0  0x0850D500  {$1} // load.ugm.d64x2.a64
        send.dc0 (16|M0)  r9   r2  null:0  0x0  0x02110804  {$1} // byte gathering read 8b
        send.dc1 (8|M0)   null r2  r9:2    0x0  0x0424B4FF  {$1} // a64 atomic int64 store
        send.dc1 (8|M0)   r9   r2  r3:1    0x0  0x042197FF  {$1} // atomic integer add
        jmpi (1|M0)  L0
"""


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


def reduce_kernel(load=WIDE, before="ld.global.f32 \t%f9, [%rd1];"):
    text = PTX_REDUCE.format(load=load, before=before)
    return readers.kernels("nvidia", text)["clfold_reduce_tiles"]


def lookback_kernel(poll=POLL, vector="v4.u32"):
    text = PTX_LOOKBACK.format(poll=poll, vector=vector)
    return readers.kernels("nvidia", text)["clfold_scan_lookback"]


def gcn_kernel(store="global_store_dwordx4 v4, v[0:3], s[2:3]"):
    return readers.kernels("amd", GCN.format(store=store))["clfold_scan_lookback"]


# A kernel's instruction that accesses memory, and what it is read as. Those of whole programs are
# in the table of figures.
ACCESSES = (
    ("nvidia", "ld.volatile.global.u64 %rd1, [%rd2];", (asm.LOAD, asm.GLOBAL, 8, True)),
    ("nvidia", "ld.global.nc.v2.f64 {%fd1, %fd2}, [%rd2];", (asm.LOAD, asm.GLOBAL, 16, False)),
    ("nvidia", "st.local.u32 [%rd1], %r1;", (asm.STORE, asm.PRIVATE, 4, False)),
    ("nvidia", "ld.param.u64 %rd1, [k_param_0];", (asm.LOAD, asm.OTHER, 8, False)),
    ("nvidia", "atom.add.shared.u32 %r1, [%rd1], 1;", (asm.ATOMIC, asm.LOCAL, 4, False)),
    ("nvidia", "add.s64 %rd1, %rd1, 1;", None),
    ("amd", "scratch_store_b32 off, v1, s0", (asm.STORE, asm.PRIVATE, 4, False)),
    ("amd", "global_load_dwordx2 v[0:1], v4, s[2:3] sc1", (asm.LOAD, asm.GLOBAL, 8, True)),
    ("amd", "global_load_d16_hi_u8 v1, v4, s[2:3]", (asm.LOAD, asm.GLOBAL, 1, False)),
    ("amd", "buffer_load_sshort_d16 v1, v4", (asm.LOAD, asm.PRIVATE, 2, False)),
    ("amd", "ds_read2st64_b32 v[0:1], v4", (asm.LOAD, asm.LOCAL, 8, False)),
    ("amd", "ds_store_2addr_b64 v4, v[0:1], v[2:3]", (asm.STORE, asm.LOCAL, 16, False)),
    ("amd", "global_atomic_add_x2 v[0:1], v4, s[2:3]", (asm.ATOMIC, asm.GLOBAL, 8, False)),
    ("amd", "s_load_dwordx4 s[0:3], s[4:5]", None),
    ("intel", "send.ugm (16|M0) null r2 r9:2 0x0 0x08 // store.ugm.d32x2.a64 scratch",
     (asm.STORE, asm.PRIVATE, 4, False)),
    ("intel", "send.dc1 (8|M0) r9 r2 r3:1 0x0 0x0424B2FF // untyped a64 atomic int64 logical OR",
     (asm.LOAD, asm.GLOBAL, 8, True)),
)
GEN_ACCESSES = [
    asm.Access(asm.LOAD, asm.GLOBAL, 16), asm.Access(asm.STORE, asm.LOCAL, 4),
    asm.Access(asm.LOAD, asm.GLOBAL, 16), asm.Access(asm.LOAD, asm.GLOBAL, 1),
    asm.Access(asm.STORE, asm.GLOBAL, 8, True), asm.Access(asm.ATOMIC, asm.GLOBAL, 4, True),
]  # fmt: skip
# An address by the work-item, an access there, and the ways in which banks are asked.
BANKS = (
    ("shl.b32 %r2, %r1, 3;", "ld.shared.f32 %f1, [%r2+4];", [2]),
    ("shl.b32 %r2, %r1, 4;", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2];", [1]),
    ("mul.lo.s32 %r2, %r1, 132;", "st.shared.u32 [%r2], %r1;", [1]),  # padded
    ("ld.global.u32 %r2, [%r1];", "ld.shared.u32 %r3, [%r2];", [None]),
    ("shl.b32 %r2, %r1, 7;\nsetp.ge.u32 %p1, %r1, 2;\n@%p1 bra $L_1;",
     "st.shared.u32 [%r2], %r1;\n$L_1:", [2]),  # of two work-items
)  # fmt: skip
# Target, work-items, registers, local bytes, and groups and waves. The first is the
# rule's published example; clang confirms waves of AMD's by registers in texts.py.
OCCUPANCY = (
    ("sm_80", 448, 40, 1024, (3, 42)), ("sm_80", 256, 256, 0, (0, 0)),
    ("sm_90", 256, 32, 40960, (5, 40)), ("gfx90a", 256, 64, 20768, (3, 12)),
    ("gfx90a", 256, 64, 0, (8, 32)), ("gfx1100", 256, 52, 0, (8, 64)),
)  # fmt: skip


def steps_of(kernel):
    """The instructions of its streaming loop, and its barriers."""
    loop = asm.instructions(asm.streaming_loop(kernel.steps))
    return len(loop), asm.barriers(kernel.steps)


def accesses_of(kernel):
    return [step.access for step in asm.instructions(kernel.steps) if step.access]


def read():
    """What is read of assemblies: what, what was found, and what is right."""
    kernel = readers.kernels("intel", GEN)["k"]
    yield "gen", (accesses_of(kernel), *steps_of(kernel)), (GEN_ACCESSES, 8, 1)
    for vendor, said, wanted in FACTS:
        yield f"facts of {vendor}", readers.facts_of(vendor, said), wanted
    steps = [asm.Label("outer"), asm.Instruction("a"), asm.Label("inner"), asm.Instruction("b"),
             asm.Instruction("to inner", "inner"), asm.Instruction("to outer", "outer")]
    yield "nested loops", asm.innermost_loops(steps), [steps[2:5]]
    for vendor, text, wanted in ACCESSES:
        yield text, readers.access_of(vendor, text), wanted
    for address, access, wanted in BANKS:
        text = PTX_BANKS.format(address=address, access=access)
        yield f"{address} {access}", banks.conflicts(
            readers.kernels("nvidia", text)["k"]), wanted
    for *kernel, wanted in OCCUPANCY:
        yield f"occupancy of {kernel}", occupancy.occupancy(*kernel), wanted


# Columns of the table of figures where less is worse, and the one where no number is.
LESS_IS_WORSE, NEITHER = ("under-way", "waves"), "unknown"


def tables():
    """What the table of figures says of a number of each column, where it had 10, and of rows."""
    num = len(figures.COLUMNS)
    for i, (name, _, what, _) in enumerate(figures.COLUMNS):
        for new, is_worse in ((8, name in LESS_IS_WORSE), (12, name not in LESS_IS_WORSE)):
            now = [10] * i + [new] + [10] * (num - i - 1)
            said = [f"k: {new} {what}, before 10: "
                    f"{'worse by more than a tenth' if is_worse else 'better'}"]  # fmt: skip
            wanted = ([], []) if name == NEITHER else (said, []) if is_worse else ([], said)
            yield f"{name} {new}", kept_table.compare({("k",): [10] * num}, {("k",): now}), wanted
    yield "a tenth", kept_table.compare({("k",): [10] * num}, {("k",): [11] * num}), ([], [])
    yield "rows", kept_table.compare({("a",): [1]}, {("b",): [1]}), (
        ["b: not in the table, see --update",
         "a: in the table, but there is no such kernel, see --update"], [])


def maps(steps):
    """Of l(oads) and s(tores), L and S where they are of local memory, and b(arriers)."""
    kinds = {
        "l": asm.Instruction("load", access=asm.Access(asm.LOAD, asm.GLOBAL, 4, False)),
        "s": asm.Instruction("store", access=asm.Access(asm.STORE, asm.GLOBAL, 1, False)),
        "L": asm.Instruction("load", access=asm.Access(asm.LOAD, asm.LOCAL, 4, False)),
        "S": asm.Instruction("store", access=asm.Access(asm.STORE, asm.LOCAL, 4, False)),
        "b": asm.Instruction("wait", barrier=True),
    }
    kernel = asm.Kernel("clfold_map_tiles", [kinds[step] for step in steps], {})
    return checks.maps({**SUM, "inputs": 1}, kernel)


def window(look):
    """Of p(olls) and j(umps)."""
    poll = asm.Instruction("load", access=asm.Access(asm.LOAD, asm.GLOBAL, 8, True))
    jump = asm.Instruction("jump", "on")
    steps = [*({"p": poll, "j": jump}[step] for step in look), jump, poll, asm.Label("on")]
    entry = {"op": "add", "type": "f32", "vendor": "nvidia"}
    return checks.window(entry, asm.Kernel("clfold_scan_lookback", steps, {}))


def faults():
    """What checks say of code, and a part of the one sentence that is right, or None."""
    numbers = {"kernel": "k", "spill_bytes": 0, "private_bytes": 0, "groups": 1}
    for kernel in (reduce_kernel(), lookback_kernel(), gcn_kernel()):
        yield checks.every(SUM, kernel, numbers), None
    yield checks.memory({**numbers, "spill_bytes": 8}), "8 bytes spilled"
    yield checks.memory({**numbers, "private_bytes": 16}), "16 bytes of private memory"
    yield checks.fits({**numbers, "groups": 0}), "no group fits"
    narrow = gcn_kernel(store="global_store_dwordx2 v4, v[0:1], s[2:3]")
    yield checks.widths(SUM, lookback_kernel(vector="v2.u32")), "no load of 16 bytes"
    yield checks.widths(SUM, narrow), "no store of 16 bytes"
    yield checks.widths({**SUM, "writes": True}, narrow), None
    # Four predicated loads beside each wide one, which ptxas once made of a merged loop.
    merged = WIDE + "\n\t@%p2 ld.global.f32 \t%f5, [%rd1+4];"
    yield checks.under_way(SUM, reduce_kernel(load=merged)), "not 4 times 16"
    yield checks.under_way(SUM, reduce_kernel(before=WIDE)), "alone before its loop"
    apart = reduce_kernel(load="bra \t$L__BB0_2;\n$L__BB0_2:\n" + WIDE)
    ordered = {**SUM, "commutative": False}
    yield checks.under_way(ordered, reduce_kernel(before=WIDE)), None
    yield checks.under_way(ordered, apart), "at most 3 loads of 16 bytes together"
    yield checks.under_way({**SUM, "loads": True}, reduce_kernel()), "at most 1 loads of 4 bytes"
    yield maps("llllss"), None
    yield maps("lllsls"), "at most 3 loads before a store"
    yield maps("llllbs"), "has a barrier"
    yield maps("llllLs"), "uses local memory"
    yield maps("llllSs"), "uses local memory"
    yield window("pp"), None
    yield window("pjp"), "1 words are read together, not both of a tile"
    by_half = reduce_kernel("cvt.rn.f16.f32 \t%f1, %f1;")
    for kind, said in (("f32", "f16 where the program has none"), ("f16", None)):
        yield checks.conversions({"in": kind, "type": kind}, by_half), said
    plain = "ld.global.u64 \t%rd5, [%rd3];"
    yield checks.descriptors(lookback_kernel(poll=plain)), "no word is read past"
    both = POLL + "\n\tadd.s64 \t%rd8, %rd3, 8;\n\tld.global.u64 \t%rd9, [%rd8];"
    yield checks.descriptors(lookback_kernel(poll=both)), "through the first cache: ld"


def main():
    failures = [f"{what}: {found}, not {wanted}" for what, found, wanted in [*read(), *tables()]
                if found != wanted]  # fmt: skip
    rows = list(faults())
    failures += [f"{found}, and wanted: {part}" for found, part in rows
                 if (found if part is None else len(found) != 1 or part not in found[0])]
    tools.finish(failures, f"{len(rows)} planted")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""texts.py GPU_TEXTS: the code that GPUs get is what tools/gpu_code/checks.py asks for.

GPU_TEXTS is the built tools/gpu_code/gpu_texts. A part of all programs: of those that PARTS
names, every pair of operation, operator, type and target; tools/codegen compiles the rest.
Registers and spills of NVIDIA's are known where ptxas is installed, and Intel's programs are
compiled where ocloc is.
"""

import concurrent.futures
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lint"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "gpu_code"))
# pylint: disable=wrong-import-position
import checks
import occupancy
import tools
from compilers import TARGETS, Compilers, Failed, programs
from figures import figures

CHOSEN = "reduce_tiles,scan_lookback"
ROWS = "reduce_lanes,scan_lanes"
RUNGS = "reduce0,reduce1,reduce2,reduce3,reduce4,reduce5,reduce6"
USERS = "dot,average,add-in-order,segments,words-5,words-16,words-16-commutative"
RESULTS = "norm,running-mean,flag-rises,sum-of-what,scatter"
MAPS = "map-blend,map-flags,map-polar,map-widen,map-store"
# target, operations, operators, types
PARTS = (
    ("sm_90", CHOSEN, "all", "u8,f32"),
    ("sm_80", "scan_single_group,reduce_then_scan", "add,arg-min,arg-min-max", "u8,u16,f64"),
    ("sm_80", f"{CHOSEN},scan_chained", "add,min", "f16,f32,u8:u32,u8:u64,i16:i64,f32:f64"),
    ("sm_80", f"{RUNGS},scan_then_propagate", "max", "u8,i32,f64"),
    ("sm_80", CHOSEN, USERS, "text"),
    ("sm_90", f"{CHOSEN},reduce_then_scan", USERS, "text"),
    ("gfx90a", CHOSEN, USERS, "text"),
    ("gfx90a", CHOSEN, "add,arg-min,min-max", "u8,f32,i64"),
    ("gfx90a", "scan_single_group,reduce_then_scan,scan_then_propagate", "mul", "u16,f64"),
    ("gfx1030", CHOSEN, "add,arg-max", "i16,f64,u8:u64"),
    ("gfx1100", f"{CHOSEN},{RUNGS}", "add,arg-min-max", "u8,f32"),
    ("sm_80", ROWS, "add,arg-min", "u8,f32"),
    ("sm_90", ROWS, "add,dot", "f32,f64,text"),
    ("gfx90a", ROWS, "add,arg-min", "u8,f32"),
    ("gfx1100", ROWS, "add,dot", "f32,f64,text"),
    ("sm_80", f"{CHOSEN},map_tiles,reduce_then_scan", f"{RESULTS},{MAPS}", "text"),
    ("sm_90", f"{CHOSEN},map_tiles", f"{RESULTS},{MAPS}", "text"),
    ("gfx90a", f"{CHOSEN},map_tiles", f"{RESULTS},{MAPS}", "text"),
    ("gfx1030", "map_tiles", MAPS, "text"),
    ("gfx1100", f"{CHOSEN},map_tiles,reduce_then_scan", f"{RESULTS},{MAPS}", "text"),
    ("sm_80", "group_text", f"add,arg-min-max,{USERS}", "u8,f32,f64,text"),
    ("sm_90", "group_text", f"add,moments,{USERS},{RESULTS}", "f32,text"),
    ("gfx90a", "group_text", f"add,arg-min-max,{USERS}", "u8,f32,f64,text"),
    ("gfx1100", "group_text", f"add,moments,{USERS},{RESULTS}", "f32,text"),
    ("dg2", f"{CHOSEN},map_tiles", f"{RESULTS},{MAPS}", "text"),
    ("dg2", f"{CHOSEN},reduce_then_scan", "add,arg-min", "u8,f32,i64,u8:u32"),
)
# Known to clang: waves a SIMD by registers alone, where no local memory is in the way.
NO_LOCAL = """
kernel void no_local(global float *x) { x[get_global_id(0)] *= 2; }
kernel void many(global float16 *x, uint n)
{
    float16 a = x[0], b = x[n], c = x[2 * n], d = x[3 * n];
    for (uint i = 0; i < n; ++i) {
        a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b;
    }
    x[0] = a + b + c + d;
}
"""


def check_once(compilers, passed, target, entry, text):
    """`check`, unless it has found nothing in the same text before."""
    facts = [compilers.stamp, tools.digest(__file__), target, entry, text]
    wrong = [] if passed.has(facts) else check(compilers, target, entry, text)
    if not wrong:
        passed.add(facts)
    return wrong


def check(compilers, target, entry, text):
    """What is wrong with a program's code: sentences."""
    try:
        kernels = compilers.compile(target, text)
    except Failed as failed:
        return [f"{target}: {entry['name']}: {failed}"]
    if not kernels:
        return [f"{target}: {entry['name']}: no kernel in it"]
    return [f"{target}: {entry['name']}: {sentence}" for kernel in kernels.values()
            for sentence in checks.every(entry, kernel, figures(target, kernel, entry))]


def check_occupancy(compilers, target):
    """Our rule gives what clang prints."""
    return [
        f"{target}: {kernel.name}: {kernel.facts['registers']} registers: "
        f"{occupancy.waves_by_registers(target, kernel.facts['registers'])} waves, and clang says "
        f"{kernel.facts['clang_occupancy']}"
        for kernel in compilers.compile(target, NO_LOCAL).values()
        if occupancy.waves_by_registers(target, kernel.facts["registers"])
        != kernel.facts["clang_occupancy"]
    ]


def main(gpu_texts):
    tools.give_way()
    compilers = Compilers()
    targets = {part[0] for part in PARTS}
    if not compilers.paths["ocloc"]:
        targets -= {target for target in targets if TARGETS[target] == "intel"}
    for why in filter(None, map(compilers.missing, sorted(targets))):
        tools.leave_out(why)
    work, seen = [], set()
    for target, *asked in (part for part in PARTS if part[0] in targets):
        for entry, text in programs(gpu_texts, target, *asked):
            facts = {"does": (entry["operation"], entry["exclusive"]), "op": entry["op"],
                     "type": (entry["in"], entry["type"]), "target": target}
            pairs = {(TARGETS[target], *pair)
                     for pair in itertools.combinations(facts.items(), 2)}
            if tools.FULL or not pairs <= seen:
                seen |= pairs
                work.append((target, entry, text))
    passed = tools.Passed()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda one: check_once(compilers, passed, *one), work))
    failures = [said for wrong in found for said in wrong]
    for target in occupancy.AMD:
        failures += check_occupancy(compilers, target)
    said = ", ".join(f"{'with' if compilers.paths[name] else 'without'} {name}"
                     for name in ("ptxas", "ocloc"))
    tools.finish(failures, f"{len(work)} programs, {said}")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The facts about a kernel of a program as numbers, and what tables call them."""

import assembly as asm
import banks
from compilers import TARGETS
from occupancy import occupancy

# A column's name, what it is among a kernel's figures, what a sentence calls it, and whether more
# of it is worse; None: neither, as what is unknown grows with each loop that is unrolled. Those
# are in the committed table, and only `codegen` shows the others.
COLUMNS = (
    ("registers", "registers", "registers", True),
    ("local", "local_bytes", "bytes of local memory", True),
    ("barriers", "barriers", "barriers", True),
    ("an-element", "element_instructions", "instructions an element", True),
    ("under-way", "loads_under_way", "loads under way", False),
    ("ways", "mean_ways", "turns an access to local memory", True),
    ("most", "most_ways", "turns an access to local memory at most", True),
    ("unknown", "unknown_ways", "accesses of unknown banks", None),
    ("waves", "waves", "waves a compute unit", False),
)
OTHERS = (("groups", "groups"), ("load", "load_bytes"), ("store", "store_bytes"),
          ("spilled", "spill_bytes"), ("private", "private_bytes"), ("stages", "stages"))


def text_of(value):
    if isinstance(value, dict):
        return "+".join(map(text_of, value.values())) or "-"
    return "-" if value is None else f"{value:.1f}".removesuffix(".0")


def names_of(entry, row):
    """A kernel with its operation, the fold, and types."""
    kernel = row["kernel"].replace("clfold_", "")
    types = entry["in"] if entry["in"] == entry["type"] else f"{entry['in']}:{entry['type']}"
    return (kernel if kernel == entry["operation"] else f"{entry['operation']}:{kernel}",
            entry["op"], types)


def an_element(kernel, entry):
    """Instructions an element, in each of the loops over them; and the loop that loads."""
    by_tiles = kernel.name.startswith(("clfold_scan", "clfold_reduce_lanes",
                                       "clfold_lanes_aggregates", "clfold_reduce_offsets"))
    found = asm.tile_loops(kernel.steps) if by_tiles else {}
    loading = found.get("load") or asm.streaming_loop(kernel.steps)
    if not found.get("load"):
        found = {"load": loading}
    of_stage = {"load": (asm.LOAD, asm.GLOBAL, entry["read"]),
                "write": (asm.STORE, asm.GLOBAL, entry["sizes"][1])}
    if len(found) > 1:
        loaded, folded, scanned = entry["slots"]
        of_stage["load"] = (asm.STORE, asm.LOCAL, loaded)
        if not entry["operation"].endswith("lanes"):  # of which a round takes one
            of_stage["fold"] = (asm.LOAD, asm.LOCAL, folded)
            of_stage["scan"] = (asm.STORE, asm.LOCAL, scanned)
    numbers = {}
    for stage, loop in found.items():
        kind, space, size = of_stage.get(stage, (asm.LOAD, asm.OTHER, 1))
        elements = max(asm.bytes_of(loop, kind, space) / size, 1)
        if loop:
            numbers[stage] = round(len(asm.instructions(loop)) / elements, 1)
    return numbers, loading


def figures(target, kernel, entry):
    """The figures of a kernel of a program: 0 if there is none, None if unknown."""
    facts, is_nvidia = kernel.facts, TARGETS[target] == "nvidia"
    stages, loading = an_element(kernel, entry)
    ways = banks.conflicts(kernel) if is_nvidia else []
    known = [turns for turns in ways if turns]
    groups = waves = None
    if "registers" in facts:
        groups, waves = occupancy(target, facts.get("group_size", entry["group_size"]),
                                  facts["registers"], facts["local"])
    private = sum(sum(asm.sizes(kernel.steps, kind, asm.PRIVATE)) for kind in (asm.LOAD, asm.STORE))
    return {
        "target": target,
        "kernel": kernel.name,
        "registers": facts.get("registers"),
        "spill_bytes": facts.get("spills", 0) * (1 if is_nvidia else 4),  # of others, registers
        "private_bytes": facts.get("private", private),
        "local_bytes": facts.get("local"),
        "groups": groups,
        "waves": waves,
        "load_bytes": max(asm.sizes(kernel.steps, asm.LOAD), default=0),
        "store_bytes": max(asm.sizes(kernel.steps, asm.STORE), default=0),
        "barriers": asm.barriers(kernel.steps),
        "stages": stages,
        "element_instructions": round(sum(stages.values()), 1) if stages else None,
        "loads_under_way": asm.under_way(loading) or asm.under_way(kernel.steps),
        "mean_ways": round(sum(known) / len(known), 1) if known else None,
        "most_ways": max(known) if known else None,
        "unknown_ways": ways.count(None) if is_nvidia else None,
    }

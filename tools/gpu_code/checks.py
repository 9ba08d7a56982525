"""Checks on the code of a kernel: each returns sentences, none if the code passes.

The policy's first candidate streams: its kernels read and write all elements by 16 bytes a
work-item, keep what they fold in registers, and read descriptors where all groups see them.
"""

import re

import assembly as asm

WRITES = {f"clfold_scan_{name}"
          for name in ("locals", "lookback", "propagate", "single_group", "tiles")}  # fmt: skip
READS = WRITES | {"clfold_reduce_tiles", "clfold_scan_aggregates"}
MAP_LOADS = 4  # elements of a work-item of map_tiles.cl
# 16-byte loads that a work-item of a reduction has under way: CLFOLD_LOADS of tile_group.cl, or
# those of one element.
LOADS_UNDER_WAY = 4
REDUCES = {"clfold_reduce_tiles"}
# `words` among the parameters of clfold_scan_lookback, see CLFOLD_SCAN_PARAMS.
WORDS_PARAMETER = 9


def memory(numbers):
    """Nothing is spilled, and nothing private lies in memory."""
    whats = (("spill_bytes", "spilled"), ("private_bytes", "of private memory"))
    return [f"{numbers['kernel']}: {numbers[what]} bytes {said}" for what, said in whats
            if numbers[what]]


def fits(numbers):
    return [f"{numbers['kernel']}: no group fits"] if numbers["groups"] == 0 else []


def is_of_words(entry):
    """Whether 16 bytes are no part of an element, nor elements of them: a struct of 20 bytes is
    read by its words."""
    return any(size > 16 and size % 16 for size in entry["sizes"])


def widths(entry, kernel):
    """Streaming loads and stores are of 16 bytes."""
    wrong = []
    for names, by_text, kind in ((READS, "loads", asm.LOAD), (WRITES, "writes", asm.STORE)):
        sizes = asm.sizes(kernel.steps, kind)  # texts read and write single elements
        if kernel.name in names and not entry[by_text] and not is_of_words(entry) and (
                max(sizes, default=0) != 16):
            wrong.append(f"{kernel.name}: no {kind} of 16 bytes, the widest of {sizes}")
    return wrong


def together(entry, kernel):
    """In order a tile is few rows of loads, with or without a loop: they are in one block, as are
    those of a long element; and those of a load's text."""
    size = entry["sizes"][0] if entry["loads"] else 16
    counts = [asm.sizes(block, asm.LOAD).count(size) for block in asm.blocks(kernel.steps)]
    if kernel.name in REDUCES and max(counts) < LOADS_UNDER_WAY and not is_of_words(entry):
        return [f"{kernel.name}: at most {max(counts)} loads of {size} bytes together, not "
                f"{LOADS_UNDER_WAY}"]
    return []


def of_elements(steps):
    """Those of a reduction before its counter, after which the last group folds partials."""
    for i, step in enumerate(steps):
        access = isinstance(step, asm.Instruction) and step.access
        if access and access.kind == asm.ATOMIC and access.space == asm.GLOBAL:
            return steps[:i]
    return steps


def under_way(entry, kernel):
    """The loop of a reduction has its wide loads, and no narrower ones beside them, nor is there
    one before the loop."""
    if not entry["commutative"] or entry["loads"] or entry["sizes"][0] > 16:
        return together(entry, kernel)
    if kernel.name not in REDUCES:
        return []
    steps = of_elements(kernel.steps)
    loop = asm.streaming_loop(steps)
    sizes = asm.sizes(loop, asm.LOAD)
    if sizes.count(16) < LOADS_UNDER_WAY or min(sizes, default=0) < 16:
        return [f"{kernel.name}: its loop loads {sizes} bytes, not {LOADS_UNDER_WAY} times 16"]
    before = steps[: steps.index(loop[0])]
    looped = [asm.sizes(part, asm.LOAD).count(16) for part in asm.innermost_loops(before)]
    if asm.sizes(before, asm.LOAD).count(16) > sum(looped):
        return [f"{kernel.name}: a load of 16 bytes alone before its loop"]
    return []


def maps(entry, kernel):
    """A work-item loads several elements, and those of streams beside them, before it stores the
    first; and groups have no local memory and do not wait."""
    if kernel.name != "clfold_map_tiles":
        return []
    counts = []
    for block in asm.blocks(kernel.steps):
        kinds = [step.access.kind for step in asm.instructions(block)
                 if step.access and step.access.space == asm.GLOBAL]
        if asm.STORE in kinds:
            counts.append(kinds.index(asm.STORE))
    least, wrong = MAP_LOADS * entry["inputs"], []
    if max(counts, default=0) < least:
        wrong.append(f"{kernel.name}: at most {max(counts, default=0)} loads before a store, not "
                     f"{least}")
    if any(asm.accesses(kernel.steps, kind, asm.LOCAL) for kind in (asm.LOAD, asm.STORE)):
        wrong.append(f"{kernel.name}: uses local memory")
    if asm.barriers(kernel.steps):
        wrong.append(f"{kernel.name}: has a barrier")
    return wrong


def plain_reads(kernel, parameter):
    """Loads of global memory past no cache, whose address comes of the kernel's pointer number
    `parameter`, in PTX. Addresses are followed through all but loads, so what is read there does
    not make other addresses its own."""
    marked, before, found = set(), -1, []
    start = f"[{kernel.name}_param_{parameter}]"
    while len(marked) != before:
        before, found = len(marked), []
        for step in asm.instructions(kernel.steps):
            made, *words = re.findall(r"%\w+", step.text) or [None]
            moves = step.access is None and not step.text.startswith(("bra", "setp"))
            if made and (start in step.text or moves and marked & set(words)):
                marked.add(made)
            elif step.access and step.access[:2] == (asm.LOAD, asm.GLOBAL) and (
                    not step.access.coherent and marked & set(words)):
                found.append(step.text)
    return found


def descriptors(kernel):
    """What other groups write is read past the cache of this one's compute unit."""
    if kernel.name != "clfold_scan_lookback":
        return []
    loads = asm.accesses(kernel.steps, asm.LOAD, asm.GLOBAL)
    if not any(access.coherent and access.size == 8 for access in loads):
        return [f"{kernel.name}: no word is read past the first cache"]
    return [f"{kernel.name}: reads a word through the first cache: {text}"
            for text in plain_reads(kernel, WORDS_PARAMETER)]


def window(entry, kernel):
    """Where a warp looks back, and a tile's slot is one word, each of its work-items has both words
    of a tile under way before one of them is used."""
    is_word = entry["op"] == "add" and entry["type"] in ("i32", "u32", "f32")
    if kernel.name != "clfold_scan_lookback" or entry["vendor"] != "nvidia" or not is_word:
        return []
    most = max(sum(access.coherent for access in asm.accesses(block, asm.LOAD, asm.GLOBAL))
               for block in asm.blocks(kernel.steps))
    return [] if most == 2 else [f"{kernel.name}: {most} words are read together, not both of a "
                                 "tile"]


def conversions(entry, kernel):
    """What has no f16 in it is not converted by way of one."""
    texts = [step.text for step in asm.instructions(kernel.steps)]
    found = [text for text in texts if re.match(r"cvt\.\S*f16|v_cvt_\w*f16", text)]
    if "f16" in (entry["in"], entry["type"]) or not found:
        return []
    return [f"{kernel.name}: f16 where the program has none: {found[0]}"]


def every(entry, kernel, numbers):
    return [*memory(numbers), *widths(entry, kernel), *under_way(entry, kernel),
            *maps(entry, kernel), *descriptors(kernel), *window(entry, kernel),
            *conversions(entry, kernel), *fits(numbers)]

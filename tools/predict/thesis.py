"""The model that this one follows: formulas (1) to (10) of a thesis of 2016, as they stand, and the
time by Hong and Kim's model of 2009. docs/predict.md has a table of what stands where."""

import math
from types import SimpleNamespace as Record

import numpy as np

from predict import model
from predict.count import Run, taken
from predict.nest import Wrong

MOST_TOUCHES = 4000  # of one work-item, whose hits are looked at
HONG_KIM = ("latency", "departure_coalesced", "departure_uncoalesced", "issue_cycles")


# ---- Hong and Kim 2009 ----


def hong_kim(clock, bandwidth, latency, coalesced_delay, uncoalesced_delay, issue, units, program):
    """Cycles and seconds. The program is of a work-item but for its last four."""
    p = program
    accesses = p.uncoalesced + p.coalesced
    share, n = p.uncoalesced / accesses, p.groups_of_unit * p.sub_groups_of_group
    units = min(units, p.groups)  # that work
    slow = latency + (p.uncoalesced_each - 1) * uncoalesced_delay
    out = Record(memory_latency=share * slow + (1 - share) * latency,
                 departure=share * uncoalesced_delay * p.uncoalesced_each
                 + (1 - share) * coalesced_delay,
                 memory_cycles=slow * p.uncoalesced + latency * p.coalesced,
                 compute_cycles=issue * (p.compute + accesses),
                 rounds=p.groups / (p.groups_of_unit * units))
    by_bandwidth = bandwidth / (clock * p.bytes / out.memory_latency * units)
    both = out.memory_cycles + out.compute_cycles
    out.mwp = min(out.memory_latency / out.departure, by_bandwidth, n)
    out.cwp = min(both / out.compute_cycles, n)
    last = out.compute_cycles / accesses * (out.mwp - 1)
    if out.mwp == n == out.cwp:
        cycles = both + last
    elif out.cwp >= out.mwp or out.compute_cycles > out.memory_cycles:
        cycles = out.memory_cycles * n / out.mwp + last
    else:
        cycles = out.memory_latency + out.compute_cycles * n
    out.barrier_cycles = (
        out.departure * (out.mwp - 1) * p.barriers * p.groups_of_unit * out.rounds)
    out.cycles = cycles * out.rounds + out.barrier_cycles
    out.seconds = out.cycles / (clock * 1e9)
    return out


# ---- The cache ----


def segment_of(size):
    """(2)"""
    return {1: 32, 2: 64}.get(size, 128)


def hit_shares(launch, lanes, cache):
    """By the number of a load, which share of it a work-item of the group in the middle finds: each
    reference brings a segment that begins at its address, and the least used make room."""
    held, touches, hits = [], {}, {}

    def each(step, rows, at, size):
        if step.array.is_local or step.kind == "store" or not rows.mask.any():
            return
        place, name = int(at[0, rows.mask[0].argmax()]), step.array.name
        touches[step.number] = touches.get(step.number, 0) + 1
        if sum(touches.values()) > MOST_TOUCHES:
            raise Wrong(step.place, "enough of them are seen")
        for segment in held:
            if segment[1] == name and segment[2] <= place and place + size <= segment[3]:
                segment[0] += 1
                hits[step.number] = hits.get(step.number, 0) + 1
                return
        length = segment_of(launch.bytes[name])
        while held and sum(last - first for _, _, first, last in held) + length > cache:
            held.remove(min(held, key=lambda segment: segment[0]))
        held.append([1, name, place, place + length])

    run = Run(launch.kernel, launch, lanes, each)
    run.in_sequence = True
    rows = run.rows_of(np.array([[num // 2 for num in launch.groups]]))
    rows = taken(rows, np.array([len(rows.mask) // 2]))
    try:
        run.walk(launch.kernel.steps, rows)
    except Wrong:
        pass  # what was seen tells
    return {number: hits.get(number, 0) / num for number, num in touches.items()}


# ---- The thesis ----


def per_access(step, cells, size, device, cached):
    """(2) to (5) of an access, or the rule of compute capability 1.0."""
    segment = segment_of(size)
    stride, requests = abs(cells["stride"]), cells["requests"]
    if device.number("in_order"):
        each = cells["serial"] / requests
        ordered = max(1, size * step.wide)  # sectors of both halves, each of 16 words
        is_coalesced = each <= ordered
        return Record(segment=segment, stride=stride, is_coalesced=is_coalesced,
                      each=1 if is_coalesced else each,
                      bytes=32 * ordered if is_coalesced else 32)
    each = math.ceil(32 / math.ceil(segment / stride)) if stride else 1  # 0: all ask for one
    is_coalesced = each == 1
    each = each if not is_coalesced or cached else segment // 32
    return Record(segment=segment, stride=stride, is_coalesced=is_coalesced, each=each,
                  bytes=segment if cached else 32)


def per_thread(launch, grid):
    """(1), for each dimension, and work-items."""
    told = launch.iterations or [launch.num_groups * launch.num_items]
    groups = [*grid, 1, 1][:3] if grid else launch.groups
    if len(told) == 1:
        told, groups, size = [*told], [math.prod(groups)], [launch.num_items]
    else:
        size = launch.size
    each = [iters / (num * items) for iters, num, items in zip(told, groups, size)]
    return each, math.prod(groups) * launch.num_items, math.prod(groups)


def formulas(nest, launch, device, cache, grid=None):
    """The counts of a launch, by their names in the thesis."""
    told, (each, items, groups) = launch.facts, per_thread(launch, grid)
    times, cells = math.prod(each), launch.cells
    dims = sum(length > 1 for length in launch.size[1:]) + 1
    shares = hit_shares(launch, device.lanes, cache) if cache else {}
    out = Record(each=each, accesses=[], grid=groups, local=dims * 32, steps=0)
    p = out.program = Record(uncoalesced=0, coalesced=0, uncoalesced_each=0, coalesced_each=0,
                             bytes=0, transactions=0)
    out.arithmetic = (cells["simple_items"] + cells["convert_items"]) / items
    for number, found in sorted(launch.accesses.items()):
        step = nest.accesses[number]
        if step.array.is_local or not found["items"]:
            continue
        one = per_access(step, found, launch.bytes[step.array.name], device, bool(cache))
        one.step, one.times = step, found["items"] / items
        one.hits = shares.get(number, 0) * one.times
        out.arithmetic += one.hits  # costs what an operation does
        out.accesses.append(one)
    scalars = Record(times=told.get("globals", 0) * times, hits=0, is_coalesced=True, each=1,
                     bytes=32)
    for one in (*out.accesses, scalars):
        left, kind = one.times - one.hits, "coalesced" if one.is_coalesced else "uncoalesced"
        setattr(p, kind, getattr(p, kind) + left)
        setattr(p, f"{kind}_each", getattr(p, f"{kind}_each") + left * one.each)
        p.bytes += left * one.each * one.bytes
        p.transactions += left * one.each
    p.bytes /= max(p.transactions, 1e-300)
    p.coalesced_each /= max(p.coalesced, 1e-300)
    p.uncoalesced_each /= max(p.uncoalesced, 1e-300)
    out.reciprocals = (cells["reciprocal_items"] + cells["special_items"]) / items
    out.branches = (told["branches"] * times if "branches" in told else
                    cells["branches"] / cells["sub_groups"])
    p.barriers = cells["barrier_items"] / items
    out.registers_of_item = told.get("registers") or (
        told.get("scalars", 0) + told.get("intermediates", 0) + (times > 1) + dims + 1
        + told.get("lines", 0) // 10)
    out.registers = math.ceil(out.registers_of_item * 32 / 128) * launch.num_items * 4  # (6)
    if "reduction" in told:
        out.reduction_items = launch.num_groups / 2  # (7)
        out.values, out.steps = math.ceil(out.reduction_items / 32), 1
        while out.values > 32:
            out.values, out.steps = math.ceil(out.values / 32), out.steps + 1
        out.local += launch.num_items * told["reduction"]  # (8)
        out.extra = math.log2(max(launch.num_items * times, 1))
        p.barriers = out.extra  # (9), in place of the nest's own tree
        out.arithmetic += out.extra  # (10)
    held, _ = model.fit(device, launch.num_items, out.registers_of_item, out.local)
    p.compute = out.arithmetic + out.reciprocals + out.branches
    p.groups = groups / told.get("waves", 1)
    p.groups_of_unit = min(max(held, 1), math.ceil(p.groups / device.number("units")))
    p.sub_groups_of_group = math.ceil(launch.num_items / device.number("width"))
    return out


def rows(nest, launch, device, cache, grid=None):
    """What is printed of a launch, by the numbers of the formulas; and its seconds, or None."""
    t = formulas(nest, launch, device, cache, grid)
    p, number = t.program, device.number
    found = {
        "(1) num_iter_per_thread": math.prod(t.each), "(1) by dimension": t.each,
        "accesses": [{"line": one.step.place[0], "array": one.step.array.name,
                      "coalesced": "yes" if one.is_coalesced else "no",
                      "(2) segment_size": one.segment, "(3) stride": one.stride,
                      "(4), (5) per_access": one.each, "times": one.times, "hits": one.hits}
                     for one in t.accesses],
        "coal_mem_access": p.coalesced, "uncoal_mem_access": p.uncoalesced,
        "coal_per_access": p.coalesced_each, "uncoal_per_access": p.uncoalesced_each,
        "load_bytes_per_warp": p.bytes, "regs_per_thread": t.registers_of_item,
        "(6) required_regs": t.registers, "(8) required_shared_mem": t.local,
        "num_arithm": t.arithmetic, "num_reciproc": t.reciprocals, "num_branch": t.branches,
        "num_sync": p.barriers,
    }
    if t.steps:
        found["(9), (10) of these"] = t.extra
        found["reduction_kernel"] = {"groups": 1, "(7) threads_x": t.reduction_items,
                                     "steps_of_warps": t.steps, "values_to_host": t.values}
    if not all(number(word) for word in HONG_KIM) or not p.coalesced + p.uncoalesced:
        return {**found, "hong_and_kim": None}, None
    time = hong_kim(number("clock"), number("bandwidth"), *map(number, HONG_KIM), number("units"),
                    p)
    launches = launch.facts.get("waves", 1) * launch.facts.get("times", 1) * launch.stands
    seconds = time.seconds * launches * number("correction", 1)
    return {**found, "hong_and_kim": {
        "MWP": time.mwp, "CWP": time.cwp, "Rep": time.rounds, "cycles": time.cycles,
        "cycles_of_barriers": time.barrier_cycles, "correction": number("correction", 1),
        "seconds": seconds}}, seconds

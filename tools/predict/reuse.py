"""Bytes past the caches, by layer conditions. Groups run in waves, X first, and turn by turn. What
a group touches may still be cached from the turn before, from the group before it, from the row of
groups before it, or from the plane: if what was touched since then fits, or both run in a wave.

        plane z - 1   . . .        row y - 1   . . .        row y   < g
"""

import itertools

import numpy as np

from predict.count import LINE, ROWS, SECTOR, Run
from predict.nest import Wrong

MOST_SECTORS = 40 * ROWS  # of all groups together, by their sub-groups
CAPS = [1 << power for power in range(20, 1, -1)]  # of turns, where all of a loop are too many
# Those that come before a group, nearest first, each as (x, y, z).
LAYERS = [[(-1, 0, 0)], [(x, -1, 0) for x in (-1, 0, 1)],
          [(x, y, -1) for y in (-1, 0, 1) for x in (-1, 0, 1)]]


def touched(launch, lanes, groups, cap):
    """The sectors of each of the groups, by kind; of the last group also those of each turn by
    itself, its requests, and the lines of a turn."""
    bases = {name: number << 40 for number, name in enumerate(launch.footprint)}
    found, turns = {"load": [], "store": []}, {"load": [], "store": []}
    requests, last = 0, len(groups) - 1

    def each(step, rows, at, size):
        nonlocal requests
        if step.array.is_local:
            return
        base, active = bases[step.array.name], rows.mask.any(1)
        ends = [base + at // SECTOR, base + (at + size - 1) // SECTOR]
        mine = active & (rows.root == last)
        requests += int(mine.sum())
        for sectors in ends[: 1 + bool((ends[0] != ends[1]).any())]:
            found[step.kind].append(np.unique(((rows.root << 48)[:, None] + sectors)[active]))
            path = np.repeat(rows.path[mine], sectors.shape[1])
            turns[step.kind].append(np.stack([path, sectors[mine].ravel()]))

    run = Run(launch.kernel, launch, lanes, each)
    run.cap, run.work = cap, MOST_SECTORS
    run.walk(launch.kernel.steps, run.rows_of(np.array(groups)))
    sets, by_turns, lines = {}, {}, 0
    for kind, parts in found.items():
        sectors = np.unique(np.concatenate([*parts, np.empty(0, np.int64)]))
        edges = np.searchsorted(sectors, np.arange(len(groups) + 1) << 48)
        sets[kind] = [sectors[low:high] & (1 << 48) - 1 for low, high in zip(edges, edges[1:])]
        pairs = np.concatenate([*turns[kind], np.empty((2, 0), np.int64)], axis=1)
        by_turns[kind] = unique_pairs(pairs)
        pairs[1] //= LINE // SECTOR
        lines += unique_pairs(pairs) / max(1, len(np.unique(pairs[0])))
    return sets, by_turns, requests, lines


def unique_pairs(pairs):
    order = np.lexsort(pairs)
    pairs = pairs[:, order]
    return int((pairs[:, 1:] != pairs[:, :-1]).any(0).sum()) + (pairs.shape[1] > 0)


def new_sectors(launch, lanes, cap):
    """Of the group in the middle: those of each turn by itself, all, and those that the layers
    before it have not touched, by what of its row, column and pile is there: [kind][edges]. Then
    its requests, and the lines of a turn."""
    middle = [num // 2 for num in launch.groups]
    before = [[tuple(np.add(middle, step)) for step in layer if all(
        0 <= at < num for at, num in zip(np.add(middle, step), launch.groups))]
        for layer in LAYERS]
    groups = [*itertools.chain(*before), tuple(middle)]
    sets, by_turns, requests, lines = touched(launch, lanes, groups, cap)
    table = {kind: {} for kind in sets}
    for edges in itertools.product((False, True), repeat=3):
        for kind, found in sets.items():
            left = found[-1]
            table[kind][edges] = [by_turns[kind], len(left)]
            for layer in before:
                for group in layer:
                    is_there = not any(
                        edge and at < here for edge, at, here in zip(edges, group, middle))
                    if is_there and len(left):
                        place = groups.index(group)
                        held = sets["store"][place]
                        if kind == "load":
                            held = np.union1d(held, sets["load"][place])
                        left = np.setdiff1d(left, held, assume_unique=True)
                table[kind][edges].append(len(left))
    return table, requests, lines


def scaled(nest, launch, lanes):
    """The table of a group with all turns, or as what grows with the turns says; and the lines of a
    turn."""
    accesses = [cells for number, cells in launch.accesses.items()
                if not nest.accesses[number].array.is_local]
    full = sum(cells["requests"] for cells in accesses) / launch.num_groups
    smaller = []
    for cap in CAPS:
        try:
            smaller.append(new_sectors(launch, lanes, cap))
        except Wrong:
            continue  # too much: with fewer turns
        if smaller[0][1] >= full * 0.99 or len(smaller) == 2:
            break
    if not smaller:
        return None, 0
    table, requests, lines = smaller[0]
    if len(smaller) == 2 and smaller[1][1] < requests < full * 0.99:
        less, fewer, _ = smaller[1]
        for kind, edges in table.items():
            for edge, values in edges.items():
                for i, some in enumerate(values):
                    grows = np.log(max(1, some) / max(1, less[kind][edge][i]))
                    power = min(1, max(0, grows / np.log(requests / fewer)))
                    values[i] = some * (full / requests) ** power
    return table, lines


def ramp(volume, size):
    """The share that is found again of what was touched so many bytes ago. No cache keeps all up to
    its last line, so there is no cliff."""
    return min(1.0, max(0.0, 1.5 - volume / size)) if size else 0.0


def past(nest, launch, device, lanes, held):
    """Bytes of (loads past L1, loads past L2, stores past L2), where `held` groups share a unit."""
    sums, cell = {"load": 0, "store": 0}, "serial" if lanes.in_order else "sectors"
    for number, cells in launch.accesses.items():
        sums[nest.accesses[number].kind] += SECTOR * cells[cell]
    l1, l2 = device.number("l1"), device.number("l2")
    table, lines = scaled(nest, launch, lanes) if (l1 or l2) and launch.accesses else (None, 0)
    if not table:
        return sums["load"], sums["load"], sums["store"]
    (gx, gy, _), inner = launch.groups, (False, False, False)
    turns, own, *_ = table["load"][inner]
    kept, least = ramp(held * lines * LINE, l1), min(own * SECTOR * launch.num_groups, sums["load"])
    past_l1 = least + (sums["load"] - least) * (1 - kept)
    if not l2:
        return past_l1, past_l1, sums["store"]
    wave, found = held * device.number("units"), {}
    own, new = (sum(table[kind][inner][layer] for kind in table) for layer in (1, 2))
    shares = [ramp(wave * lines * LINE * new / max(1, own), l2)]
    for layer, apart in enumerate((1, gx, gx * gy), 1):
        volume = SECTOR * apart * sum(table[kind][inner][layer] for kind in table)
        shares.append(max(ramp(volume, l2), 1 - apart / wave))
    for kind, edges in table.items():
        total = 0
        for edge, values in edges.items():
            num = np.prod([1.0 if is_edge else size - 1.0
                           for is_edge, size in zip(edge, launch.groups)])
            gains = [share * (a - b) for share, a, b in zip(shares, values, values[1:])]
            total += num * (values[0] - sum(gains))
        names = {nest.accesses[number].array.name for number in launch.accesses
                 if nest.accesses[number].kind == kind}
        found[kind] = min(total * SECTOR, sums[kind])
        if sum(launch.footprint.values()) <= l2:
            most = sum(launch.footprint.get(name, 0) for name in names)
            found[kind] = min(found[kind], most)
    return past_l1, min(found["load"], past_l1), found["store"]

"""What the launches of a nest do, counted by sub-groups. Values are linear in a group's index and
in a loop's counter, or each of their values is counted. So in a box of groups or turns whose
corners take the same side of every condition all do, and where two at a distance of P touch the
same places of lines, all repeat after P: P of a box are counted, each as often as it repeats."""

import itertools
import math
from types import SimpleNamespace as Record

import numpy as np

from predict.nest import CLASSES, MOST, MOST_BYTES, Wrong, need, number, value

SECTOR, LINE = 32, 128
MOST_LANES, MOST_ITEMS = 64, 1024
MOST_WORK = 6_000_000  # sub-groups that take a step, or the nest is refused
ROWS = 1 << 13  # sub-groups that are counted at once
FEW, PERIODS = 4, [1 << power for power in range(7, -1, -1)]
SAMPLES = 64  # of launches that differ in a parameter; fewer are all counted
CELLS = ("requests", "items", "bytes", "sectors", "lines", "passes", "extra", "serial")
COUNTS = ("sub_groups", "barriers", "branches", "blocks_entered", "divergent", "turns",
          "rounds_of_loads", "rounds_of_local_loads", *CLASSES)
HASHES = np.random.default_rng(58).integers(1 << 62, size=MOST_LANES) * 2 + 1


def mix(hashes):
    hashes = (hashes ^ hashes >> np.uint64(33)) * np.uint64(0x9E3779B97F4A7C15)
    return hashes ^ hashes >> np.uint64(29)


def hashed(values):
    """Of each row."""
    return (values * HASHES[: values.shape[1]]).sum(1).astype(np.uint64)


def distinct(units):
    """How many each row has, and these, sorted."""
    units = np.sort(units, axis=1)
    return 1 + (units[:, 1:] != units[:, :-1]).sum(1), units


def batches(num, most):
    return [slice(start, start + most) for start in range(0, num, most)]


# ---- Boxes of groups or turns ----


def cut(boxes, dim, nums):
    """Each box in so many parts along a dimension, 1 each; else its ends, or its halves, are apart.
    Also which part each is, and of which box."""
    index = np.repeat(np.arange(len(nums)), nums)
    part = np.arange(len(index)) - np.repeat(np.cumsum(nums) - nums, nums)
    parent, low, high = (array[index] for array in boxes)
    size, nums, first = (high - low)[:, dim] + 1, nums[index], low[:, dim].copy()
    for bounds, past in ((low, 0), (high, 1)):
        at, inner = part + past, np.where(nums == 2, size // 2, size - 1)
        inner = np.where((at == 1) & (nums == 3), 1, inner)
        start = np.where(at == 0, 0, np.where(at == nums, size, inner))
        bounds[:, dim] = first + np.where(nums == size, at, start) - past
    return (parent, low, high), part, index


def split(sizes, bent, evaluate, limit):
    """Boxes (parent, low, high) of what has these sizes, in each of which all do alike."""
    boxes, done = (np.arange(len(sizes)), np.zeros_like(sizes), sizes - 1), []
    boxes = tuple(array[(sizes > 0).all(1)] for array in boxes)
    for dim, is_bent in enumerate(bent):
        size = boxes[2][:, dim] + 1
        nums = np.where((size <= FEW) | is_bent, size, 3)
        limit(nums.sum())
        boxes, _, _ = cut(boxes, dim, nums)
    corners = np.array(list(itertools.product((0, 1), repeat=len(bent))), bool)
    while True:
        is_open = (boxes[2] > boxes[1]).any(1)
        done.append(tuple(array[~is_open] for array in boxes))
        parent, low, high = boxes = tuple(array[is_open] for array in boxes)
        if not len(parent):
            return tuple(np.concatenate(arrays) for arrays in zip(*done))
        limit(len(parent))
        places = np.where(corners, high[:, None], low[:, None]).reshape(-1, len(bent))
        points = np.column_stack([np.repeat(parent, len(corners)), places])
        points, back = np.unique(points, axis=0, return_inverse=True)
        signs = evaluate(points[:, 0], points[:, 1:])[0][back.reshape(-1)].reshape(len(parent), -1)
        alike = (signs == signs[:, :1]).all(1)
        done.append(tuple(array[alike] for array in boxes))
        boxes, signs = tuple(array[~alike] for array in boxes), signs[~alike]
        length, parts = boxes[2] - boxes[1], []
        for dim in range(len(bent)):  # only where the two faces differ
            same = (signs[:, corners[:, dim]] == signs[:, ~corners[:, dim]]).all(1)
            length[same, dim] = 0
        dims = length.argmax(1)
        for dim in range(len(bent)):
            mine = tuple(array[dims == dim] for array in boxes)
            parts.append(cut(mine, dim, np.full(len(mine[0]), 2))[0])
        boxes = tuple(np.concatenate(arrays) for arrays in zip(*parts))


def repeated(boxes, evaluate, limit):
    """Those of each box that are counted, as (parent, place), and how often each repeats."""
    parent, low, high = boxes
    length, dims = high - low + 1, low.shape[1]
    period, times = length.copy(), np.ones(len(parent), np.int64)
    tries = [(p, dim, np.flatnonzero(length[:, dim] > p)) for p in PERIODS for dim in range(dims)]
    index = np.concatenate([found for _, _, found in tries])
    if len(index):
        places = low[index]
        ends = np.cumsum([len(found) for _, _, found in tries])
        for end, (p, dim, found) in zip(ends, tries):
            places[end - len(found) : end, dim] += p
        first, residues = evaluate(parent, low)[1], evaluate(parent[index], places)[1]
        for end, (p, dim, found) in zip(ends, tries):
            same = residues[end - len(found) : end] == first[found]
            period[found[same], dim] = p
    nums = np.minimum(length, period)
    limit(nums.prod(1, dtype=float).sum())
    boxes = parent, low, low + nums - 1
    for dim in range(dims):
        boxes, part, index = cut(boxes, dim, nums[:, dim])
        length, period, nums, times = (array[index] for array in (length, period, nums, times))
        length_here, period_here = length[:, dim], period[:, dim]
        times = times * (length_here // period_here + (part < length_here % period_here))
    return boxes[0], boxes[1], times


# ---- A launch ----


def at(values, index):
    return values[index] if isinstance(values, np.ndarray) else values


def taken(rows, index):
    """Some of them, or some several times, at the start of a turn."""
    some = Record(**{name: at(values, index) for name, values in vars(rows).items()
                     if name not in ("marks", "sig", "res")})
    some.env = {name: at(values, index) for name, values in rows.env.items()}
    some.waits = {key: np.zeros(len(index), bool) for key in (False, True)}
    some.marks, some.sig, some.res = rows.marks, None, None
    return some


class Run:
    """Counts a launch. Rows are sub-groups, with a column for each work-item. `each` is told all
    accesses, with all turns of all loops, instead."""

    def __init__(self, kernel, launch, lanes, each=None):
        self.kernel, self.launch, self.lanes, self.each = kernel, launch, lanes, each
        self.cap, self.in_sequence = MOST, False  # of turns that are told; one after the other
        self.cells = dict.fromkeys((*COUNTS, "barrier_items"), 0)
        self.cells.update({f"{kind}_items": 0 for kind in CLASSES})
        self.accesses, self.work = {}, MOST_WORK
        items = np.arange(-(-launch.num_items // lanes.width) * lanes.width)
        self.items = items.reshape(-1, lanes.width)
        self.full = self.items < launch.num_items

    def limit(self, step):
        def check(rows):
            self.work -= rows
            if self.work < 0:
                names = ", ".join(sorted(name.partition("#")[0] for name in self.kernel.bent))
                why = f"what is not linear in {names}" if names else "lengths of loops that differ"
                raise Wrong(step.place, f"counting takes too many steps here, by {why}")

        return check

    def add(self, name, rows, counts, cells=None):
        """Of rows that are counted, and not only judged."""
        if rows.sig is None and not self.each:
            is_much = rows.is_big and float(rows.weight.astype(float) @ counts) > 2.0**62
            need(not is_much, self.kernel.place, "a count of this kernel is above 2^62")
            cells = self.cells if cells is None else cells
            cells[name] += int(rows.weight @ counts)

    # ---- Groups ----

    def rows_of(self, places, times=None):
        """The sub-groups of these groups."""
        num, subs, (sx, sy, _) = len(places), len(self.items), self.launch.size
        times = np.ones(num, np.int64) if times is None else times
        env = dict(self.launch.env)
        for axis, items in zip("xyz", (self.items % sx, self.items // sx % sy,
                                       self.items // sx // sy)):
            env[f"t{axis}"] = np.tile(items, (num, 1))
        for dim, axis in enumerate("xyz"):
            env[f"g{axis}"] = np.repeat(places[:, dim], subs)[:, None]
        full, weight = np.tile(self.full, (num, 1)), np.repeat(times, subs)
        return Record(env=env, mask=full, full=full, weight=weight, times=np.ones_like(weight),
                      root=np.repeat(np.arange(num), subs), is_big=weight.sum() > 2.0**50,
                      first=np.tile(np.arange(subs) == 0, num), sig=None, res=None,
                      marks=np.zeros(num * subs, np.int64), index=np.arange(num * subs),
                      path=np.zeros(num * subs, np.int64),
                      waits={key: np.zeros(num * subs, bool) for key in (False, True)},
                      )

    def judge_groups(self, _, places):
        """What the groups at these places do: hashes of the sides they take, and of places."""
        found, subs = [], len(self.items)
        each = 2 * np.arange(subs, dtype=np.uint64) + np.uint64(1)
        for part in batches(len(places), max(1, ROWS // subs)):
            hashes = self.judge(self.rows_of(places[part]), self.kernel.steps)
            found.append([(mix(one.reshape(-1, subs)) * each).sum(1) for one in hashes])
        return [np.concatenate(hashes) for hashes in zip(*found)]

    def judge(self, rows, steps):
        rows.sig, rows.res = mix(hashed(rows.mask)), np.zeros(len(rows.mask), np.uint64)
        self.walk(steps, rows)
        return rows.sig, rows.res

    def count(self):
        """All groups."""
        kernel, limit = self.kernel, self.limit(self.kernel)
        bent = [axis in kernel.bent for axis in ("gx", "gy", "gz")]
        boxes = split(np.array([self.launch.groups]), bent, self.judge_groups, limit)
        _, places, times = repeated(boxes, self.judge_groups, limit)
        for part in batches(len(places), max(1, ROWS // len(self.items))):
            rows = self.rows_of(places[part], times[part])
            self.add("sub_groups", rows, np.ones(len(rows.mask), np.int64))
            self.walk(self.kernel.steps, rows)
            marks = rows.marks.reshape(-1, len(self.items))
            need((marks == marks[:, :1]).all(), self.kernel.place,
                 "the sub-groups of a group meet different barriers")

    # ---- Steps ----

    def walk(self, steps, rows):
        rows.env = dict(rows.env)
        does = {"for": self.loop, "if": self.choose, "load": self.access, "store": self.access,
                "op": self.act, "barrier": self.act}
        for step in steps:
            if step.kind == "let":
                rows.env[step.name] = self.value(step.value, rows)
            elif step.kind != "at":
                self.limit(step)(len(rows.mask))
                does[step.kind](step, rows)

    def note(self, rows, values):
        """That these values are such, which others may not be."""
        if rows.sig is not None:
            rows.sig[:] = mix(rows.sig + hashed(np.where(rows.mask, values, 0)))

    def value(self, node, rows):
        def sides(a, b):
            if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
                self.note(rows, np.sign(np.subtract(a, b)))

        return value(node, rows.env, rows.mask, None if rows.sig is None else sides)

    def end_rounds(self, rows, active):
        for waits in rows.waits.values():
            waits[active] = False

    def act(self, step, rows):
        """An operation or a barrier."""
        active, items = rows.mask.any(1), rows.mask.sum(1)
        if step.kind == "op":
            self.add(step.op, rows, active * step.times)
            self.add(f"{step.op}_items", rows, items * step.times)
        else:
            need((rows.mask == rows.full)[active].all(), step.place,
                 "some work-items of a sub-group do not reach this barrier")
            self.add("barriers", rows, active * 1)
            self.add("barrier_items", rows, items)
            if rows.sig is None:
                np.add.at(rows.marks, rows.index, rows.times * active * (id(step) * 2 + 1))
        self.end_rounds(rows, active)

    def choose(self, step, rows):
        condition = self.value(step.value, rows)
        if isinstance(condition, np.ndarray):
            self.note(rows, np.sign(condition))
        holds = rows.mask & np.not_equal(condition, 0)
        sides = [(holds, step.body), (rows.mask & ~holds, step.other)]
        yes, no = (side.any(1) for side, _ in sides)
        self.add("branches", rows, (yes | no) * 1)
        self.add("divergent", rows, (yes & no) * 1)
        for (mask, body), some in zip(sides, (yes, no)):
            if body and some.any():
                self.add("blocks_entered", rows, some * 1)
                self.walk(body, Record(**{**vars(rows), "mask": mask}))

    def loop(self, step, rows):
        first, last = self.value(step.first, rows), self.value(step.last, rows)
        by = self.value(step.by, rows) if step.by else 1
        zero, ones = np.equal(by, 0), np.ones(ROWS, np.int64)
        need(not np.any(rows.mask & zero), step.place, "the step of this loop is 0")
        turns = (last - first) // np.where(zero, 1, by) + 1
        turns = np.where(rows.mask, np.maximum(turns, 0), 0)
        self.note(rows, turns)
        if step.is_unrolled or self.in_sequence:
            self.limit(step)(step.is_unrolled * int(turns.max(initial=0)) * len(rows.mask))
            for turn in range(int(turns.max(initial=0))):
                env = dict(rows.env, **{step.name: first + turn * by})
                self.walk(step.body, Record(**{**vars(rows), "env": env, "mask": turn < turns}))
            return

        def inner(parent, turn, times):
            some = taken(rows, parent)
            some.env[step.name] = at(first, parent) + turn[:, None] * at(by, parent)
            some.mask = turn[:, None] < turns[parent]
            some.path = some.path * 1000003 + turn + 1  # which turns of which loops
            total = float(some.weight.astype(float) @ times)
            need(total <= 2.0**62, self.kernel.place, "a count of this kernel is above 2^62")
            some.weight, some.times = some.weight * times, some.times * times
            some.is_big = total > 2.0**50
            return some

        def evaluate(parent, places):
            found = [self.judge(inner(parent[part], places[part, 0], ones[: len(parent[part])]),
                                step.body) for part in batches(len(parent), ROWS)]
            return [np.concatenate(hashes) for hashes in zip(*found)]

        limit, most = self.limit(step), np.minimum(turns.max(1)[:, None], self.cap)
        is_bent = bool(self.each) or step.counter in self.kernel.bent
        boxes = split(most, [is_bent], evaluate, limit) if most.any() else None
        if rows.sig is not None and boxes:
            parent, low, high = boxes
            sig, res = evaluate(parent, low)
            ends = mix(low.astype(np.uint64) * np.uint64(3) + high.astype(np.uint64) * np.uint64(5))
            np.add.at(rows.sig, parent, mix(sig ^ ends[:, 0]))
            np.add.at(rows.res, parent, mix(res ^ ends[:, 0]))
            rows.sig[:], rows.res[:] = mix(rows.sig), mix(rows.res)
        elif boxes:
            parent, low, times = repeated(boxes, evaluate, limit)
            for part in batches(len(parent), ROWS):
                some = inner(parent[part], low[part, 0], times[part])
                self.add("turns", some, ones[: len(some.mask)])
                self.walk(step.body, some)
        self.end_rounds(rows, rows.mask.any(1))

    # ---- Accesses ----

    def places(self, step, rows):
        """The byte at which each work-item's access begins."""
        array, at, stride = step.array, 0, 1
        lengths, size = self.launch.lengths[array.name], self.launch.bytes[array.name]
        for dim, (node, length) in enumerate(zip(step.indices, lengths)):
            index, more = self.value(node, rows), step.wide - 1 if dim == 0 else 0
            wrong = rows.mask & (np.less(index, 0) | np.greater_equal(index + more, length))
            if wrong.any():
                one = np.broadcast_to(index, wrong.shape)[wrong][0]
                raise Wrong(step.place, f"dimension {dim + 1} of {array.name} has {length} "
                            f"elements, and {one if one < 0 else one + more} is not one of them")
            at, stride = at + index * stride, stride * length
        return np.broadcast_to(array.offset + at * size, rows.mask.shape)

    def access(self, step, rows):
        size = self.launch.bytes[step.array.name] * step.wide
        need(size <= MOST_BYTES, step.place, "this moves more than 16 bytes at once")
        at, active = self.places(step, rows), rows.mask.any(1)
        base = np.take_along_axis(at, rows.mask.argmax(1)[:, None], 1)
        at = np.where(rows.mask, at, base)  # those that are not seen add nothing
        if self.each:
            self.each(step, rows, at, size)
        elif rows.sig is not None:
            modulus = math.lcm(LINE, 4 * self.lanes.banks) if step.array.is_local else LINE
            rows.res[:] = mix(rows.res + hashed(at - base) + np.where(
                active, base[:, 0] % modulus, 0).astype(np.uint64))
        elif active.any():
            self.count_access(step, rows, at, size, active)

    def count_access(self, step, rows, at, size, active):
        items = rows.mask.sum(1)
        found = {"requests": active * 1, "items": items, "bytes": items * size}
        if step.array.is_local:
            passes, extra = self.bank_passes(at, rows.mask, size)
            found.update(passes=passes, extra=extra)
        else:
            ends = at + (size - 1)
            units = at // SECTOR
            if (ends // SECTOR != units).any():
                units = np.concatenate([units, ends // SECTOR], axis=1)
            sectors, units = distinct(units)
            lines = 1 + (units[:, 1:] // 4 != units[:, :-1] // 4).sum(1)
            passes = np.maximum((lines + 3) // 4, (sectors + 15) // 16)
            found.update(sectors=sectors * active, lines=lines * active, passes=passes * active)
            if self.lanes.in_order:
                found["serial"] = self.in_order(at, rows.mask, size)
        cells = self.accesses.setdefault(step.number, dict.fromkeys((*CELLS, "stride"), 0))
        seen = np.flatnonzero(rows.mask[items.argmax()])
        if len(seen) > 1 and not cells["stride"]:
            cells["stride"] = int(at[items.argmax(), seen[1]] - at[items.argmax(), seen[0]]) // int(
                seen[1] - seen[0])
        for name, counts in found.items():
            self.add(name, rows, counts, cells)
        if step.kind == "store":
            self.end_rounds(rows, active)
        else:
            waits = rows.waits[step.array.is_local]
            name = "rounds_of_local_loads" if step.array.is_local else "rounds_of_loads"
            self.add(name, rows, (active & ~waits & rows.first) * 1)
            waits |= active

    def bank_passes(self, at, mask, size):
        """The banks serve as many work-items at once as have one word each in all of them."""
        banks = self.lanes.banks
        each = max(1, size // 4)
        once = banks // each if banks > each else 1
        total, extra = np.zeros((2, len(at)), np.int64)
        for start in range(0, at.shape[1], once):
            part, seen = at[:, start : start + once], mask[:, start : start + once]
            base = np.take_along_axis(part, seen.argmax(1)[:, None], 1)
            part = np.where(seen, part, base)
            last = (part + size - 1) // 4
            words = [part // 4 + word for word in range(int((last - part // 4).max()) + 1)]
            words = np.concatenate([np.minimum(word, last) for word in words], axis=1)
            words = np.sort(words, axis=1)
            new = np.column_stack([np.ones(len(words), bool), words[:, 1:] != words[:, :-1]])
            places = np.arange(len(words))[:, None] * banks + words % banks
            asked = np.bincount(places[new], minlength=len(words) * banks).reshape(-1, banks)
            most = np.where(seen.any(1), asked.max(1), 0)
            total, extra = total + most, extra + np.maximum(most - 1, 0)
        return total, extra

    def in_order(self, at, mask, size):
        """Sectors by the rule of compute capability 1.0: those of a segment for a half of a
        sub-group whose work-item k has its word k, and else one for each work-item."""
        half, total = max(1, at.shape[1] // 2), 0
        for start in range(0, at.shape[1], half):
            part, seen = at[:, start : start + half], mask[:, start : start + half]
            base = np.take_along_axis(part, seen.argmax(1)[:, None], 1)
            base = base - seen.argmax(1)[:, None] * size
            ordered = ~seen | (part == base + np.arange(part.shape[1]) * size)
            good = ordered.all(1) & (base[:, 0] % (16 * size) == 0) & (size >= 4)
            num = seen.sum(1)
            total = total + np.where(good, np.where(num > 0, size // 2, 0), num)
        return total


# ---- Launches ----


def sizes_of(nodes, env, most):
    sizes, product = [], 1
    for node in nodes:
        size = number(node, env)
        text = (f"{product} times {size} is not from 1 to {most}" if product > 1 else
                f"a size of {size} is not from 1 to {most}")
        need(1 <= size <= most // product, node.place, text)
        sizes.append(size)
        product *= size
    return sizes


def fact(kernel, name, env):
    """A number that the kernel is told."""
    node = kernel.facts[name]
    found, least = number(node, env), int(name in ("waves", "iterations"))
    most = 1 << 31 if name in ("waves", "times") else MOST
    need(least <= found <= most, node.place, f"{name} of {found} is not from {least} to {most}")
    return found


def array_bytes(array, env):
    """Bytes of an element, and the lengths."""
    return (sizes_of([array.size], env, MOST_BYTES)[0],
            sizes_of(array.lengths, env, MOST // MOST_BYTES))


def launch_of(nest, kernel, env):
    """What a launch is, before it is counted."""
    groups, size = sizes_of(kernel.groups, env, 1 << 40), sizes_of(kernel.size, env, MOST_ITEMS)
    launch = Record(kernel=kernel, env=dict(env), groups=[*groups, 1, 1][:3],
                    size=[*size, 1, 1][:3], num_groups=math.prod(groups),
                    num_items=math.prod(size), local_bytes=0, bytes={}, lengths={}, footprint={},
                    facts={name: fact(kernel, name, env) for name in kernel.facts}, stands=1,
                    iterations=[number(node, env) for node in kernel.iterations])
    for array in (*nest.arrays.values(), *kernel.arrays.values()):
        size, lengths = array_bytes(array, env)
        launch.bytes[array.name], launch.lengths[array.name] = size, lengths
        if array.is_local:
            launch.local_bytes += size * math.prod(lengths)
        else:
            launch.footprint[array.name] = size * math.prod(lengths)
    return launch


def environments(kernel, env):
    """Those of a kernel's launches, one after the other; at the end `env` is the last one's."""
    found, goes_on = [], True
    env.update(groups=0, size=0)
    while goes_on:
        need(len(found) < 1 << 16, kernel.place, "it is launched too often")
        if "when" not in kernel.facts or number(kernel.facts["when"], env):
            env.update(groups=number(kernel.groups[0], env), size=number(kernel.size[0], env))
            found.append(dict(env))
        goes_on = bool(kernel.again) and number(kernel.again[2], env)
        if goes_on:
            before = env[kernel.again[0]]
            env[kernel.again[0]] = number(kernel.again[1], env)
            need(env[kernel.again[0]] != before, kernel.place, "it is launched too often")
    return found


def picked(environments):
    """Some of many: one of each stretch, and how many it stands for."""
    num = len(environments)
    if num <= SAMPLES:
        return [(env, 1) for env in environments]
    edges = [num * i // SAMPLES for i in range(SAMPLES + 1)]
    return [(environments[low + int((high - low) * (i * 0.618 % 1))], high - low)
            for i, (low, high) in enumerate(zip(edges, edges[1:]))]


def parameters(nest, settings):
    env, left = {}, dict(settings)
    for name, node in nest.params.items():
        env[name] = left.pop(name) if name in left else number(node, env)
    need(not left, (0, 0), f"there is no parameter {', '.join(left)}")
    return env


def count(nest, lanes, settings):
    """The launches, in order, with their cells; and (array, way, bytes, times) of transfers."""
    env, launches, transfers = parameters(nest, settings), [], []
    for transfer in nest.transfers:
        size, lengths = array_bytes(transfer.array, env)
        times = 1 if transfer.times is None else fact(
            Record(facts={"times": transfer.times}), "times", env)
        transfers.append((transfer.array.name, transfer.way, size * math.prod(lengths), times))
    for kernel in nest.kernels:
        for one, stands in picked(environments(kernel, env)):
            launch = launch_of(nest, kernel, one)
            run = Run(kernel, launch, lanes)
            run.count()
            launch.stands, launch.cells, launch.accesses = stands, run.cells, run.accesses
            launches.append(launch)
    return launches, transfers

"""Random nests, and what they do lane by lane: separate code from the package, without a closed
form, a period or numpy. A program is a list of steps: ("access", number, index), ("if", condition,
body, other), ("for", name, first, last, step, body, is_unrolled), ("op", times) or ("barrier",).
Expressions are texts of Python, which `nest_of` turns into the language of nests."""

import collections

NAMES = ("branches", "divergent", "blocks_entered", "turns", "rounds_of_loads",
         "rounds_of_local_loads", "simple", "barriers")


class Simulator:
    """Goes through all groups, sub-groups and lanes. `accesses`: dicts with kind, bytes, offset,
    is_local and shift."""

    def __init__(self, trial):
        self.trial, self.counts = trial, collections.Counter()
        self.cells = [collections.Counter() for _ in trial["accesses"]]
        self.range = [[0, 0] for _ in trial["accesses"]]
        self.codes = {}
        sizes, groups = trial["size"], trial["groups"]
        for gz in range(groups[2]):
            for gy in range(groups[1]):
                for gx in range(groups[0]):
                    self.group({"gx": gx, "gy": gy, "gz": gz, "n": trial["n"]}, sizes)

    def value(self, text, lane):
        code = self.codes.setdefault(text, compile(text, text, "eval"))
        return int(eval(code, {"min": min, "max": max}, lane))  # pylint: disable=eval-used

    def group(self, place, sizes):
        items = [(x, y, z) for z in range(sizes[2]) for y in range(sizes[1])
                 for x in range(sizes[0])]
        width = self.trial["width"]
        for first in range(0, len(items), width):
            lanes = [dict(place, tx=x, ty=y, tz=z) for x, y, z in items[first : first + width]]
            for number, lane in enumerate(lanes):
                lane["lane"] = number
            self.first, self.waits = first == 0, {True: False, False: False}
            self.walk(self.trial["steps"], lanes)

    def walk(self, steps, lanes):
        for step in steps:
            getattr(self, f"do_{step[0]}")(lanes, *step[1:])

    def stop(self):
        self.waits = {True: False, False: False}

    def do_op(self, _, times):
        self.counts["simple"] += times
        self.stop()

    def do_barrier(self, _):
        self.counts["barriers"] += 1
        self.stop()

    def do_if(self, lanes, condition, body, other):
        sides = {True: [], False: []}
        for lane in lanes:
            sides[self.value(condition, lane) != 0].append(lane)
        self.counts["branches"] += 1
        self.counts["divergent"] += bool(sides[True]) and bool(sides[False])
        for side, steps in ((True, body), (False, other)):
            if sides[side] and steps:
                self.counts["blocks_entered"] += 1
                self.walk(steps, sides[side])

    def do_for(self, lanes, name, first, last, by, body, is_unrolled):
        waiting = [(lane, self.value(first, lane), self.value(last, lane)) for lane in lanes]
        turn = 0
        while True:
            now = [(lane, start + turn * by) for lane, start, end in waiting
                   if (start + turn * by <= end if by > 0 else start + turn * by >= end)]
            if not now:
                break
            if not is_unrolled:
                self.counts["turns"] += 1
                self.stop()
            self.walk(body, [dict(lane, **{name: counter}) for lane, counter in now])
            turn += 1
        if not is_unrolled:
            self.stop()

    def do_access(self, lanes, number, index):
        access, cells = self.trial["accesses"][number], self.cells[number]
        size, at = access["bytes"], {}
        for lane in lanes:
            element = self.value(index, lane)
            low, high = self.range[number]
            self.range[number] = [min(low, element), max(high, element)]
            at[lane["lane"]] = access["offset"] + (element + access["shift"]) * size
        cells["requests"] += 1
        cells["items"] += len(at)
        cells["bytes"] += len(at) * size
        touched = {byte for start in at.values() for byte in (start, start + size - 1)}
        if access["is_local"]:
            self.banks(cells, at, size)
        else:
            sectors, lines = ({byte // unit for byte in touched} for unit in (32, 128))
            cells["sectors"] += len(sectors)
            cells["lines"] += len(lines)
            cells["passes"] += max(-(-len(lines) // 4), -(-len(sectors) // 16))
        if access["kind"] == "store":
            self.stop()
        elif not self.waits[access["is_local"]]:
            self.waits[access["is_local"]] = True
            name = "rounds_of_local_loads" if access["is_local"] else "rounds_of_loads"
            self.counts[name] += self.first

    def banks(self, cells, at, size):
        """Lanes of 4 bytes all at once, of 8 by halves, of 16 by quarters."""
        banks = self.trial["banks"]
        once = max(1, banks // max(1, size // 4))
        for start in range(0, self.trial["width"], once):
            words = collections.defaultdict(set)
            for lane in range(start, start + once):
                if lane in at:
                    for word in range(at[lane] // 4, (at[lane] + size - 1) // 4 + 1):
                        words[word % banks].add(word)
            most = max(map(len, words.values()), default=0)
            cells["passes"] += most
            cells["extra"] += max(0, most - 1)


# ---- Random trials ----


def draw_expression(random, names, depth=2):
    """Mostly linear, as texts of Python."""
    if depth == 0 or random.random() < 0.3:
        return random.choice([*names, *names, str(random.randrange(9))])
    a, b = (draw_expression(random, names, depth - 1) for _ in range(2))
    return random.choice([
        f"({a} + {b})", f"({a} - {b})", f"({a} + {random.randint(1, 9)}*{b})",
        f"({random.choice((-3, -1, 2, 5, 16, 33))} * {a} + {b})", f"min({a}, {b})",
        f"max({a}, {b})",
        f"({a} % {random.randint(1, 9)})", f"({a} // {random.randint(1, 9)})",
        f"({a} * {b})" if random.random() < 0.2 else f"({a} + {b})"])


def draw_condition(random, names):
    a, b = (draw_expression(random, names, 1) for _ in range(2))
    sign = random.choice(["<", "<=", "==", "!=", ">", ">="])
    return random.choice([f"({a} {sign} {b})", f"(({a} {sign} {b}) and ({b} < 7))",
                          f"(not ({a} {sign} {b}))", f"(({a} < {b}) or ({a} {sign} 3))"])


def draw_steps(random, trial, names, depth):
    steps = []
    for _ in range(random.randint(1, 3)):
        kind = random.choice("aaaoifu" if depth else "aao")
        if kind == "a":
            trial["accesses"].append({
                "kind": random.choice(("load", "store")), "bytes": random.choice((1, 2, 4, 8, 16)),
                "offset": random.choice((0, 0, 4, 8, 20, 127)),
                "shift": (1 << 36) + random.randrange(25),
                "is_local": random.random() < 0.3})
            stride = random.choice((1, 1, 1, 2, 3, -1, random.randint(-64, 64)))
            index = f"({stride}*tx + {draw_expression(random, names)})"
            steps.append(("access", len(trial["accesses"]) - 1, index))
        elif kind == "o":
            steps.append(("op", random.randint(1, 3)))
        elif kind == "i":
            other = draw_steps(random, trial, names, depth - 1) if random.random() < 0.4 else []
            steps.append(("if", draw_condition(random, names),
                          draw_steps(random, trial, names, depth - 1), other))
        else:
            name, by = "ijkl"[depth], random.choice((1, 1, 2, 3, -1))
            first = draw_expression(random, names, 1)
            last = f"({first} + {random.choice((3, 7, 15) if kind == 'f' else (2, 3))}*{by})"
            last = draw_expression(random, names, 1) if random.random() < 0.3 else last
            last = f"min({last}, {first} + 20)" if by > 0 else f"max({last}, {first} - 20)"
            steps.append(("for", name, first, last, by, draw_steps(
                random, trial, [*names, name], depth - 1), kind == "u"))
    return steps


def draw(random):
    """A trial and its simulator."""
    width = random.choice((8, 16, 32, 64))
    groups = random.choice(([random.randint(1, 20), 1, 1], [random.randint(1, 5), 4, 1], [3, 2, 4]))
    size = random.choice(([random.randint(1, 40), 1, 1], [16, 2, 1], [5, 2, 3]))
    trial = {"width": width, "banks": random.choice((16, 32)), "groups": groups, "size": size,
             "n": random.randint(1, 400), "accesses": []}
    names = ["tx", "gx", *(["ty"] if size[1] > 1 else []), *(["gy"] if groups[1] > 1 else []), "n",
             f"({size[0]}*gx + tx)"]
    trial["steps"] = draw_steps(random, trial, names, 2)
    if random.random() < 0.3:
        trial["steps"].append(("barrier",))
    return trial, Simulator(trial)


def nest_of(trial, ranges):
    """The text of a nest that does the same."""
    def expression(text):
        for of, by in (("//", "/"), (" and ", " && "), (" or ", " || "), ("not ", "!")):
            text = text.replace(of, by)
        return text

    def written(steps):
        lines = []
        for kind, *told in steps:
            if kind == "access":
                access, index = trial["accesses"][told[0]], expression(told[1])
                lines.append(f"{access['kind']} a{told[0]}[{index} + {access['shift']}]")
            elif kind == "op":
                lines.append(f"op {told[0]}")
            elif kind == "barrier":
                lines.append("barrier")
            elif kind == "if":
                other = f" else {{ {written(told[2])} }}" if told[2] else ""
                lines.append(f"if {expression(told[0])} {{ {written(told[1])} }}{other}")
            else:
                name, first, last, by, body, is_unrolled = told
                word = "unroll" if is_unrolled else "for"
                lines.append(f"{word} {name} = {expression(first)} .. {expression(last)} "
                             f"step {expression(str(by))} {{ {written(body)} }}")
        return "\n".join(lines)

    sizes = {1: "i8", 2: "i16", 4: "f32", 8: "f64", 16: "W"}
    arrays = "\n".join(
        f"array a{i} {sizes[one['bytes']]}[{high + one['shift'] + 1}] "
        f"{'local' if one['is_local'] else 'global'} offset {one['offset']}"
        for i, (one, (_, high)) in enumerate(zip(trial["accesses"], ranges)))
    return (f"param n = {trial['n']} W = 16\nkernel k\nlaunch groups = "
            f"{', '.join(map(str, trial['groups']))} size = {', '.join(map(str, trial['size']))}\n"
            f"{arrays}\n{written(trial['steps'])}\n")

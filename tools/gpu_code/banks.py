"""Bank conflicts of local memory on NVIDIA's GPUs, from a kernel's PTX.

There are 32 banks of 4 bytes. The work-items of a warp are served at once unless two of them need
different words of one bank: in `ways` turns. Accesses of 8 and 16 bytes are by halves and quarters
of a warp.

The address of each access is computed for work-items 0 to 31, back through the integers that it is
made of. A parameter, and what all of them load from one address, counts as 2^20; a register that a
loop changes has its first value. Those that a jump takes past an access have no part in it. An
address made of what work-items load from different places is unknown.
"""

import operator
import re

import assembly as asm

LANES = 32
COMMON = [1 << 20] * LANES
REGISTER = re.compile(r"%\w+(?:\.\w)?")
PLACE = re.compile(r"\[(%?[\w$.]+)(?:\+(-?\d+))?\]")
COMPARE = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
COMPUTE = {
    "mov": lambda a: a, "cvt": lambda a: a, "cvta": lambda a: a, "not": lambda a: ~a,
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "mad": lambda a, b, c: a * b + c, "shl": lambda a, b: a << min(b, 64), "shr": operator.rshift,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "min": min, "max": max,
    "div": lambda a, b: a // b if b else 0, "rem": lambda a, b: a % b if b else 0,
    "selp": lambda a, b, c: a if c else b, "clz": lambda a: 32 - a.bit_length(),
    "bfe": lambda a, b, c: a >> b & (1 << c) - 1,
}  # fmt: skip


def compute(opcode, values):
    """One work-item's result, in the bits of the opcode's type; None: not of integers."""
    name, *parts = opcode.split(".")
    types = [re.fullmatch(r"([busf]|pred)(\d*)", part) for part in parts]
    kinds, bits = zip(*(one.groups() for one in types if one))
    if "f" in kinds or name not in COMPUTE and name != "setp" or "hi" in parts:
        return None
    if kinds[-1] == "s":
        top = int(bits[-1]) - 1
        values = [value - (value >> top << top + 1) for value in values]
    if name == "setp":
        return int(COMPARE[parts[0]](*values[:2]))
    return COMPUTE[name](*values) & (1 << int(bits[0] or 1) * (2 if "wide" in parts else 1)) - 1


class Lanes:
    """What registers are for each work-item of a warp: lists, None where that is unknown."""

    def __init__(self, steps):
        self.made, self.known, self.asked = {}, {}, set()
        for step in asm.instructions(steps):
            made = step.text.partition("}" if "{" in step.text else ",")[0]
            for name in () if made.startswith(("st.", "bra", "bar.")) else REGISTER.findall(made):
                self.made.setdefault(name, []).append(step)

    def value(self, word):
        if re.fullmatch(r"-?\d+|0x[0-9A-Fa-f]+", word):
            return [int(word, 0)] * LANES
        if not word.startswith("%") or word.startswith(("%ctaid", "%nctaid")):
            return [0] * LANES  # a variable's place, or a group's number
        if word == "%tid.x" or word == "%laneid":
            return list(range(LANES))
        if word.startswith("%ntid"):
            return COMMON
        if word not in self.known and word not in self.asked:
            self.asked.add(word)
            found = [self.result(step) for step in self.made.get(word, [])]
            self.asked.remove(word)
            found = [lanes for lanes in found if lanes is not False]
            if not found and self.asked:
                return False
            self.known[word] = found[0] if found else None
        return self.known.get(word, False)

    def result(self, step):
        """False where it is made of itself."""
        opcode, words = step.text.rstrip(";").split(None, 1)
        if step.access:
            if step.access.space == asm.OTHER:
                return COMMON  # a parameter
            where = None if step.access.kind == asm.ATOMIC else self.place(step)
            if not where:
                return where
            return COMMON if len(set(where)) == 1 else None
        words = [word.strip() for word in words.split(",")][1:]
        operands = [self.value(word) for word in words]
        if False in operands:
            return False
        if None in operands or opcode.startswith(("shfl", "atom", "vote")):
            return None
        made = [compute(opcode, list(one)) for one in zip(*operands)]
        return None if None in made else made

    def place(self, step):
        """Where a load or store is, for each work-item."""
        base, offset = PLACE.search(step.text).groups()
        at = self.value(base)
        return at and [x + int(offset or 0) for x in at]

    def passes(self, step):
        """Which work-items go on past a jump that some of them take."""
        taken = self.value(step.guard.strip("@!")) if step.guard else None
        goes = [bool(x) == step.guard.startswith("@!") for x in taken] if taken else []
        return goes if any(goes) else [True] * LANES


def ways(places, size):
    """In how many turns banks serve a warp of which these are the places: the mean of its parts."""
    served, turns = LANES * 4 // max(size, 4), []
    for i in range(0, LANES, served):
        words = {(place + byte) // 4 for place in places[i : i + served] if place is not None
                 for byte in range(0, size, 4)}
        banks = [word % 32 for word in words]
        turns += [max(map(banks.count, banks))] if banks else []
    return sum(turns) / len(turns)


def skipped(steps):
    """Of each jump ahead that some take: (where it is, where all are together again). That is at
    its label, or at an earlier one to which others jump from elsewhere."""
    at = {step.name: i for i, step in enumerate(steps) if isinstance(step, asm.Label)}
    jumps = [(i, at[step.target]) for i, step in enumerate(steps)
             if isinstance(step, asm.Instruction) and step.target in at]
    for i, label in jumps:
        if steps[i].guard and label > i:
            yield i, min(to for source, to in jumps
                         if i < to <= label and (source <= i or source > label))


def conflicts(kernel):
    """Ways of each access to local memory whose address is not the same for all work-items, None
    where it is unknown."""
    lanes, found = Lanes(kernel.steps), []
    skips = [(first, last, lanes.passes(kernel.steps[first]))
             for first, last in skipped(kernel.steps)]
    for i, step in enumerate(kernel.steps):
        access = isinstance(step, asm.Instruction) and step.access
        if not access or access.space != asm.LOCAL or access.kind == asm.ATOMIC:
            continue
        places = lanes.place(step)
        if not places:
            found.append(None)
            continue
        goes = [passes for first, last, passes in skips if first < i < last]
        here = [place if all(passes[n] for passes in goes) else None
                for n, place in enumerate(places)]
        if len(set(here) - {None}) > 1:
            found.append(ways(here, access.size))
    return found

"""What the assembly of one kernel is, whichever device it is for.

A kernel is a list of steps: labels, and instructions with what they do to memory. The
readers of the assemblies (ptx.py, sass.py, gcn.py, gen.py) make them.
"""

import dataclasses
from typing import NamedTuple, Optional

LOAD, STORE, ATOMIC = "load", "store", "atomic"
GLOBAL, LOCAL, PRIVATE, OTHER = "global", "local", "private", "other"


class Access(NamedTuple):
    """What an instruction does to memory."""

    kind: str
    space: str
    size: int  # bytes, of one work-item
    coherent: bool = False  # past the cache that only one compute unit sees


class Instruction(NamedTuple):
    text: str
    target: Optional[str] = None  # the label that it may go on at
    access: Optional[Access] = None
    barrier: bool = False


class Label(NamedTuple):
    name: str


@dataclasses.dataclass
class Kernel:
    name: str
    steps: list
    group_size: Optional[int] = None  # where the assembly says it
    depot: int = 0  # bytes of private memory that PTX asks for
    facts: dict = dataclasses.field(default_factory=dict)  # of its trailer: registers ...


def instructions(steps):
    return [step for step in steps if isinstance(step, Instruction)]


def accesses(steps, kind, space):
    """Those accesses, in their order."""
    found = [step.access for step in instructions(steps) if step.access]
    return [access for access in found if access.kind == kind and access.space == space]


def barriers(steps):
    return sum(step.barrier for step in instructions(steps))


def innermost_ranges(steps):
    """Where each loop that has no other in it begins and ends. Compilers lay a loop out in one
    piece, so it is what lies between a label and a jump back to it."""
    at = {step.name: i for i, step in enumerate(steps) if isinstance(step, Label)}
    ranges = {}
    for i, step in enumerate(steps):
        if isinstance(step, Instruction) and step.target in at and at[step.target] <= i:
            first = at[step.target]
            ranges[first] = max(ranges.get(first, i), i)
    spans = sorted(ranges.items())
    return [
        (first, last)
        for first, last in spans
        if not any(first < a and b <= last for a, b in spans)
    ]


def innermost_loops(steps):
    """The steps of each loop that has no other in it."""
    return [steps[first : last + 1] for first, last in innermost_ranges(steps)]


def streaming_loop(steps):
    """The loop that a kernel spends its time in: the one that loads most by 16 bytes, else the
    longest; [] if there is none."""

    def weight(loop):
        wide = sum(access.size >= 16 for access in accesses(loop, LOAD, GLOBAL))
        return wide, len(instructions(loop))

    return max(innermost_loops(steps), key=weight, default=[])


def blocks(steps):
    """What lies between labels and jumps."""
    found = [[]]
    for step in steps:
        if isinstance(step, Label):
            found.append([])
        found[-1].append(step)
        if isinstance(step, Instruction) and step.target:
            found.append([])
    return found


def pieces(steps):
    """The innermost loops, and then the blocks outside of them."""
    found, at = innermost_loops(steps), 0
    for first, last in [*innermost_ranges(steps), (len(steps), len(steps))]:
        found += blocks(steps[at:first])
        at = last + 1
    return found


def between_barriers(steps):
    found = [[]]
    for step in steps:
        found[-1].append(step)
        if isinstance(step, Instruction) and step.barrier:
            found.append([])
    return found


def instructions_an_element(steps, kind, size):
    """Of the piece that has most such accesses to local memory, per `size` bytes of them: a loop
    over elements, however far it is unrolled. None if there are no accesses."""

    def bytes_of(piece):
        return sum(access.size for access in accesses(piece, kind, LOCAL))

    most = max(pieces(steps), key=bytes_of)
    return round(len(instructions(most)) * size / bytes_of(most), 1) if bytes_of(most) else None


def tile_loops(steps, read, written):
    """Instructions an element in a group's two loops over the elements that it has in local
    memory, of `read` bytes and then of `written` bytes each: the fold, which is after the barrier
    that ends the reading of them, and the scan, which ends at the last barrier before wide stores.
    None for a loop that is not there."""
    parts = between_barriers(steps)
    fold = scan = None
    for before, part in zip(parts, parts[1:]):
        wide = [access.size == 16 for access in accesses(before, LOAD, GLOBAL)]
        if fold is None and any(wide) and accesses(before, STORE, LOCAL):
            fold = instructions_an_element(part, LOAD, read)
        wide = [access.size == 16 for access in accesses(part, STORE, GLOBAL)]
        if any(wide) and accesses(part, LOAD, LOCAL):
            scan = instructions_an_element(before, STORE, written)
    return fold, scan

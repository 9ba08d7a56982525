"""What the assembly of one kernel is, whichever device it is for.

A kernel is a list of steps: labels, and instructions with what they do to memory. readers.py makes
them of the vendors' assemblies.
"""

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
    guard: Optional[str] = None  # the condition that it is under, as PTX has it


class Label(NamedTuple):
    name: str


class Kernel(NamedTuple):
    name: str
    steps: list
    facts: dict  # what the compiler says: registers ...


def instructions(steps):
    return [step for step in steps if isinstance(step, Instruction)]


def accesses(steps, kind, space):
    """Those accesses, in their order."""
    found = [step.access for step in instructions(steps) if step.access]
    return [access for access in found if access.kind == kind and access.space == space]


def sizes(steps, kind, space=GLOBAL):
    """How many bytes each of those is of."""
    return [access.size for access in accesses(steps, kind, space)]


def barriers(steps):
    return sum(step.barrier for step in instructions(steps))


def innermost_loops(steps):
    """The steps of each loop that has no other in it. Compilers lay a loop out in one piece, so it
    is what lies between a label and a jump back to it."""
    at = {step.name: i for i, step in enumerate(steps) if isinstance(step, Label)}
    ranges = {}
    for i, step in enumerate(steps):
        if isinstance(step, Instruction) and step.target in at and at[step.target] <= i:
            first = at[step.target]
            ranges[first] = max(ranges.get(first, i), i)
    spans = sorted(ranges.items())
    return [steps[first : last + 1] for first, last in spans
            if not any(first < a and b <= last for a, b in spans)]


def parted(steps, begins, ends):
    found = [[]]
    for step in steps:
        found += [[]] if begins(step) else []
        found[-1].append(step)
        found += [[]] if isinstance(step, Instruction) and ends(step) else []
    return found


def blocks(steps):
    """What lies between labels and jumps."""
    return parted(steps, lambda step: isinstance(step, Label), lambda step: step.target)


def between_barriers(steps):
    return parted(steps, lambda step: False, lambda step: step.barrier)


def bytes_of(steps, kind, space):
    """What those accesses take, but for words that groups tell each other."""
    return sum(access.size for access in accesses(steps, kind, space) if not access.coherent)


def streaming_loop(steps):
    """The loop that loads most; [] if there is none."""
    return max(innermost_loops(steps), default=[],
               key=lambda loop: (bytes_of(loop, LOAD, GLOBAL), len(instructions(loop))))


def tile_loops(steps):
    """The loops in which a group takes elements through local memory: it loads them there, folds
    them after the next barrier, scans them in place, and writes them. The fold may also be before
    the loads, where a compiler puts these last. Each is the loop of most such bytes, or [] if it is
    not there."""
    parts = [innermost_loops(part) for part in between_barriers(steps)]

    def most(loops, kind, space, *also):
        found = [loop for loop in loops if bytes_of(loop, kind, space)
                 and all(bytes_of(loop, *one) for one in also)]
        return max(found, key=lambda loop: bytes_of(loop, kind, space), default=[])

    def touching(loops, *kinds):
        """Those whose accesses to global memory are of just these kinds."""
        return [loop for loop in loops
                if {access.kind for step in instructions(loop) if (access := step.access)
                    and access.space == GLOBAL} == set(kinds)]

    loads = [most(touching(part, LOAD), STORE, LOCAL) for part in parts]
    writes = [most(part, STORE, GLOBAL, (LOAD, LOCAL)) for part in parts]
    first = next((i for i, loop in enumerate(loads) if loop), None)
    last = max((i for i, loop in enumerate(writes) if loop), default=None)
    found = {"load": [] if first is None else loads[first], "fold": [], "scan": [],
             "write": [] if last is None else writes[last]}
    if last is not None:
        near = [loop for part in parts[max(last - 1, 0) : last + 1] for loop in touching(part)]
        found["scan"] = most(near, STORE, LOCAL, (LOAD, LOCAL))
    if first is not None:
        folds = [most(touching(part), LOAD, LOCAL) for part in [*parts[first + 1 :][:1], *parts]]
        fold = next(filter(None, folds), [])
        found["fold"] = fold if fold is not found["scan"] else []
    return found


def under_way(steps):
    """Loads of global memory that are in one block, at most."""
    return max(sum(not access.coherent for access in accesses(block, LOAD, GLOBAL))
               for block in blocks(steps))

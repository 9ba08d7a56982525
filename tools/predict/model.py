"""How long launches take, from their counts and a device's numbers: each part of the device is busy
for a time, and the longest of these binds.

  memory   bytes past L2 / bandwidth, or what is under way / latency, if that is less
  L2       bytes past L1 / its bandwidth
  L1       passes / (units * clock)
  local    passes of the banks / (units * clock)
  issue    instructions / (units * issue * clock)
  latency  rounds of loads, barriers and local steps, one after the other
  hops     groups that wait for each other
"""

import math
from types import SimpleNamespace as Record

from predict import reuse
from predict.nest import need

TERMS = ("memory", "L2", "L1", "local", "issue", "latency", "hops")
# Instructions, where no compiler tells: from two kernels of one GPU, see docs/predict.md.
WEIGHTS = {"simple": 1, "tree": 1, "reciprocal": 8, "special": 8, "convert": 1, "access": 3,
           "branches": 4, "turns": 5, "barriers": 3}


def round_up(value, unit):
    return math.ceil(value / unit) * unit if unit > 1 else value


def fit_registers(device, sub_groups, registers):
    """Groups by registers: sub-groups take whole units of the part of the unit that they run on, or
    a group takes whole units for all of its sub-groups."""
    number = device.number
    rounded = round_up(sub_groups, number("sub_group_unit"))
    each, parts = registers * number("width"), number("register_parts", 1)
    if registers > number("most_registers", registers):
        return 0
    if number("registers_by_group"):
        return number("registers") // round_up(rounded * each, number("register_unit"))
    each = round_up(each, number("register_unit"))
    if each * rounded > number("registers"):
        return 0
    return parts * (number("registers") // parts // each) // sub_groups


def fit(device, num_items, registers, local_bytes):
    """How many groups a unit holds at once, and what limits them. No registers: they do not."""
    number = device.number
    sub_groups = math.ceil(num_items / number("width"))
    local = round_up(local_bytes + number("local_reserved"), number("local_unit"))
    limits = [("sub_groups", "sub-groups", number("sub_groups") // sub_groups),
              ("groups", "groups", number("groups")),
              ("registers", "registers", registers and fit_registers(
                  device, sub_groups, registers)),
              ("local", "local memory", local and number("local") // local)]
    limits = [(groups, name) for word, name, groups in limits if word in device.numbers and
              not (word == "registers" and not registers) and not (word == "local" and not local)]
    if num_items > number("most_items", num_items):
        return 0, "work-items"
    groups, name = min(limits, default=(1, "nothing that is known"), key=lambda one: one[0])
    return int(groups), name


def sums(nest, launch, is_local, cell, kinds=("load", "store")):
    return sum(cells[cell] for number, cells in launch.accesses.items()
               if nest.accesses[number].kind in kinds and
               nest.accesses[number].array.is_local == is_local)


def instructions_of(nest, launch, device):
    cells = launch.cells
    if "instructions" in launch.facts:
        total = launch.facts["instructions"] * launch.num_groups
    else:
        requests = sum(sums(nest, launch, is_local, "requests") for is_local in (False, True))
        total = WEIGHTS["access"] * requests
        total += sum(weight * cells[name] for name, weight in WEIGHTS.items() if name in cells)
    return total + (sums(nest, launch, True, "extra") if device.number("replays") else 0)


def group_cycles(launch, device):
    """One after the other, what the first sub-group of a group waits for."""
    cells, number = launch.cells, device.number
    return (cells["rounds_of_loads"] / launch.num_groups * number("latency")
            + cells["barriers"] / cells["sub_groups"] * number("barrier")
            + cells["rounds_of_local_loads"] / launch.num_groups
            * (2 * number("local_latency") + number("alu_latency")))


def time_launch(nest, launch, device, is_later):
    """The terms of a launch, and its seconds with those of all waves and times."""
    number = device.number
    facts = launch.facts
    held, limit = fit(device, launch.num_items, facts.get("registers", 0), launch.local_bytes)
    need(held > 0, launch.kernel.place,
         f"a unit of {device.name} holds no group of {launch.kernel.name}, by its {limit}")
    out = Record(groups=held, limit=limit, waves=facts.get("waves", 1),
                 times=facts.get("times", 1) * launch.stands)
    units, hertz, groups = number("units"), number("clock") * 1e9, launch.num_groups / out.waves
    held = min(held, math.ceil(groups / units))
    rounds = math.ceil(groups / (units * held))
    out.tail = rounds * units * held / groups
    out.instructions = instructions_of(nest, launch, device)
    past_l1, loads, stores = reuse.past(nest, launch, device, device.lanes, held)
    stored = reuse.SECTOR * sums(nest, launch, False, "sectors", ("store",))
    out.fetched, out.past_l1, out.past_l2 = (
        reuse.SECTOR * sums(nest, launch, False, "sectors"), past_l1 + stored, loads + stores)
    # Loads under way, on a unit, are those of all its sub-groups that do not wait for each other.
    rounds_of_loads = launch.cells["rounds_of_loads"]
    asked = sums(nest, launch, False, "bytes", ("load",))
    out.under_way = held * asked / rounds_of_loads if rounds_of_loads else 0
    out.bandwidth = number("bandwidth")
    if number("latency") and out.under_way:
        out.bandwidth = min(out.bandwidth,
                            units * out.under_way * number("clock") / number("latency"))
    hops = facts.get("hops", 0) * 2 * number("l2_latency")
    passes = {is_local: sums(nest, launch, is_local, "passes") for is_local in (False, True)}
    amounts = {
        "memory": (loads * 1e-9 / out.bandwidth + stores * 1e-9 / number("bandwidth"), 1),
        "L2": (out.past_l1, number("l2_bandwidth") * hertz),
        "L1": (passes[False], units * hertz),
        "local": (passes[True], units * hertz),
        "issue": (out.instructions, units * number("issue") * hertz),
        "latency": (out.waves * rounds * group_cycles(launch, device) / out.tail,
                    hertz if number("latency") else 0),
        "hops": (hops / out.tail, hertz if hops else 0),
    }
    out.terms = {name: out.tail * amount / speed if speed else None
                 for name, (amount, speed) in amounts.items()}
    out.binds = max(TERMS, key=lambda name: out.terms[name] or 0)
    out.work, out.costs = out.times * out.terms[out.binds], 0
    if out.times:
        first = number("launch" if is_later else "call", number("launch")) * 1e-6
        out.costs = first + (out.times * out.waves - 1) * number("launch") * 1e-6
    out.seconds = out.work + out.costs
    return out


def time_transfer(device, size):
    """Of one crossing of the link; None: the device's file does not tell."""
    if not device.number("link"):
        return None
    return size / (device.number("link") * 1e9) + device.number("link_latency") * 1e-6

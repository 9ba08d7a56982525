"""Times the seven kernels of the classic lecture on reductions, reduce0 to reduce6, and what the
library would choose (auto), in turn. Each result is compared with numpy's; a wrong one is
reported, and the exit status is 1.

Each row also has what one work-group does in its tree, as clfold predict counts
it for sub-groups of 32, 32 banks of local memory, and elements of 4 bytes:
  steps      of the tree
  barriers   of the whole group
  busy       steps of a sub-group in which some work-item works
  mixed      of these, the ones in which another work-item is idle
  replays    extra turns of the banks, because work-items meet in one
  cycles     turns of the banks in all
and of the whole call: loads, the elements that one work-item reads; the groups
of the first pass; and the passes. With --predict, the ms that are predicted for
the call, and the sectors of 32 bytes that it moves."""

import functools

from lab import report, view
from lab.case import OPERATORS
from lab.measure import Entry
from lab.program import Failed
from lab.text import count_text
from predict import predict as model
from predict.device import DEFAULT
from predict.nest import Wrong

RUNGS = [f"reduce{n}" for n in range(7)]
OPS = [*OPERATORS, "arg-min", "arg-max", "min-max", "arg-min-max"]
TREE = ("steps", "barriers", "busy", "mixed", "replays", "cycles")
COLUMNS = [
    ("type", -5, lambda row: row["type"]), ("count", 8, lambda row: count_text(row["count"])),
    ("kernel", -8, lambda row: row["kernel"]),
    ("ms", 9, lambda row: f"{1e3 * row['seconds']:.4f}"),
    ("GB/s", 8, lambda row: report.figures(row["gbps"])),
    *((f"x {name}", 9, lambda row, name=name: f"{row[f'by_{name}']:.2f}")
      for name in ("before", "reduce0")),
    *((head, max(6, len(head)), lambda row, name=name: f"{row[name]:.0f}") for head, name in (
        ("group", "group_size"), ("loads", "items"), ("groups", "num_groups"),
        ("passes", "num_launches"), *((name, name) for name in TREE))),
]  # fmt: skip
PREDICTED = [("predicted", 9, lambda row: f"{1e3 * row['predicted_seconds']:.4f}"),
             ("sectors", 10, lambda row: f"{row['sectors']:.0f}")]  # fmt: skip
EXAMPLES = """
The kernels over counts from 2^17 to 2^25, as a chart:
  $ clfold ladder --svg ladder.svg
"""


def read_options(arguments):
    parser = view.Parser("ladder", __doc__, EXAMPLES, [1 << n for n in range(17, 26)], 0.5)
    parser.add_argument("--op", default="add", metavar="OP", choices=OPS,
                        help=f"the operator, one of {' '.join(OPS)}; default: add")
    parser.add_argument("--predict", metavar="DEVICE",
                        help="predict the times on a device too, which is named as for clfold "
                        "predict; its sub-groups and banks are then those of the counts")
    options = parser.parse_args(arguments)
    if options.predict:
        predict("reduce0", {"n": 1}, options.predict)  # that there is such a device
    options.case, options.types = [f"reduce --op {options.op}"], options.types or ["i32"]
    return options


# ---- What the model says ----


def predict(nest, settings, device):
    """The launches' objects, and the whole's."""
    try:
        return model.objects(nest, settings, device or DEFAULT)
    except Wrong as wrong:
        raise Failed(model.sentence(wrong, nest)) from wrong


@functools.cache
def tree_of(rung, group_size, device):
    """Of one of two groups that are full, or of the one that has two elements for each of its
    work-items. Besides its tree, each sub-group stores once, and one loads once."""
    launch = predict(rung, {"n": 2 * group_size, "B": group_size}, device)[0][0]
    counts, num = launch["counts"], launch["groups"]
    sub_groups = counts["sub_groups"] // num
    local = [access for access in launch["accesses"] if access["sectors"] == 0]
    barriers = counts["barriers"] // counts["sub_groups"]
    stores = sum(access["requests"] for access in local if access["access"] == "store")
    return {"steps": barriers - 1, "barriers": barriers, "busy": stores // num - sub_groups,
            "mixed": counts["divergent"] // num - (group_size > 1),
            "replays": sum(access["extra"] for access in local) // num,
            "cycles": sum(access["passes"] for access in local) // num - sub_groups - 1}


def time_of(rung, count, size, answer, options, alike):
    """Seconds and sectors. `alike`: with the groups of the device at hand, else with the nest's."""
    settings = {"n": count, "T": size}
    if alike:
        settings["B"] = int(answer["group_size"])
        if rung == "reduce6":
            settings["G"] = int(answer["num_groups"])
    launches, whole = predict(rung, settings, options.predict)
    sectors = sum(launch["times"] * launch["sectors"] for launch in launches)
    return whole["seconds"], sectors, whole["device"]


# ---- The view ----


def lines_of(row):
    """Of a chart."""
    is_auto = row["kernel"] == "auto"
    found = [("clfold: auto" if is_auto else row["kernel"], row["gbps"], None)]
    found += [("roofline: read", row["read_gbps"], None)] if is_auto else []
    if "predicted_seconds" in row:
        gbps = row["bytes"] / row["predicted_seconds"] / 1e9
        found.append((f"{row['kernel']} model", gbps, None))
    return found


def rows_of(one, options, reads):
    """A row of each kernel."""
    before = first = None
    for entry in one.entries[: len(RUNGS) + 1]:
        row = {**one.row(entry), "kernel": entry.name, "bytes": one.moved(), "read_gbps": reads}
        if row["ok"]:
            answer, now = entry.answer, row["seconds"]
            first = first or now
            row |= {name: answer.get(name) for name in ("group_size", "items", "num_groups",
                                                        "num_launches")}  # fmt: skip
            row |= {"by_before": before and before / now, "by_reduce0": first / now}
            before = now
            if entry.name in RUNGS:
                row |= tree_of(entry.name, int(answer["group_size"]), options.predict)
            if entry.name in RUNGS and options.predict:
                alike = not entry.about.get("is_cpu")
                row["predicted_seconds"], row["sectors"], row["predicted_device"] = time_of(
                    entry.name, one.case.count, one.case.dtype.itemsize, answer, options, alike)
        yield row


def main(arguments):
    options = read_options(arguments)
    columns = COLUMNS + (PREDICTED if options.predict else [])
    with view.Session(options, "ladder", columns, lines_of) as session:
        for case in session.cases({}, None):
            entries = [Entry(rung, number=number, more=("--kernel", rung))
                       for number, rung in enumerate([*RUNGS, "auto"])]  # fmt: skip
            one = session.measure(case, entries)
            for row in rows_of(one, options, session.roofline.best(one.entries)[0]):
                session.add(row)
    return session.failed

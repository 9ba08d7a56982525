"""Times the seven kernels of the classic lecture on reductions, reduce0 to reduce6, and what the
library would choose (auto), in turn. Each result is compared with numpy's; a wrong one is
reported, and the exit status is 1.

The last table shows what one work-group does in its tree, as clfold predict counts it for
sub-groups of 32, 32 banks of local memory, and elements of 4 bytes:
  steps      of the tree
  barriers   of the whole group
  busy       steps of a sub-group in which some work-item works
  mixed      of these, the ones in which another work-item is idle
  replays    extra turns of the banks, because work-items meet in one
  cycles     turns of the banks in all
and of the whole call: loads, the elements that one work-item reads; the groups of the first pass;
and the passes. With --predict, the ms that are predicted for the call, and the sectors of 32 bytes
that it moves."""

import json
import os
import subprocess

from lab import measure, report, view
from lab.case import OPERATORS
from lab.measure import Entry

RUNGS = [f"reduce{n}" for n in range(7)]
TREE = ("steps", "barriers", "busy", "mixed", "replays", "cycles")
EXAMPLES = """
The kernels over counts from 2^17 to 2^25, as a chart:
  $ clfold ladder --svg ladder.svg
"""


def read_options(arguments):
    parser = view.Parser("ladder", __doc__, "[options]", EXAMPLES)
    parser.add_common([1 << n for n in range(17, 26)], 0.5)
    parser.add_argument("--op", default="add", metavar="OP", help="the operator; default: add",
                        choices=[*OPERATORS, "arg-min", "arg-max", "min-max", "arg-min-max"])
    parser.add_argument("--predict", metavar="V",
                        help="predict the times on a device too, which is named as for clfold "
                        "predict; counts of work-groups are then by its sub-groups and banks")
    parser.add_outputs()
    options = parser.parse_args(arguments)
    options.events, options.counts = False, sorted(options.counts)
    options.chart = report.Chart(options)
    return options


# ---- What the model says ----


def predict(nest, settings, device):
    """The launches' objects, and the whole's."""
    command = os.environ.get("CLFOLD_COMMAND", "clfold")
    words = [command, "predict", nest, "--json", *(["--device", device] if device else [])]
    words += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise view.Failed(f"{command} predict: {error.strerror}") from error
    if done.returncode:
        raise view.Failed(done.stderr.strip().removeprefix("clfold: "))
    *launches, whole = map(json.loads, done.stdout.splitlines())
    return launches, whole


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


# ---- What is printed ----


def print_speeds(options, rows):
    print("GB/s by number of elements")
    print(f"{'n':>12} " + " ".join(f"{name:>8}" for name in [*RUNGS, "auto"]))
    for count in options.counts:
        speeds = [report.figures(row.get("gbps")) for row in rows if row["count"] == count]
        print(f"{view.count_text(count):>12} " + " ".join(f"{speed:>8}" for speed in speeds))


def print_rungs(options, rows, answers, trees, reads):
    last = [row for row in rows if row["count"] == options.counts[-1]]
    print(f"\nn = {view.count_text(options.counts[-1])}; steps to cycles are of one work-group, as "
          "clfold ladder --help says")  # fmt: skip
    heads = [*TREE, "loads", "groups", "passes"]
    print(f"{'kernel':<8} {'ms':>9} {'GB/s':>8} {'x before':>8} {'x reduce0':>9} {'group':>6} "
          + " ".join(f"{head:>8}" for head in heads)
          + (f" {'predicted':>9} {'sectors':>12}" if options.predict else ""))
    before = first = None
    for row in last:
        if not row["ok"]:
            print(f"{row['kernel']:<8} {row['why']}")
            continue
        answer, tree = answers[row["kernel"]], trees.get(row["kernel"], {})
        factors = [f"{one / row['seconds']:.2f}" if one else "-" for one in (before, first)]
        before, first = row["seconds"], first or row["seconds"]
        numbers = [*(tree.get(name, "-") for name in TREE),
                   *(int(answer[name]) for name in ("items", "num_groups", "num_launches"))]
        line = (f"{row['kernel']:<8} {1e3 * row['seconds']:>9.4f} {report.figures(row['gbps']):>8} "
                f"{factors[0]:>8} {factors[1]:>9} {int(answer['group_size']):>6} "
                + " ".join(f"{number:>8}" for number in numbers))
        if "predicted_seconds" in row:
            line += f" {1e3 * row['predicted_seconds']:>9.4f} {row['sectors']:>12}"
        print(line)
    if options.predict:
        print(f"predicted are ms on {last[0].get('predicted_device')}, as clfold predict says")
    print(f"auto is {answers['auto'].get('algorithm')}; the fastest that only reads takes in "
          f"{report.figures(reads)} GB/s")  # fmt: skip


def lines_of(row):
    """Of a chart."""
    is_auto = row["kernel"] == "auto"
    found = [("clfold: auto" if is_auto else row["kernel"], row["gbps"], None)]
    found += [("roofline: read", row["read_gbps"], None)] if is_auto else []
    if "predicted_seconds" in row:
        gbps = row["bytes"] / row["predicted_seconds"] / 1e9
        found.append((f"{row['kernel']} model", gbps, None))
    return found


def main(arguments):
    options = read_options(arguments)
    kind = (options.types or ["i32"])[0]
    rows, answers, trees = [], {}, {}
    with view.pool_for(options) as pool:
        roofline = view.Roofline(pool)
        for count in options.counts:
            case = view.make_case(f"reduce --op {options.op}", kind, count)
            entries = []
            for number, rung in enumerate([*RUNGS, "auto"]):
                entries.append(Entry(rung, "clfold", None, "", number))
                entries[-1].more = ["--kernel", rung]
            is_last = count == options.counts[-1]
            entries += roofline.entries(case.arrays["in"].nbytes, 0) if is_last else []
            one = measure.measure(pool, case, entries, options, view.line_for(roofline),
                                  case.expected())  # fmt: skip
            moved = case.arrays["in"].nbytes
            for entry in one.entries[: len(RUNGS) + 1]:
                row = {"kernel": entry.name, "case": f"reduce {options.op}", "type": kind,
                       "count": count, "bytes": moved, "ok": entry.trouble is None,
                       "device": entry.about.get("device")}  # fmt: skip
                answers[entry.name] = entry.answer
                row |= {"why": entry.trouble} if entry.trouble else {
                    "seconds": entry.median(), "gbps": moved / entry.median() / 1e9}
                if options.predict and entry.name in RUNGS and not entry.trouble:
                    alike = not entry.about.get("is_cpu")
                    row["predicted_seconds"], row["sectors"], row["predicted_device"] = time_of(
                        entry.name, count, case.dtype.itemsize, entry.answer, options, alike)
                rows.append(row)
        reads = max(filter(None, (roofline.best(one.entries, name)[0] for name in roofline.names)),
                    default=None)
        about = pool.get("clfold").about
    for row in rows:
        row["read_gbps"] = reads
    for rung in RUNGS:
        if answers[rung].get("group_size") and not options.json:
            trees[rung] = tree_of(rung, int(answers[rung]["group_size"]), options.predict)
    if options.json:
        for row in rows:
            print(json.dumps(row))
    else:
        print(f"{kind} {options.op} on {about['device']}, driver {about['driver']}; "
              f"{measure.machine()}\n")  # fmt: skip
        print_speeds(options, rows)
        print_rungs(options, rows, answers, trees, reads)
    options.chart.draw(rows, lines_of, f"ladder, reduce {options.op}")
    return int(any(not row["ok"] for row in rows))

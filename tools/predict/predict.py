"""How long a kernel takes on a GPU that you do not have. Counts what the kernels of a nest do on a
GPU, exactly: memory requests, sectors, lines, passes of local memory's banks, branches, barriers;
and predicts from the GPU's numbers how long they take. No device is used. docs/predict.md has the
language of nests, the terms of the time, and how far predictions were off.

NEST is Fortran with !DVM$ directives, as FILE.f90; a FILE.nest, such as clfold nest makes of
Fortran; or a kernel of clfold's own: {nests}."""

import argparse
import functools
import itertools
import json
import os
import re
import sys

from lab import view
from predict import count, device, model, nest, thesis
from predict.nest import Wrong, need

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nests")
MOST_ROWS = 16  # launches of a kernel that are shown one by one
# Folds that clfold has: of one number, of integers only, and others.
FOLDS = "add mul min max logical_and logical_or bit_and bit_or bit_xor".split()
OTHER_FOLDS = "arg_min arg_max min_max arg_min_max moments".split()
ASSUMED = ["the longest term hides the others",
           "global loads wait for each other where a store, an operation, a barrier or a turn is "
           "between them", "the first sub-group of a group is the slowest",
           "groups run in waves, X first, and caches keep what was used last",
           "each launch begins with caches that hold nothing of its arrays"]
EXAMPLES = """
A rung of the ladder on an A100, with all that the time consists of:
  $ clfold predict reduce3 --device a100 --set n=2^24 --explain
A program, and how long it takes on this machine:
  $ clfold predict solver.f90 --device h200 --set n=4096 --time
A kernel of your own, in other groups:
  $ clfold predict stencil.nest --block 32,8
"""
NEST_ABOUT = """The nest of a Fortran file, as text, to standard output: a kernel for each loop nest
with !DVM$ PARALLEL, as often as calls and loops run it, and the transfers at the edges of regions.
clfold predict reads it, and people can change it before. It needs the Python package fparser, and
says how to get it."""
NEST_EXAMPLE = """
See what is counted, and change it:
  $ clfold nest --set n=4096 solver.f90 > solver.nest
"""


# ---- What is known ----


def tidy(item):
    """Floats with nine digits; others as they are."""
    if isinstance(item, dict):
        return {key: tidy(one) for key, one in item.items()}
    if isinstance(item, (list, tuple)):
        return [tidy(one) for one in item]
    return float(f"{item:.9g}") if isinstance(item, float) else item


def counted(told, launch):
    """Requests and the like, of a launch: counts, items and accesses."""
    cells, sums = launch.cells, functools.partial(model.sums, told, launch)
    items = {f"{space}_{kind}{end}": sums(space == "local", cell, (kind,))
             for end, cell in (("s", "items"), ("_bytes", "bytes"))
             for space in ("global", "local") for kind in ("load", "store")}
    accesses = {number: {"line": told.accesses[number].place[0],
                         "access": told.accesses[number].kind,
                         "array": told.accesses[number].array.name,
                         **{cell: found[cell] for cell in count.CELLS[:7]}}
                for number, found in sorted(launch.accesses.items())}
    counts = {name: cells[name] for name in count.COUNTS}
    counts["simple"] += cells["tree"]  # which are among these
    return {"counts": counts, "items": {**items, "barriers": cells["barrier_items"]},
            "accesses": accesses}


def shape(launch, times):
    return {"kernel": launch.kernel.name, "line": launch.kernel.place[0], "block": launch.size,
            "grid": launch.groups, "groups": launch.num_groups, "size": launch.num_items,
            "waves": launch.facts.get("waves", 1), "times": times}


def row_of(told, launch, gpu, is_later):
    """What is known of a launch."""
    time = model.time_launch(told, launch, gpu, is_later)
    assumptions = []
    if "registers" not in launch.facts:
        assumptions.append("registers do not limit the groups on a unit")
    if "instructions" not in launch.facts:
        weights = ", ".join(f"{weight} for {name}" for name, weight in model.WEIGHTS.items())
        assumptions.append(f"instructions: {weights}")
    return {**shape(launch, time.times), "groups_of_unit": time.groups, "limit": time.limit,
            "sectors": model.sums(told, launch, False, "sectors"),
            "lines": model.sums(told, launch, False, "lines"),
            "bank_passes": model.sums(told, launch, True, "passes"), "binds": time.binds,
            "instructions": time.instructions, "seconds": time.seconds,
            "launch_cost_seconds": time.costs,
            "traffic": {"fetched_bytes": time.fetched, "bytes_past_l1": time.past_l1,
                        "bytes_past_l2": time.past_l2,
                        "bytes_under_way_on_a_unit": time.under_way, "gbps": time.bandwidth,
                        "tail_factor": time.tail},
            "terms": time.terms, "assumptions": assumptions, **counted(told, launch)}


def added(rows, stands):
    """Many launches of a kernel in one row: what is counted is of all of them."""

    def total(items, weights=stands):
        """The sum of numbers, or of each in objects and lists that are alike."""
        if isinstance(items[0], dict):
            return {key: total([item[key] for item in items], weights) for key in items[0]}
        if isinstance(items[0], (int, float)):
            found = sum(item * weight for item, weight in zip(items, weights))
            return round(found) if isinstance(items[0], int) else found
        return items[0]

    first, ones = rows[0], [1] * len(rows)
    found = {**first, "grids": [first["grid"], rows[-1]["grid"]],
             **{key: total([row[key] for row in rows]) for key in (
                 "counts", "items", "terms", "sectors", "lines", "bank_passes", "instructions",
                 "traffic")},
             **{key: total([row[key] for row in rows], ones)
                for key in ("times", "seconds", "launch_cost_seconds")}}
    accesses = {}
    for row, weight in zip(rows, stands):
        for number, access in row["accesses"].items():
            accesses.setdefault(number, []).append((access, weight))
    cells = count.CELLS[:7]
    found["accesses"] = {number: {**some[0][0], **total(
        [{cell: access[cell] for cell in cells} for access, _ in some],
        [weight for _, weight in some])} for number, some in accesses.items()}
    for key in ("bytes_under_way_on_a_unit", "gbps", "tail_factor"):
        found["traffic"][key] = first["traffic"][key]
    known = {name: term for name, term in found["terms"].items() if term is not None}
    found["binds"] = max(known, key=known.get)
    if sum(stands) > len(rows):
        one, other = (sum(row["seconds"] for row in rows[i::2]) for i in (0, 1))
        found["assumptions"] = [
            *first["assumptions"], f"counts of {sum(stands)} launches are from {len(rows)} of "
            f"them, whose halves differ by {abs(one - other) / (one + other):.1%}"]
    return found


def fold_of(launch, seconds, gpu):
    """The call of clfold that does what the kernel says, its time and that of the kernel."""
    (name, kind), size = launch.kernel.fold, nest.TYPES.get(launch.kernel.fold[1], 0)
    is_plain = name in FOLDS and size and not (name.startswith("bit") and kind[0] == "f")
    if not is_plain and not (name in OTHER_FOLDS and size):
        return {"missing": f"clfold does not fold {kind} by {name}"}
    tiles = None
    if is_plain and size >= 4:
        launches, whole = objects("reduce_tiles", {"n": launch.facts["fold"], "T": size}, gpu)
        tiles = whole["launch_seconds"] if launches else None
    member = f".op = CLFOLD_{name.upper()}, .type = CLFOLD_{kind.upper()}"
    return {"seconds": seconds, "reduce_tiles_seconds": tiles,
            "command": f"clfold reduce --op {name.replace('_', '-')} --raw {kind} FILE",
            "fold": f"const clfold_fold fold = {{ {member} }};",
            "call": "clfold_reduce(context, queue, &fold, in, 0, out, 0, "
                    f"{launch.facts['fold']}, 0, NULL, NULL);"}


def rows_of(told, launches, gpu):
    """A row of each launch; one of all of a kernel that has many."""
    rows, found = [row_of(told, launch, gpu, i > 0) for i, launch in enumerate(launches)], []
    for _, pairs in itertools.groupby(zip(rows, launches), lambda pair: pair[0]["kernel"]):
        some, ones = zip(*pairs)
        found += [added(some, [one.stands for one in ones])] if len(some) > MOST_ROWS else some
    for row, after in zip(found, [*found[1:], {"kernel": "", "seconds": 0}]):
        row["accesses"] = list(row["accesses"].values())
        launch = next(one for one in launches if one.kernel.name == row["kernel"])
        if launch.kernel.fold:
            is_rest = after["kernel"] == f"{row['kernel']}_parts"
            row["fold"] = fold_of(launch, row["seconds"] + is_rest * after["seconds"], gpu)
    return found


def thesis_rows(told, launches, gpu, cache, grid):
    rows = []
    for launch in launches:
        found, seconds = thesis.rows(told, launch, gpu, cache, grid)
        times = launch.stands * launch.facts.get("times", 1)
        rows.append({**shape(launch, times), **found, "seconds": seconds})
    return rows


def unknown_costs(gpu, num_launches, has_transfers):
    waits = bool(gpu.number("latency"))
    costs = {"call": not gpu.number("launch"), "launch": num_launches > 1, "barrier": waits,
             "local_latency": waits, "alu_latency": waits, "link": has_transfers,
             "link_latency": has_transfers}
    return [f"{name} is not known and costs nothing" for name, is_used in costs.items()
            if is_used and name not in gpu.numbers]


def transfer_of(gpu, name, way, size, times):
    each = model.time_transfer(gpu, size)
    return {"array": name, "way": way, "bytes": size, "times": times,
            "seconds": (each or 0) * times, "each_seconds": each}


def notes_of(told, launches):
    names = {launch.kernel.name for launch in launches}
    notes = [*told.notes, *(f"{kernel.name}: {note}" for kernel in told.kernels
                            if kernel.name in names for note in kernel.notes)]
    return list(dict.fromkeys(notes))


def objects_of(text, settings, gpu, by_thesis=False, cache=0, grid=None):
    """A row for each launch, and the whole."""
    told = nest.parse(text)
    launches, moves = count.count(told, gpu.lanes, settings)
    rows = (thesis_rows(told, launches, gpu, cache, grid) if by_thesis else
            rows_of(told, launches, gpu))
    num = sum(row["times"] * row["waves"] for row in rows)
    seconds = [row["seconds"] for row in rows]
    seconds = None if None in seconds else sum(seconds)
    transfers = [transfer_of(gpu, *move) for move in moves]
    crossing = sum(row["seconds"] for row in transfers)
    notes = notes_of(told, launches)
    whole = {"device": gpu.name, "launches": num, "transfers": transfers, "notes": notes,
             "assumptions": notes + ASSUMED + unknown_costs(gpu, num, bool(moves)),
             "launch_seconds": seconds, "transfer_seconds": crossing,
             "seconds": seconds if seconds is None else seconds + crossing}
    if not by_thesis:
        whole["launch_cost_seconds"] = sum(row["launch_cost_seconds"] for row in rows)
    unmoved = [row["each_seconds"] for row in transfers if row["times"] == 0]
    if unmoved and None not in unmoved:
        whole["moving_all_once_seconds"] = sum(unmoved)
    return rows, whole


def is_fortran(name):
    return bool(re.search(r"\.[fF]\w*$", name))


def of_fortran(settings):
    return {name.lower(): str(found) for name, found in settings.items()
            if name not in ("BX", "BY", "BZ")}


def text_of(name, settings):
    """The text of a nest, and the settings that are left for it."""
    if is_fortran(name):
        from predict import fortran  # pylint: disable=import-outside-toplevel

        blocks = {key: settings[key] for key in settings if key in ("BX", "BY", "BZ")}
        return fortran.text(name, of_fortran(settings)), blocks
    is_file, path = name.endswith(".nest"), os.path.join(FOLDER, f"{name}.nest")
    known = is_file or re.fullmatch(r"\w+", name) and os.path.exists(path)
    need(known, (0, 0), f"there is no nest {name}; they are {', '.join(nests())}, FILE.nest or "
         "FILE.f90")
    with open(name if is_file else path, encoding="utf-8", errors="replace") as file:
        return file.read(1 << 22), settings


def objects(name, settings, gpu, **options):
    """Of a nest, a file or Fortran, on a device or one that is named so."""
    gpu = device.find(gpu) if isinstance(gpu, str) else gpu
    text, left = text_of(name, settings)
    return objects_of(text, left, gpu, **options)


# ---- What is printed ----


def word(item):
    if item is None:
        return "not known"
    if isinstance(item, list):
        return ",".join(map(word, item))
    return f"{item:.5g}" if isinstance(item, float) else str(item)


def print_table(rows):
    if not rows:
        return
    keys = list(rows[0])
    lines = [keys, *([word(row.get(key)) for key in keys] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(keys))]
    for line in lines:
        print("  ".join(text.ljust(width) if i < 2 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(line, widths))).rstrip())


def print_object(found, indent=0):
    for key, item in found.items():
        if isinstance(item, dict):
            print(" " * indent + key)
            print_object(item, indent + 2)
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            print(" " * indent + key)
            print_table(item)
        elif isinstance(item, list) and item and isinstance(item[0], str):
            for one in item:
                print(" " * indent + f"{key[:-1] if key.endswith('s') else key}: {one}")
        else:
            print(" " * indent + f"{key:<{max(1, 30 - indent)}} {word(item)}")


def unit(seconds):
    if seconds is None:
        return "not known"
    power = next((power for power in (0, 3, 6) if seconds >= 10.0**-power), 6)
    return f"{seconds * 10**power:.4g} {({0: 's', 3: 'ms', 6: 'us'})[power]}"


def short(row):
    """Of a launch, in the table."""
    grid = row.get("grids") or [row["grid"]]
    found = {"kernel": row["kernel"], "line": word(row["line"]), "block": str(row["block"]),
             "grid": " to ".join(dict.fromkeys(map(str, grid))),
             "launches": row["times"] * row["waves"], "time": unit(row["seconds"])}
    if "binds" in row:
        found |= {"binds": row["binds"], "MB past L2": row["traffic"]["bytes_past_l2"] / 1e6,
                  "sectors": row["sectors"], "lines": row["lines"],
                  "bank passes": row["bank_passes"], "groups of a unit": row["groups_of_unit"]}
    return found


def print_whole(whole):
    print(f"\n{whole['device']}: {unit(whole['seconds'])}, of which {whole['launches']} launches "
          f"{unit(whole['launch_seconds'])} and transfers {unit(whole['transfer_seconds'])}")
    if whole.get("launch_cost_seconds"):
        print(f"beginning and ending the launches takes {unit(whole['launch_cost_seconds'])} of it")
    if whole["transfers"]:
        print("\ntransfers")
        print_table(whole["transfers"])
    if "moving_all_once_seconds" in whole:
        print(f"moving these once would take {unit(whole['moving_all_once_seconds'])}")
    for note in whole["notes"]:
        print(f"assumed: {note}")
    if "cpu" in whole:
        cpu = whole["cpu"]
        print(f"\nthis machine: {unit(cpu['seconds'])} by {cpu['command']}, on {cpu['threads']} "
              f"threads, the whole program")
        if whole["seconds"]:
            print(f"which is {cpu['seconds'] / whole['seconds']:.3g} times the predicted time")


def print_all(rows, whole, gpu, options):
    if options.json:
        for row in (*rows, whole):
            print(json.dumps(tidy(row)))
        return
    if options.explain or options.model == "thesis":
        for row in rows:
            print_object(row)
            print()
    print_table([short(row) for row in rows])
    for row in rows:
        if "fold" in row and not options.explain:
            print(f"\n{row['kernel']}, and the same by clfold")
            print_object(row["fold"])
    if options.explain:
        print()
        print_table([{"number": name, "value": found, "source": gpu.sources[name]}
                     for name, found in gpu.numbers.items()])
        print()
        for one in whole["assumptions"][len(whole["notes"]) :]:
            print(f"assumed: {one}")
    print_whole(whole)


# ---- The command ----


def nests():
    return sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".nest"))


def number_of(text):
    """0, or as counts of the lab's are written: 1000, 2^26, 1e6 or 64Mi."""
    return 0 if text == "0" else view.count_of(text)


def setting(text):
    name, _, number = text.partition("=")
    if not number or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=N")
    return name, number_of(number)


def sizes(text):
    found = [view.count_of(one) for one in text.split(",")]
    if len(found) > 3:
        raise argparse.ArgumentTypeError(f"{text} has more than three dimensions")
    return found


def kib(text):
    if text != "off" and not (text.isdigit() and 16 <= int(text) <= 48):
        raise argparse.ArgumentTypeError(f"{text} is neither a number from 16 to 48 nor off")
    return 0 if text == "off" else int(text) * 1024


def read_options(arguments):
    parser = view.Parser("predict", __doc__.format(nests=", ".join(nests())), "", usage=" NEST")
    parser.epilog, add = f"Examples:{EXAMPLES}", parser.add_argument
    add("--device", metavar="NAME", default=device.DEFAULT, help="the GPU, one of "
        f"{', '.join(device.names())}; or a file that describes one, whose name ends in .device; "
        f"default: {device.DEFAULT}")
    add("--set", metavar="NAME=N", type=setting, action="append", default=[],
        help="the value of a parameter of the nest, where N is written as 1000, 2^26, 1e6 or 64Mi")
    add("--block", metavar="X,Y,Z", type=sizes, default=[], help="the work-items of a group in one "
        "to three dimensions: the parameters BX, BY and BZ of the nest")
    add("--time", action="store_true",
        help="compile the Fortran by gfortran -O3 -fopenmp, run it, and print its time too")
    add("--model", metavar="NAME", choices=["terms", "thesis"], default="terms", help="one of "
        "terms, thesis; thesis: formulas of a thesis of 2016, and the time by Hong and Kim's model "
        "of 2009; default: terms")
    add("--cache", metavar="KIB", type=kib,
        help="of the thesis's cache, from 16 to 48, or off; default: 48")
    add("--grid", metavar="X,Y,Z", type=sizes,
        help="of the thesis's formula (1), the groups; default: one iteration a work-item")
    add("--explain", action="store_true", help="print every count, every term of the time, what "
        "binds, what is assumed, and the device's numbers with their sources")
    add("--json", action="store_true", help="one object for each launch, and one for the whole")
    add("-h", "--help", action="help", help="print these options")
    add("nest", metavar="NEST", help=argparse.SUPPRESS)
    options = argparse.ArgumentParser.parse_args(parser, arguments)
    if options.json and options.explain:
        parser.error("--json does not go with --explain")
    for name in ("cache", "grid"):
        if getattr(options, name) is not None and options.model != "thesis":
            parser.error(f"--{name} goes with --model thesis")
    if options.time and not is_fortran(options.nest):
        parser.error(f"--time needs Fortran, and {options.nest} is none")
    return options


def run(options):
    settings = {**dict(options.set), **dict(zip(("BX", "BY", "BZ"), options.block))}
    gpu = device.find(options.device)
    by_thesis = options.model == "thesis"
    cache = (48 << 10 if options.cache is None else options.cache) if by_thesis else 0
    rows, whole = objects(options.nest, settings, gpu, by_thesis=by_thesis, cache=cache,
                          grid=options.grid)
    if options.time:
        from predict import timing  # pylint: disable=import-outside-toplevel

        whole["cpu"] = timing.measure(options.nest, of_fortran(settings))
        whole["notes"] = [*whole["notes"], *whole["cpu"].pop("notes", [])]
    print_all(rows, whole, gpu, options)


def sentence(error, name):
    """What is wrong, and where."""
    if isinstance(error, Wrong):
        (line, column), text, *other = error.args
        where = [str(part) for part in (*(other or [name]), line, line and column) if part]
        return f"{':'.join(where)}: {text}" if line or not text.startswith("there is no") else text
    if isinstance(error, RecursionError):
        return f"{name}: expressions or blocks are too deep"
    return f"{name}: there is no memory to count in"


def ended(run_view, options):
    """The status of a view; one sentence where it fails."""
    sys.setrecursionlimit(8000)
    try:
        run_view(options)
    except (Wrong, RecursionError, MemoryError) as error:
        print(f"clfold: {sentence(error, options.nest)}", file=sys.stderr)
        return 1
    return 0


def main(arguments):
    return ended(run, read_options(arguments))


def main_of_nest(arguments):
    """What `clfold nest` runs."""
    parser = view.Parser("nest", NEST_ABOUT, "", usage=" FILE.f90")
    parser.epilog, add = f"Examples:{NEST_EXAMPLE}", parser.add_argument
    add("--set", metavar="NAME=N", type=setting, action="append", default=[],
        help="the value of a variable that bounds depend on, written as 1000, 2^26, 1e6 or 64Mi")
    add("-h", "--help", action="help", help="print these options")
    add("nest", metavar="FILE.f90", help=argparse.SUPPRESS)
    options = argparse.ArgumentParser.parse_args(parser, arguments)
    if not is_fortran(options.nest):
        parser.error(f"FILE.f90: {options.nest} is no Fortran, by its name")
    return ended(lambda _: print(text_of(options.nest, dict(options.set))[0], end=""), options)

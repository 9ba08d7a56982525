"""The committed table of figures, figures.txt: of a few programs that stand for all, a line for
each kernel, fold and target. What changes a kernel is seen in it, and may not make it much worse.
"""

import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.txt")
TARGETS = ("sm_80", "sm_90", "gfx90a", "gfx1100")
# operations, operators, types; of scans only inclusive ones
PARTS = (
    ("reduce_tiles", "add", "f32,f64,u8:u64"),
    ("reduce_tiles", "arg-min,affine", "f32"),
    ("reduce_tiles", "add-in-order,dot,reproducible", "text"),
    ("reduce_lanes,scan_lanes", "add", "f32"),
    ("reduce_offsets", "add,affine", "f32"),
    ("reduce_offsets", "add-by-flags", "text"),
    ("scan_lookback", "add", "f32,f64,u8:u32"),
    ("scan_lookback", "affine", "f32"),
    ("scan_lookback", "add-by-flags,mean-by-keys,affine-by-offsets,running-mean", "text"),
    ("scan_lookback", "select-above,select-runs,select-fields", "text"),
    ("reduce_then_scan", "add", "f32"),
    ("reduce_then_scan", "add-by-flags,select-above", "text"),
    ("scan_single_group,scan_then_propagate", "add", "f32"),
    ("map_tiles", "map-blend,map-flags,map-store", "text"),
)
# A column's name, what it is among a kernel's figures, what a sentence calls it, and whether more
# of it is worse; None: neither, as what is unknown grows with each loop that is unrolled.
COLUMNS = (
    ("registers", "registers", "registers", True),
    ("local", "local_bytes", "bytes of local memory", True),
    ("barriers", "barriers", "barriers", True),
    ("an-element", "element_instructions", "instructions an element", True),
    ("under-way", "loads_under_way", "loads under way", False),
    ("ways", "mean_ways", "turns an access to local memory", True),
    ("most", "most_ways", "turns an access to local memory at most", True),
    ("unknown", "unknown_ways", "accesses of unknown banks", None),
    ("waves", "waves", "waves a compute unit", False),
)
PAGE = {"sm_90": ("registers", "waves", "an-element", "under-way", "ways"),
        "gfx90a": ("registers", "waves", "an-element", "under-way")}  # fmt: skip
A_TENTH = 1.1


def rows_of(results):
    """(target, kernel, fold, types) to numbers, 0 where there is none."""
    found = {}
    for entry, rows, *_ in results:
        types = entry["in"] if entry["in"] == entry["type"] else f"{entry['in']}:{entry['type']}"
        for row in rows:
            kernel = row["kernel"].replace("clfold_", "")
            if kernel != entry["operation"]:
                kernel = f"{entry['operation']}:{kernel}"
            found[row["target"], kernel, entry["op"], types] = [
                round(row[name] or 0, 1) for _, name, *_ in COLUMNS]
    return found


def text_of(value):
    return f"{value:.1f}".removesuffix(".0")


def write(path, versions, rows):
    lines = sorted((" ".join(key), *map(text_of, numbers)) for key, numbers in rows.items())
    wide = [max(map(len, cells)) for cells in zip(*lines)]
    with open(path, "w", encoding="ascii") as file:
        names = ("target", "kernel", "fold", "types", *(name for name, *_ in COLUMNS))
        file.write(f"{versions}\n{' '.join(names)}\n")
        for key, *numbers in lines:
            file.write(" ".join([key.ljust(wide[0]), *map(str.rjust, numbers, wide[1:])]) + "\n")


def versions_of(path):
    with open(path, encoding="ascii") as file:
        return file.readline().strip()


def read(path):
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file.readlines()[2:]]
    return {tuple(cells[:4]): [float(cell) for cell in cells[4:]] for cells in lines}


def compare(before, now):
    """What is wrong, and what is better: sentences."""
    wrong = [f"{' '.join(key)}: not in the table, see --update" for key in sorted(now)
             if key not in before]
    wrong += [f"{' '.join(key)}: in the table, but there is no such kernel, see --update"
              for key in sorted(before) if key not in now]
    better = []
    for key in sorted(before.keys() & now.keys()):
        for (*_, what, more_is_worse), was, new in zip(COLUMNS, before[key], now[key]):
            if more_is_worse is None or max(was, new) <= min(was, new) * A_TENTH:
                continue
            is_worse = (new > was) == more_is_worse
            (wrong if is_worse else better).append(
                f"{' '.join(key)}: {text_of(new)} {what}, before {text_of(was)}: "
                f"{'worse by more than a tenth' if is_worse else 'better'}")
    return wrong, better


def page(rows):
    """The table of docs/gpu.md: helpers of an operation once, and a row for each fold of others."""
    names = [name for name, *_ in COLUMNS]
    heads = [f"{target} {name.replace('-', ' ')}" if i == 0 else name.replace("-", " ")
             for target, shown in PAGE.items() for i, name in enumerate(shown)]
    lines, helpers = [["kernel, fold", *heads], ["---"] * (1 + len(heads))], set()
    for target, kernel, fold, types in sorted(rows):
        if target != next(iter(PAGE)) or kernel in helpers:
            continue
        helpers |= {kernel} if ":" in kernel else set()
        line = [f"`{kernel}` {fold} {types}"]
        for one, shown in PAGE.items():
            numbers = dict(zip(names, rows[one, kernel, fold, types]))
            line += [text_of(numbers[name]) for name in shown]
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

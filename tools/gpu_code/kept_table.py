"""The committed table of figures, figures.md: of a few programs that stand for all, a line for
each kernel and fold, targets side by side. What changes a kernel is seen in it, and may not make
it much worse.
"""

import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.md")
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


def columns_of(target):
    """The numbers of its columns; those about banks are NVIDIA's."""
    return [i for i, (name, *_) in enumerate(COLUMNS)
            if target.startswith("sm_") or name not in ("ways", "most", "unknown")]


def write(path, versions, rows):
    heads, lines = ["kernel fold types"], []
    for target in TARGETS:
        heads.append(" ".join([f"{target}:", *(COLUMNS[i][0] for i in columns_of(target))]))
    for name in sorted({key[1:] for key in rows}):
        lines.append([" ".join(name)])
        for target in TARGETS:
            numbers = rows.get((target, *name))
            lines[-1] += ["|", *(text_of(numbers[i]) if numbers else "-"
                                 for i in columns_of(target))]
    wide = [max(map(len, cells)) for cells in zip(*lines)]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{versions}\n\n| {' | '.join(heads)} |\n{'| --- ' * len(heads)}|\n")
        for name, *cells in lines:
            cells = [name.ljust(wide[0]), *map(str.rjust, cells, wide[1:])]
            file.write(f"| {' '.join(cells)} |\n")


def versions_of(path):
    with open(path, encoding="ascii") as file:
        return file.readline().strip()


def read(path):
    found = {}
    with open(path, encoding="ascii") as file:
        lines = [line.split("|")[1:-1] for line in file.readlines()[4:]]
    for name, *parts in lines:
        for target, cells in zip(TARGETS, map(str.split, parts)):
            if "-" not in cells:
                numbers = dict(zip(columns_of(target), map(float, cells)))
                found[target, *name.split()] = [numbers.get(i, 0.0) for i in range(len(COLUMNS))]
    return found


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

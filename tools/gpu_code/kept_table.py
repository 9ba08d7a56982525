"""The committed table of figures, figures.md: of a few programs that stand for all, a line for
each kernel and fold, targets side by side. What changes a kernel is seen in it, and may not make
it much worse.
"""

import os

from figures import COLUMNS, names_of, text_of

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
PAGE = {"sm_90": ("registers", "waves", "an-element", "under-way", "ways"),
        "gfx90a": ("registers", "waves", "an-element", "under-way")}  # fmt: skip
A_TENTH = 1.1


def rows_of(results):
    """(target, kernel, fold, types) to numbers, 0 where there is none."""
    return {(row["target"], *names_of(entry, row)): [round(row[name] or 0, 1)
                                                     for _, name, *_ in COLUMNS]
            for entry, rows, *_ in results for row in rows}


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
            numbers = rows.get((target, *name), [None] * len(COLUMNS))
            lines[-1] += ["|", *(text_of(numbers[i]) for i in columns_of(target))]
    wide = [max(map(len, cells)) for cells in zip(*lines)]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{versions}\n\n| {' | '.join(heads)} |\n{'| --- ' * len(heads)}|\n")
        for name, *cells in lines:
            cells = [name.ljust(wide[0]), *map(str.rjust, cells, wide[1:])]
            file.write(f"| {' '.join(cells)} |\n")


def read(path):
    """The versions that it is of, and its rows."""
    found = {}
    with open(path, encoding="ascii") as file:
        versions, _, _, _, *lines = file.read().splitlines()
    for name, *parts in (line.split("|")[1:-1] for line in lines):
        for target, cells in zip(TARGETS, map(str.split, parts)):
            if "-" not in cells:
                numbers = dict(zip(columns_of(target), map(float, cells)))
                found[target, *name.split()] = [numbers.get(i, 0.0) for i in range(len(COLUMNS))]
    return versions, found


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
    at = {name: i for i, (name, *_) in enumerate(COLUMNS)}
    heads = [f"{target} {name}" if i == 0 else name for target, shown in PAGE.items()
             for i, name in enumerate(shown)]
    lines, helpers = [["kernel, fold", *(head.replace("-", " ") for head in heads)],
                      ["---"] * (1 + len(heads))], set()  # fmt: skip
    for kernel, fold, types in sorted(key[1:] for key in rows if key[0] in tuple(PAGE)[:1]):
        if kernel not in helpers:
            lines.append([f"`{kernel}` {fold} {types}"] + [
                text_of(rows[target, kernel, fold, types][at[name]])
                for target, shown in PAGE.items() for name in shown])
        helpers |= {kernel} if ":" in kernel else set()
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

"""What views print: tables, a JSON object a line, and charts over counts."""

import json
import os
import sys
from datetime import date

from lab import measure
from lab.case import Case
from lab.program import Failed, replaced
from lab.text import count_text

# The lines of a chart; these colours are safe for the colour-blind.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
STRONG, BOUND = "clfold", "roofline"
SPEED = "GB/s, higher is better"


def figures(value):
    """Four digits, or a blank."""
    return "" if value is None else f"{value:#.4g}".rstrip(".")


def ratio_text(value):
    """Few rounds have no interval."""
    if value is None or value[1] is None:
        return "" if value is None else f"{value[0]:.3f}"
    return f"{value[0]:.3f} ({value[1]:.3f} to {value[2]:.3f})"


def remarks(row):
    """What is to be known of a row's figures."""
    return "; result not checked" * (not row["checked"]) + "; memory is short" * bool(
        row.get("sets_few"))  # fmt: skip


# A column: its head, width (negative: from the left), and text of a row.
CASE = [
    ("case", -34, lambda row: Case(row["case"]).label()), ("type", -8, lambda row: row["type"]),
    ("count", 8, lambda row: count_text(row["count"])),
]  # fmt: skip
NAMES = ("case", "type", "count", "program", "kernel")  # columns that say which row it is


class Table:
    """Rows as they come, or JSON."""

    def __init__(self, options, columns):
        self.json, self.columns = options.json, columns
        if not self.json:
            self.put([head for head, *_ in columns])

    def put(self, texts):
        line = " ".join(f"{text:<{-width}}" if width < 0 else f"{text:>{width}}"
                        for (_, width, _), text in zip(self.columns, texts))  # fmt: skip
        print(line.rstrip(), flush=True)

    def add(self, row):
        if self.json:
            print(json.dumps(row), flush=True)
            return
        texts = []
        for head, _, text in self.columns:
            if "why" in row and head not in NAMES:
                texts.append(f" {row['why']}")
                break
            try:
                texts.append(text(row))
            except (KeyError, TypeError):  # which it does not have
                texts.append("")
        self.put(texts)

    def end(self, row):
        if self.json:
            print(json.dumps(row), flush=True)
        else:
            print_last(row)


def last_row(about, speeds=()):
    """Of a report: the device, the machine, and its memory at the start and at the end."""
    row = {"device": about.get("device"), "driver": about.get("driver"),
           "machine": measure.machine()}  # fmt: skip
    for name in ("read", "copy"):
        both = row[f"memory_{name}_gbps"] = [speed[name] for speed in speeds] or None
        if both and all(both) and max(both) > measure.MOVED * min(both):
            print(f"clfold: warning: the memory's speed of {name} has changed; compare shares, not "
                  "GB/s", file=sys.stderr)
    return row


def print_last(row):
    print(f"\n{row['device']}, driver {row['driver']}; {row['machine'] or 'machine unknown'}")
    for name in ("read", "copy") if row["memory_read_gbps"] else ():
        begin, end = map(figures, row[f"memory_{name}_gbps"])
        print(f"memory: {name} {begin} GB/s at the start, {end} at the end")


# ---- Charts ----


class Chart:
    """What --svg and --png name; what cannot be written is not measured."""

    def __init__(self, options):
        kinds = {"svg": options.svg, "png": options.png}
        self.paths = {path: kind for kind, path in kinds.items() if path}
        for path in self.paths:
            folder = os.path.dirname(os.path.realpath(path))
            if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder,
                                                    os.W_OK):
                raise Failed(f"{path}: a file may not be written there")
        if self.paths:
            try:
                import matplotlib  # pylint: disable=import-outside-toplevel
            except ImportError as error:
                raise Failed("a chart needs matplotlib, Debian's package python3-matplotlib"
                             ) from error  # fmt: skip
            matplotlib.use("Agg")

    def draw(self, rows, lines_of, unit, title):
        """A panel for each case and type. `lines_of`: gives a row's lines as (name, value, its
        least and greatest or None)."""
        if not self.paths:
            return
        from matplotlib import pyplot, ticker  # pylint: disable=import-outside-toplevel

        panels = {}
        for row in rows:
            if row["ok"]:
                panels.setdefault((row["case"], row["type"]), []).append(row)
        if not panels:
            raise Failed(f"{', '.join(self.paths)}: there is nothing to draw")
        across = min(2, len(panels))
        down = -(-len(panels) // across)
        figure, axes = pyplot.subplots(down, across, squeeze=False, sharey=True,
                                       figsize=(6.5 * across, 0.5 + 4 * down),
                                       layout="constrained")  # fmt: skip
        for axis in list(axes.flat)[len(panels) :]:
            axis.axis("off")
        for ((case, kind), mine), axis in zip(panels.items(), axes.flat):
            draw_panel(axis, mine, lines_of)
            axis.set_title(f"{Case(case).label()} {kind}")
            axis.set_ylabel(unit)
            axis.xaxis.set_major_formatter(
                ticker.FuncFormatter(lambda count, _: count_text(int(count))))  # fmt: skip
        self.save(figure, f"{rows[0]['device']}, clfold {title}")

    def save(self, figure, title):
        """Writes the figure, whole or not at all."""
        figure.suptitle(f"{title}, {date.today()}", fontsize=10)
        for path, kind in self.paths.items():
            with replaced(path) as part:
                figure.savefig(part, format=kind, dpi=150)


def draw_panel(axis, rows, lines_of):
    lines = {}
    for row in rows:
        for name, value, limits in lines_of(row):
            if value:
                lines.setdefault(name, []).append((row["count"], value, limits))
    colours = iter(COLOURS * 9)
    for name, points in lines.items():
        counts, values, limits = zip(*sorted(points, key=lambda point: point[:2]))
        is_strong, is_bound = name.startswith(STRONG), name.startswith(BOUND)
        colour = "#000000" if is_strong else "#777777" if is_bound else next(colours)
        axis.plot(counts, values, label=name, color=colour, marker="o", markersize=3,
                  linestyle="--" if is_bound else "-", linewidth=2.5 if is_strong else 1.3,
                  zorder=3 if is_strong else 2)  # fmt: skip
        if all(limits):
            axis.fill_between(counts, *zip(*limits), color=colour, alpha=0.15, linewidth=0)
    axis.set_xscale("log", base=2)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("number of elements n")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)

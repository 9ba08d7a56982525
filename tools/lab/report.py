"""What views print: tables, a JSON object a line, and charts of GB/s over counts."""

import json
import os
import sys
from datetime import date

from lab import measure
from lab.view import Failed, count_text

# The lines of a chart: name, colour, width and dash; these are safe for the colour-blind.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
STRONG, BOUND = "clfold", "roofline"


def figures(value):
    """Four digits, or a blank."""
    return "" if value is None else f"{value:#.4g}".rstrip(".")


def share(value):
    return "" if value is None else f"{value:.2f}"


def ratio_text(value):
    return "" if value is None else f"{value[0]:.3f} ({value[1]:.3f} to {value[2]:.3f})"


# A column: its head, width (negative: from the left), and text of a row.
BENCH = [
    ("case", -34, lambda row: row["case"]), ("type", -8, lambda row: row["type"]),
    ("count", 8, lambda row: count_text(row["count"])),
    ("GB/s", 8, lambda row: figures(row["gbps"])),
    ("spread", 7, lambda row: f"{100 * row['spread']:.1f} %"),
    ("roofline", 9, lambda row: figures(row["roofline_gbps"])),
    ("share", 6, lambda row: share(row["fraction"])),
    ("", -1, lambda row: f" {row['algorithm']}, {row['policy']}; {row['roofline'] or 'no roofline'}"
     + ("" if row["checked"] else "; result not checked")
     + ("; memory is short" if row["sets_few"] else "")),
]  # fmt: skip
AGAINST = [("as fast", 25, lambda row: ratio_text(row["ratio"])
            or str(row.get("against") or "has no row"))]  # fmt: skip


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
            try:
                texts.append(text(row))
            except (KeyError, TypeError):
                texts.append("")
        if "why" in row:
            named = [text for (head, *_), text in zip(self.columns, texts)
                     if head in ("case", "type", "count", "program")]  # fmt: skip
            self.put([*named, row["why"], *[""] * (len(texts) - len(named) - 1)])
        else:
            self.put(texts)

    def end(self, row):
        if self.json:
            print(json.dumps(row), flush=True)
            return
        print(f"\n{row['device']}, driver {row['driver']}; {row['machine'] or 'machine unknown'}")
        for name in ("read", "copy"):
            begin, end = row[f"memory_{name}_gbps"]
            print(f"memory: {name} {figures(begin)} GB/s at the start, {figures(end)} at the end")
        if row["memory_moved"]:
            print("clfold: warning: the memory has become faster or slower; compare shares, not "
                  "GB/s", file=sys.stderr)


def memory_row(speeds, about):
    """Of the memory at the start and at the end."""
    moved, row = False, {}
    for name in ("read", "copy"):
        begin, end = (speed[name] for speed in speeds)
        row[f"memory_{name}_gbps"] = [begin, end]
        moved |= bool(begin and end and max(begin, end) > measure.MOVED * min(begin, end))
    return {**row, "memory_moved": moved, "device": about.get("device"),
            "driver": about.get("driver"), "machine": measure.machine()}  # fmt: skip


# ---- Charts ----


class Chart:
    """What --svg and --png name; what cannot be written is not measured."""

    def __init__(self, options):
        self.paths = [path for path in (options.svg, options.png) if path]
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

    def draw(self, rows, lines_of, title):
        """A panel for each case and type. `lines_of`: gives a row's lines as (name, GB/s,
        quartiles or None)."""
        if not self.paths:
            return
        from matplotlib import pyplot, ticker  # pylint: disable=import-outside-toplevel

        rows = [row for row in rows if row["ok"]]
        if not rows:
            raise Failed(f"{self.paths[0]}: there is nothing to draw")
        panels = list(dict.fromkeys((row["case"], row["type"]) for row in rows))
        across = min(2, len(panels))
        down = -(-len(panels) // across)
        figure, axes = pyplot.subplots(down, across, squeeze=False, sharey=True,
                                       figsize=(6.5 * across, 0.5 + 4 * down),
                                       layout="constrained")  # fmt: skip
        for panel, axis in zip(panels, axes.flat):
            self.draw_panel(axis, [row for row in rows if (row["case"], row["type"]) == panel],
                            lines_of)  # fmt: skip
            axis.set_title(" ".join(panel))
            axis.xaxis.set_major_formatter(
                ticker.FuncFormatter(lambda count, _: count_text(int(count))))  # fmt: skip
        for axis in list(axes.flat)[len(panels) :]:
            axis.axis("off")
        self.save(figure, f"{rows[0].get('device')}, clfold {title}")

    def save(self, figure, title):
        """Writes the figure, whole or not at all."""
        figure.suptitle(f"{title}, {date.today()}", fontsize=10)
        for path in self.paths:
            part = f"{path}.{os.getpid()}.part"
            try:
                figure.savefig(part, format="png" if path.endswith(".png") else "svg", dpi=150)
                os.replace(part, path)
            except OSError as error:
                raise Failed(f"{path}: {error.strerror}") from error

    def draw_panel(self, axis, rows, lines_of):
        lines = {}
        for row in rows:
            for name, gbps, quarters in lines_of(row):
                if gbps:
                    lines.setdefault(name, []).append((row["count"], gbps, quarters))
        colours = iter(COLOURS * 9)
        for name, points in lines.items():
            points.sort()
            counts, gbps = [one[0] for one in points], [one[1] for one in points]
            is_strong, is_bound = name.startswith(STRONG), name.startswith(BOUND)
            colour = "#000000" if is_strong else "#777777" if is_bound else next(colours)
            axis.plot(counts, gbps, label=name, color=colour, marker="o", markersize=3,
                      linestyle="--" if is_bound else "-", linewidth=2.5 if is_strong else 1.3,
                      zorder=3 if is_strong else 2)  # fmt: skip
            if all(one[2] for one in points):
                low, high = zip(*(one[2] for one in points))
                axis.fill_between(counts, low, high, color=colour, alpha=0.15, linewidth=0)
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_xlabel("number of elements n")
        axis.set_ylabel("GB/s, higher is better")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)

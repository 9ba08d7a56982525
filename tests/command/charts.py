"""What the commands have gnuplot draw: the script, kept by a gnuplot that stands before the real
one, and the texts of the chart that comes of it."""

import itertools
import os
import re
import shutil
import time
import xml.etree.ElementTree as xml

from cases import check, read, write

NUMBER = r"-?[\d.]+(?:e[-+]\d+)?"


def rows_of(part, name):
    """Of the data of that name in a part of a script."""
    [text] = re.findall(rf"^\${name} << END\n(.*?)^END$", part, re.M | re.S)
    return [list(map(float, line.split())) for line in text.splitlines()]


class Chart:
    """Of the command with --svg: what it prints, and what it draws, in parts for each panel."""

    def __init__(self, d, *words, env=os.environ):
        path, fake = d.path("x.svg"), d.path("kept/gnuplot")
        os.makedirs(d.path("kept"), exist_ok=True)
        write(fake, f'#!/bin/sh\ntee {d.path("kept/script")} | {shutil.which("gnuplot")} "$@"\n')
        os.chmod(fake, 0o755)
        before = d.left()
        place = d.path("kept") + ":" + env["PATH"]
        self.told = d.good(*words, "--svg", path, env={**env, "PATH": place})
        root = xml.parse(path).getroot()
        self.shown = ["".join(text.itertext()).strip() for text in root.iter()
                      if text.tag.endswith("}text")]  # fmt: skip
        self.head, *self.panels = read(d.path("kept/script")).decode().split("set lmargin ")
        os.remove(path)
        left = {*d.left()} - {*before}
        check(not left or "--csv" in words, f"left {left}")

    def check_title(self, what, device, machine, version):
        """On top and from the left, one below another: all but the date is told."""
        lines = [f"{version} {what}, {time.strftime('%Y-%m-%d')}",
                 f"{device['name']}, driver {device['driver_version']}",
                 *(machine or "").split("; ")]  # fmt: skip
        lines = [line for line in lines if line]
        check([text for text in self.shown if text in lines] == lines, f"{self.shown}")
        places = re.findall(r" at screen 0\.012, screen ([\d.]+) left font", self.head)
        tops = re.findall(r"^set tmargin at screen ([\d.]+)$", self.panels[0], re.M)
        below = list(map(float, places + tops))
        check(all(a - b > 0.02 for a, b in itertools.pairwise(below)), f"{below}")
        ends = [re.match(r"at screen (\S+)\nset rmargin at screen (\S+)\n", part).groups()
                for part in self.panels]  # fmt: skip
        sides = [0, *map(float, itertools.chain(*ends)), 1]
        check(all(a < b for a, b in itertools.pairwise(sides)), f"sides of panels: {sides}")

    def check_axes(self, num, is_log):
        """Of so many panels. gnuplot leaves the label on the left out where numbers are wide."""
        check("set ylabel 'throughput [GB/s], higher is better' " in self.head, self.head)
        check(self.shown.count("number of elements n") == len(self.panels) == num, f"{self.shown}")
        check(("set logscale y" in self.head) == is_log, self.head)
        rows = [row for part in self.panels for row in rows_of(part, "values")]
        for axis, values in [("x", [row[0] for row in rows]),
                             ("y", [value for row in rows for value in row[1:]])]:
            [ends] = re.findall(rf"^set {axis}range \[(\S+):(\S+)\]$", self.head, re.M)
            low, high = map(float, ends)
            check(all(low < value < high for value in values), f"{axis}: {low} to {high}: {rows}")
        check(high > 99.9 * low if is_log else low == 0, f"y from {low} to {high}")
        # lines can be told apart, and a limit is dashed
        colours = re.findall(r"^set (?:linetype \d|style line 20(?=.*dashtype 2$)) "
                             r"linecolor '(#\w{6})' ", self.head, re.M)  # fmt: skip
        check(len({*colours}) == 9 and "\nset linetype cycle 8\n" in self.head, f"{colours}")

    def check_panel(self, place, title, counts, lines):
        """Of the names of its lines, in their order, the values at all counts; the last is the
        limit, and those called models are dashed. One count has lines side by side. Returns by
        name the ends of each band."""
        part, names = self.panels[place], list(lines)
        check(all(text in self.shown for text in [title, *names]), f"{self.shown}")
        check(f"set title '{title}' " in part, part)
        rows = rows_of(part, "values")
        check([row[0] for row in rows] == counts, f"{counts}: {rows}")
        styles = [f"type {i + 1}" for i in range(len(names) - 1)] + ["style 20"]
        for i, (name, numbers) in enumerate(lines.items()):
            pairs = zip((row[3 * i + 1] for row in rows), numbers, strict=True)
            off = 1e-3 if "model" in name else 1e-5  # of times with nine digits after the point
            check(all(abs(told / right - 1) < off for told, right in pairs), f"{name}: {rows}")
        labels = re.findall(r"^set label '(?:{/:Bold )?([^'}]+)}?' .* graph 1\.04, graph (\S+) "
                            r"left textcolor line(\w+ \d+)$", part, re.M)  # fmt: skip
        found = {name: style for name, _, style in labels}
        check(found == dict(zip(names, styles, strict=True)), f"{labels}")
        drawn = re.findall(r"(?:\(\$1\*([\d.]+)\):(\d+)|[ ,][\d.]+) with (\w+)"
                           r"(?: pointtype (\d))? line(\w+ \d+)", part)  # fmt: skip
        right, is_one = [], len(counts) == 1
        for i, (name, style) in enumerate(zip(names, styles, strict=True)):
            is_limit = style == "style 20"
            is_line = is_limit or ("model" in name and not is_one)
            right.append(("" if is_limit and is_one else str(3 * i + 2),
                          "lines" if is_line else "points" if is_one else "linespoints",
                          style))  # fmt: skip
        told = [(column, kind, style) for _, column, kind, _, style in drawn]
        check(sorted(told) == sorted(right), f"{drawn} {right}")
        factors = {style: float(factor or 1.25) for factor, *_, style in drawn}
        places = [factors[style] for style in styles]
        check(places == sorted({*places}) and places[0] > 0.8 if is_one else {*places} == {1},
              f"{places}")  # fmt: skip
        looks = [((int(style[5:]) - 1) % 8, point) for *_, kind, point, style in drawn
                 if "points" in kind]  # fmt: skip
        check(len({*looks}) == len(looks), f"lines look alike: {drawn}")
        leads = re.findall(rf"^set arrow from first ({NUMBER}), first ({NUMBER}) to graph 1\.03, "
                           r"graph (\S+) nohead line(\w+ \d+) ", part, re.M)  # fmt: skip
        check([lead[2:] for lead in leads] == [label[1:] for label in labels], f"{leads}")
        for (name, _, style), (count, value, _, _) in zip(labels, leads, strict=True):
            end = rows[-1][3 * names.index(name) + 1]
            check(float(value) == end, f"the line to {name} begins at {value}, not {end}")
            check(abs(float(count) / factors[style] / counts[-1] - 1) < 1e-6, f"{name}: {leads}")
        check(part.count(" dashtype (8,5)") == sum("model" in name for name in names), part)
        bands = [(low, high, style) for factor, middle, low, high, style in re.findall(
            r"using \(\$1\*([\d.]+)\):(\d+):(\d+):(\d+) with yerrorbars line(\w+ \d+) ", part)
            if (float(factor), int(middle)) == (factors[style], 3 * styles.index(style) + 2)]
        if not is_one:
            bands = re.findall(r"using 1:(\d+):(\d+) with filledcurves line(\w+ \d+) ", part)
        return {names[styles.index(style)]: [(row[int(low) - 1], row[int(high) - 1])
                for row in rows] for low, high, style in bands}  # fmt: skip

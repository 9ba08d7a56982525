"""The chart of tools/compare: GB/s over counts, by gnuplot, a line for each implementation."""

import os
import re
import shutil
import subprocess

CLFOLD, ROOFLINE = "clfold", "roofline"
# In pixels: left of a panel's axes, the axes, the names of its lines; and so from below.
LEFT, WIDTH, NAMES = 80, 400, 135
BOTTOM, HEIGHT, TOP = 65, 350, 44
TITLE = 40
LABEL = 17
# The look is the command's.
STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clfold", "chart_style.h")


class ChartError(Exception):
    """Why there is no chart, in a sentence."""


def check(path):
    """That it can be drawn, before hours are spent on what it shows."""
    folder = os.path.dirname(os.path.realpath(path))
    if not shutil.which("gnuplot"):
        raise ChartError("--svg needs the program gnuplot, and there is none in PATH")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ChartError(f"--svg {path}: is not a regular file")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise ChartError(f"--svg {path}: may not be written")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ChartError(f"--svg {path}: no file can be made in {folder}")


def quoted(text):
    """In single quotes only the quote itself means anything to gnuplot, and it is doubled."""
    return "'" + "".join(c if c.isprintable() else "?" for c in text).replace("'", "''") + "'"


def bold(text):
    """The same, bold, where more characters mean something."""
    return "'{/:Bold " + re.sub(r"([\\^_{}@&~])", r"\\\1", quoted(text)[1:-1]) + "}'"


def style():
    """The commands in the header: the strings after its last include guard."""
    with open(STYLE, encoding="utf-8") as file:
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', file.read())
    return "".join(strings).replace("\\n", "\n").rstrip("\n")


def part(wanted, gap):
    """Places near those that are wanted, by `gap` apart: as chart_part_labels has it."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    runs = []  # of labels: their mean with i gaps taken off the i-th, and how many they are
    for place, i in enumerate(order):
        mean, num = wanted[i] - place * gap, 1
        while runs and runs[-1][0] > mean:
            before, more = runs.pop()
            mean = (before * more + mean * num) / (more + num)
            num += more
        runs.append((mean, num))
    places = [mean for mean, num in runs for _ in range(num)]
    room = 1 - (len(wanted) - 1) * gap
    return {i: max(min(places[place], room), 0) + place * gap for place, i in enumerate(order)}


def panel_lines(rows, names, most):
    """A panel's values, the names of its lines at their ends, and the command that draws it."""
    lines, bands, drawn, ends = [], [], [], []
    for index, name in enumerate(names):
        points = sorted((row["count"], row["gbps"], *(row["quartiles_gbps"] or ())) for row in rows
                        if row["implementation"] == name and row["ok"])  # fmt: skip
        if not points:
            continue
        look = "linestyle 20" if name == ROOFLINE else f"linetype {index + 1}"
        strong = name == CLFOLD
        ends.append((name, look, *points[-1][:2]))
        lines += [f"$values{index} << END", *(" ".join(map(str, point)) for point in points), "END"]
        kind = "lines" if name == ROOFLINE and len(points) > 1 else "linespoints"
        drawn.append(f"$values{index} using 1:2 with {kind} {look}" + " linewidth 3" * strong)
        if len(points) > 1 and len(points[0]) > 2:
            bands.append(f"$values{index} using 1:3:4 with filledcurves {look} "
                         "fillstyle transparent solid 0.15 noborder")  # fmt: skip
    places = part([gbps / most for _, _, _, gbps in ends], LABEL / HEIGHT)
    for index, (name, look, count, gbps) in enumerate(ends):
        text = bold(name) if name == CLFOLD else quoted(name) + " noenhanced"
        lines += [
            f"set arrow from first {count}, first {gbps} to graph 1.03, graph {places[index]} "
            f"nohead {look} linewidth 0.7 dashtype 1",
            f"set label {text} at graph 1.04, graph {places[index]} left textcolor {look}",
        ]
    plot = "plot " + ", ".join([*bands, *reversed(drawn)]) if drawn else "set multiplot next"
    return [*lines, plot, "unset label", "unset arrow"]


def panel_of(row):
    return (row["op"], row["operator"], row["type"])


def script(rows, title):
    """A panel for each operation, operator and type, two in a row of the page, all with the same
    axes."""
    panels = list(dict.fromkeys(map(panel_of, rows)))
    names = list(dict.fromkeys(row["implementation"] for row in rows if row["ok"]))
    most = max(max([row["gbps"], *(row["quartiles_gbps"] or ())]) for row in rows if row["ok"])
    most *= 1.05
    across = min(2, len(panels))
    width = across * (LEFT + WIDTH + NAMES)
    height = -(-len(panels) // across) * (BOTTOM + HEIGHT + TOP) + TITLE
    lines = [
        f"set terminal svg size {width},{height} enhanced font 'sans-serif,14' "
        "background rgb 'white'",
        style(),
        f"set label {bold(title)} at screen 0.012, screen {1 - TITLE / 2 / height} left "
        "font 'sans-serif,15'",
        "set multiplot", "set logscale x 2", "set format x '2^{%L}'", f"set yrange [0:{most}]",
        "set offsets graph 0.03, graph 0.03, 0, 0",
        "set xlabel 'number of elements n'",
        "set ylabel 'throughput [GB/s], higher is better'",
    ]  # fmt: skip
    for index, panel in enumerate(panels):
        left = index % across * (LEFT + WIDTH + NAMES) + LEFT
        low = height - TITLE - (index // across + 1) * (BOTTOM + HEIGHT + TOP) + BOTTOM
        lines += [
            f"set lmargin at screen {left / width}",
            f"set rmargin at screen {(left + WIDTH) / width}",
            f"set bmargin at screen {low / height}",
            f"set tmargin at screen {(low + HEIGHT) / height}",
            f"set title {quoted(' '.join(panel))} noenhanced",
            *panel_lines([row for row in rows if panel_of(row) == panel], names, most),
        ]
    return "\n".join([*lines, "unset multiplot", ""])


def draw(path, rows, title):
    """Writes the chart, whole or not at all."""
    if not any(row["ok"] for row in rows):
        raise ChartError(f"--svg {path}: there is nothing to draw")
    done = subprocess.run(["gnuplot", "--default-settings"], input=script(rows, title),
                          capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        lines = map(str.strip, done.stderr.splitlines())
        said = [line for line in lines if line.startswith("line ")]
        raise ChartError(f"gnuplot failed with status {done.returncode}: "
                         + (said or ["it does not say why"])[0])
    if not done.stdout.rstrip().endswith("</svg>"):
        raise ChartError("gnuplot's chart is not complete")
    try:
        replace(os.path.realpath(path), done.stdout)
    except OSError as error:
        raise ChartError(f"--svg {path}: {error.strerror}") from error


def replace(path, text):
    """Puts a file of that text there at once, with the old one's owner and permissions."""
    old = os.stat(path) if os.path.exists(path) else None
    part = f"{path}.{os.getpid()}.part"
    # at no time may more users open it than the old one
    with open(part, "x", encoding="utf-8", errors="replace",
              opener=lambda name, flags: os.open(name, flags, 0o600 if old else 0o666)) as file:
        try:
            if old:
                new = os.fstat(file.fileno())
                # some file systems reject every change
                if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
                    os.fchown(file.fileno(), old.st_uid, old.st_gid)
                os.fchmod(file.fileno(), old.st_mode & 0o777)
            file.write(text)
            file.flush()
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise

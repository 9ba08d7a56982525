"""The chart of tools/compare: GB/s over counts, by gnuplot, a line for each implementation."""

import os
import shutil
import subprocess

ROOFLINE = "roofline"
PANEL = (760, 460)  # pixels
# Dark and light in turn, for print in grey, where the points distinguish lines as well.
STYLES = [
    ("#d55e00", 5), ("#56b4e9", 4), ("#0072b2", 7), ("#e69f00", 6), ("#009e73", 9),
    ("#cc79a7", 8), ("#5b3a8c", 13), ("#000000", 12),
]  # fmt: skip


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


def script(rows, title):
    """A panel for each operation and type, two in a row of the page."""
    panels = list(dict.fromkeys((row["op"], row["type"]) for row in rows))
    names = list(dict.fromkeys(row["implementation"] for row in rows if row["ok"]))
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    size = f"{PANEL[0] * across},{PANEL[1] * down + 40}"
    lines = [
        "set encoding utf8",
        f"set terminal svg size {size} enhanced font 'sans-serif,14' background rgb 'white'",
        f"set multiplot layout {down},{across} title {quoted(title)} noenhanced",
        "set logscale x 2", "set format x '2^{%L}'", "set yrange [0:*]",
        "set offsets graph 0.03, graph 0.03, 0, 0",
        "set xlabel 'number of elements n'",
        "set ylabel 'bytes that must be moved [GB/s]'",
        "set grid xtics ytics linetype 1 linewidth 0.5 linecolor '#bbbbbb'",
        "set key outside right center reverse Left noenhanced",
    ]  # fmt: skip
    for panel in panels:
        drawn = []
        for index, name in enumerate(names):
            points = [(row["count"], row["gbps"]) for row in rows
                      if (row["op"], row["type"], row["implementation"]) == (*panel, name)
                      and row["ok"]]  # fmt: skip
            if not points:
                continue
            block = f"$values{index}"
            lines += [f"{block} << END", *(f"{n} {gbps}" for n, gbps in sorted(points)), "END"]
            colour, point = STYLES[index % len(STYLES)]
            style = f"linespoints linewidth 1.5 linecolor '{colour}' pointtype {point}"
            if name == ROOFLINE:
                style = "linespoints linewidth 2 linecolor '#222222' dashtype 2 pointtype 1"
            drawn.append(f"{block} using 1:2 with {style} title {quoted(name)}")
        lines.append(f"set title {quoted(' '.join(panel))} noenhanced")
        if drawn:
            lines.append("plot " + ", ".join(drawn))
        else:
            lines.append("set multiplot next")
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

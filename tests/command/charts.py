"""What the charts' SVG, which is gnuplot's, shows: texts, lines and areas, in pixels."""

import itertools
import re
import time
import xml.etree.ElementTree as xml

from cases import check

SVG = "{http://www.w3.org/2000/svg}"
AXES = (68, 68, 68)  # the colour of their lines
LIMIT = (34, 34, 34)
LABEL_HEIGHT = 17


def numbers(text):
    return [float(number) for number in re.findall(r"-?[\d.]+", text)]


def colour(text):
    return tuple(map(int, numbers(text or "")[:3]))


def pairs(values):
    return list(zip(values[::2], values[1::2], strict=True))


class Text:
    def __init__(self, group, text):
        self.text = "".join(text.itertext()).strip()
        self.x, self.y = numbers(group.get("transform"))[:2]
        self.colour = colour(group.get("fill"))
        self.bold = any(part.get("font-weight") == "bold" for part in text.iter(SVG + "tspan"))


class Path:
    def __init__(self, group, path):
        self.colour = colour(path.get("stroke") or group.get("stroke"))
        self.width = float(group.get("stroke-width", 1))
        self.dashed = path.get("stroke-dasharray") is not None
        self.closed = "Z" in path.get("d")
        self.points = pairs(numbers(path.get("d")))


class Chart:
    """`panels` are left, top, right and bottom of axes, from left to right."""

    def __init__(self, path):
        root = xml.parse(path).getroot()
        check(root.tag == SVG + "svg", root.tag)
        self.width, self.height = map(float, numbers(root.get("viewBox"))[2:])
        groups = list(root.iter(SVG + "g"))
        self.texts = [Text(group, text) for group in groups if group.get("transform")
                      for text in group.findall(SVG + "text")]  # fmt: skip
        self.paths = [Path(group, path) for group in groups for path in group.findall(SVG + "path")]
        self.areas = [(colour(area.get("fill")), area.get("fill-opacity"),
                       pairs(numbers(area.get("points")))) for area in root.iter(SVG + "polygon")]
        frames = {tuple(path.points[:3]) for path in self.paths
                  if path.colour == AXES and len(path.points) > 3}  # fmt: skip
        self.panels = sorted((*a, *c) for a, _, c in frames)

    def text(self, text):
        """The one of that text."""
        found = [one for one in self.texts if one.text == text]
        check(len(found) == 1, f"{len(found)} texts {text!r}: {[one.text for one in self.texts]}")
        return found[0]

    def check_title(self, what, device, machine, version):
        """On top and from the left, one below another: all but the date is told."""
        lines = [f"{version} {what}, {time.strftime('%Y-%m-%d')}",
                 f"{device['name']}, driver {device['driver_version']}",
                 *(machine or "").split("; ")]  # fmt: skip
        found = [self.text(line) for line in lines if line]
        check(found[0].bold and not found[1].bold, "what stands first is bold")
        check(len({one.x for one in found}) == 1, "the title's lines begin at one place")
        below = [one.y for one in found]
        check(all(b - a > 15 for a, b in itertools.pairwise(below)), f"{below}")
        check(below[-1] + 15 < self.panels[0][1], f"{below} reach {self.panels}")

    def check_panel(self, place, title, names):
        """The panel's title, and its names at their places. Returns what is drawn in it: the
        paths by the names of their lines."""
        left, top, right, bottom = self.panels[place]
        middle = self.text(title)
        check(abs(middle.x - (left + right) / 2) < 1 and middle.y < top, f"{title}: {middle.x}")
        later = [panel[0] for panel in self.panels[place + 1 :]]
        end = later[0] if later else self.width
        labels = {one.text: one for one in self.texts if right < one.x < end and one.y > top - 10
                  and one.text in names}  # fmt: skip
        check(sorted(labels) == sorted(names), f"{title}: names {list(labels)}, not {names}")
        heights = sorted(one.y for one in labels.values())
        check(all(b - a > LABEL_HEIGHT - 0.1 for a, b in itertools.pairwise(heights)), f"{heights}")
        check(heights[0] > top - 5 and heights[-1] < bottom + 10, f"{heights}")
        check(all(one.x + 7 * len(name) < end for name, one in labels.items()), "a name is cut")
        return {name: self.line_of(label, (left, top, right, bottom))
                for name, label in labels.items()}  # fmt: skip

    def band_of(self, path, panel):
        [points] = [points for colour, opacity, points in self.areas if colour == path.colour
                    and 0 < float(opacity or 1) < 0.5
                    and panel[0] < points[0][0] < panel[2]]  # fmt: skip
        return points

    def line_of(self, label, panel):
        """A thin line leads to the label, from the end of the line, which is returned."""
        left, _, right, _ = panel
        leads = [path for path in self.paths if path.colour == label.colour
                 and abs(path.points[-1][0] - label.x + 4) < 2
                 and abs(path.points[-1][1] - label.y + 5) < 2]  # fmt: skip
        check(len(leads) == 1 and not leads[0].dashed, f"{len(leads)} lines to {label.text}")
        end = leads[0].points[0]
        lines = [path for path in self.paths if path.colour == label.colour
                 and path not in leads and left - 1 < path.points[0][0] < right
                 and abs(path.points[-1][0] - end[0]) < 0.1
                 and abs(path.points[-1][1] - end[1]) < 0.1]  # fmt: skip
        check(len(lines) <= 1, f"{len(lines)} lines end at {end}")
        return lines[0] if lines else None

"""A device, as a text file describes it: a number a line, with where it comes from, which is
measured on such a device by this project, queried from its driver, or nominal, from a data sheet or
a paper. What no line says is not known. docs/predict.md says what the numbers are."""

import os
import re
from types import SimpleNamespace as Record

from predict.nest import Wrong, need

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "devices")
DEFAULT = "h100"
NUMBERS = """width banks units clock issue replays bandwidth latency l1 l2 l2_bandwidth l2_latency
    local_latency alu_latency barrier call launch link link_latency sub_groups groups most_items
    registers register_parts register_unit registers_by_group sub_group_unit most_registers local
    local_unit local_reserved in_order correction departure_coalesced departure_uncoalesced
    issue_cycles""".split()
NEEDED = {"width": (1, 64), "banks": (1, 64), "units": (1, 1e6), "clock": (1e-3, 1e3),
          "bandwidth": (1e-3, 1e6)}


def names():
    return sorted(name[:-7] for name in os.listdir(FOLDER) if name.endswith(".device"))


def read(text):
    """A function that gives a number, by default 0, with the numbers, their sources and a name."""
    found, sources, title, line = {}, {}, "", 0
    for line, row in enumerate(re.sub(r"[^\n -~]", "?", text).splitlines(), 1):
        word, _, rest = row.strip().partition(" ")
        if word == "name":
            title = rest.strip()[:127]
        if word in ("", "name") or word.startswith("#"):
            continue
        need(word in NUMBERS, (line, 1), f"devices have no {word[:40]}")
        need(word not in found, (line, 1), f"{word} is given twice")
        number, source, words = [*rest.split(None, 2), "", "", ""][:3]
        is_number = re.fullmatch(r"\d+(\.\d*)?(e\d+)?", number) and float(number) <= 1e15
        need(is_number, (line, 1), f"{number[:40]} is not a number from 0 to 1e15")
        need(source in ("measured", "queried", "nominal"), (line, 1),
             "after the number stands measured, queried or nominal")
        found[word], sources[word] = float(number), f"{source}: {words}" if words else source
    for word, (least, most) in NEEDED.items():
        need(least <= found.get(word, -1) <= most, (line + 1, 1),
             f"a device needs a {word} from {least:g} to {most:g}")
    need(all(found[word] % 1 == 0 for word in ("width", "banks")), (line + 1, 1),
         "width and banks are whole numbers")
    return Record(name=title, numbers=found, sources=sources,
                  number=lambda word, other=0: found.get(word, other),
                  lanes=Record(width=int(found["width"]), banks=int(found["banks"]),
                               in_order=bool(found.get("in_order"))))


def find(name):
    """One that the command carries, or a file whose name ends in .device."""
    path = name if name.endswith(".device") else os.path.join(FOLDER, f"{name}.device")
    need(name.endswith(".device") or name in names(), (0, 0),
         f"there is no device {name}; they are {' '.join(names())}, or FILE.device")
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(1 << 20)
    for part in re.findall(r"(?m)^include (\w+\.part)$", text):
        with open(os.path.join(FOLDER, part), encoding="utf-8") as file:
            text = text.replace(f"include {part}\n", file.read())
    try:
        return read(text)
    except Wrong as wrong:
        raise Wrong(wrong.args[0], wrong.args[1], name) from None

"""Reads what nvdisasm -c writes: the instructions that an NVIDIA GPU really gets."""

import re

import assembly as asm

START = re.compile(r"^\.text\.([\w$]+):")
LABEL = re.compile(r"^(\.L_x_\d+):")
LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?(\S[^;]*?)\s*;")
SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
SPACES = {"G": asm.GLOBAL, "S": asm.LOCAL, "L": asm.PRIVATE}


def access_of(opcode):
    parts = opcode.split(".")
    match = re.fullmatch(r"(LD|ST)([GSL])", parts[0])
    if not match:
        return None
    size = next((SIZES[part] for part in parts[1:] if part in SIZES), 4)
    kind = asm.LOAD if match[1] == "LD" else asm.STORE
    return asm.Access(kind, SPACES[match[2]], size, "STRONG" in parts)


def kernels(text):
    found = {}
    current = None
    for line in text.splitlines():
        start, label, match = START.match(line), LABEL.match(line), LINE.match(line)
        if start:
            current = asm.Kernel(start[1], [])
            found[start[1]] = current
        elif current and label:
            current.steps.append(asm.Label(label[1]))
        elif current and match:
            opcode = match[1].split()[0]
            target = re.search(r"`\((\.L_x_\d+)\)", match[1])
            branches = target and opcode.split(".")[0] == "BRA"
            current.steps.append(asm.Instruction(
                match[1], target[1] if branches else None, access_of(opcode),
                opcode.startswith("BAR.")))
    return found

"""Reads what ocloc makes for Intel's GPUs: its disassembly, and what it says of spills.

An instruction is for 8, 16 or 32 work-items, and its comment says what a message does:

    send.dc1 (16|M0)  r9  r2  null:0  0x0  0x04205E00  // ...; untyped surface read with x
    send.dc0 (16|M0)  r9  r2  null:0  0x0  0x021108FE  // ...; byte gathering read 32b
    send.ugm (16|M0)  r9  r2  null:0  0x0  0x0850D500  // ...; load.ugm.d32x4.a64
    send.dc1 (8|M0)   r9  r2  null:0  0x0  0x0424B2FF  // ...; untyped a64 atomic int64 logical OR
"""

import re

import assembly as asm

LABEL = re.compile(r"^(L\d+):")
SPILLED = re.compile(r"[Kk]ernel (\w+)\s+compiled SIMD\d+ allocated (\d+) regs and spilled around "
                     r"(\d+)")
SURFACE = re.compile(r"untyped surface (read|write) with (x?y?z?w?)")
BYTES = re.compile(r"byte (?:gathering|scattering) (read|write) (\d+)b")
MESSAGE = re.compile(r"(load|store)\.(ugm|slm|tgm)\.d(\d+)(?:u\d+)?(?:x(\d+))?")
ATOMICS = {"logical OR": asm.LOAD, "store": asm.STORE}
LOCAL_SURFACE = re.compile(r"0x[0-9A-F]{6}FE\b", re.I)


def access_of(line):
    code, _, comment = line.partition("//")
    surface, message = SURFACE.search(comment), MESSAGE.search(comment)
    scattered = BYTES.search(comment)
    if "scratch" in comment:
        kind = asm.STORE if "write" in comment or "store" in comment else asm.LOAD
        return asm.Access(kind, asm.PRIVATE, 4)
    if surface or scattered:
        space = asm.LOCAL if LOCAL_SURFACE.search(code) else asm.GLOBAL
        kind = asm.LOAD if (surface or scattered)[1] == "read" else asm.STORE
        size = 4 * len(surface[2]) if surface else int(scattered[2]) // 8
        return asm.Access(kind, space, size)
    if message:
        space = asm.LOCAL if message[2] == "slm" else asm.GLOBAL
        kind = asm.LOAD if message[1] == "load" else asm.STORE
        return asm.Access(kind, space, int(message[3]) // 8 * int(message[4] or 1))
    if "atomic" in comment:
        # An atomic load is an OR with 0, done where all units see it. No kernel has other ORs.
        kind = next((kind for word, kind in ATOMICS.items() if word in comment), asm.ATOMIC)
        return asm.Access(kind, asm.GLOBAL, 8 if "int64" in comment else 4, True)
    return None


def kernel(name, text):
    """One kernel's disassembly; how many work-items an instruction is for is among its facts."""
    found = asm.Kernel(name, [])
    widths = [int(width) for width in re.findall(r"\((\d+)\|M0\)", text)]
    found.facts["simd"] = max((width for width in widths if width <= 32), default=0)
    for line in text.splitlines():
        label = LABEL.match(line.strip())
        if label:
            found.steps.append(asm.Label(label[1]))
            continue
        words = line.split("//")[0].split()
        words = words[1:] if words and words[0].startswith("(") else words
        if not words or words[0].startswith("."):
            continue
        targets = re.findall(r"\bL\d+\b", line.split("//")[0])
        jumps = targets and words[0].startswith(("jmpi", "while", "goto"))
        found.steps.append(asm.Instruction(
            line.strip(), targets[0] if jumps else None, access_of(line),
            "signal barrier" in line or "barrier" in line and "send.gtwy" in line))
    return found


def spills(said):
    """What ocloc's warnings say: kernel to spilled registers."""
    return {match[1]: int(match[3]) for match in SPILLED.finditer(said)}

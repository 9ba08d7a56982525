"""Reads the assembly that clang writes for AMD's GPUs, with the figures in its trailers."""

import re

import assembly as asm

BEGIN = re.compile(r"-- Begin function ([\w$]+)")
LABEL = re.compile(r"^(\.?L?BB\d+_\d+):")
SIZES = {
    "ubyte": 1, "sbyte": 1, "u8": 1, "i8": 1, "b8": 1, "byte": 1,
    "ushort": 2, "sshort": 2, "short": 2, "u16": 2, "i16": 2, "b16": 2,
    "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12,
    "dwordx4": 16, "b128": 16,
}  # fmt: skip
SPACES = {
    "global": asm.GLOBAL, "flat": asm.GLOBAL, "ds": asm.LOCAL,
    "scratch": asm.PRIVATE, "buffer": asm.PRIVATE,
}  # fmt: skip
KINDS = {
    "load": asm.LOAD, "read": asm.LOAD, "read2": asm.LOAD, "read2st64": asm.LOAD,
    "store": asm.STORE, "write": asm.STORE, "write2": asm.STORE, "write2st64": asm.STORE,
    "atomic": asm.ATOMIC,
}  # fmt: skip
TRAILER = {
    "registers": re.compile(r"^; NumVgprs: (\d+)"),
    "all": re.compile(r"^; TotalNumVgprs: (\d+)"),  # with accumulators, where a lane has them
    "private": re.compile(r"^; ScratchSize: (\d+)"),
    "local": re.compile(r"^; LDSByteSize: (\d+)"),
    "clang_occupancy": re.compile(r"^; Occupancy: (\d+)"),
}
METADATA = {
    "name": re.compile(r"^\s+(?:- )?\.name:\s+([\w$]+)$"),
    "spills": re.compile(r"^\s+(?:- )?\.vgpr_spill_count:\s+(\d+)"),
    # Of scalar registers, into lanes of vector registers: they never see memory.
    "lane_spills": re.compile(r"^\s+(?:- )?\.sgpr_spill_count:\s+(\d+)"),
}


def access_of(text):
    opcode = text.split()[0]
    parts = opcode.split("_")
    if parts[0] not in SPACES or len(parts) < 3 or parts[1] not in KINDS:
        return None
    sizes = [SIZES[part] for part in parts[2:] if part in SIZES]
    kind = KINDS[parts[1]]
    if kind == asm.ATOMIC:
        sizes = [8 if parts[-1] in ("x2", "u64", "b64", "i64") else 4]
    if not sizes:
        return None
    if "2addr" in parts or parts[1].startswith(("read2", "write2")):
        sizes[0] *= 2
    coherent = bool(re.search(r"\b(glc|sc[01])\b", text))
    return asm.Access(kind, SPACES[parts[0]], sizes[0], coherent)


def step_of(line):
    label = LABEL.match(line)
    if label:
        return asm.Label(label[1])
    text = line.split(";")[0].strip()
    if not line.startswith("\t") or not text or text.startswith("."):
        return None
    target = text.split()[1] if text.startswith(("s_branch", "s_cbranch")) else None
    return asm.Instruction(text, target, access_of(text), text.split()[0] == "s_barrier")


def read_metadata(text, found):
    """Spills are in the notes at the end, after or before the kernel's name."""
    for part in re.split(r"^  - ", text, flags=re.M)[1:]:
        lines = ("    " + part).splitlines()
        names = [m[1] for m in map(METADATA["name"].match, lines) if m and m[1] in found]
        for what in ("spills", "lane_spills") if names else ():
            counts = [int(m[1]) for m in map(METADATA[what].match, lines) if m]
            found[names[-1]].facts[what] = 4 * sum(counts)


def kernels(text):
    found = {}
    current, inside = None, False
    code, _, notes = text.partition("amdhsa.kernels:")
    for line in code.splitlines():
        begin = BEGIN.search(line)
        if begin:
            current, inside = asm.Kernel(begin[1], []), True
            found[begin[1]] = current
            continue
        if line.startswith("\t.section") or "s_code_end" in line:
            inside = False
        if current is None:
            continue
        for name, pattern in TRAILER.items():
            match = pattern.match(line)
            if match:
                current.facts[name] = int(match[1])
        step = step_of(line) if inside else None
        if step:
            current.steps.append(step)
    # Functions have no local memory of their own.
    found = {name: kernel for name, kernel in found.items() if "local" in kernel.facts}
    for kernel in found.values():
        kernel.facts["registers"] = kernel.facts.pop("all", kernel.facts["registers"])
    read_metadata(notes, found)
    return found

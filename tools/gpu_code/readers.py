"""Reads what compilers write for GPUs, and what they say of it, by a table for each vendor.

    NVIDIA   PTX of clang and nvcc, ptxas -v
    AMD      assembly and remarks of clang
    Intel    disassembly and warnings of ocloc. An instruction is for 8, 16 or 32 work-items, and
             its comment says what a message does:

    send.dc1 (16|M0)  r9  r2  null:0  0x0  0x04205E00  // ...; untyped surface read with x
    send.dc0 (16|M0)  r9  r2  null:0  0x0  0x021108FE  // ...; byte gathering read 32b
    send.ugm (16|M0)  r9  r2  null:0  0x0  0x0850D500  // ...; load.ugm.d32x4.a64
    send.dc1 (8|M0)   r9  r2  null:0  0x0  0x0424B2FF  // ...; untyped a64 atomic int64 logical OR
"""

import re
from typing import NamedTuple

import assembly as asm


class Syntax(NamedTuple):
    """Patterns of lines, with the name of a kernel and of a label as their groups."""

    begin: str
    end: str
    label: str
    line: str  # guard (or none) and text of an instruction
    branch: str
    barrier: str
    accesses: tuple  # kind, space, size in bits, count, past (caches)
    reports: str  # the kernel that facts are about
    facts: dict  # whose numbers are added up


VENDORS = {
    "nvidia": Syntax(
        r"\.entry\s+([\w$]+)", r"}", r"([$\w]+):\s*(?://.*)?$",
        r"\s*(?P<guard>@!?%\w+)?\s*(?P<text>[a-z][^;]*;)", r"bra(?:\.\w+)?\s+(\S+);",
        r"bar\.|barrier\.",
        (r"(?P<kind>ld|st|atom|red)\.(?=(?:\S*?\b(?P<past>volatile|relaxed|acquire)\b)?)"
         r"(?=(?:\S*?\b(?P<space>global|shared|local)\b)?)(?=(?:\S*?\.v(?P<count>\d)\b)?)"
         r"\S*\.[busf](?P<size>\d+)(?:x\d)?\s",),
        r"Compiling entry function '([\w$]+)'",
        # The stack's frame holds what is spilled, too.
        {"private": r"(\d+) bytes stack", "spills": r"(\d+) bytes spill",
         "registers": r"Used (\d+) registers", "local": r"(\d+) bytes smem"},
    ),
    "amd": Syntax(
        r"\.protected\s+(\w+)\s+; -- Begin function", r"\t\.section|.*s_code_end",
        r"(\.?L?BB\d+_\d+):", r"\t(?P<guard>)(?P<text>[a-z][^;]*)", r"s_c?branch\w*\s+(\S+)",
        r"s_barrier",
        (r"(?P<space>global|flat|ds|scratch|buffer)_(?P<kind>load|read|store|write|atomic)"
         r"(?P<two>2|_2addr)?\w*?(?:_[busi]?(?P<size>byte|short|dword(?:x\d)?|x2|\d+))?"
         r"(?:_d16(?:_hi)?)?\s(?P<past>.*\b(?:glc|sc[01])\b)?",),
        r"Function Name: (\S+)",
        {"private": r"ScratchSize.*?: (\d+)", "spills": r"VGPRs Spill: (\d+)",
         "registers": r" [VA]GPRs: (\d+)", "local": r"LDS Size.*?: (\d+)",
         "clang_occupancy": r"Occupancy.*?: (\d+)"},
    ),
    "intel": Syntax(
        r"^kernel (\w+)$", r"$^", r"\s*(L\d+):",
        r"\s*(?P<guard>\(\S*\))?\s*(?P<text>[a-z].*)",
        r"(?:jmpi|while|goto)[^/]*?\b(L\d+)\b", r".*signal barrier|send\.gtwy.*barrier",
        (r"//(?=.*(?P<space>scratch)).*?(?P<kind>read|write|load|store)",
         r"^(?=(?:[^/]*?(?P<space>0x)\w{6}FE\b)?).*//.*(?:untyped surface|byte \w+) "
         r"(?P<kind>read|write) (?:with (?P<parts>[xyzw]+)|(?P<size>\d+)b)",
         r"(?P<kind>load|store)\.(?P<space>ugm|slm|tgm)\.d(?P<size>\d+)(?:u\d+)?"
         r"(?:x(?P<count>\d+))?",
         r"//.*?(?P<past>atomic)(?=(?:.*int(?P<size>64))?).*?(?P<kind>logical OR|store|$)"),
        r"[Kk]ernel (\w+)\s+compiled SIMD", {"spills": r"spilled around (\d+)"},
    ),
}  # fmt: skip
# An atomic load of Intel's is an OR with 0, done where all units see it. No kernel has other ORs.
KINDS = {**dict.fromkeys(("ld", "load", "read", "logical OR"), asm.LOAD),
         **dict.fromkeys(("st", "store", "write"), asm.STORE)}  # fmt: skip
SPACES = {**dict.fromkeys(("global", "flat", "ugm", "tgm"), asm.GLOBAL),
          **dict.fromkeys(("shared", "ds", "slm", "0x"), asm.LOCAL),
          **dict.fromkeys(("local", "scratch", "buffer"), asm.PRIVATE)}  # fmt: skip
BITS = {"byte": 8, "short": 16, "dword": 32, "x2": 64, "dwordx2": 64, "dwordx3": 96,
        "dwordx4": 128}  # fmt: skip


def access_of(vendor, text):
    """What an instruction does to memory; None if nothing."""
    for pattern in VENDORS[vendor].accesses:
        match = re.search(pattern, text) if vendor == "intel" else re.match(pattern, text)
        if not match:
            continue
        has = match.groupdict().get
        space = SPACES.get(has("space"), asm.OTHER if vendor == "nvidia" else asm.GLOBAL)
        size = (BITS.get(has("size")) or int(has("size") or 32)) // 8 * int(has("count") or 1)
        size *= len(has("parts") or "x") * (2 if has("two") else 1)
        return asm.Access(KINDS.get(match["kind"], asm.ATOMIC), space, size, bool(has("past")))
    return None


def facts_of(vendor, said):
    """What a compiler says of each kernel: registers, private bytes, spills, local memory."""
    _, *parts = re.split(VENDORS[vendor].reports, said)
    return {name: {what: sum(map(int, re.findall(pattern, of_kernel)))
                   for what, pattern in VENDORS[vendor].facts.items()}
            for name, of_kernel in zip(parts[::2], parts[1::2])}


def kernels(vendor, text, said=""):
    """The kernels of an assembly, by name, and what the compiler has said of them."""
    syntax, facts = VENDORS[vendor], facts_of(vendor, said)
    found, steps = {}, None
    for line in text.splitlines():
        begin = re.search(syntax.begin, line)
        label, step = re.match(syntax.label, line), re.match(syntax.line, line)
        if begin:
            steps = []
            found[begin[1]] = asm.Kernel(begin[1], steps, facts.get(begin[1], {}))
        elif steps is None or re.match(syntax.end, line):
            steps = None
        elif label:
            steps.append(asm.Label(label[1]))
        elif step:
            branch = re.match(syntax.branch, step["text"])
            steps.append(asm.Instruction(
                step["text"].strip(), branch and branch[1], access_of(vendor, step["text"]),
                bool(re.match(syntax.barrier, step["text"])), step["guard"]))
    return found

"""Reads PTX, as clang and nvcc write it, and what ptxas says of it with -v."""

import re

import assembly as asm

ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$]+)")
LABEL = re.compile(r"^([$\w]+):\s*$")
PREDICATE = re.compile(r"^@!?%\w+\s+")
DEPOT = re.compile(r"^\.local\s.*__local_depot\d+\[(\d+)\]")
GROUP = re.compile(r"^\.(?:reqntid|maxntid)\s+(\d+)")
VECTOR = {"v2": 2, "v4": 4, "v8": 8}
SPACES = {"global": asm.GLOBAL, "shared": asm.LOCAL, "local": asm.PRIVATE}


def access_of(opcode):
    """What ld.relaxed.gpu.global.v2.u64 and its like do; None if it is not an access."""
    parts = opcode.split(".")
    kind = {"ld": asm.LOAD, "st": asm.STORE, "atom": asm.ATOMIC, "red": asm.ATOMIC}.get(parts[0])
    size = re.fullmatch(r"[busf](\d+)(?:x\d)?", parts[-1])
    if kind is None or not size:
        return None
    spaces = [SPACES[part.split("::")[0]] for part in parts if part.split("::")[0] in SPACES]
    count = [VECTOR[part] for part in parts if part in VECTOR]
    coherent = bool({"volatile", "relaxed", "acquire"} & set(parts))
    return asm.Access(kind, spaces[0] if spaces else asm.OTHER,
                      int(size[1]) // 8 * (count[0] if count else 1), coherent)


def step_of(line):
    """A line of a kernel's body as a step; None if it is neither label nor instruction."""
    line = line.split("//")[0].strip()
    label = LABEL.match(line)
    if label:
        return asm.Label(label[1])
    guard = PREDICATE.match(line)
    text = PREDICATE.sub("", line)
    if not text.endswith(";") or text.startswith((".", "{", "}")):
        return None
    opcode, *rest = text.rstrip(";").split(None, 1)
    target = rest[0].strip() if opcode.split(".")[0] == "bra" and rest else None
    return asm.Instruction(text, target, access_of(opcode), opcode.startswith(("bar.", "barrier.")),
                           guard[0].strip() if guard else None)


def kernels(text):
    """The kernels of a PTX file, by name."""
    found = {}
    current, inside = None, False
    for line in text.splitlines():
        entry = ENTRY.match(line)
        if entry:
            current, inside = asm.Kernel(entry[1], []), False
            found[entry[1]] = current
        elif current is None:
            continue
        elif line == "{":
            inside = True
        elif line == "}":
            current = None
        elif not inside:
            group = GROUP.match(line.strip())
            if group:
                current.group_size = int(group[1])
        else:
            depot = DEPOT.match(line.strip())
            if depot:
                current.depot = int(depot[1])
            step = step_of(line)
            if step:
                current.steps.append(step)
    return found


def resources(said):
    """What ptxas -v says of each kernel: registers, spilled and private bytes, local memory."""
    found = {}
    name = None
    for line in said.splitlines():
        start = re.search(r"Compiling entry function '([\w$]+)'", line)
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes", line)
        used = re.search(r"Used (\d+) registers", line)
        if start:
            name = start[1]
            found[name] = {}
        elif name and stack:
            # The frame holds what is spilled too.
            spills = int(stack[2]) + int(stack[3])
            found[name].update(private=int(stack[1]), spills=spills)
        elif name and used:
            shared = re.search(r"(\d+) bytes smem", line)
            found[name].update(registers=int(used[1]), local=int(shared[1]) if shared else 0)
    return found


def plain_reads_through(kernel, parameter):
    """Loads of global memory past no cache, whose address comes of the kernel's pointer number
    `parameter`. Addresses are followed through all but loads, so what is read there does not
    make other addresses its own."""
    register = re.compile(r"%\w+")
    marked = set()
    start = re.compile(rf"\[{re.escape(kernel.name)}_param_{parameter}\]")
    steps = asm.instructions(kernel.steps)
    before = -1
    while len(marked) != before:
        before = len(marked)
        for step in steps:
            registers = register.findall(step.text)
            is_start = step.text.startswith("ld.param") and start.search(step.text)
            moves = step.access is None and not step.text.startswith(("bra", "setp"))
            if registers and (is_start or (moves and marked & set(registers[1:]))):
                marked.add(registers[0])
    return [step.text for step in steps if step.access
            and (step.access.kind, step.access.space) == (asm.LOAD, asm.GLOBAL)
            and not step.access.coherent
            and marked & set(register.findall(step.text.partition("[")[2]))]

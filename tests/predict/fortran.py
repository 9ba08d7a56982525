"""Nests that clfold nest makes of Fortran do what the Fortran does: fortran.py COMMAND

Each file of the folder fortran is rewritten: its nests log the address of every element that they
load and store, and gfortran runs them. What is logged is sorted here into work-items, sub-groups of
32 and groups by the rule of launches, and counted; clfold predict must count the same of each array
in each nest. refused.txt has what must be refused; and each file, torn by chance, must be a nest or
one sentence. Exits 77 without fparser or gfortran.
"""

import array
import collections
import glob
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools"))
from predict import fortran, timing  # noqa: E402
from predict.fortran import DOS, found, lower, sort  # noqa: E402

LOGGER = """
module logger
  integer(8) :: place(5)
  logical :: is_open = .false.
contains
  subroutine log_place(number, element, start, turns, bits)
    integer :: number, turns, bits
    integer(8) :: element, start
    if (.not. is_open) open(77, file='log', status='replace', access='stream')
    is_open = .true.
    write(77) int(number, 8), place, element - start, int(turns, 8), int(bits / 8, 8)
  end subroutine
end module
"""
# Of the cases of refused.txt.
HEAD = """program refused
integer, parameter :: n = 9; integer :: i, j, k, m, ix(n); real :: a(n, n), b(n), s
complex :: z(n), u; real, allocatable :: w(:)
type pair; real :: x, y; end type; type(pair) :: point
"""
# What else the nests of some files say.
FACTS = {
    "blocks.f90": ["param BX = 32\nparam BY = 2\nparam BZ = 7\n", "size = BX*BY*BZ  times",
                   "size = BX, BY*BZ  times", "size = BX, BY, BZ  times", "size = 64, 1  times",
                   'note "no REGION says what moves', "transfer out B times 0",
                   "let L = 4 - (gz / ceil(9, BZ))"],
    "calls.f90": ["GO TO 5 is taken not to", "times 1 + 1\n"],
    "heat.f90": ["array F f64[N + 2, M, N - 1] global", "param M = N + 3"],
    "inside.f90": ['note "line 9: EXIT is taken not to happen"', "branches M + 1\n",
                   "a(i) and a(i - 1): without ACROSS", "\n    at 48\n"],
    "jacobi.f90": [
        "transfer in B times MOST\n", "transfer in A times MOST\n", "transfer out A times MOST\n",
        "transfer in U times 1 + 2\n", "transfer out V times 1 + 2\n", "transfer in P times 2\n",
        "transfer out P times 2\n", "SHADOW_RENEW is ignored", "reduction 8",
    ],
    "matrix.f90": ["scalars 2  intermediates 4  globals 1  branches 0\n"],
    "reduce.f90": ["fold add f64 M*M", "fold mul f64 M*M", "fold min f32 N", "reduction 16",
                   "fold logical_and i32 N", "fold logical_or i32 N", "while K + 1 <= 5",
                   "op tree"],
    "types.f90": ["op special 2\n        op 3\n        op convert 1\n        op reciprocal 1\n",
                  "scalars 6", "step -2", "if (I > 0) {", "array I2 i16[N + 4]", "array I1 i8[N]"],
}
BLOCKS = {1: [448], 2: [32, 14], 3: [32, 2, 7]}
COLUMNS = ("requests", "items", "bytes", "sectors", "lines")
# Names of scalars in the files that an iteration computes, and IFs ask for.
PRIVATE = {"big", "small", "eps", "t", "d", "flag"}

Reference = collections.namedtuple("Reference", "nest kind array")


def must(*command, folder=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Nest:
    """A nest's loops, from what stands before it in the file."""

    def __init__(self, line, lines):
        text = " ".join(lines[line - 1 : line + 2])
        names = re.search(r"(?i)PARALLEL \(([^)]*)\)", text)[1]
        self.line, self.names = line, [name.strip().lower() for name in names.split(",")]
        block = re.search(r"(?i)CUDA_BLOCK\s*\(([^)]*)\)", re.split("(?i)PARALLEL", text)[1])
        self.has_block, self.block = bool(block), []
        self.take([int(size) for size in block[1].split(",")] if block else
                  BLOCKS[min(3, len(self.names))])
        across = re.search(r"across ([ijk ]+)$", lines[line - 2])
        self.waits = [self.names[::-1].index(name) for name in across[1].split()] if across else []

    def take(self, sizes):
        """The block; the last loop takes what is left, and those beyond three have one."""
        last = min(3, len(self.names)) - 1
        sizes = [*sizes, 1, 1]
        self.block = [*sizes[:last], math.prod(sizes[last:]), 1, 1, 1, 1][:5]


class Rewriter:
    """The file with its nests as calls of the logger; the references by their numbers."""

    def __init__(self, path):
        self.references, self.out, self.nest, self.by_data = [], [LOGGER], None, []
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        starts = [i for i, text in enumerate(lines, 1) if
                  re.match(r"(?i)\s*[!C*]DVM\$\s+PARALLEL", text)]
        self.nests = {line: Nest(line, lines) for line in starts}
        for node, _ in fortran.statements(fortran.parse(path)[1]):
            if starts and starts[0] < node.item.span[0]:
                self.nest, self.loops, self.ends = self.nests[starts.pop(0)], [], []
                self.write("place = 0")
                self.write(f"call log_place({self.nest.line}, 0_8, 0_8, 0, 0)")
            if self.nest:
                self.rewrite(node, node.item.label)
            else:
                self.write(str(node), node.item.label)
                self.write("use logger" * (sort(node) in fortran.STARTS))

    def write(self, text, label=None):
        self.out.append(f"{label or ''} {text}")

    def rewrite(self, node, label):
        """A statement in a nest."""
        if sort(node) in DOS:
            self.write(str(node))
            counter, (low, _, *step) = next(found(node, "Loop_Control")).children[1]
            turn = f"({counter} - ({low})) / ({step[0] if step else 1})"
            self.loops.append(turn)
            self.ends += [int(str(end)) for end in found(node, "Label")] or [None]
            if len(self.loops) == len(self.nest.names):
                turns = ", ".join(f"int({turn}, 8)" for turn in self.loops[::-1])
                self.write(f"place(1:{len(self.loops)}) = [{turns}]")
        elif sort(node) == "Assignment_Stmt":
            self.assign(node)
        elif sort(node) in ("If_Then_Stmt", "If_Stmt", "Else_If_Stmt"):
            self.choose(node)
        elif sort(node) == "Else_Stmt" and self.by_data[-1][0]:
            self.write("end if\nif (.true.) then")
        elif sort(node) not in ("Continue_Stmt", "Exit_Stmt"):
            self.write(str(node))
        if sort(node) == "End_If_Stmt":
            self.write("end if\n" * self.by_data.pop()[1])
        if label:
            self.write("continue", label)
        is_end = sort(node) == "End_Do_Stmt" and self.ends[-1] is None
        while self.ends and (is_end or label and self.ends[-1] == label):
            self.ends.pop()
            self.loops.pop()
            is_end = False
        self.nest = self.nest if self.ends else None

    def choose(self, node):
        """An IF that data decide becomes all its branches."""
        condition, ends = node.children[0], 0
        names = set(map(lower, found(condition, "Name")))
        by_data = any(found(condition, "Part_Ref", "Real_Literal_Constant")) or names & PRIVATE
        if sort(node) == "Else_If_Stmt":
            was_by_data, ends = self.by_data.pop()
            self.write("end if" if was_by_data else "else")
            ends += not was_by_data
        if by_data:
            self.touch("load", found(condition, "Part_Ref"))
        self.write(f"if ({'.true.' if by_data else condition}) then")
        if sort(node) == "If_Stmt":
            if sort(node.children[1]) == "Assignment_Stmt":
                self.assign(node.children[1])
            self.write("end if")
        else:
            self.by_data.append((by_data, ends))  # and how many END IF are not in the source

    def assign(self, node):
        self.touch("load", found(node.children[2], "Part_Ref"))
        self.touch("store", [node.children[0]] * (sort(node.children[0]) == "Part_Ref"))

    def touch(self, kind, elements):
        turns = "0"
        for turn in self.loops[len(self.nest.names) :]:
            turns = f"4096 * ({turns}) + {turn}"
        for element in elements:
            name = str(element.children[0])
            self.references.append(Reference(self.nest.line, kind, name.lower()))
            self.write(f"call log_place({-len(self.references)}, loc({element}), loc({name}), "
                       f"{turns}, storage_size({name}))")


def simulate(rewriter, path):
    """Counts of (nest, kind, array), of all launches."""
    log, nest, launch = array.array("q"), None, 0
    with open(path, "rb") as file:
        log.frombytes(file.read())
    sectors, groups = collections.defaultdict(set), set()
    totals = collections.defaultdict(lambda: [0] * len(COLUMNS))
    for i in range(0, len(log), 9):
        number, *place, offset, turns, size = log[i : i + 9]
        if number > 0:
            nest, launch = rewriter.nests[number], launch + 1
            totals[Reference(number, "groups", "")][0] += 1
            continue
        group = tuple(at // size for at, size in zip(place, nest.block))
        item = [at % size for at, size in zip(place, nest.block)]
        lane = 0
        for at, length in reversed(list(zip(item, nest.block))):
            lane = lane * length + at
        wave = sum(item[axis] for axis in nest.waits)
        sectors[launch, group, lane // 32, wave, -number, turns].add(offset // 32)
        groups.add((nest.line, launch, group))
        row = totals[rewriter.references[-number - 1]]
        row[1:3] = row[1] + 1, row[2] + size
    for nest, *_ in groups:
        row = totals[Reference(nest, "groups", "")]
        row[1:3] = row[1] + 1, row[2] + math.prod(rewriter.nests[nest].block)
    for nest, *_ in {(nest, launch, sum(group[axis] for axis in rewriter.nests[nest].waits))
                     for nest, launch, group in groups}:
        totals[Reference(nest, "groups", "")][3] += 1
    for key, touched in sectors.items():
        row = totals[rewriter.references[key[4] - 1]]
        row[0] += 1
        row[3] += len(touched)
        row[4] += len({sector // 4 for sector in touched})
    return {key: row for key, row in totals.items() if row[1]}


def predicted(command, path, block=()):
    """The same by clfold predict. Launches that never run and have no counts are left out."""
    totals = collections.defaultdict(lambda: [0] * len(COLUMNS))
    for line in must(command, "predict", path, "--json", *block).splitlines()[:-1]:
        launch = json.loads(line)
        name, times = launch["kernel"], launch["times"]
        if "_parts" in name or times == 0:
            continue
        nest = int(re.search(r"_(\d+)(?:_\d+)?$", name)[1])
        groups, is_sum = launch["groups"] * times, "grids" in launch  # of launches that differ
        new = times, groups, groups * launch["size"], launch["waves"] * times
        row = totals[Reference(nest, "groups", "")]
        row[:] = map(sum, zip(row, new[:1] if is_sum else new))
        for access in launch["accesses"]:
            if not re.search("_parts|_here|_from|_all", access["array"]):
                # Shapes of one array have numbers after its name.
                array_name = re.sub(r"_\d+$", "", access["array"].lower())
                total = totals[Reference(nest, access["access"], array_name)]
                for i, column in enumerate(COLUMNS):
                    total[i] += (1 if is_sum else times) * access[column]
    return totals


def check(command, path, folder):
    """The number of nests in a file, and what is wrong with them."""
    name, text = os.path.basename(path), os.path.join(folder, "text.nest")
    must("gfortran", "-fsyntax-only", "-w", path, folder=folder)
    with open(text, "w", encoding="utf-8") as file:
        file.write(lines := fortran.text(path, {}))
    wrong = [f"{name}: there is no {fact}" for fact in FACTS.get(name, ()) if fact not in lines]
    if name == "inside.f90":
        # Nests in pairs: one has calls, the next what these do.
        counts, rows = predicted(command, text), collections.defaultdict(list)
        for (nest, kind, _), row in sorted(counts.items()):
            rows[nest].append((kind, row))
        rows = [sorted(rows[nest]) for nest in sorted(rows)]
        wrong += [f"{name}: pair {i // 2}: {rows[i]} and {rows[i + 1]}"
                  for i in range(0, len(rows), 2) if rows[i] != rows[i + 1]]
        return len(rows), wrong
    rewriter = Rewriter(path)
    with open(os.path.join(folder, "logging.f90"), "w", encoding="utf-8") as file:
        file.write("\n".join(rewriter.out) + "\n")
    must("gfortran", "-w", "-ffree-line-length-none", "logging.f90", "-o", "logging", folder=folder)
    must("./logging", folder=folder)
    for block in [None, [16, 4, 2]][: 1 + (name == "blocks.f90")]:
        for nest in rewriter.nests.values():
            if block and not nest.has_block:
                nest.take(block)
        words = ["--block", ",".join(map(str, block))] if block else []
        expected = predicted(command, text, words)
        counted = simulate(rewriter, os.path.join(folder, "log"))
        for key in sorted({*expected, *counted}):
            row = expected.get(key, [0])
            if row != counted.get(key, [0])[: len(row)]:
                wrong.append(f"{name}:{key.nest}: {key.kind} of {key.array}: {row} "
                             f"predicted, {counted.get(key)} logged {block or ''}")
    return len(rewriter.nests), wrong


def refusal(path, settings=()):
    """The line and the sentence, or None."""
    try:
        fortran.text(path, dict(settings))
    except fortran.Refused as refused:
        (line, _), sentence = refused.args
        return f"{line}: {sentence}"
    return None


def check_refused(path):
    """The number of cases of refused.txt, and those that were not refused as they should be."""
    with open(os.path.join(HERE, "fortran", "refused.txt"), encoding="utf-8") as file:
        cases = re.split(r"(?m)^(\d+: .*?) \|[ \n]", file.read())[1:]
    wrong, nest = [], "!DVM$ PARALLEL (i) ON b(i)"
    for sentence, text in zip(cases[::2], cases[1::2]):
        clauses = re.match(r"(,.*)\n|", text)
        text = text[clauses.end() :] or "  b(i) = 0\n"
        if text[0] == " ":
            text = f"{nest}{clauses[1] or ''}\ndo i = 1, n\n{text}end do\n"
        text = re.sub("^NEST", nest + "\nLOOP", text, flags=re.M)
        text = re.sub("^LOOP *(.*)", lambda loop: f"do i = {loop[1] or '1, n'}\n  b(i) = 0\nend do",
                      text, flags=re.M)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{HEAD}{text}end program\n")
        if refusal(path) != sentence:
            wrong.append(f"{sentence}, not {refusal(path)}")
    return len(cases) // 2, wrong


def tear(text, numbers):
    """A text with a line or a word left out, doubled, or in the place of another."""
    parts = re.split(r"(\n)" if numbers.random() < 0.4 else r"(\W)", text)
    i, j = sorted(numbers.randrange(len(parts)) for _ in "ij")
    change = numbers.choice(["leave out", "double", "swap"])
    if change == "swap":
        parts[i], parts[j] = parts[j], parts[i]
    parts[i : i + 1] = [parts[i]] * {"leave out": 0, "double": 2, "swap": 1}[change]
    return "".join(parts)


def check_torn(paths, folder, number):
    """What ends in anything but a nest or a sentence."""
    numbers, wrong = random.Random(5), []
    for i in range(number):
        path = numbers.choice(paths)
        with open(path, encoding="utf-8") as file:
            text = tear(file.read(), numbers)
        torn = os.path.join(folder, os.path.basename(path))
        with open(torn, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            said = refusal(torn)
            if said and (len(said) > 500 or "not known here" in said):
                wrong.append(f"torn {i}: {said}")
        except Exception as error:  # what is looked for
            wrong.append(f"torn {i}: {error!r}")
    return wrong


def check_large(path):
    """Many terms, brackets and blocks."""
    for body in ("b(i) = " + " &\n + ".join(["a(i, 1)"] * 250), f"b(i) = {'(' * 40}1{')' * 40}",
                 "\n".join(["if (i > 1) then"] * 60 + ["b(i) = 0"] + ["end if"] * 60)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{HEAD}!DVM$ PARALLEL (i)\ndo i = 1, n\n{body}\nend do\nend program\n")
        if refusal(path):
            yield f"{body[:20]}: {refusal(path)}"


def main():
    command = sys.argv[1]
    missing = [] if refusal(__file__).startswith("1: not Fortran") else [refusal(__file__)]
    if not shutil.which("gfortran"):
        missing.append("gfortran is not installed")
    if missing:
        required = os.environ.get("CLFOLD_REQUIRED_TOOLS")
        print(f"{missing[0]}: {'but CLFOLD_REQUIRED_TOOLS is set' if required else 'skipped'}")
        return 1 if required else 77
    paths, number = sorted(glob.glob(os.path.join(HERE, "fortran", "*.f*"))), 0
    with tempfile.TemporaryDirectory() as folder:
        refused, wrong = check_refused(os.path.join(folder, "refused.f90"))
        wrong += check_large(os.path.join(folder, "large.f90"))
        wrong += check_torn(paths, folder, int(os.environ.get("CLFOLD_TORN", 40)))
        timed = timing.measure(paths[0], {"n": 30, "q": 1})
        if timed["seconds"] <= 0 or timed["threads"] != 1 or len(timed["notes"]) != 1:
            wrong.append(f"{timed}")
        for path in paths:
            nests, bad = check(command, path, folder)
            number, wrong = number + nests, wrong + bad
    print("\n".join(wrong))
    print(f"{number} nests and {refused} refused cases, {len(wrong)} wrong")
    return 1 if wrong or number < 80 or refused < 55 else 0


if __name__ == "__main__":
    sys.exit(main())

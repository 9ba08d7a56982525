"""Nests that clfold-nest makes of Fortran do what the Fortran does: fortran.py NEST COMMAND

Each file of the folder fortran is rewritten: its nests log the address of every element that they
load and store, and gfortran runs them. What is logged is sorted here into work-items, sub-groups of
32 and groups by the rule of launches, and counted; clfold predict must count the same of each array
in each nest. refused.txt has what must be refused. Exits 77 without fparser or gfortran.
"""

import array
import collections
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
sys.path += glob.glob(os.path.join(CACHE, "clfold/fparser/lib/python3*/site-packages"))
try:
    from fparser.common.readfortran import FortranFileReader
    from fparser.two import Fortran2003 as F
    from fparser.two.parser import ParserFactory
    from fparser.two.utils import walk
except ImportError:
    F = None

LOGGER = """
module logger
  implicit none
  integer(8) :: place(3)
  logical :: is_open = .false.
contains
  subroutine begin(nest)
    integer :: nest
    if (.not. is_open) open(77, file='log', status='replace', access='stream')
    is_open = .true.
    place = 0
    write(77) int([nest, 0, 0, 0, 0, 0, 0], 8)
  end subroutine
  subroutine touch(number, element, start, turns, bits)
    integer :: number, turns, bits
    integer(8) :: element, start
    write(77) int(-number, 8), place, element - start, int(turns, 8), int(bits / 8, 8)
  end subroutine
end module
"""
# Of the cases of refused.txt.
HEAD = """program refused
integer, parameter :: n = 9; integer :: i, j, k, m, ix(n); real :: a(n, n), b(n), s
complex :: z(n); real, allocatable :: w(:)
type pair; real :: x, y; end type; type(pair) :: point
"""
# What else the nests of some files say.
FACTS = {
    "blocks.f90": ["param BX = 32\nparam BY = 2\nparam BZ = 7\n", "size = BX*BY*BZ  times",
                   "size = BX, BY*BZ  times", "size = BX, BY, BZ  times", "size = 64, 1  times"],
    "calls.f90": ["GO TO 5 is taken not to", "times 1 + 1\n"],
    "heat.f90": ["array F f64[N + 2, M, N - 1] global", "param M = N + 3"],
    "jacobi.f90": [
        "transfer in B times MOST\n", "transfer in A times MOST\n", "transfer out A times MOST\n",
        "transfer in U times 1 + 2\n", "transfer out V times 1 + 2\n", "transfer in P times 2\n",
        "transfer out P times 2\n", "SHADOW_RENEW is ignored", "reduction 8",
    ],
    "reduce.f90": ["fold add f64 M*M ", "fold mul f64 M*M ", "fold min f32 N ", "reduction 16",
                   "fold logical_and i32 N ", "fold logical_or i32 N ", "while K + 1 <= 5"],
    "types.f90": ["op special 2\n        op 3\n        op convert 1\n        op reciprocal 1\n",
                  "scalars 6", "step -2", "if (I > 0) {", "array I2 i16[N + 4]", "array I1 i8[N]"],
}
BLOCKS = {1: [448], 2: [32, 14], 3: [32, 2, 7]}
DOS = (F.Nonlabel_Do_Stmt, F.Label_Do_Stmt) if F else ()
STARTS = (F.Program_Stmt, F.Subroutine_Stmt, F.Function_Stmt, F.Module_Stmt) if F else ()
COLUMNS = ("requests", "items", "bytes", "sectors", "lines")

Reference = collections.namedtuple("Reference", "nest kind array")


def leave_out(why):
    required = os.environ.get("CLFOLD_REQUIRED_TOOLS")
    print(f"{why}, and CLFOLD_REQUIRED_TOOLS is set" if required else f"{why}: skipped")
    sys.exit(1 if required else 77)


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def must(*command, folder=None):
    done = run(*command, folder=folder)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def leaves(node):
    if getattr(node, "item", None):
        yield node
    for child in getattr(node, "children", None) or () if not getattr(node, "item", None) else ():
        yield from leaves(child)


class Nest:
    """A nest's loops, from what stands before it in the file."""

    def __init__(self, line, lines):
        text = " ".join(lines[line - 1 : line + 2])
        names = re.search(r"(?i)PARALLEL \(([^)]*)\)", text)[1]
        self.line, self.names = line, [name.strip().lower() for name in names.split(",")]
        block = re.search(r"(?i)CUDA_BLOCK\s*\(([^)]*)\)", re.split("(?i)PARALLEL", text)[1])
        self.has_block = bool(block)
        self.block = BLOCKS[len(self.names)]
        if block:
            self.take([int(size) for size in block[1].split(",")])
        across = re.search(r"across ([ijk ]+)$", lines[line - 2])
        self.waits = [self.names[::-1].index(name) for name in across[1].split()] if across else []

    def take(self, sizes):
        """The block; the last loop takes what is left."""
        last = len(self.names) - 1
        sizes = [*sizes, 1, 1]
        self.block = [*sizes[:last], math.prod(sizes[last:])]


class Rewriter:
    """The file with its nests as calls of the logger; the references by their numbers."""

    def __init__(self, path):
        self.references, self.out, self.nests = [], [LOGGER], {}
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        starts = [i for i, text in enumerate(lines, 1) if
                  re.match(r"(?i)\s*[!C*]DVM\$\s+PARALLEL", text)]
        self.nests = {line: Nest(line, lines) for line in starts}
        self.nest, self.loops, self.ends, self.assigned = None, [], [], set()
        for node in leaves(ParserFactory().create(std="f2008")(FortranFileReader(path))):
            line, label = node.item.span[0], node.item.label
            if starts and starts[0] < line:
                self.nest, self.loops, self.ends = self.nests[starts.pop(0)], [], []
                self.write(f"call begin({self.nest.line})")
            if self.nest:
                self.rewrite(node, label)
            else:
                self.write(str(node), label)
                if isinstance(node, STARTS):
                    self.write("use logger")

    def write(self, text, label=None):
        self.out.append(f"{label or ''} {text}")

    def rewrite(self, node, label):
        """A statement in a nest."""
        if isinstance(node, DOS):
            self.write(str(node))
            counter, (low, _, *step) = walk(node, F.Loop_Control)[0].children[1]
            step = step[0] if step else 1
            self.loops.append((str(counter).lower(), f"({counter} - ({low})) / ({step})"))
            self.ends += [int(str(end)) for end in walk(node, F.Label)] or [None]
            if len(self.loops) == len(self.nest.names):
                turns = ", ".join(f"int({turn}, 8)" for _, turn in self.loops[::-1])
                self.write(f"place(1:{len(self.loops)}) = [{turns}]")
        elif isinstance(node, F.Assignment_Stmt):
            self.assign(node)
        elif isinstance(node, (F.If_Then_Stmt, F.If_Stmt, F.Else_If_Stmt)):
            self.choose(node)
        elif isinstance(node, F.Else_Stmt) and self.by_data[-1][0]:
            self.write("end if")
            self.write("if (.true.) then")
        elif not isinstance(node, F.Continue_Stmt):
            self.write(str(node))
        if isinstance(node, F.End_If_Stmt):
            self.write("end if\n" * self.by_data.pop()[1])
        if label:
            self.write("continue", label)
        is_end = isinstance(node, F.End_Do_Stmt) and self.ends[-1] is None
        while self.ends and (is_end or label and self.ends[-1] == label):
            self.ends.pop()
            self.loops.pop()
            is_end = False
        if not self.ends:
            self.nest = None

    by_data = []  # of IFs: whether data decide, and how many of END IF are not in the source

    def choose(self, node):
        """An IF that data decide becomes all its branches."""
        condition = node.children[0]
        names = {str(name).lower() for name in walk(condition, F.Name)}
        by_data = bool(walk(condition, (F.Part_Ref, F.Real_Literal_Constant))) or names & PRIVATE
        is_else, ends = isinstance(node, F.Else_If_Stmt), 0
        if is_else:
            was_by_data, ends = self.by_data.pop()
            self.write("end if" if was_by_data else "else")
            ends += not was_by_data
        if by_data:
            self.touch("load", walk(condition, F.Part_Ref))
        self.write(f"if ({'.true.' if by_data else condition}) then")
        if isinstance(node, F.If_Stmt):
            self.assign(node.children[1])
            self.write("end if")
        else:
            self.by_data.append((by_data, ends))

    def assign(self, node):
        self.touch("load", walk(node.children[2], F.Part_Ref))
        if isinstance(node.children[0], F.Part_Ref):
            self.touch("store", [node.children[0]])

    def touch(self, kind, elements):
        turns = "0"
        for _, turn in self.loops[len(self.nest.names) :]:
            turns = f"4096 * ({turns}) + {turn}"
        for element in elements:
            name = str(element.children[0])
            self.references.append(Reference(self.nest.line, kind, name.lower()))
            number = len(self.references)
            places = f"loc({element}), loc({name})"
            self.write(f"call touch({number}, {places}, {turns}, storage_size({name}))")


# Names of scalars in the files that an iteration computes, and IFs ask for.
PRIVATE = {"big", "small", "eps", "t", "d", "flag"}


def simulate(rewriter, path):
    """Counts of (nest, kind, array), of all launches."""
    log = array.array("q")
    with open(path, "rb") as file:
        log.frombytes(file.read())
    sectors, found, nest, launch = collections.defaultdict(set), collections.Counter(), None, 0
    totals = collections.defaultdict(lambda: [0] * len(COLUMNS))
    for i in range(0, len(log), 7):
        number, *place, offset, turns, size = log[i : i + 7]
        if number > 0:
            nest, launch = rewriter.nests[number], launch + 1
            totals[Reference(number, "groups", "")][0] += 1
            continue
        block = nest.block
        group = tuple(at // size for at, size in zip(place, block))
        item = [at % size for at, size in zip(place, block)]
        wave = sum(item[axis] for axis in nest.waits)
        lane = 0
        for at, length in reversed(list(zip(item, block))):
            lane = lane * length + at
        key = (launch, group, lane // 32, wave, -number, turns)
        sectors[key].add(offset // 32)
        found[-number, size] += 1
    groups = {(key[4], key[0], key[1]) for key in sectors}
    groups = {(rewriter.references[number - 1].nest, *key) for number, *key in groups}
    for nest, *_ in groups:
        row, size = totals[Reference(nest, "groups", "")], math.prod(rewriter.nests[nest].block)
        row[1:3] = row[1] + 1, row[2] + size
    for nest in rewriter.nests:
        if totals[Reference(nest, "groups", "")][1] == 0:
            del totals[Reference(nest, "groups", "")]
    waits = {nest.line: nest.waits for nest in rewriter.nests.values()}
    for nest, *_ in {(nest, launch, sum(group[axis] for axis in waits[nest]))
                     for nest, launch, group in groups}:
        totals[Reference(nest, "groups", "")][3] += 1
    for key, touched in sectors.items():
        row = totals[rewriter.references[key[4] - 1]]
        row[0] += 1
        row[3] += len(touched)
        row[4] += len({sector // 4 for sector in touched})
    for (number, size), items in found.items():
        row = totals[rewriter.references[number - 1]]
        row[1] += items
        row[2] += items * size
    return totals


def predicted(command, path, block):
    """The same by clfold predict. Launches that never run and have no counts are left out."""
    totals = collections.defaultdict(lambda: [0] * len(COLUMNS))
    for line in must(command, "predict", path, "--json", *block).splitlines()[:-1]:
        launch = json.loads(line)
        name, times = launch["kernel"], launch["times"]
        if "_parts" in name or times == 0:
            continue
        nest = int(re.search(r"_(\d+)(?:_\d+)?$", name)[1])
        groups = launch["groups"] * times
        new = times, groups, groups * launch["size"], launch["waves"] * times
        row = totals[Reference(nest, "groups", "")]
        row[: len(new)] = map(sum, zip(row, new))
        for access in launch["accesses"]:
            if not re.search("_parts|_here|_from|_all", access["array"]):
                # Shapes of one array have numbers after its name.
                array_name = re.sub(r"_\d+$", "", access["array"].lower())
                total = totals[Reference(nest, access["access"], array_name)]
                for i, column in enumerate(COLUMNS):
                    total[i] += times * access[column]
    return totals


def check(tools, path, folder):
    """The number of nests in a file, and what is wrong with them."""
    script, command = tools
    name = os.path.basename(path)
    must("gfortran", "-fsyntax-only", "-w", path, folder=folder)
    text = os.path.join(folder, f"{name}.nest")
    must(sys.executable, script, path, "-o", text)
    rewriter = Rewriter(path)
    with open(os.path.join(folder, "logging.f90"), "w", encoding="utf-8") as file:
        file.write("\n".join(rewriter.out) + "\n")
    must("gfortran", "-w", "-ffree-line-length-none", "logging.f90", "-o", "logging", folder=folder)
    must("./logging", folder=folder)
    with open(text, encoding="utf-8") as file:
        lines = file.read()
    wrong = [f"{name}: there is no {fact}" for fact in FACTS.get(name, ()) if fact not in lines]
    for block in [None, [16, 4, 2]][: 1 + (name == "blocks.f90")]:
        for nest in rewriter.nests.values():
            if block and not nest.has_block:
                nest.take(block)
        words = ["--block", ",".join(map(str, block))] if block else []
        expected = predicted(command, text, words)
        counted = simulate(rewriter, os.path.join(folder, "log"))
        for key in sorted({*expected, *counted}):
            if expected.get(key) != counted.get(key):
                wrong.append(f"{name}:{key.nest}: {key.kind} of {key.array}: {expected.get(key)} "
                             f"predicted, {counted.get(key)} logged {block or ''}")
    return len(rewriter.nests), wrong


def expand(text):
    """A case of refused.txt in full."""
    nest = "!DVM$ PARALLEL (i) ON b(i)"
    clauses = re.match(r"(,.*)\n|", text)
    text = text[clauses.end() :] or "  b(i) = 0\n"
    if text[0] == " ":
        text = f"{nest}{clauses[1] or ''}\ndo i = 1, n\n{text}end do\n"
    text = re.sub("^NEST", nest + "\nLOOP", text, flags=re.M)
    return re.sub("^LOOP *(.*)", lambda found: f"do i = {found[1] or '1, n'}\n  b(i) = 0\nend do",
                  text, flags=re.M)


def check_refused(nest, folder):
    """The number of cases of refused.txt, and those that were not refused as they should be."""
    with open(os.path.join(HERE, "fortran", "refused.txt"), encoding="utf-8") as file:
        cases = re.findall(r"=== (\d+): (.*)\n([^=]*(?:=[^=]+)*)", file.read())
    path, wrong = os.path.join(folder, "refused.f90"), []
    for line, sentence, text in cases:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{HEAD}{expand(text)}end program\n")
        done = run(sys.executable, nest, path)
        where = f"{path}:{line}: " if line != "0" else f"{path}: "
        if (done.returncode, done.stdout, done.stderr) != (1, "", f"{where}{sentence}\n"):
            wrong.append(f"{line}: {sentence}: {done.returncode}, {done.stderr}{done.stdout}")
    for words in (["--set", "n=x", path], [], ["--what", path]):
        if run(sys.executable, nest, *words).returncode != 2:
            wrong.append(f"{words} is not an error of usage")
    return len(cases), wrong


def main():
    tools = sys.argv[1:]
    if F is None:
        leave_out("the Python package fparser is not installed (tools/setup-fparser does)")
    if not shutil.which("gfortran"):
        leave_out("gfortran is not installed")
    number, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        refused, wrong = check_refused(tools[0], folder)
        for path in sorted(glob.glob(os.path.join(HERE, "fortran", "*.f*"))):
            nests, found = check(tools, path, folder)
            number += nests
            wrong += found
    print("\n".join(wrong))
    print(f"{number} nests and {refused} refused cases, {len(wrong)} wrong")
    return 1 if wrong or number < 70 or refused < 45 else 0


if __name__ == "__main__":
    sys.exit(main())

"""The nest of a Fortran file, as text: a kernel for each loop nest with !DVM$ PARALLEL, as often as
calls and loops run it, and the transfers at the edges of regions. docs/predict.md has the rules."""

import collections
import concurrent.futures
import glob
import itertools
import os
import re
import sys
import threading

from predict.nest import Wrong

# Where tools/setup-fparser puts it.
KEPT = f"{os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')}/clfold/fparser"
# By depth, X first: those of DVM in 2016. The product of each is 448.
BLOCKS = {1: (448, 1, 1), 2: (32, 14, 1), 3: (32, 2, 7)}
IGNORED = """ALIGN DISTRIBUTE DYNAMIC INHERIT INTERVAL REALIGN REDISTRIBUTE REMOTE_ACCESS SHADOW
    SHADOW_ADD SHADOW_COMPUTE SHADOW_RENEW SHADOW_START SHADOW_WAIT STAGE TEMPLATE TIE""".split()
TAKEN = ("PARALLEL", "REDUCTION", "PRIVATE", "NEW", "ACROSS", "CUDA_BLOCK")
# Which clauses of REGION two directives are, and which ways clauses move arrays.
EDGES = {"ACTUAL": "IN", "GET_ACTUAL": "OUT"}
WAYS = {"IN": ["in"], "OUT": ["out"], "INOUT": ["in", "out"], "LOCAL": [], "TARGETS": []}
# Of REDUCTION, and what clfold calls those that it has.
REDUCTIONS = {"SUM": "add", "PRODUCT": "mul", "MAX": "max", "MIN": "min", "AND": "logical_and",
              "OR": "logical_or", "EQV": "", "NEQV": "", "MAXLOC": "", "MINLOC": ""}
FOLD = (r"(\w+) = (?:m..\()?(?:\1{0}(\w+)\([^()]*\)|(\w+)\([^()]*\){0}\1)\)?"
        .replace("{0}", r"(?: \+ | \* | \.and\. | \.or\. |, )"))
# What intrinsics cost; others are special.
CLASSES = {name: kind for kind, names in {
    "": "ABS IABS DABS SIGN DSIGN DIM MERGE IAND IOR IEOR NOT MAX MIN AMAX1 AMIN1 DMAX1 DMIN1",
    " reciprocal": "/ MOD MODULO",
    " convert": "INT NINT FLOOR CEILING REAL FLOAT DBLE SNGL AINT ANINT LOGICAL",
}.items() for name in names.split()}
SIGNS = {"/=": "!=", "**": "^", ".and.": "&&", ".or.": "||", ".not.": "!", ".eq.": "==",
         ".ne.": "!=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">="}
NUMBERS = (*SIGNS, *"( + - * / == < <= > >= min max mod modulo".split())
REGISTERS = collections.defaultdict(lambda: 1, i64=2, f32=2, f64=4)  # as the thesis counts
# Sorts of fparser's nodes.
DOS, IFS = ("Nonlabel_Do_Stmt", "Label_Do_Stmt"), ("If_Then_Stmt", "If_Stmt")
OPENS = (*DOS, "If_Then_Stmt", "Else_If_Stmt", "Else_Stmt", "Select_Case_Stmt")
STARTS = ("Program_Stmt", "Subroutine_Stmt", "Function_Stmt", "Module_Stmt")
JUMPS = ("Exit_Stmt", "Cycle_Stmt", "Goto_Stmt", "Return_Stmt", "Stop_Stmt", "Error_Stop_Stmt")
DEAD = ("Continue_Stmt", "Contains_Stmt", "Format_Stmt", "Data_Stmt")  # they do nothing

# A statement, or a directive, whose node is a list of its clauses. A loop has one branch.
Item = collections.namedtuple("Item", "line node branches")
Loop = collections.namedtuple("Loop", "tag name bounds")  # sequential, around a nest
# Of a loop; how often it turns, if at all, and in any case.
Bounds = collections.namedtuple("Bounds", "low high step count turns")
is_number = re.compile(r"-?\d+").fullmatch
is_kind = re.compile(r"[il](8|16|32|64)|f(32|64)").fullmatch


class Refused(Wrong):
    """A line of the source, or 0, and what is wrong with it."""

    def __init__(self, line, text):
        super().__init__((int(line), 0), text)


def sort(node):
    return type(node).__name__


def found(node, *sorts):
    """The nodes of some sorts, in a tree or a list of trees."""
    if sort(node) in sorts:
        yield node
    is_list = isinstance(node, (list, tuple))
    for child in node if is_list else getattr(node, "children", None) or ():
        yield from found(child, *sorts)


def lower(node):
    return str(node).lower()


def parts_of(node):
    """The name of a variable, and its subscripts."""
    name, inner = node.children if sort(node) == "Part_Ref" else (node, None)
    return lower(name), inner.children if inner else ()


def wrap(text):
    return text if re.fullmatch(r"@?\w+@?|\w*\((?:[^()]|\([^()]*\))*\)", text) else f"({text})"


def plus(text, other):
    """text + other, with numbers at their ends put together."""
    if not is_number(other):
        return plus(other, text) if is_number(text) else f"{text} + {other}"
    match = re.fullmatch(r"(?:(.+) ([+-]) )?(-?\d+)", text)
    start, sign, number = match.groups() if match else (text, None, "0")
    total = int((sign or "") + number) + int(other)
    end = f" {'-' if total < 0 else '+'} {abs(total)}" if total else ""
    return start + end if start else str(total)


def less(text, other):
    start, sign, number = re.fullmatch(r"(?:(@?\w+@?) ([+-]) )?(.+)", other).groups()
    if not is_number(number):
        return f"{text} - {wrap(other)}"
    number = number if sign == "-" else str(-int(number))
    return plus(f"{text} - {start}" if start else text, number)


def product(texts):
    return "*".join(wrap(text) for text in texts if text != "1") or "1"


def clauses(text, line, case=str.lower):
    """The words of a directive, each with what stands in brackets after it."""
    brackets = r"\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
    text = re.sub(rf"(?i)\bon\s+\w+{brackets}", "", text)
    form = rf"([A-Za-z]\w*)(?:{brackets})?"
    left = re.sub(form, "", text).strip(" ,:&")
    if left:
        raise Refused(line, f"the directive is not understood at {left}")
    return [(case(word), inner.lower()) for word, inner in re.findall(form, text)]


def inside(items):
    for item in items:
        yield item
        yield from inside(each for _, body in item.branches for each in body)


def control(item):
    controls = [control.children[1] for control in found(item.node, "Loop_Control")]
    if not controls or not controls[0]:
        raise Refused(item.line, "how often a loop without a counter turns is not known")
    return lower(controls[0][0]), controls[0][1]


def word_of(item):
    """The first word of a directive; or what a statement is."""
    return item.node[0][0] if isinstance(item.node, list) else (
        sort(item.node).removesuffix("_Stmt").replace("_", " ").upper())


def operation(node):
    """An operator or intrinsic, and its operands. "": it is something else."""
    parts = getattr(node, "children", ())
    if sort(node) == "Intrinsic_Function_Reference":
        return lower(parts[0]), parts[1].children if parts[1] else ()
    signs = [part.lower() for part in parts if isinstance(part, str)]
    operands = [part for part in parts if not isinstance(part, str)]
    return signs[0] if signs and operands and "%" not in signs else "", operands


def conjuncts(node):
    """What a condition joins by .AND."""
    sign, operands = operation(node)
    return sum(map(conjuncts, operands), []) if sign in ("(", ".and.") else [node]


class Unit:
    """A program, procedure or module: what it declares, and its statements as a tree."""

    def __init__(self, node, host, modules):
        self.line, self.host, self.body, self.common = node.item.span[0], host, [], set()
        self.implicit, above = dict.fromkeys("ijklmn", "i32"), [host] if host else modules
        self.constants, self.types, self.dims = (
            collections.ChainMap({}, *(getattr(unit, name) for unit in above))
            for name in ("constants", "types", "dims"))
        self.kind, self.name, self.arguments = "Program", "main", []
        if sort(node) in STARTS:
            self.kind, (prefix, name, *rest) = sort(node).removesuffix("_Stmt"), node.children
            self.name = lower(name)
            self.arguments = [lower(each) for each in found(rest[:1], "Name")]
            self.result = lower([name, *found(rest[1:], "Name")][-1])
            for spec in found(prefix, "Intrinsic_Type_Spec"):
                self.types[self.result] = self.type_from(spec)

    def type_of(self, name):
        return self.types.get(name) or self.implicit.get(name[0], "f32")

    def size(self, text):
        """The bytes that a kind says: 8, dp, real64, kind(1d0), selected_real_kind(15)."""
        number = int((re.findall(r"\d+", text) or "4")[0])
        if text in self.constants:
            return self.size(lower(self.constants[text]))
        if "kind" in text:
            return 8 if "d0" in text or number > (9 if "int" in text else 6) else 4
        return number // 8 if number > 8 else number

    def type_from(self, node):
        form = r"(integer|real|logical|double precision)(?:\*|\((?:kind = )?)?(.*?)\)?"
        match = re.fullmatch(form, lower(node))
        if not match or match[1][0] == "d":
            return "f64" if match else str(node)
        return f"{match[1][0].replace('r', 'f')}{8 * self.size(match[2] or '4')}"

    def declare(self, node):
        sort_of = sort(node)
        is_type = sort_of == "Type_Declaration_Stmt"
        kind = self.type_from(node.children[0]) if is_type else None
        attributes = str(node.children[1]).upper() if is_type else sort_of.upper()
        shapes = [spec.children[1] for spec in found(node, "Dimension_Attr_Spec")]
        named = [each.children for each in found(node, "Entity_Decl", "Common_Block_Object",
                                                 "Named_Constant_Def", "Allocation")]
        named += node.children[0] if sort_of == "Dimension_Stmt" else []
        for node_of_name, shape, *rest in named:
            name = lower(node_of_name)
            if "PARAMETER" in attributes and (not rest or rest[-1]):
                self.constants[name] = rest[-1].children[1] if rest else shape
            elif shape or shapes:
                # ALLOCATE may be of an array that the host or a module declares.
                scopes = [each for each in self.dims.maps if name in each] or [self.dims]
                scopes = scopes if sort_of == "Allocate_Stmt" else [self.dims]
                scopes[0][name] = (shape or shapes[0]).children
            if kind:
                self.types[name] = kind
        self.common.update(map(lower, found(node, "Name") if sort_of == "Common_Stmt" else ()))
        self.constants.update((lower(each.children[1]), each.children[2])
                              for each in found(node, "Rename") if "real" in lower(each))
        for spec in found(node, "Implicit_Spec"):
            for first, last in re.findall(r"(\w)(?: - (\w))?", lower(spec.children[1])):
                letters = map(chr, range(ord(first), ord(last or first) + 1))
                self.implicit.update(dict.fromkeys(letters, self.type_from(spec.children[0])))


def statements(node, is_declared=False):
    """All in their order, each with whether it declares: fparser does not nest loops of a label."""
    if getattr(node, "item", None):
        return [(node, is_declared)]
    is_declared |= sort(node) == "Specification_Part"
    children = getattr(node, "children", None) or () if sort(node) != "Interface_Block" else ()
    return [each for child in children for each in statements(child, is_declared)]


def directives(path, is_free):
    """Those of a file, each with its line, and joined with the lines that go on with it."""
    more = r"&[ \t]*\n[ \t]*!dvm\$" if is_free else r"\n[c*!]dvm\$[^ 0\t\n]"
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    for match in re.finditer(rf"(?im)^[ \t]*[!c*]dvm\$(.*?(?:{more}.*?)*)$", text):
        line, words = text.count("\n", 0, match.start()) + 1, re.sub(rf"(?i){more}", " ", match[1])
        # A directive without a word: ON alone was left out, for instance.
        yield Item(line, clauses(words, line, str.upper) or [("ON", "")], [])


def parse(path):
    """fparser's reader of a file, and what it made of it."""
    sys.path[1:1] = glob.glob(f"{KEPT}/lib/python3*/site-packages")
    try:
        from fparser.common.readfortran import FortranFileReader
        from fparser.two.parser import ParserFactory
        from fparser.two.utils import FparserException
    except ImportError as error:
        raise Refused(0, "Fortran needs the Python package fparser: run tools/setup-fparser of "
                         f"clfold's source, or python3 -m venv {KEPT} && {KEPT}/bin/pip install "
                         "fparser") from error
    reader = FortranFileReader(path)
    try:
        return reader, ParserFactory().create(std="f2008")(reader)
    except (FparserException, SystemExit) as error:
        line, text = (re.findall(r"at line (\d+)\s*>>>\s*(.*)", str(error)) or [(0, "")])[0]
        raise Refused(line or reader.linecount, f"not Fortran: {text}".strip(": ")) from error


def read_units(path):
    reader, tree = parse(path)
    waiting, units, unit, line = [*directives(path, reader.format.is_free)], [], None, 0
    for node, is_declared in statements(tree):
        # A line of an included file counts there.
        line = node.item.span[0] if node.item.reader is reader else line
        kind, label, branches = sort(node), node.item.label, []
        if unit is None or kind in STARTS:
            unit = Unit(node, unit, [other for other in units if other.kind == "Module"])
            units.append(unit)
            stack = [(0, unit.body)]
        while waiting and waiting[0].line < line:
            stack[-1][1].append(waiting.pop(0))
        if kind in STARTS or kind.removeprefix("End_") in STARTS:
            unit = unit if kind in STARTS else unit.host
            continue
        unit.declare(node)
        if kind in ("Else_If_Stmt", "Else_Stmt"):
            stack.pop()
            branches = stack[-1][1][-1].branches
        elif kind in ("End_If_Stmt", "End_Do_Stmt", "End_Select_Stmt"):
            del stack[len(stack) - (stack[-1][0] is None) :]
        elif not is_declared:
            stack[-1][1].append(Item(line, node, branches))
        if kind == "If_Stmt":
            branches.append((node.children[0], [Item(line, node.children[1], [])]))
        elif kind in OPENS:
            is_if = kind in ("If_Then_Stmt", "Else_If_Stmt")
            branches.append((node.children[0] if is_if else None, []))
            ends = [int(str(end)) for end in found(node, "Label")] or [None]
            stack.append((ends[0], branches[-1][1]))
        while label and stack[-1][0] == label:
            stack.pop()
    return units


class Frame:
    """A call of a unit. Gives numbers and elements as the nest has them."""

    def __init__(self, program, unit, caller=None, actuals=None, depth=0):
        self.program, self.unit, self.caller, self.need = program, unit, caller, program.need
        given = getattr(actuals, "children", ())
        self.actuals = dict(zip(unit.arguments, given))
        self.actuals.update((lower(actual.children[0]), actual.children[1])
                            for actual in given if sort(actual) == "Actual_Arg_Spec")
        self.units = [*(caller.units if caller else ()), unit]
        self.need(unit not in self.units[:-1], f"{unit.name} calls itself")
        # Of calls in a nest, what loops around give, and names that a nest computes.
        self.depth, self.counters, self.computed = depth, {}, set()

    def name(self, name):
        program, need = self.program, self.need
        if name in self.counters:
            return self.counters[name]
        need(name not in self.computed,
             f"a bound or subscript depends on {name}, which the loop computes")
        if name in self.actuals:
            return wrap(self.caller.text(self.actuals[name]))
        is_constant = name in self.unit.constants and self.unit.type_of(name)[0] == "i"
        need(is_constant or name in program.settings,
             f"{name} has no value that is known: give --set {name}=NUMBER")
        value = self.text(self.unit.constants[name]) if is_constant else ""
        program.asked.add(name)
        value = program.settings.get(name, value)
        name = program.unique(name.upper(), ("parameter", value))
        program.parameters[name] = value
        return name

    def text(self, node):
        if sort(node) == "Name":
            return self.name(lower(node))
        if sort(node) == "Int_Literal_Constant":
            return node.children[0]
        sign, operands = operation(node)
        self.need(sign in NUMBERS, f"{node} is not a number that bounds and counters give")
        values = [self.text(operand) for operand in operands]
        variable = sum(bool(self.program.counters & {*re.findall(r"\w+", value)})
                       for value in values)
        self.program.is_linear &= sign in "(+-" or variable <= (sign == "*")
        if sign in ("/", "mod", "modulo"):
            value, by = values[0], f"{'/' if sign == '/' else '%'} {wrap(values[1])}"
            # Fortran's / and MOD go towards 0, and the nest's / and % down, as MODULO does.
            if sign != "modulo" and ("-" in value or self.program.is_signed):
                return f"(max({value}, 0) {by} - max(-{wrap(value)}, 0) {by})"
            return f"{value} {by}" if sign == "/" else f"({wrap(value)} {by})"
        if sign.isalpha():
            return f"{sign}({', '.join(values)})"
        if len(values) == 2:
            return f"{values[0]} {SIGNS.get(sign, sign)} {values[1]}"
        return SIGNS.get(sign, sign).strip("(+") + wrap(values[0])

    def bounds(self, item):
        values, self.program.line = self.program.parameters, item.line
        low, high, *step = [self.text(bound) for bound in control(item)[1]]
        step = values.get(step[0], step[0]) if step else "1"
        self.need(re.fullmatch(r"-?[1-9]\d*", step),
                  f"the step {step} is not a number that loops can go by")
        lowest = re.sub(r"\w+", lambda word: values.get(word[0], word[0]),
                        high if step[0] == "-" else low)
        self.program.is_signed |= "-" in lowest
        count = plus(less(low, high) if step[0] == "-" else less(high, low), "1")
        count = f"ceil({count}, {step.lstrip('-')})" if step.lstrip("-") != "1" else count
        is_positive = re.fullmatch(r"[A-Z]\w*|[1-9]\d*", count)
        return Bounds(low, high, int(step), count, count if is_positive else f"max(0, {count})")

    def has(self, node):
        return sort(node) == "Name" or parts_of(node)[0] in self.unit.dims

    def shape(self, name):
        """Lower bounds and lengths of an array."""
        specs = self.unit.dims[name]
        self.need(all(sort(spec) in ("Explicit_Shape_Spec", "Allocate_Shape_Spec")
                      for spec in specs), f"the shape of {name} is not explicit")
        lows = [self.text(spec.children[0]) if spec.children[0] else "1" for spec in specs]
        return lows, [plus(less(self.text(spec.children[1]), low), "1")
                      for spec, low in zip(specs, lows)]

    def array(self, name):
        kind = self.unit.type_of(name)
        self.need(is_kind(kind),
                  f"{name} is {kind}, and not INTEGER, LOGICAL or REAL of at most 8 bytes")
        kind = f"{kind.replace('l', 'i')}[{', '.join(self.shape(name)[1])}]"
        self.need(not {"@", *self.program.counters} & {*re.findall(r"\w+|@", kind)},
                  f"the shape of {name} depends on the counter of a loop")
        name = self.program.unique(name.upper(), ("array", kind))
        self.program.arrays[name] = f"array {name} {kind} global"
        return name

    def element(self, node):
        """An element as array and places, which count from 0."""
        name, parts = parts_of(node)
        lows = self.shape(name)[0]
        self.need(len(parts) == len(lows) and not any(found(parts, "Subscript_Triplet")),
                  f"{node} is not an element of {name}")
        self.need(not any(lower(inner) in self.unit.dims for inner in found(parts, "Name")),
                  f"{node} has an indirect subscript")
        self.program.is_linear = True
        places = [less(self.text(part), low) for part, low in zip(parts, lows)]
        self.need(self.program.is_linear, f"{node} has a subscript that is not linear")
        return self.pass_on(name, places)

    def pass_on(self, name, places):
        """The same of the array that an inlined call gives for this one."""
        if self.depth == 0 or name not in self.actuals:
            self.need(self.depth == 0 or name not in {*self.unit.dims.maps[0]} - self.unit.common,
                      f"{name} is an array of {self.unit.name}'s own, which a parallel loop calls")
            return self.array(name), places
        actual, caller = self.actuals[name], self.caller
        outer, parts = parts_of(actual)
        self.need(outer in caller.unit.dims, f"{name} is an array, and {actual} is not")
        (lows, lengths), own = caller.shape(outer), self.shape(name)[1]
        if not parts and own != lengths:
            return self.array(name), places
        # An element begins a part of the array, whose dimensions but the last must be the same.
        self.need(len(own) <= len(lengths) and own[:-1] == lengths[: len(own) - 1],
                  f"{name} has another shape than {actual}")
        starts = [less(caller.text(part), low) for part, low in zip(parts, lows)]
        return caller.pass_on(outer, [plus(*pair) for pair in itertools.zip_longest(
            starts or ["0"] * len(lows), places, fillvalue="0")])

    def knows(self, node):
        """Whether a condition is of counters and parameters."""
        return not any(found(node, "Real_Literal_Constant", "Part_Ref")) and all(
            self.unit.type_of(name)[0] == "i" and name not in self.unit.dims and
            (name in self.counters or name not in self.computed and (
                name not in self.actuals or self.caller.knows(self.actuals[name])))
            for name in map(lower, found(node, "Name")))


class Program:
    """What is written: parameters, arrays, transfers, kernels."""

    def __init__(self, path, settings):
        self.path, self.line, self.depth, self.calls = path, 0, 1, 0
        self.settings = {name.lower(): str(value) for name, value in settings.items()}
        self.names = dict.fromkeys(("BX", "BY", "BZ"), "block")
        self.parameters, self.arrays, self.kernels, self.transfers = {}, {}, {}, {}
        self.notes, self.asked = {}, set()
        self.loops, self.conditions = [], []  # around a place
        # Of a nest: its counters, whether one may be negative, and what a subscript is.
        self.counters, self.is_signed, self.is_linear = set(), False, True

    def read(self):
        self.units = read_units(self.path)
        items = [(unit, item) for unit in self.units for item in inside(unit.body)]
        calls = {(unit, self.called(item.node)) for unit, item in items}
        self.with_nests = {unit for unit, item in items if word_of(item) in ("PARALLEL", "REGION")}
        for _ in self.units:  # as deep as calls may go
            self.with_nests |= {unit for unit, called in calls if called in self.with_nests}
        for unit in self.with_nests:
            self.need(unit.kind != "Function",
                      f"the function {unit.name} has a nest; subroutines may", unit.line)
        moves = [(word_of(item), item) for _, item in items if word_of(item) in ("REGION", *EDGES)]
        self.moved = {(EDGES[word], name) for word, item in moves if word in EDGES
                      for name, _ in clauses(item.node[0][1], item.line)}
        called = {called for _, called in calls}
        roots = [unit for unit in self.units if unit not in called and unit.kind == "Subroutine"]
        for unit in [unit for unit in self.units if unit.kind == "Program"] or roots:
            self.run(Frame(self, unit), unit.body)
        unused = self.settings.keys() - self.asked - {name.lower() for name in self.names}
        self.need(not unused, f"nothing depends on {min(unused, default='')}, which --set names", 0)
        self.need(self.kernels, "no loop that runs has the directive PARALLEL", 0)
        texts = "".join(text for _, _, text, _ in self.kernels.values())
        if not moves:
            self.notes["no REGION says what moves: transfers count as 0"] = 0
            self.transfers = {f"transfer {way} {name}": ["0"] for name in self.arrays for way, verb
                              in (("in", "load"), ("out", "store")) if f"{verb} {name}[" in texts}
        return self.text()

    def need(self, holds, text, line=None):
        if not holds:
            raise Refused(self.line if line is None else line, text)

    def note(self, text, line=None):
        self.notes[f"line {line or self.line}: {text}".replace('"', "'")] = 0

    def unique(self, name, owner):
        """A name that no other owner has. Those of Fortran are in capitals, the language's not."""
        tries = (name[:26] + end for end in ("", *(f"_{i}" for i in range(2, 1000))))
        return next(name for name in tries if self.names.setdefault(name, owner) == owner)

    def has_nest(self, item):
        return any(word_of(each) in ("PARALLEL", "REGION") or
                   self.called(each.node) in self.with_nests for each in inside([item]))

    def called(self, node):
        """The procedure of a call or a reference, if the file has it."""
        kind = {"Call_Stmt": "Subroutine", "Part_Ref": "Function"}.get(sort(node))
        return next((unit for unit in self.units if unit.kind == kind and
                     unit.name == lower(node.children[0])), None)

    def run(self, frame, items):
        rest = iter(items)
        for item in rest:
            self.line, unit, kind = item.line, self.called(item.node), sort(item.node)
            if isinstance(item.node, list):
                word, inner = item.node[0]
                self.direct(word, (*EDGES, "REGION", "PARALLEL", "END"), "there is no directive")
                self.move(frame, word, [(EDGES[word], inner)] if word in EDGES else
                          item.node[1:] * (word == "REGION"))
                if word == "PARALLEL":
                    do = next(rest, item)
                    self.need(sort(do.node) in DOS, "a loop is expected after PARALLEL")
                    self.add_kernels(Nest(self, frame, item, do))
            elif not self.has_nest(item):
                for jump in inside([] if kind in DOS else [item]):
                    if sort(jump.node) in JUMPS[:3]:
                        self.note(f"{jump.node} is taken not to happen", jump.line)
            elif kind in DOS:
                before, signed, tag = frame.counters, self.is_signed, f"@{len(self.loops)}@"
                self.loops.append(Loop(tag, control(item)[0], frame.bounds(item)))
                frame.counters = {**before, control(item)[0]: tag}
                self.run(frame, item.branches[0][1])
                frame.counters, self.is_signed = before, signed
                self.loops.pop()
            elif kind in IFS:
                depth = len(self.conditions)
                for condition, body in item.branches:
                    text = frame.text(condition) if condition else "1"
                    self.need("@" not in text,
                              "whether a nest runs depends on the counter of a loop around it")
                    self.conditions.append(text)
                    self.run(frame, body)
                    self.conditions[-1] = f"!({text})"
                del self.conditions[depth:]
            else:
                self.need(unit, f"whether a nest runs depends on a {word_of(item)}")
                self.calls += 1
                self.need(self.calls <= 500, "more than 500 calls lead to nests")
                self.run(Frame(self, unit, frame, item.node.children[1]), unit.body)

    def direct(self, word, taken, missing):
        self.need(word in (*taken, *IGNORED), f"{missing} {word}")
        if word in IGNORED:
            self.note(f"{word} is ignored")

    def move(self, frame, word, listed):
        """Adds the transfers of a REGION, or of ACTUAL and GET_ACTUAL."""
        for clause, names in listed:
            self.need(clause in WAYS, f"REGION has no clause {clause}")
            for way, (name, _) in itertools.product(WAYS[clause], clauses(names, self.line)):
                # An array that ACTUAL or GET_ACTUAL names is moved there, and not at each region.
                is_moved = word == "REGION" and (way.upper(), name) in self.moved
                if name in frame.unit.dims and not is_moved:
                    times = product([*self.conditions, *(loop.bounds.turns for loop in self.loops)])
                    self.need("@" not in times, "how often a region runs depends on a counter")
                    transfer = f"transfer {way} {frame.array(name)}"
                    self.transfers.setdefault(transfer, []).append(times)

    def add_kernels(self, nest):
        """Adds a nest's kernels, as often as loops around it turn. The counter of one of them may
        stand in it: that is a parameter, which `again` counts on."""
        texts = " ".join((*nest.when, *itertools.chain(*nest.kernels)))
        times, turning, again, when = [], None, "", [*self.conditions, *nest.when]
        for loop in reversed(self.loops):
            if loop.tag not in texts:
                times.append(loop.bounds.turns)
                texts += times[-1]
                continue
            self.need(not turning, "a nest depends on the counters of two loops around it",
                      nest.line)
            turning, (low, high, step, count, count_or_0) = loop, loop.bounds
            relation, ahead = "<=" if step > 0 else ">=", plus(loop.tag, str(step))
            again = f"  again {loop.tag} = {ahead} while {ahead} {relation} {high}"
            texts += low + high
            when += [f"{low} {relation} {high}"] * (count != count_or_0)
        when = " && ".join(f"({text})" for text in dict.fromkeys(when) if text != "1")
        when = f"when {when}  " if when else ""
        for suffix, launch, text in nest.kernels:
            parts = [launch + again, when + text, product(times)]
            key = (nest.line, suffix, *parts[:2], turning)
            name = self.unique(f"{nest.frame.unit.name[:10].upper()}_{nest.line}{suffix}", key)
            if turning:
                start = self.unique(turning.name.upper(), ("again", key))
                self.parameters[start] = low
                parts = [part.replace(turning.tag, start) for part in parts]
            self.kernels.setdefault(name, (nest.line, *parts[:2], []))[-1].append(parts[2])

    def text(self):
        lines = [f"# {self.path}, by clfold nest", *(f'note "{note}"' for note in self.notes)]
        lines += [f"param B{axis} = {size}" for axis, size in zip("XYZ", BLOCKS[self.depth])]
        lines += [f"param {name} = {value}" for name, value in self.parameters.items()]
        lines += self.arrays.values()
        lines += [f"{move} times {' + '.join(times)}" for move, times in self.transfers.items()]
        for name, (at, launch, text, times) in self.kernels.items():
            lines += ["", f"at {at}", f"kernel {name}",
                      f"launch {launch}  times {' + '.join(times)}"]
            depth = 0
            for line in text.split("\n"):
                depth -= line.startswith("}")
                lines.append("    " * depth + line)
                depth += line.endswith("{")
        return "\n".join(lines) + "\n"


class Nest:
    """A nest with PARALLEL: what one iteration does, and the launches."""

    def __init__(self, program, frame, directive, do):
        self.program, self.frame, self.line = program, frame, directive.line
        self.need, self.note = program.need, program.note
        self.out, self.scalars, self.ops = [], {}, collections.Counter()
        self.touched = {"load": [], "store": []}
        self.waits, self.intermediates = set(), 0  # counters of loops with dependences; registers
        self.branches, self.turns, self.means = collections.Counter(), [], {}
        program.line, program.counters = directive.line, set()
        names, loops, body = dict(clauses(directive.node[0][1], self.line)), [], [do]
        self.need(names, "PARALLEL names no loop")
        given = collections.defaultdict(str)
        for word, inner in directive.node:
            program.direct(word, TAKEN, "PARALLEL has no clause")
            given[word] += f"{inner}, "
        block = given.get("CUDA_BLOCK", "448").strip(", ")
        self.need(re.fullmatch(r"\w+( *, *\w+){,2}", block),
                  f"CUDA_BLOCK has one to three numbers, not {block or 'none'}")
        self.block = [size if size.isdigit() else frame.name(size)
                      for size in re.findall(r"\w+", given["CUDA_BLOCK"])]
        self.private = dict(clauses(given["PRIVATE"] + given["NEW"], self.line))
        self.across, self.reductions = dict(clauses(given["ACROSS"], self.line)), {}
        for word, inner in clauses(given["REDUCTION"], self.line, str.upper):
            self.need(word in REDUCTIONS, f"there is no reduction {word}")
            for name in re.findall(r"[a-z]\w*", inner):
                self.reductions[name] = word
                self.need(name not in frame.unit.dims or "LOC" in word,
                          f"{name} is an array, and in a REDUCTION")
                self.need(is_kind(kind := frame.unit.type_of(name)),
                          f"{name} is {kind}, and in a REDUCTION")
        for name in names:
            body = [item for item in body if sort(item.node) not in DEAD]
            self.need(len(body) == 1 and sort(body[0].node) in DOS and control(body[0])[0] == name,
                      f"the loops are not {', '.join(names)}, each in the other", do.line)
            loops.insert(0, body[0])
            body = body[0].branches[0][1]
        if not self.block:
            program.depth = max(program.depth, min(3, len(loops)))
        before, signed = frame.counters, program.is_signed
        frame.counters = dict(before)
        frame.computed = {control(each)[0] for each in inside([do]) if sort(each.node) in DOS}
        self.kernels = self.launches(loops, do, body)
        frame.counters, frame.computed, program.is_signed = before, set(), signed

    def launches(self, loops, do, body):
        depth = min(3, len(loops))
        sizes = [*(self.block or ("BX", "BY", "BZ")), "1", "1"]
        # Loops beyond three run in tiles of 1, in the last dimension of the groups.
        sizes[depth - 1 :] = [product(sizes[depth - 1 :]), *["1"] * (len(loops) - depth)]
        ranges = [self.frame.bounds(loop) for loop in loops]
        self.when = [f"{each.count} > 0" for each in ranges if each.count != each.turns]
        tiles = [f"ceil({each.count}, {size})" if size != "1" else wrap(each.count)
                 for each, size in zip(ranges, sizes)]
        groups = [*tiles[:2], product(tiles[2:])][:depth]
        total, lets, guards = product(each.count for each in ranges), [], []
        for i, (loop, size, bounds) in enumerate(zip(loops, sizes, ranges)):
            name, step, at = self.counter(loop, bounds)[0], bounds.step, f"g{'xyz'[min(i, 2)]}"
            if i > 2:
                at = f"{at} / {wrap(product(tiles[2:i]))}"
            if 1 < i < len(loops) - 1:
                at = f"({at} % {tiles[i]})"
            at = f"{wrap(size)}*{at} + t{'xyz'[i]}" if i < 3 else at
            at = at if abs(step) == 1 else product([str(abs(step)), at])
            lets += [f"at {loop.line}",
                     f"let {name} = {bounds.low} {f'+ {at}' if step > 0 else f'- ({at})'}"]
            guards += [f"{name} {'<=' if step > 0 else '>='} {bounds.high}"][: i < 3]
        self.items(body)
        waits = [i for i, loop in enumerate(loops) if control(loop)[0] in self.waits]
        self.need(waits or not self.across,
                  "ACROSS names no array that the loop writes by its counters", self.line)
        # Elements that another iteration writes, where ACROSS names no array.
        counters = {self.frame.counters[control(loop)[0]] for loop in loops}
        for load, store in itertools.product(self.touched["load"], self.touched["store"]):
            pairs = list(zip(load[1], store[1]))
            if load[0] == store[0] and all(one[0] == other[0] for one, other in pairs) and any(
                    one != other and counters & {*re.findall(r"\w+", one[0])}
                    for one, other in pairs):
                self.note(f"{store[3]} and {load[3]}: without ACROSS, iterations are taken not to "
                          "depend on each other", load[2])
        branches = " + ".join(product([str(number), *turning])
                              for turning, number in self.branches.items() if number)
        kinds = [self.frame.unit.type_of(name) for name in self.reductions]
        counts = [each.count for each in ranges]
        counts[2:] = [product(counts[2:])] * (len(counts) > 2)
        facts = [f"iterations {', '.join(counts)}",
                 f"lines {max(item.line for item in inside([do])) - do.line + 1}",
                 f"scalars {sum(REGISTERS[kind] for kind in self.scalars.values())}",
                 f"intermediates {self.intermediates}", f"globals {len(self.scalars)}",
                 f"branches {branches or 0}"]
        if waits:
            facts.append("waves " + " + ".join(f"{tiles[i]} - 1" for i in waits) + " + 1")
            inner = [i for i in waits if i < 3]
            lets.append(f"for w = 0 .. {' + '.join(less(sizes[i], '1') for i in inner) or 0} {{")
            guards.insert(0, f"{' + '.join('t' + 'xyz'[i] for i in inner) or 0} == w")
            self.out += ["}", "barrier"]
        tail, kernels = [], []
        if kinds:
            facts.append(f"reduction {sum(int(kind[1:]) // 8 for kind in kinds)}")
            tail, kernels = self.reduce(sizes[:3], groups)
        # Whether the body is one reduction over the elements of an array.
        match = re.fullmatch(FOLD, lower(body[0].node)) if len(body) == 1 else None
        array = match and (match[2] or match[3])
        operator = match and REDUCTIONS.get(self.reductions.get(match[1]))
        if operator and array in self.frame.unit.dims:
            kind = self.frame.unit.type_of(array).replace("l", "i")
            facts.append(f"fold {operator} {kind} {total}")
        text = ["  ".join(facts), *lets, f"if {' && '.join(guards)} {{", *self.out, "}", *tail]
        launch = f"groups = {', '.join(groups)}  size = {', '.join(sizes[:depth])}"
        return [("", launch, "\n".join(text)), *kernels]

    def reduce(self, sizes, groups):
        """What comes after an iteration, and the kernel of one group after it: trees that reduce
        a number of each work-item to one of the group."""
        item, group = (" + ".join(product([*lengths[:i], letter + "xyz"[i]])
                                  for i in range(len(lengths)))
                       for lengths, letter in ((sizes, "t"), (groups, "g")))
        number, trees = product(groups), []
        for size, item, place in ((product(sizes), item, group), ("256", "tx", "0")):
            trees.append([f"let item = {item}"])
            for name in self.reductions:
                kind = self.frame.unit.type_of(name).replace("l", "i")
                x, y = f"{name[:24].upper()}_here", f"{name[:24].upper()}_parts"
                trees[-1] += [
                    f"array {x} {kind}[{size}] local", f"array {y} {kind}[{number}] global",
                    f"for i = tx .. {number} - 1 step 256 {{ load {y}[i]  op tree }}",
                    f"store {x}[item]", "barrier", f"for tree = 1 .. log2({size}) {{",
                    f"let s = 2^log2({size}) >> tree", f"if item < s && item + s < {size} {{",
                    f"load {x}[item]  load {x}[item + s]  op tree  store {x}[item]", "}",
                    "barrier", "}", f"if item == 0 {{ load {x}[0]  store {y}[{place}] }}"]
        first = [line for line in trees[0] if not line.startswith("for i")]
        return first, [("_parts", "groups = 1  size = 256", "\n".join(trees[1]))]

    def counter(self, item, bounds):
        """Gives a loop's counter a name in the nest, and turns in the mean of loops around."""
        given = self.program.unique(control(item)[0].upper(), ("counter", self.frame.depth))
        self.frame.counters[control(item)[0]] = given
        self.program.counters.add(given)
        mean, turns = (re.sub(r"\w+", lambda word: self.means.get(word[0], word[0]), text)
                       for text in (f"{wrap(bounds.low)} + {wrap(bounds.high)}", bounds.turns))
        self.means[given] = f"(({mean}) / 2)"
        return given, turns

    def items(self, items, is_in_if=False):
        for item in items:
            kind, self.program.line = sort(item.node), item.line
            self.out += [f"at {item.line}"] * (kind not in DEAD)
            if kind in DOS:
                before, bounds = dict(self.frame.counters), self.frame.bounds(item)
                by = f" step {bounds.step}" if bounds.step != 1 else ""
                name, mean_turns = self.counter(item, bounds)
                self.out.append(f"for {name} = {bounds.low} .. {bounds.high}{by} {{")
                self.turns.append(mean_turns)
                self.items(item.branches[0][1])
                self.turns.pop()
                self.out.append("}")
                self.frame.counters = before
            elif kind in IFS:
                self.choose(item.branches)
            elif kind == "Assignment_Stmt":
                self.store(item.node.children[0], self.compute(item.node.children[2]), self.frame)
            elif kind == "Call_Stmt":
                name, actuals = item.node.children
                unit = self.program.called(item.node)
                self.need(unit, f"{name} is called in a parallel loop, and is not in this file")
                self.inline(unit, actuals, self.frame)
            elif kind in JUMPS and is_in_if:
                self.note(f"{item.node} is taken not to happen")
            else:
                is_end = kind == "Return_Stmt" and item is self.frame.unit.body[-1]
                self.need(kind in DEAD or is_end, f"{word_of(item)} stands in a parallel loop")

    def inline(self, unit, actuals, frame):
        """What a procedure does that an iteration calls."""
        self.need(unit not in self.program.with_nests,
                  f"{unit.name} is called in a parallel loop, and has one of its own")
        before, ops, line = self.frame, self.ops, self.program.line
        inner = Frame(self.program, unit, frame, actuals, frame.depth + 1)
        self.frame, self.ops = frame, collections.Counter()
        inner.computed = {control(each)[0] for each in inside(unit.body) if sort(each.node) in DOS}
        for name, actual in inner.actuals.items():
            if name not in unit.dims and not frame.has(actual):
                self.compute(actual)
        self.frame = inner
        self.items(unit.body)
        self.frame, self.ops, self.program.line = before, ops, line
        self.out.append(f"at {line}")

    def choose(self, branches):
        """Writes the branches of an IF, one in the other; side by side, if data decide."""
        ends = []
        for condition, body in branches:
            parts = conjuncts(condition) if condition else []
            known = [wrap(self.frame.text(part)) for part in parts if self.frame.knows(part)]
            self.branches[tuple(self.turns)] += bool(parts)
            if len(known) < len(parts):
                self.note("data decide: all branches are taken to run")
                self.compute(condition)
            self.out.append(f"if {' && '.join(known) or 1} {{")
            self.items(body, True)
            is_other = len(known) == len(parts) and body is not branches[-1][1]
            self.out.append("} else {" if is_other else "}")
            ends += ["}"] * is_other
        self.out += ends

    def is_element(self, name, frame):
        return name in frame.unit.dims and (frame.depth > 0 or name not in self.reductions)

    def store(self, target, kind, frame):
        name, parts = parts_of(target)
        if frame.depth > 0 and name in frame.actuals and name not in frame.unit.dims:
            self.store(frame.actuals[name], kind, frame.caller)
            return
        own = frame.unit.type_of(name)
        self.out += ["op convert"] * (kind not in ("", own))
        if self.is_element(name, frame):
            self.touch("store", target, frame)
            widths = self.across.get(name, "").replace(" ", "").split(",")
            self.waits.update(lower(counter) for width, part in zip(widths, parts)
                              if width not in ("", "0", "0:0") for counter in found(part, "Name"))
            return
        self.need(frame.depth > 0 or name in (*self.private, *self.reductions),
                  f"{target} is neither PRIVATE nor in a REDUCTION")
        self.scalars[frame.unit, name] = own
        frame.computed.add(name)

    def compute(self, node):
        """Writes the loads and operations of an expression, and returns its type."""
        self.ops.clear()
        kind, registers = self.value(node, self.frame)
        self.intermediates = max(self.intermediates, registers)
        self.out += [f"op{name} {number}" for name, number in self.ops.items() if number]
        return kind

    def touch(self, verb, node, frame):
        name = parts_of(node)[0]
        self.need(frame.depth > 0 or name not in self.private, f"{name} is an array, and PRIVATE")
        array, places = frame.element(node)
        self.out.append(f"{verb} {array}[{', '.join(places)}]")
        if name not in self.across:
            ends = [re.fullmatch(r"(.+?)( [+-] \d+)?", place).groups() for place in places]
            self.touched[verb].append((array, ends, self.program.line, node))

    def value(self, node, frame):
        """Adds what an expression does. Returns its type, or "" of a literal, and the registers
        that it takes, if the operand that takes most comes first."""
        unit, name = frame.unit, parts_of(node)[0]
        if sort(node).endswith("_Literal_Constant") or name in unit.constants:
            return "", 0
        if frame.has(node):
            kind, actual = unit.type_of(name), frame.actuals.get(name) if frame.depth else None
            if actual and name not in unit.dims and frame.caller.has(actual):
                return self.value(actual, frame.caller)
            if self.is_element(name, frame):
                self.touch("load", node, frame)
                return kind, REGISTERS[kind]
            if frame.counters.get(name) not in self.program.counters:
                self.scalars[unit, name] = kind
            return kind, 0
        if sort(node) == "Part_Ref":
            function = self.program.called(node)
            self.need(function, f"{node} is a call, or {name} has no shape")
            self.inline(function, node.children[1], frame)
            return function.type_of(function.result), 0
        sign, operands = operation(node)
        self.need(sign, f"{node} is neither an element, a scalar nor an intrinsic")
        values = [self.value(operand, frame) for operand in operands]
        kind, held = self.operate(sign.upper(), [kind for kind, _ in values], operands), 0
        most = REGISTERS[kind]
        for of_operand, registers in sorted(values, key=lambda value: -value[1]):
            most = max(most, held + registers)
            held += min(registers, REGISTERS[of_operand])
        return kind, most

    def operate(self, sign, kinds, values):
        cost = CLASSES.get(sign, " special" if sign.isalnum() else "")
        if sign == "**":
            power = int(str(values[1])) if str(values[1]).isdigit() else 0
            self.ops[" special"] += power == 0
            self.ops[""] += max(0, power.bit_length() + power.bit_count() - 2)
            return kinds[0]
        if sign != "(":
            self.ops[cost] += max(1, len(kinds) - 1) if cost == "" else 1
        if cost == " convert":
            size = self.frame.unit.size(lower(values[1])) if kinds[1:] else 4 + 4 * (sign == "DBLE")
            return f"{'i' if sign in 'INT NINT FLOOR CEILING' else 'f'}{8 * size}"
        if not sign.isalnum() and any(kinds):
            self.ops[" convert"] += len(set(filter(None, kinds))) - 1
        widest = max(kinds, key=lambda kind: (kind[:1] == "f", int(kind[1:] or 0)))
        return widest if sign in "+-*/(" or sign.isalnum() else "l32"


def text(path, settings):
    """The nest of a file, by a thread whose stack is deep: brackets and terms are recursion."""
    program, limit = Program(path, settings), sys.getrecursionlimit()
    stack = threading.stack_size(1 << 28)
    sys.setrecursionlimit(100_000)
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            return pool.submit(program.read).result()
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError,
            ValueError) as error:
        sentence = "too many terms or blocks, or a constant that depends on itself" if isinstance(
            error, RecursionError) else "a statement has a form that is not known here"
        raise Refused(program.line, getattr(error, "strerror", sentence)) from error
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)

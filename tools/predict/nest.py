"""The language of nests, which docs/predict.md describes: a text becomes kernels, statements and
expressions, whose values are numbers, or arrays of numpy with one for each work-item."""

import re
from types import SimpleNamespace as Record

import numpy as np

MOST = 1 << 53  # what sizes and indices stay below
MOST_BYTES = 16  # that a work-item moves at once
MOST_DEPTH, MOST_BRACKETS, MOST_TERMS = 32, 100, 256  # of blocks, brackets and expressions
TYPES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8,
         "u64": 8, "f64": 8}
CLASSES = ("simple", "reciprocal", "special", "convert", "tree")
FACTS = ("when hops waves times registers instructions iterations reduction lines scalars "
         "intermediates globals branches").split()
# What every kernel has, and which of a group's indices it depends on.
GIVEN = {"t": "tx", "tx": "tx", "ty": "ty", "tz": "tz", "g": "gx", "gx": "gx", "gy": "gy",
         "gz": "gz", "groups": "groups", "size": "size"}
WORDS = {*"""param kernel launch groups size again while array global local offset transfer fold
    load store wide op barrier let if else for unroll step log2 ceil min max at note""".split(),
    *FACTS}
LEVELS = {sign: level for level, signs in enumerate(
    ("||", "&&", "== != < > <= >=", "<< >>", "+ -", "* / %", "", "^"), 1)
    for sign in signs.split()}
CONDITIONS, BENT = ("<", "<=", "==", "!=", "&&", "||", "!"), ("^", "/", "%", ">>", "log2", "ceil")
SIGN = 7  # the level of - and ! before what they are of
TOKEN = re.compile(r"""(?P<skip>[ \t\r]+|\#[^\n]*|\n) | (?P<text>"[^"\n]*") | (?P<number>\d+)
    | (?P<name>[A-Za-z_]\w*) | (?P<sign>\.\.|\|\||&&|[=!<>]=|<<|>>|[][(){}=,<>+*/%^!-])
    | (?P<other>.)""", re.X | re.A)


class Wrong(Exception):
    """A place, which is a line and a column or 0, and what is wrong there."""


def need(holds, place, text):
    if not holds:
        raise Wrong(place, text)


def tokens(text):
    line, start = 1, 0
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind != "skip":
            need(kind != "name" or len(word) < 32, (line, match.start() - start + 1),
                 f"the name {word[:40]} has more than 31 letters")
            yield kind, word, (line, match.start() - start + 1)
        elif word == "\n":
            line, start = line + 1, match.end()
    yield "end", "the end of the text", (line, len(text) - start + 1)


class Reader:
    """Reads a text by recursive descent. `names`: of what may be named, which indices and counters
    it depends on, and which of these it is linear in."""

    def __init__(self, text):
        self.tokens, self.line = tokens(text), 0
        self.nest = Record(params={}, arrays={}, transfers=[], kernels=[], notes=[], accesses=[])
        self.names, self.kernel, self.depth, self.brackets, self.loops = {}, None, 0, 0, 0
        self.kind, self.word, self.place = next(self.tokens)

    # ---- Words ----

    def refuse(self, expected):
        shown = self.word[:40] if self.word.isprintable() and self.word.isascii() else "?"
        raise Wrong(self.place, f"{expected}, not {shown}" if expected else
                    f"{shown} is not expected here")

    def advance(self):
        word = self.word
        self.kind, self.word, place = next(self.tokens, ("end", self.word, self.place))
        self.place = (self.line, 0) if self.line else place
        return word

    def take(self, *words):
        """The next word if it is one of these, after which it is read."""
        return self.advance() if self.word in words and self.kind in ("name", "sign") else ""

    def expect(self, *words):
        return self.take(*words) or self.refuse(f"{' or '.join(words)} is expected")

    def is_name(self):
        return self.kind == "name" and self.word not in WORDS

    def name(self):
        return self.advance() if self.is_name() else self.refuse("a name is expected")

    def number(self, other=None):
        if self.kind != "number":
            return self.refuse("a number is expected") if other is None else other
        need(len(self.word) < 17 and int(self.word) <= MOST, self.place, "the number is above 2^53")
        return int(self.advance())

    # ---- Expressions ----

    def node(self, kind, place, left=None, right=None, value=None):
        parts = [part for part in (left, right) if part]
        deps, uses = (frozenset().union(*(getattr(part, name) for part in parts))
                      for name in ("deps", "uses"))
        depth = 1 + max((part.depth for part in parts), default=0)
        need(depth <= MOST_TERMS, place, f"an expression has more than {MOST_TERMS} terms")
        if kind in CONDITIONS:
            uses = frozenset()  # counting goes on anew where such a value changes
        elif kind in BENT:
            self.bend(uses)
        elif kind == "<<":
            self.bend(right.uses)
        elif kind == "*" and left.uses and right.uses:  # for each of one the other is linear
            groups = {"gx", "gy", "gz"}
            self.bend(left.uses if right.uses & groups and not left.uses & groups else right.uses)
        return Record(kind=kind, place=place, left=left, right=right, value=value, deps=deps,
                      uses=uses, depth=depth)

    def bend(self, uses):
        if self.kernel:
            self.kernel.bent |= uses

    def named(self, name, place):
        need(name in self.names or name in GIVEN, place, f"there is no {name}")
        need(name in self.names or self.kernel, place, f"{name} belongs to a kernel")
        node = self.node("name", place, value=GIVEN.get(name, name))
        if name in self.names:
            node.deps, node.uses = self.names[name]
        else:
            node.deps = frozenset([node.value]) - {"groups", "size"}
            node.uses = node.deps & {"gx", "gy", "gz"}
        return node

    def primary(self):
        place = self.place
        if self.kind == "number":
            return self.node("number", place, value=self.number())
        if self.is_name() or self.word in ("groups", "size"):
            return self.named(self.advance(), place)
        sign = self.take("-", "!", "(", "log2", "min", "max", "ceil") or self.refuse("")
        self.brackets += 1
        need(self.brackets <= MOST_BRACKETS, place, "brackets and blocks are too deep")
        if sign in ("-", "!"):
            node, zero = self.expression(SIGN), self.node("number", place, value=0)
            node = self.node("!", place, node) if sign == "!" else self.node("-", place, zero, node)
        else:
            if sign != "(":
                self.expect("(")
            node, right = self.expression(), None
            if sign in ("min", "max", "ceil"):
                self.expect(",")
                right = self.expression()
            self.expect(")")
            node = node if sign == "(" else self.node(sign, place, node, right)
        self.brackets -= 1
        return node

    def expression(self, level=1):
        node = self.primary()
        while self.kind == "sign" and LEVELS.get(self.word, 0) >= level:
            place, sign = self.place, self.advance()
            right = self.expression(LEVELS[sign] + (sign != "^"))
            if sign in (">", ">="):
                node, right, sign = right, node, sign.replace(">", "<")
            node = self.node(sign, place, node, right)
        return node

    def constant(self):
        place, node = self.place, self.expression()
        need(not node.deps, place, "a size may not depend on work-items or groups")
        return node

    def several(self, read, most=7):
        found = [read()]
        while self.take(","):
            need(len(found) < most, self.place, f"there are {most} dimensions at most")
            found.append(read())
        return found

    # ---- Declarations ----

    def add_name(self, name, place, deps=frozenset(), uses=frozenset()):
        need(name not in self.names and name not in GIVEN, place, f"there is a {name} already")
        self.names[name] = deps, uses

    def read_param(self, _):
        while True:
            place, name = self.place, self.name()
            self.expect("=")
            value = self.constant()
            self.add_name(name, place)
            self.nest.params[name] = value
            if not self.is_name():
                return

    def read_array(self, _):
        place, name = self.place, self.name()
        arrays = self.kernel.arrays if self.kernel else self.nest.arrays
        is_new = name not in arrays and name not in self.nest.arrays
        need(is_new, place, f"there is an array {name} already")
        at, kind = self.place, self.name()
        is_param = kind in self.nest.params
        need(kind in TYPES or is_param, at, f"a type such as f32 is expected, not {kind}")
        size = self.named(kind, at) if is_param else self.node("number", at, value=TYPES[kind])
        self.expect("[")
        lengths = self.several(self.constant)
        self.expect("]")
        is_local = self.expect("global", "local") == "local"
        offset = self.number() if self.take("offset") else 0
        need(offset < 128, place, f"the offset of {name} is not up to 127 bytes")
        arrays[name] = Record(name=name, size=size, lengths=lengths, is_local=is_local,
                              offset=offset)

    def read_transfer(self, _):
        place, way = self.place, self.name()
        need(way in ("in", "out"), place, f"a transfer goes in or out, not {way}")
        at, name = self.place, self.name()
        array = self.nest.arrays.get(name)
        need(array and not array.is_local, at, f"there is no global array {name}")
        need(self.word not in FACTS or self.word == "times", self.place,
             f"a transfer has no {self.word}")
        times = self.constant() if self.take("times") else None
        self.nest.transfers.append(Record(array=array, way=way, times=times))

    def read_kernel(self, _):
        self.end_kernel()
        place, name = self.place, self.name()
        is_new = name not in [kernel.name for kernel in self.nest.kernels]
        need(is_new, place, f"there is a kernel {name} already")
        self.kernel = Record(name=name, place=place, groups=None, size=None, again=None, facts={},
                             fold=None, steps=[], bent=set(), arrays={}, notes=[], iterations=[])
        self.nest.kernels.append(self.kernel)

    def end_kernel(self):
        kernel = self.kernel
        need(not kernel or kernel.groups, kernel and kernel.place,
             f"kernel {kernel and kernel.name} has no launch")
        self.names = {name: self.names[name] for name in self.nest.params}

    def read_launch(self, place):
        kernel = self.kernel
        need(not kernel.groups, place, "a kernel has one launch")
        for word in ("groups", "size"):
            self.expect(word)
            self.expect("=")
            setattr(kernel, word, self.several(self.constant, 3))
        if self.take("again"):
            place, name = self.place, self.name()
            need(name in self.nest.params, place, f"again needs a parameter, not {name}")
            self.expect("=")
            value = self.constant()
            self.expect("while")
            kernel.again = name, value, self.constant()

    def read_note(self, _):
        words = self.advance() if self.kind == "text" else self.refuse(
            "words in double quotes are expected")
        line = f"line {self.line}: " if self.line else ""
        (self.kernel or self.nest).notes.append(line + words[1:-1])

    def read_fact(self, place, word):
        kernel = self.kernel
        need(word not in kernel.facts, place, f"{word} is given twice")
        if word == "fold":
            kernel.fold = self.take("min", "max") or self.name(), self.name()
        if word == "iterations":  # of each dimension, X first, or of all
            kernel.iterations = self.several(self.constant, 3)
        kernel.facts[word] = kernel.iterations[0] if word == "iterations" else self.constant()

    # ---- Statements ----

    def block(self):
        self.expect("{")
        self.depth += 1
        need(self.depth <= MOST_DEPTH, self.place, f"blocks are {MOST_DEPTH} deep")
        names, steps = dict(self.names), []
        while not self.take("}"):
            steps += self.statement() or self.expect("}")
        self.names, self.depth = names, self.depth - 1
        return steps

    def otherwise(self):
        return self.block() if self.take("else") else []

    def statement(self):
        """A list of steps: an `if` may follow a simple one. None: something else is there."""
        place, word = self.place, self.take("load", "store", "op", "barrier", "let", "if", "for",
                                            "unroll", "at")
        need(not word or word == "at" or self.kernel, place,
             "this belongs to a kernel, and none has begun")
        if word == "at":
            self.line = 0
            self.line = self.number()
            self.place = (self.line, 0)
            return [Record(kind="at", place=self.place)]
        if word in ("load", "store", "op"):
            step = self.access(word, place) if word != "op" else self.operation(place)
            at = self.place
            if not self.take("if"):
                return [step]
            value = self.expression()
            if self.word != "{":
                return [Record(kind="if", place=place, value=value, body=[step], other=[])]
            return [step, Record(kind="if", place=at, value=value, body=self.block(),
                                 other=self.otherwise())]
        if word == "barrier":
            return [Record(kind="barrier", place=place)]
        if word == "if":
            return [Record(kind="if", place=place, value=self.expression(), body=self.block(),
                           other=self.otherwise())]
        return [self.let(place) if word == "let" else self.loop(place, word)] if word else None

    def access(self, kind, place):
        at, name = self.place, self.name()
        array = self.kernel.arrays.get(name) or self.nest.arrays.get(name)
        need(array, at, f"there is no array {name}")
        self.expect("[")
        indices, rank = self.several(self.expression), len(array.lengths)
        self.expect("]")
        need(rank == len(indices), at, f"{name} has {rank} dimensions, not {len(indices)}")
        wide = self.number() if self.take("wide") else 1
        need(wide in (1, 2, 4, 8, 16), at, "wide is 1, 2, 4, 8 or 16")
        self.nest.accesses.append(Record(kind=kind, place=place, array=array, indices=indices,
                                         wide=wide, number=len(self.nest.accesses)))
        return self.nest.accesses[-1]

    def operation(self, place):
        at, kind = self.place, self.name() if self.is_name() else "simple"
        classes = f"{', '.join(CLASSES[:-1])} or {CLASSES[-1]}"
        need(kind in CLASSES, at, f"operations are {classes}, not {kind}")
        times = self.number(1)
        need(times <= 1 << 30, place, "op stands for 2^30 operations at most")
        return Record(kind="op", place=place, op=kind, times=times)

    def let(self, place):
        at, name = self.place, self.name()
        self.expect("=")
        value = self.expression()
        self.add_name(name, at, value.deps, value.uses)
        return Record(kind="let", place=place, name=name, value=value)

    def loop(self, place, word):
        at, name = self.place, self.name()
        self.expect("=")
        first = self.expression()
        self.expect("..")
        last, by = self.expression(), self.expression() if self.take("step") else None
        self.loops += 1
        counter, names = f"{name}#{self.loops}", dict(self.names)
        if by and by.uses:
            self.bend({counter})  # from + turn * by is linear in one of them only
        uses = first.uses | (by.uses if by else frozenset()) | {counter}
        self.add_name(name, at, first.deps | last.deps | {counter}, uses)
        body, self.names = self.block(), names
        return Record(kind="for", place=place, name=name, first=first, last=last, by=by,
                      body=body, counter=counter, is_unrolled=word == "unroll")

    def read(self):
        while self.kind != "end":
            place = self.place
            word = self.take("param", "array", "transfer", "kernel", "note", "launch", "fold",
                             *FACTS)
            need(self.kernel or word not in ("launch", "fold", *FACTS), place,
                 "this belongs to a kernel, and none has begun")
            if word in FACTS or word == "fold":
                self.read_fact(place, word)
            elif word:
                getattr(self, f"read_{word}")(place)
            else:
                steps = self.statement() or self.refuse("")
                if self.kernel:
                    self.kernel.steps += steps
        need(self.nest.kernels, self.place, "there is no kernel")
        self.end_kernel()
        return self.nest


def parse(text):
    """The nest, or Wrong is raised."""
    return Reader(text).read()


# ---- Values ----


def checked(wrong, mask, place, values):
    """The values, or 0 where they are wrong for a work-item that is not seen."""
    seen = wrong & mask if mask is not None else wrong
    need(not np.any(seen), place,
         "this is above 2^53, or a division by 0, or a logarithm of less than 1")
    return np.where(wrong, 0, values) if np.any(wrong) else values


def largest(value):
    return abs(value) if isinstance(value, int) else int(np.abs(value).max(initial=0))


def compute(kind, a, b, mask, place):
    """An operation of numbers or arrays."""
    if kind == "*":
        if largest(a) * largest(b) <= MOST:
            return a * b
        wrong = np.abs(np.multiply(a, b, dtype=float)) > MOST
        return checked(wrong, mask, place, np.multiply(a, b))
    if kind in ("/", "%", "ceil"):
        zero = np.equal(b, 0)
        if np.any(zero):
            checked(zero, mask, place, zero)
            b = np.where(zero, 1, b)
        return a // b if kind == "/" else a % b if kind == "%" else -(-a // b)
    if kind == "log2":
        a = np.asarray(a)
        return checked(a < 1, mask, place, np.frexp(np.maximum(a, 1) - 1.0)[1].astype(np.int64))
    if kind == ">>":
        return checked(np.less(b, 0), mask, place, np.right_shift(a, np.clip(b, 0, 62)))
    if kind == "<<":
        power = np.exp2(np.clip(b, 0, 60).astype(float) if isinstance(b, np.ndarray) else
                        float(min(max(b, 0), 60)))
        wrong = np.less(b, 0) | np.greater(b, 52) | (np.abs(np.multiply(a, power)) > MOST)
        return checked(wrong, mask, place, np.left_shift(a, np.clip(b, 0, 52)))
    with np.errstate(over="ignore"):
        size = np.power(np.asarray(a, float), np.maximum(b, 0))
    wrong = np.less(b, 0) | np.less(a, -1) | ~(np.abs(size) <= MOST)
    return checked(wrong, mask, place, np.where(wrong, 0, size).astype(np.int64))


def value(node, env, mask=None, sides=None):
    """Of an expression: a number, or an array that fits the mask, of the work-items that are seen.
    `sides` is told all pairs of which it matters which one is the smaller."""
    kind = node.kind
    if kind == "number":
        return node.value
    if kind == "name":
        return env[node.value]
    a = value(node.left, env, mask, sides)
    b = value(node.right, env, mask, sides) if node.right else 0
    if kind == "+":
        return a + b
    if kind == "-":
        return a - b
    if sides and kind in ("<", "<=", "==", "!=", "min", "max"):
        sides(a, b)
    if kind == "<":
        return (a < b) * 1
    if kind == "<=":
        return (a <= b) * 1
    if kind in ("==", "!="):
        return (np.equal(a, b) == (kind == "==")) * 1
    if kind in ("&&", "||", "!"):
        if sides:
            sides(a, 0)
            sides(b, 0)
        a, b = np.not_equal(a, 0), np.not_equal(b, 0)
        return (a & b if kind == "&&" else a | b if kind == "||" else ~a) * 1
    if kind in ("min", "max"):
        return (np.minimum if kind == "min" else np.maximum)(a, b)
    found = compute(kind, a, b, mask, node.place)
    return int(found) if np.ndim(found) == 0 else found


def number(node, env):
    """Of a size, which is the same everywhere."""
    found = int(value(node, env))
    need(abs(found) <= MOST, node.place, "this is above 2^53, or a division by 0, or a logarithm "
         "of less than 1")
    return found

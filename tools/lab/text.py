"""C expressions of a fold's texts, such as 'x > 3 && x < 10', on numpy's arrays."""

import ast
import re

import numpy as np

C_NAMES = {"i8": "char", "u8": "uchar", "i16": "short", "u16": "ushort", "i32": "int",
           "u32": "uint", "i64": "long", "u64": "ulong", "f16": "half", "f32": "float",
           "f64": "double"}  # fmt: skip
DTYPES = {name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in C_NAMES}
FUNCTIONS = {
    "sqrt": np.sqrt, "fabs": np.abs, "abs": np.abs, "min": np.minimum, "max": np.maximum,
    "fmin": np.minimum, "fmax": np.maximum, "floor": np.floor, "ceil": np.ceil, "exp": np.exp,
    "log": np.log, "isnan": np.isnan,
    **{f"to_{name}": lambda x, to=dtype: np.asarray(x).astype(to)
       for name, dtype in DTYPES.items()},
}  # fmt: skip
OPERATORS = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.BitAnd: np.bitwise_and,
    ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor, ast.LShift: np.left_shift,
    ast.RShift: np.right_shift, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Lt: np.less,
    ast.LtE: np.less_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.And: np.logical_and,
    ast.Or: np.logical_or, ast.USub: np.negative, ast.UAdd: np.positive, ast.Not: np.logical_not,
    ast.Invert: np.invert,
}  # fmt: skip


class Unknown(Exception):
    """A text that numpy cannot compute."""


def count_text(count):
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power and count > 1 else str(count)


def in_python(text):
    """The same in Python's words; a ? b : c of lowest precedence becomes (b if a else c)."""
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    text = re.sub(r"(?<!\w)(\d+\.?\d*|\.\d+)[fFuUlL]+\b", r"\1", text)
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "?" and depth == 0:
            yes, colon, no = text[at + 1 :].partition(":")
            if not colon or "?" in yes:
                raise Unknown(text)
            return f"({in_python(yes)}) if ({text[:at]}) else ({in_python(no)})"
    return text


def in_c(node):
    """Raises Unknown where operators of C bind otherwise: !x == 3 and x & 1 == 0 do."""
    for one in ast.walk(node):
        parts = []
        if isinstance(one, ast.Compare):
            parts = [part for part in (one.left, *one.comparators) if isinstance(part, ast.BinOp)
                     and isinstance(part.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
                     and (part.col_offset == one.col_offset or
                          part.end_col_offset == one.end_col_offset)]  # in no parentheses
        elif isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
            parts = [one.operand] if isinstance(one.operand, (ast.Compare, ast.BinOp)) and (
                one.end_col_offset == one.operand.end_col_offset) else []
        if parts:
            raise Unknown(ast.dump(one))
    return node


def promoted(value):
    """What is narrower than int is an int."""
    kind = getattr(value, "dtype", None)
    narrow = kind is not None and kind.kind in "biu" and kind.itemsize < 4
    return value.astype(np.int32) if narrow else value


def compute(node, names):
    if isinstance(node, ast.Expression):
        return compute(node.body, names)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.IfExp):
        return np.where(*(compute(part, names) for part in (node.test, node.body, node.orelse)))
    if isinstance(node, ast.UnaryOp):
        value = promoted(compute(node.operand, names))
        if isinstance(value, (int, float)) and isinstance(node.op, ast.USub):
            return -value  # which takes the type of what it is added to
        return OPERATORS[type(node.op)](value)
    if isinstance(node, ast.BinOp):
        a, b = (promoted(compute(part, names)) for part in (node.left, node.right))
        if isinstance(node.op, ast.Div) and np.asarray(a).dtype.kind == "f":
            return np.divide(a, b)
        return OPERATORS[type(node.op)](a, b)
    if isinstance(node, ast.BoolOp):
        first, *others = (compute(value, names) for value in node.values)
        for value in others:
            first = OPERATORS[type(node.op)](first, value)
        return first
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return OPERATORS[type(node.ops[0])](compute(node.left, names),
                                            compute(node.comparators[0], names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](*(compute(one, names) for one in node.args))
    raise Unknown(ast.dump(node))


def evaluate(text, **names):
    """What the text is of arrays by these names. Raises Unknown."""
    try:
        return compute(in_c(ast.parse(in_python(text).strip(), mode="eval")), names)
    except (SyntaxError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Unknown(text) from error

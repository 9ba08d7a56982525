"""C expressions of a fold's texts, such as 'x > 3 && x < 10', on numpy's arrays."""

import ast
import re

import numpy as np

C_NAMES = {"i8": "char", "u8": "uchar", "i16": "short", "u16": "ushort", "i32": "int",
           "u32": "uint", "i64": "long", "u64": "ulong", "f16": "half", "f32": "float",
           "f64": "double"}  # fmt: skip
DTYPES = {name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in C_NAMES}
FUNCTIONS = {
    "sqrt": np.sqrt, "fabs": np.fabs, "abs": np.abs, "min": np.minimum, "max": np.maximum,
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
SUFFIXES = {"f": "f32", "u": "u32", "l": "i64", "ul": "u64", "lu": "u64"}
# What OpenCL rounds as it likes; and C's abs of an int is unsigned.
UNSURE = (np.sqrt, np.exp, np.log, np.divide, np.abs)


class Unknown(Exception):
    """What numpy cannot compute, or not as C does."""


def count_text(count):
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power and count > 1 else str(count)


def in_python(text):
    """The same in Python's words; a ? b : c of lowest precedence becomes (b if a else c)."""
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    text = re.sub(r"(?<!\w)(\d+\.?\d*|\.\d+)([fFuUlL]+)\b", lambda match:
                  f"to_{SUFFIXES.get(match[2].lower())}({match[1]})", text)  # fmt: skip
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


def typed(value):
    """An array of the type that C has for it. Fractions have few digits: no type rounds them."""
    if isinstance(value, int):
        return np.array(value, "i4" if -(2**31) <= value < 2**31 else "i8")
    if isinstance(value, float):
        if np.float32(value) != value or not (64 * value).is_integer():
            raise Unknown(str(value))
        return np.array(value, "f4")
    return promoted(np.asarray(value))


def converted(value, dtype):
    """As C converts it, which says nothing of what has no place in the type."""
    if value.dtype.kind == "f" and dtype.kind in "iu" and value.size:
        ends = np.iinfo(dtype)
        if not ends.min - 1 < value.min() <= value.max() < ends.max + 1:
            raise Unknown(f"{dtype} of {value.min()} to {value.max()}")
    return value.astype(dtype, copy=False)


def same(value, dtype):
    made = value.astype(dtype, copy=False)
    if made is not value and (made != value).any():
        raise Unknown(f"{dtype} of {value.dtype}")
    return made


def exactly(by, *values):
    """by(*values) after C's conversions, where nothing is rounded."""
    if by in UNSURE:
        raise Unknown(by.__name__)
    values = [typed(value) for value in values]
    first = [values.pop(0)] if by is np.where else []  # which is not converted
    kinds = [value.dtype for value in values[: 1 if by in (np.left_shift, np.right_shift) else 2]]
    floats = [kind for kind in kinds if kind.kind == "f"]
    common = max(floats or kinds, key=lambda kind: (kind.itemsize, kind.kind == "u"))
    values = [same(value, common) if floats else np.asarray(value, common) for value in values]
    if floats and by in (np.add, np.subtract, np.multiply):
        return same(by(*values, dtype="f8"), common)
    made = by(*first, *values)
    return converted(values[0], made.dtype) if floats and made.dtype.kind in "iu" else made


def compute(node, names, apply=lambda by, *values: by(*values)):
    if isinstance(node, ast.Expression):
        return compute(node.body, names, apply)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.IfExp):
        return apply(np.where, *(compute(part, names, apply)
                                 for part in (node.test, node.body, node.orelse)))
    if isinstance(node, ast.UnaryOp):
        value = promoted(compute(node.operand, names, apply))
        if isinstance(value, (int, float)) and isinstance(node.op, ast.USub):
            return -value  # which takes the type of what it is added to
        return apply(OPERATORS[type(node.op)], value)
    if isinstance(node, ast.BinOp):
        a, b = (promoted(compute(part, names, apply)) for part in (node.left, node.right))
        if isinstance(node.op, ast.Div) and np.asarray(a).dtype.kind == "f":
            return apply(np.divide, a, b)
        return apply(OPERATORS[type(node.op)], a, b)
    if isinstance(node, ast.BoolOp):
        first, *others = (compute(value, names, apply) for value in node.values)
        for value in others:
            first = apply(OPERATORS[type(node.op)], first, value)
        return first
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return apply(OPERATORS[type(node.ops[0])], compute(node.left, names, apply),
                     compute(node.comparators[0], names, apply))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return apply(FUNCTIONS[node.func.id], *(compute(one, names, apply) for one in node.args))
    raise Unknown(ast.dump(node))


def evaluate(text, **names):
    """An array of what the text is in C, of arrays by these names. Raises Unknown."""
    try:
        with np.errstate(all="ignore"):
            tree = in_c(ast.parse(in_python(text).strip(), mode="eval"))
            return np.broadcast_to(compute(tree, names, exactly), np.shape(names["x"]))
    except (SyntaxError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Unknown(text) from error

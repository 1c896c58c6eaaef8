"""Formulas as the Python of the generated op."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.opsmith.expressions import (
    Arithmetic,
    Attribute,
    Comparison,
    Count,
    Dimension,
    Expression,
    Local,
    Logic,
    Not,
    Number,
    Property,
    ShapePart,
    Size,
    Slice,
    Text,
    WholeShape,
)

_WORDS = {
    "BFLOAT16": "DataFormat.Float16_b",
    "FLOAT32": "DataFormat.Float32",
    "UINT32": "DataFormat.UInt32",
    "INT32": "DataFormat.Int32",
    "UINT16": "DataFormat.UInt16",
    "UINT8": "DataFormat.UInt8",
    "BFLOAT8_B": "DataFormat.Bfp8_b",
    "BFLOAT4_B": "DataFormat.Bfp4_b",
    "TILE": "Layout.TILE",
    "ROW_MAJOR": "Layout.ROW_MAJOR",
    "INTERLEAVED": "TensorMemoryLayout.INTERLEAVED",
    "HEIGHT_SHARDED": "TensorMemoryLayout.HEIGHT_SHARDED",
    "WIDTH_SHARDED": "TensorMemoryLayout.WIDTH_SHARDED",
    "BLOCK_SHARDED": "TensorMemoryLayout.BLOCK_SHARDED",
    "DRAM": "BufferType.DRAM",
    "L1": "BufferType.L1",
}
_MEMORY = {"memory_layout": "memory_config.memory_layout", "buffer_type": "memory_config.buffer_type"}
_PRECEDENCE = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6}


def word(name: str) -> str:
    """A dtype, layout or memory as Python names it.

    >>> word("BFLOAT16")
    'DataFormat.Float16_b'
    """
    return _WORDS.get(name, repr(name).replace("'", '"'))


def python(expression: Expression, outer: int = 0) -> str:
    """The formula as a Python expression.

    >>> python(Arithmetic("*", Number(2), Size("mask", "Wt")))
    '2 * sizes(mask).wt'
    """
    match expression:
        case Number(value):
            return repr(value)
        case Text(value):
            return word(value)
        case Attribute(name):
            return f"attrs.{name}"
        case Local(name):
            return name
        case Count(tensor):
            return f"len({tensor})"
        case Size(tensor, what):
            return f"sizes({tensor}).{what.lower()}"
        case Property(tensor, "rank"):
            return f"len({tensor}.shape)"
        case Property(tensor, what):
            return f"{tensor}.{_MEMORY.get(what, what)}"
        case WholeShape(tensor):
            return f"{tensor}.shape"
        case Dimension(tensor, index):
            return f"{tensor}.shape[{python(index)}]"
        case Not(operand):
            return f"not {python(operand, _PRECEDENCE['not'])}"
        case Logic(operator, operands):
            return _logic(operator, operands, outer)
        case Comparison(operator, left, right):
            text = f"{python(left, 4)} {_comparison(operator, right)} {python(right, 4)}"
            return f"({text})" if outer >= _PRECEDENCE["compare"] else text
        case Arithmetic("ceil", left, right):
            return f"-(-{python(left, 6)} // {python(right, 7)})"
        case Arithmetic("min" | "max" as function, left, right):
            return f"{function}({python(left)}, {python(right)})"
        case Arithmetic(operator, left, right):
            own = _PRECEDENCE[operator]
            text = f"{python(left, own - 1)} {operator} {python(right, own)}"
            return f"({text})" if outer >= own else text


def python_shape(parts: Sequence[ShapePart]) -> str:
    """A shape as a tuple.

    >>> python_shape((Slice("x", None, Number(-1)), Number(1)))
    '(*x.shape[:-1], 1)'
    """
    if len(parts) == 1 and isinstance(parts[0], Slice) and parts[0].low is parts[0].high is None:
        return f"{parts[0].tensor}.shape"
    items = [_shape_part(part) for part in parts]
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _shape_part(part: ShapePart) -> str:
    if not isinstance(part, Slice):
        return python(part)
    low = "" if part.low is None else python(part.low)
    high = "" if part.high is None else python(part.high)
    return f"*{part.tensor}.shape[{low}:{high}]" if low or high else f"*{part.tensor}.shape"


def _comparison(operator: str, right: Expression) -> str:
    """Members of enumerations are compared by identity."""
    if isinstance(right, Text) and right.value in _WORDS:
        return {"==": "is", "!=": "is not"}.get(operator, operator)
    return operator


def _logic(operator: str, operands: Sequence[Expression], outer: int) -> str:
    among = _membership(operator, operands)
    if among is not None:
        return f"({among})" if outer >= _PRECEDENCE["compare"] else among
    own = _PRECEDENCE[operator]
    text = f" {operator} ".join(python(one, own) for one in operands)
    return f"({text})" if outer >= own else text


def _membership(operator: str, operands: Sequence[Expression]) -> str | None:
    """`x == a or x == b` is written `x in (a, b)`."""
    pairs = [one for one in operands if isinstance(one, Comparison) and one.operator == "=="]
    if operator != "or" or len(pairs) != len(operands) or len({one.left for one in pairs}) != 1:
        return None
    return f"{python(pairs[0].left, 4)} in ({', '.join(python(one.right) for one in pairs)})"

"""Formulas as the C++ of the generated ttnn tree."""

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
    "TILE": "Layout::TILE",
    "ROW_MAJOR": "Layout::ROW_MAJOR",
    "DRAM": "tt::tt_metal::BufferType::DRAM",
    "L1": "tt::tt_metal::BufferType::L1",
}
_DTYPES = ("BFLOAT16", "FLOAT32", "UINT32", "INT32", "UINT16", "UINT8", "BFLOAT8_B", "BFLOAT4_B")
_MEMORY_LAYOUTS = ("INTERLEAVED", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED")
_PROPERTIES = {
    "dtype": "dtype()",
    "layout": "layout()",
    "memory_layout": "memory_config().memory_layout()",
    "buffer_type": "memory_config().buffer_type()",
}
# One inline function per size, each defined only where it is used.
SIZE_FUNCTIONS = {
    "N": "batches",
    "C": "channels",
    "H": "height",
    "W": "width",
    "Ht": "tiles_high",
    "Wt": "tiles_wide",
    "NC": "images",
    "rows": "rows",
    "tiles": "num_tiles",
}
_PRECEDENCE = {"||": 1, "&&": 2, "compare": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}


def cpp_word(name: str) -> str:
    """A dtype, layout or memory as ttnn names it.

    >>> cpp_word("BFLOAT16")
    'DataType::BFLOAT16'
    """
    if name in _DTYPES:
        return f"DataType::{name}"
    if name in _MEMORY_LAYOUTS:
        return f"tt::tt_metal::TensorMemoryLayout::{name}"
    return _WORDS.get(name, f'"{name}"')


def cpp(expression: Expression, outer: int = 0) -> str:
    """The formula as a C++ expression.

    >>> cpp(Arithmetic("*", Number(2), Size("mask", "Wt")))
    '2 * tiles_wide(mask)'
    """
    match expression:
        case Number(value):
            return repr(value) if isinstance(value, int) else f"{value!r}f"
        case Text(value):
            return cpp_word(value)
        case Attribute(name):
            return f"attributes.{name}"
        case Local(name):
            return name
        case Count(tensor):
            return f"static_cast<uint32_t>({tensor}.size())"
        case Size(tensor, what):
            return f"{SIZE_FUNCTIONS[what]}({tensor})"
        case Property(tensor, "rank"):
            return f"static_cast<int32_t>({tensor}.logical_shape().rank())"
        case Property(tensor, what):
            return f"{tensor}.{_PROPERTIES[what]}"
        case WholeShape(tensor):
            return f"{tensor}.logical_shape()"
        case Dimension(tensor, index):
            return f"{tensor}.logical_shape()[{cpp(index)}]"
        case Not(operand):
            return f"!({cpp(operand)})"
        case Logic(operator, operands):
            own = "&&" if operator == "and" else "||"
            return _wrapped(f" {own} ".join(cpp(one, _PRECEDENCE[own]) for one in operands), own, outer)
        case Comparison(operator, left, right):
            return _wrapped(f"{cpp(left, 3)} {operator} {cpp(right, 3)}", "compare", outer)
        case Arithmetic("ceil", left, right):
            return f"tt::div_up({cpp(left)}, {cpp(right)})"
        case Arithmetic("min" | "max" as function, left, right):
            return f"std::{function}<uint32_t>({cpp(left)}, {cpp(right)})"
        case Arithmetic(operator, left, right):
            own = "/" if operator == "//" else operator
            text = f"{cpp(left, _PRECEDENCE[own] - 1)} {own} {cpp(right, _PRECEDENCE[own])}"
            return _wrapped(text, own, outer)


def _wrapped(text: str, operator: str, outer: int) -> str:
    return f"({text})" if outer >= _PRECEDENCE[operator] else text


def cpp_shape_steps(parts: Sequence[ShapePart], into: str) -> list[str]:
    """Statements that append a shape to a vector.

    >>> cpp_shape_steps((Slice("x", None, Number(-1)), Number(1)), "shape")
    ['append(shape, x, 0, -1);', 'shape.push_back(1);']
    """
    steps = []
    for part in parts:
        if isinstance(part, Slice):
            low = "0" if part.low is None else cpp(part.low)
            high = f"{part.tensor}.logical_shape().rank()" if part.high is None else cpp(part.high)
            steps.append(f"append({into}, {part.tensor}, {low}, {high});")
        else:
            steps.append(f"{into}.push_back({cpp(part)});")
    return steps

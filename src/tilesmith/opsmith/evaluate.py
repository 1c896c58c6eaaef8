"""What formulas come to for a call that is only described: shapes, dtypes and attribute values, no data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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

TILE = 32


@dataclass(frozen=True)
class TensorModel:
    """A tensor of a described call."""

    shape: tuple[int, ...]
    dtype: str = "BFLOAT16"
    layout: str = "TILE"
    memory_layout: str = "INTERLEAVED"
    buffer_type: str = "DRAM"

    def size(self, what: str) -> int:
        """One of the names of `expressions.SIZES`.

        >>> TensorModel((2, 3, 40, 70)).size("Wt"), TensorModel((2, 3, 40, 70)).size("NC")
        (3, 6)
        """
        *_, c, h, w = (1, 1, 1, *self.shape)
        n = math.prod(self.shape[:-3])
        ht, wt = -(-h // TILE), -(-w // TILE)
        found = {"N": n, "C": c, "H": h, "W": w, "Ht": ht, "Wt": wt, "NC": n * c}
        found |= {"rows": n * c * h, "tiles": n * c * ht * wt}
        return found[what]


@dataclass(frozen=True)
class Call:
    """A described call. A list parameter has one model for each of its tensors, alike."""

    tensors: Mapping[str, TensorModel]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    locals: Mapping[str, int] = field(default_factory=dict)


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "ceil": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
}
_COMPARISON: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def evaluate(expression: Expression, call: Call) -> Any:
    """The value of a formula. A dimension that a tensor does not have raises IndexError.

    >>> evaluate(Arithmetic("ceil", Size("x", "W"), Number(32)), Call({"x": TensorModel((1, 1, 32, 70))}))
    3
    """
    match expression:
        case Number(value) | Text(value):
            return value
        case Attribute(name):
            return call.attributes[name]
        case Local(name):
            return call.locals[name]
        case Count(tensor):
            return call.counts[tensor]
        case Size(tensor, what):
            return call.tensors[tensor].size(what)
        case Property(tensor, "rank"):
            return len(call.tensors[tensor].shape)
        case Property(tensor, what):
            return getattr(call.tensors[tensor], what)
        case WholeShape(tensor):
            return call.tensors[tensor].shape
        case Dimension(tensor, index):
            return call.tensors[tensor].shape[evaluate(index, call)]
        case Arithmetic(operator, left, right):
            return _ARITHMETIC[operator](evaluate(left, call), evaluate(right, call))
        case Comparison(operator, left, right):
            return _COMPARISON[operator](evaluate(left, call), evaluate(right, call))
        case Logic("and", operands):
            return all(evaluate(one, call) for one in operands)
        case Logic(_, operands):
            return any(evaluate(one, call) for one in operands)
        case Not(operand):
            return not evaluate(operand, call)


def evaluate_shape(parts: Sequence[ShapePart], call: Call) -> tuple[int, ...]:
    """The shape a spec gives an output.

    >>> x = Call({"x": TensorModel((4, 5, 6))})
    >>> evaluate_shape((Slice("x", None, Number(-1)), Number(1)), x)
    (4, 5, 1)
    """
    result: list[int] = []
    for part in parts:
        if isinstance(part, Slice):
            low = None if part.low is None else evaluate(part.low, call)
            high = None if part.high is None else evaluate(part.high, call)
            result += call.tensors[part.tensor].shape[low:high]
        else:
            result.append(evaluate(part, call))
    return tuple(result)


def used_sizes(expressions: Sequence[ShapePart]) -> set[str]:
    """Which of the size names formulas use: what generated code must define."""
    found: set[str] = set()
    for entry in expressions:
        if isinstance(entry, Size):
            found.add(entry.what)
        found |= used_sizes(children(entry))
    return found


def children(expression: ShapePart) -> list[Expression]:
    """The formulas inside a formula."""
    match expression:
        case Arithmetic(_, left, right) | Comparison(_, left, right):
            return [left, right]
        case Logic(_, operands):
            return list(operands)
        case Not(operand):
            return [operand]
        case Dimension(_, index):
            return [index]
        case Slice(_, low, high):
            return [one for one in (low, high) if one is not None]
        case _:
            return []

"""How large an index can become, where that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilesmith.compiler.importer.source import (
    Binary,
    Cast,
    Expr,
    Name,
    Number,
    Select,
    Variable,
    is_nonnegative,
)

Extents = Mapping[Variable, Expr]
"""One more than the largest value of each loop or block index."""


def largest(expr: Expr, extents: Extents) -> int | None:
    """The largest value an integer expression can have; None if that is not known.

    >>> i = Variable("i", counts=True)
    >>> largest(Binary("add", Name(i), Number(3), "int32"), {i: Number(8)})
    10
    """
    match expr:
        case Number(value):
            return int(value)
        case Name(variable):
            extent = extents.get(variable)
            top = None if extent is None else largest(extent, extents)
            return None if top is None else top - 1
        case Binary(op, a, b):
            return _largest_binary(op, a, b, extents)
        case Select(_, a, b):
            return _both(max, largest(a, extents), largest(b, extents))
        case Cast(a):
            return largest(a, extents)
    return None


def _both(combine: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else combine(a, b)


def _largest_binary(op: str, a: Expr, b: Expr, extents: Extents) -> int | None:
    high, other = largest(a, extents), largest(b, extents)
    match op:
        case "add":
            return _both(lambda x, y: x + y, high, other)
        case "sub":
            return high if is_nonnegative(b) else None
        case "mul" if is_nonnegative(a) and is_nonnegative(b):
            return _both(lambda x, y: x * y, high, other)
        case "floordiv" | "div" if isinstance(b, Number) and b.value > 0 and is_nonnegative(a):
            return None if high is None else high // int(b.value)
        case "floormod" | "mod" if isinstance(b, Number) and b.value > 0:
            return int(b.value) - 1
        case "and" if is_nonnegative(b):
            return other
        case "min":
            known = [x for x in (high, other) if x is not None]
            return min(known) if known else None
        case "max":
            return _both(max, high, other)
        case "shr" if isinstance(b, Number) and is_nonnegative(a):
            return None if high is None else high >> int(b.value)
    return None


def is_inside(index: Expr, size: Expr, extents: Extents) -> bool:
    """Whether an index is provably an index of a dimension of this size."""
    if not is_nonnegative(index):
        return False
    if isinstance(index, Name) and extents.get(index.variable) == size:
        return True
    top = largest(index, extents)
    return isinstance(size, Number) and top is not None and top < size.value

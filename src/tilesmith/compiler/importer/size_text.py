"""Sizes that are computed from symbols, as text: a call checks them, or finds a symbol by them."""

from __future__ import annotations

from tilesmith.compiler.importer.source import Binary, Cast, Expr, Name, Number

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "floormod": "%"}


def size_text(size: Expr) -> str | None:
    """The size as Python writes it; None if it is more than sums, products and quotients.

    >>> from tilesmith.compiler.importer.source import Variable
    >>> size_text(Binary("mul", Name(Variable("n")), Number(4), "int32"))
    '(n * 4)'
    """
    match size:
        case Number(value):
            return str(int(value))
        case Name(variable):
            return variable.name
        case Cast(a):
            return size_text(a)
        case Binary(op, a, b) if op in _OPERATORS:
            left, right = size_text(a), size_text(b)
            return None if left is None or right is None else f"({left} {_OPERATORS[op]} {right})"
    return None

"""Sizes of tensors that a kernel computes from its symbols: `(n * 4)` elements, or `((n + 31) // 32)`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def names_in(text: str) -> set[str]:
    """
    >>> sorted(names_in("((n + m) * 4)"))
    ['m', 'n']
    """
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def computed(text: str, symbols: Mapping[str, int]) -> int:
    """
    >>> computed("((n + 31) // 32)", {"n": 70})
    3
    """
    return _value(ast.parse(text, mode="eval").body, symbols)


def _value(node: ast.expr, symbols: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, symbols)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, symbols), _value(right, symbols))
    raise ValueError(f"{ast.unparse(node)} is no size")


def solved(text: str, size: int, unknown: str, symbols: Mapping[str, int]) -> int | None:
    """The symbol for which the text is this size, where it is a multiple of the symbol and a rest.

    >>> solved("((n * 4) + 1)", 17, "n", {})
    4
    >>> solved("(n * 4)", 18, "n", {}) is None
    True
    """
    rest = computed(text, {**symbols, unknown: 0})
    factor = computed(text, {**symbols, unknown: 1}) - rest
    if factor == 0 or (size - rest) % factor:
        return None
    value = (size - rest) // factor
    return value if value >= 0 and computed(text, {**symbols, unknown: value}) == size else None

"""The functions of `tile.fn` on tiles: those the vector unit has, and those that are built from others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from tilesmith.compiler.dialects.float8 import FLOAT8, Float8
from tilesmith.compiler.dialects.tile import FUNCTIONS
from tilesmith.compiler.lowering.tiles.expression import Apply, Node
from tilesmith.compiler.lowering.tiles.float8 import rounded_to_float8
from tilesmith.compiler.lowering.tiles.half import rounded_to_half, with_plain_nan
from tilesmith.isa.sfpu import VECTOR_FUNCTIONS

Build = Callable[[Sequence[Node]], Node]


def _hypot(args: Sequence[Node]) -> Node:
    left, right = (Apply("square", (arg,)) for arg in args)
    return Apply("sqrt", (Apply("add", (left, right)),))


def _copysign(args: Sequence[Node]) -> Node:
    size = Apply("abs", (args[0],))
    return Apply("where", (Apply("lt_number", (args[1],), (0.0,)), Apply("negative", (size,)), size))


def _exp10(args: Sequence[Node]) -> Node:
    return Apply("exp2", (Apply("multiply_number", tuple(args), (math.log2(10.0),)),))


def _erfc(args: Sequence[Node]) -> Node:
    """The unit's own is good to three digits everywhere; one less erf is better until it cancels."""
    (x,) = args
    rest = Apply("subtract_from_number", (Apply("erf", (x,)),), (1.0,))
    return Apply("where", (Apply("lt_number", (x,), (3.0,)), rest, Apply("erfc", (x,))))


def _root(name: str, args: Sequence[Node]) -> Node:
    """The unit's roots take negative zero for a negative number. Adding zero makes it positive."""
    (x,) = args
    return Apply(name, (x if _is_never_negative_zero(x) else Apply("add_number", (x,), (0.0,)),))


_NOT_NEGATIVE = ("square", "abs", "exp", "exp2", "sigmoid")


def _is_never_negative_zero(node: Node) -> bool:
    if not isinstance(node, Apply):
        return False
    numbers = [number for number in node.params if isinstance(number, float)]
    match node.fn:
        case "add" | "add_number":  # a sum is negative zero only where both sides are
            return any(numbers) or any(map(_is_never_negative_zero, node.args))
        case "mul":
            return node.args[0] is node.args[1]
        case "multiply_number":
            return bool(numbers) and numbers[0] > 0 and _is_never_negative_zero(node.args[0])
    return node.fn in _NOT_NEGATIVE


def _float8(format: Float8, args: Sequence[Node]) -> Node:
    return rounded_to_float8(args[0], format)


_BUILT: dict[str, Build] = {
    "half": lambda args: rounded_to_half(args[0]),
    "bfloat16": lambda args: Apply("to_bfloat16", (with_plain_nan(args[0]),)),
    **{one.function: partial(_float8, one) for one in FLOAT8.values()},
    "hypot": _hypot,
    "copysign": _copysign,
    "exp10": _exp10,
    "erfc": _erfc,
    "sqrt": partial(_root, "sqrt"),
    "rsqrt": partial(_root, "rsqrt"),
}

ON_TILES = frozenset(name for name in FUNCTIONS if name in VECTOR_FUNCTIONS or name in _BUILT)
"""The functions that can be computed on tiles."""


def call(name: str, args: Sequence[Node]) -> Node:
    """The graph of a function of `ON_TILES`."""
    return _BUILT[name](args) if name in _BUILT else Apply(name, tuple(args))

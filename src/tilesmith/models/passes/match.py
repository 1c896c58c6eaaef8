"""Asking what a node is: the small questions that patterns are made of."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from tilesmith.models.planning.dtypes import is_real

aten = torch.ops.aten

ADD = (aten.add.Tensor, aten.add.Scalar)
MUL = (aten.mul.Tensor, aten.mul.Scalar)
DIV = (aten.div.Tensor, aten.div.Scalar)
CAST = (aten._to_copy.default,)


def is_call(node: Any, *targets: Any) -> bool:
    """Whether something is a call of one of these operators."""
    return isinstance(node, Node) and node.op == "call_function" and node.target in targets


def uncast(node: Any) -> Any:
    """What was cast from one real type to another, if anything was."""
    while is_call(node, *CAST) and is_real(node) and is_real(node.args[0]):
        node = node.args[0]
    return node


def factors(node: Any) -> tuple[Any, Any] | None:
    """The two sides of a product."""
    return (node.args[0], node.args[1]) if is_call(node, *MUL) else None


def terms(node: Any) -> tuple[Any, Any] | None:
    """The two sides of a sum."""
    if not is_call(node, *ADD) or node.kwargs.get("alpha", 1) != 1:
        return None
    return node.args[0], node.args[1]


def with_number(pair: tuple[Any, Any] | None) -> tuple[Any, float] | None:
    """One side that is a node and one that is a number, in that order."""
    if pair is None:
        return None
    for value, number in (pair, pair[::-1]):
        if isinstance(value, Node) and isinstance(number, int | float):
            return value, float(number)
    return None


def is_near(value: float, wanted: float) -> bool:
    return abs(value - wanted) <= 1e-4 * abs(wanted)

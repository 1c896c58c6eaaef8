"""NaN that a kernel makes and the next one would hide.

Kernels keep NaN that they make themselves (`nan.py`). What they store is read as infinity, and bounds,
comparisons and divisions make a number of that. So such a value is looked at on the host before it is used.
Roots, logarithms and quotients of what cannot be negative, or not zero, make no NaN.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.op_tables import CONVOLUTIONS, MOVES, PRODUCTS, VIEWS

aten = torch.ops.aten

_BELOW_ZERO = {
    *(aten.log.default, aten.log2.default, aten.log10.default, aten.log1p.default),
    *(aten.sqrt.default, aten.rsqrt.default),
}
_BEYOND_ONE = {aten.asin.default, aten.acos.default, aten.acosh.default, aten.atanh.default}
_QUOTIENTS = {aten.div.Tensor, aten.div.Scalar}
_POWERS = {aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor}
_SUMS = {aten.sum.dim_IntList, aten.sum.default, aten.mean.dim, aten.mean.default}
_FACTORS = {aten.mul.Tensor, aten.mul.Scalar}
_SAME_SIGN = {*VIEWS, *MOVES, *_SUMS, aten.amax.default, aten.amin.default, operator.getitem}
_SAME_SIGN |= {aten.clone.default, aten._to_copy.default, aten.rsqrt.default, aten.reciprocal.default}
_POSITIVE = {aten.exp.default, aten.exp2.default, aten.sigmoid.default, aten.softplus.default}
_NOT_NEGATIVE = {aten.abs.default, aten.relu.default, aten.square.default, aten.sqrt.default}
_NOT_NEGATIVE |= {aten.softmax.int, aten._softmax.default, aten.var.correction}
_TRANSPARENT = {
    *(aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sub.Scalar, aten.rsub.Scalar),
    *(aten.neg.default, aten.clone.default, operator.getitem),
    *(*_SUMS, *VIEWS, *MOVES, *PRODUCTS, *CONVOLUTIONS),
}

POSITIVE, NOT_NEGATIVE, ANY = 2, 1, 0


def hidden_nan(graph: Graph, constants: Mapping[Node, torch.Tensor]) -> set[Node]:
    """The nodes that may make NaN of numbers, where something that follows may hide it.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(aten.log.default, (x,))
    >>> z = graph.call_function(aten.relu.default, (y,))
    >>> for node in (x, y, z): node.meta["val"] = torch.zeros(2)
    >>> hidden_nan(graph, {}) == {y}
    True
    """
    signs = _Signs(constants)
    for node in graph.nodes:
        if node not in constants:
            signs[node] = _sign(node, signs)
    makers = [node for node in graph.nodes if is_real(node) and _makes_nan(node, signs)]
    hides: dict[Node, bool] = {}
    for node in reversed(list(graph.nodes)):
        hides[node] = any(_hides(user, node) or hides[user] for user in node.users if user.op != "output")
    return {node for node in makers if hides[node]}


class _Signs(dict[Node, int]):
    """The signs of nodes. Constants are looked at when somebody asks: nobody does for most weights."""

    def __init__(self, constants: Mapping[Node, torch.Tensor]) -> None:
        super().__init__()
        self._constants = constants

    def __missing__(self, node: Node) -> int:
        self[node] = _constant_sign(self._constants[node])
        return self[node]


def _makes_nan(node: Node, signs: Mapping[Node, int]) -> bool:
    target = node.target
    if target in _BELOW_ZERO:
        return _of(node.args[0], signs) == ANY
    if target in _QUOTIENTS:
        top, bottom = node.args[:2]
        return isinstance(top, Node) and _of(bottom, signs) < POSITIVE and not _is_number(bottom)
    if target in _POWERS:
        exponent = node.args[1]
        whole = isinstance(exponent, int | float) and float(exponent).is_integer()
        return not whole and _of(node.args[0], signs) == ANY
    return target in _BEYOND_ONE


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value != 0


def _hides(node: Node, source: Node) -> bool:
    """Whether infinity in place of NaN may give a number, or another truth value than NaN does."""
    target, args = node.target, node.args
    if target in _TRANSPARENT:
        return False
    if target in _FACTORS:
        return not any(_is_number(arg) for arg in args)
    if target in _QUOTIENTS:
        return source is args[1] or not _is_number(args[1])
    if target in (aten.where.self, aten.where.ScalarSelf, aten.where.ScalarOther):
        return source is args[0]
    return not (target is aten._to_copy.default and is_real(node))


def _of(value: Any, signs: Mapping[Node, int]) -> int:
    if isinstance(value, Node):
        return signs[value]
    if not isinstance(value, int | float):
        return ANY
    return POSITIVE if value > 0 else NOT_NEGATIVE if value == 0 else ANY


def _constant_sign(value: torch.Tensor) -> int:
    if not value.numel() or value.is_complex():
        return ANY
    # What an expanded tensor repeats is looked at once: min would make a copy of all of it.
    once = value[tuple(slice(1) if stride == 0 else slice(None) for stride in value.stride())]
    return _of(float(once.min()), {})


def _sign(node: Node, signs: Mapping[Node, int]) -> int:
    target, args = node.target, node.args
    if target in _POSITIVE:
        return POSITIVE
    if target in _SAME_SIGN and (target is not aten.rsqrt.default or signs[node.all_input_nodes[0]]):
        return min((signs[one] for one in node.all_input_nodes), default=ANY)
    if target in (aten.add.Tensor, aten.add.Scalar) and node.kwargs.get("alpha", 1) == 1:
        first, second = _of(args[0], signs), _of(args[1], signs)
        return max(first, second) if min(first, second) else ANY
    if target in _FACTORS | _QUOTIENTS:
        same = target in _FACTORS and args[0] is args[1]
        return max(NOT_NEGATIVE * same, min(_of(args[0], signs), _of(args[1], signs)))
    if target in (aten.maximum.default, aten.clamp_min.default, aten.clamp_min.Tensor, aten.clamp.default):
        return _bounded_below(node, signs)
    if target in (aten.where.self, aten.where.ScalarSelf, aten.where.ScalarOther):
        return min(_of(args[1], signs), _of(args[2], signs))
    if target is aten.sqrt.default:
        return max(NOT_NEGATIVE, _of(args[0], signs))
    if target is aten.pow.Tensor_Scalar and isinstance(args[1], int | float):
        return max(NOT_NEGATIVE * (args[1] % 2 == 0), _of(args[0], signs))
    value = node.meta.get("val")
    is_truth = isinstance(value, torch.Tensor) and value.dtype in (torch.bool, torch.uint8)
    return NOT_NEGATIVE if target in _NOT_NEGATIVE or is_truth else ANY


def _bounded_below(node: Node, signs: Mapping[Node, int]) -> int:
    """Of two that the larger is taken of, one decides; of three, the upper bound may undo that."""
    low = max(_of(node.args[0], signs), _of(node.args[1], signs) if len(node.args) > 1 else ANY)
    high = node.args[2] if len(node.args) > 2 else None
    return low if high is None else min(low, _of(high, signs))

"""Which integers kernels may compute with: those of a known range, since float32 holds no more than 2^24.

Ranges follow from truth values and from constants. Integers that come with a call have none, and stay on the
host with all that is made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch.fx import Graph, Node

aten = torch.ops.aten

EXACT = 1 << 24
"""float32 holds every integer up to this one."""
Range = tuple[float, float]


def ranges_of(graph: Graph, constants: Mapping[Node, torch.Tensor]) -> dict[Node, Range]:
    """The least and the largest value of every tensor of integers or truth values that float32 holds exactly.

    >>> graph = Graph()
    >>> x = graph.placeholder("x")
    >>> x.meta["val"] = torch.zeros(2, 5, dtype=torch.bool)
    >>> total = graph.call_function(aten.sum.dim_IntList, (x, [1]))
    >>> total.meta["val"] = torch.zeros(2, dtype=torch.int64)
    >>> ranges_of(graph, {})[total]
    (0, 5)
    """
    known: dict[Node, Range] = {}
    for node in graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dtype.is_floating_point or value.is_complex():
            continue
        found = (0, 1) if value.dtype == torch.bool else _range(node, value, known, constants)
        if found is not None and _fits(found, value.dtype):
            known[node] = found
    return known


def is_integer(node: Node) -> bool:
    """Whether a node gives a tensor of integers; truth values are none."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.is_complex():
        return False
    return not value.dtype.is_floating_point and value.dtype != torch.bool


def _fits(found: Range, dtype: torch.dtype) -> bool:
    """Whether neither float32 rounds nor the dtype wraps around."""
    limits = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    least, largest = max(limits[0], 1 - EXACT), min(limits[1], EXACT - 1)
    return least <= found[0] and found[1] <= largest


def _range(
    node: Node, value: torch.Tensor, known: Mapping[Node, Range], constants: Mapping[Node, torch.Tensor]
) -> Range | None:
    if node in constants:
        held = constants[node]
        return (int(held.min()), int(held.max())) if held.numel() else (0, 0)
    rule = _RULES.get(node.target) if node.op == "call_function" else None
    if rule is None or node.kwargs.get("alpha", 1) != 1:
        return None
    given = [_given(arg, known) for arg in node.args]
    return rule(node, given) if value.numel() else None


def _given(arg: Any, known: Mapping[Node, Range]) -> Any:
    """What is known of an argument: the range of a tensor or a number, of several, or the argument itself."""
    if isinstance(arg, Node):
        return known.get(arg)
    if isinstance(arg, bool | int | float):
        return (arg, arg)
    if isinstance(arg, list | tuple) and arg and all(isinstance(one, Node) for one in arg):
        return [known.get(one) for one in arg]
    return arg


def _over(*ranges: Range | None) -> Range | None:
    """The range of values of which each is in one of several."""
    found = [one for one in ranges if one is not None]
    if len(found) < len(ranges):
        return None
    return min(one[0] for one in found), max(one[1] for one in found)


def _corners(function: Callable[[float, float], float]) -> Callable[[Node, Sequence[Any]], Range | None]:
    """Of two ranges, for a function whose extremes lie at their ends."""

    def rule(_: Node, given: Sequence[Any]) -> Range | None:
        first, second = given[:2]
        if first is None or second is None:
            return None
        ends = [function(a, b) for a in first for b in second]
        return min(ends), max(ends)

    return rule


def _sum(node: Node, given: Sequence[Any]) -> Range | None:
    source = node.args[0]
    assert isinstance(source, Node)
    if given[0] is None:
        return None
    count = prod(source.meta["val"].shape) // max(1, prod(node.meta["val"].shape))
    return min(0, given[0][0] * count), max(0, given[0][1] * count)


def _clamp(node: Node, given: Sequence[Any]) -> Range | None:
    """A limit that is not given is no argument, or none."""
    source, low, high = (*given, None, None)[:3]
    if source is None or node.kwargs or any(isinstance(arg, Node) for arg in node.args[1:]):
        return None
    ends = [end if low is None else max(end, limit) for end, limit in zip(source, low or source, strict=True)]
    least, most = (
        end if high is None else min(end, limit) for end, limit in zip(ends, high or ends, strict=True)
    )
    return least, most


def _first(_: Node, given: Sequence[Any]) -> Range | None:
    found: Range | None = given[0]
    return found


_RULES: dict[Any, Callable[[Node, Sequence[Any]], Range | None]] = {
    **dict.fromkeys((aten.add.Tensor, aten.add.Scalar), _corners(lambda a, b: a + b)),
    **dict.fromkeys((aten.sub.Tensor, aten.sub.Scalar), _corners(lambda a, b: a - b)),
    **dict.fromkeys((aten.mul.Tensor, aten.mul.Scalar), _corners(lambda a, b: a * b)),
    aten.maximum.default: _corners(max),
    aten.minimum.default: _corners(min),
    aten.clamp.default: _clamp,
    aten.neg.default: lambda _, given: given[0] and (-given[0][1], -given[0][0]),
    aten.where.self: lambda _, given: _over(*given[1:]),
    aten.where.ScalarOther: lambda _, given: _over(*given[1:]),
    aten.where.ScalarSelf: lambda _, given: _over(*given[1:]),
    aten.masked_fill.Scalar: lambda _, given: _over(given[0], given[2]),
    aten.cat.default: lambda _, given: _over(*given[0]),
    **dict.fromkeys((aten.sum.dim_IntList, aten.sum.default), _sum),
    **dict.fromkeys((aten.amax.default, aten.amin.default), _first),
    **dict.fromkeys((aten._to_copy.default, aten.clone.default), _first),
    **dict.fromkeys((aten.reshape.default, aten.view.default, aten.permute.default), _first),
    **dict.fromkeys((aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims), _first),
    **dict.fromkeys((aten.expand.default, aten.slice.Tensor, aten.select.int), _first),
    **dict.fromkeys((aten.transpose.int, aten.flip.default), _first),
}
"""What each operator makes of the ranges of its arguments."""

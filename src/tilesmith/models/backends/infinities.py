"""Where infinity that comes with a call goes: whether something on the device would make NaN of it.

Masks of minus infinity are added to scores and vanish in a softmax, which kernels do as torch does. The
difference of two infinities and zero times infinity are NaN in torch, and a number on the chip. So a call
with infinity in an input stays on the device only if all that is done with it is known to be harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.exactness import COMPARISONS
from tilesmith.models.planning.op_tables import ATTENTION, MOVES, VIEWS

aten = torch.ops.aten


class MakesNaN(Exception):
    """Infinity meets an operation that may make NaN of it."""


@dataclass(frozen=True)
class Ends:
    """Which infinities a value may hold."""

    above: bool = False
    below: bool = False

    @property
    def any(self) -> bool:
        return self.above or self.below

    @property
    def turned(self) -> Ends:
        return Ends(self.below, self.above)

    def times(self, factor: float) -> Ends:
        if factor in (0.0, inf, -inf) and self.any:
            raise MakesNaN
        return self.turned if factor < 0 else self


NONE = Ends()


def ends_of(value: torch.Tensor) -> Ends:
    """
    >>> ends_of(torch.tensor([1.0, float("-inf")]))
    Ends(above=False, below=True)
    """
    return Ends(bool((value == inf).any()), bool((value == -inf).any()))


def may_make_nan(graph: Graph, given: Mapping[str, Ends], on_host: Collection[str]) -> bool:
    """Whether a graph may make NaN of the infinities in values, by the names of their nodes.

    What the host makes is torch's, and looked at when it is brought to the device.
    """
    known: dict[Node, Ends] = {}
    try:
        for node in graph.nodes:
            if node.name in given:
                known[node] = given[node.name]
            elif node.op == "call_function" and node.name not in on_host:
                known[node] = _through(node, known)
    except MakesNaN:
        return True
    return False


def _through(node: Node, known: Mapping[Node, Ends]) -> Ends:
    if not any(known.get(one, NONE).any for one in node.all_input_nodes):
        return NONE
    rule = _RULES.get(node.target)
    if rule is None:
        raise MakesNaN
    return rule(node, [_ends(arg, known) for arg in node.args])


def _ends(arg: Any, known: Mapping[Node, Ends]) -> Ends:
    if isinstance(arg, Node):
        return known.get(arg, NONE)
    if isinstance(arg, list | tuple):
        return _either(*(_ends(one, known) for one in arg))
    return Ends(arg == inf, arg == -inf) if isinstance(arg, float) else NONE


def _either(*parts: Ends) -> Ends:
    return Ends(any(one.above for one in parts), any(one.below for one in parts))


def _moved(_: Node, args: list[Ends]) -> Ends:
    return _either(*args)


def _chosen(_: Node, args: list[Ends]) -> Ends:
    return _either(*args[1:])


def _filled(_: Node, args: list[Ends]) -> Ends:
    return _either(args[0], args[2])


def _added(node: Node, args: list[Ends], sign: float = 1.0) -> Ends:
    alpha = node.kwargs.get("alpha", 1)
    first, second = args[0], args[1].times(sign * float(alpha) if isinstance(alpha, int | float) else 0.0)
    if (first.above and second.below) or (first.below and second.above):
        raise MakesNaN
    return _either(first, second)


def _subtracted(node: Node, args: list[Ends]) -> Ends:
    return _added(node, args, -1.0)


def _multiplied(node: Node, args: list[Ends]) -> Ends:
    number = next((arg for arg in node.args if isinstance(arg, int | float)), 0.0)
    return _either(*args).times(float(number))


def _divided(node: Node, args: list[Ends]) -> Ends:
    if not args[0].any:
        return NONE
    number = node.args[1]
    if isinstance(number, int | float) and number != 0:
        return args[0].times(1.0 / number)
    raise MakesNaN


def _bounded(node: Node, args: list[Ends]) -> Ends:
    low, high = (*node.args[1:], None, None)[:2]
    return Ends(args[0].above and high is None, args[0].below and low is None)


def _softmax(_: Node, args: list[Ends]) -> Ends:
    if args[0].above:
        raise MakesNaN
    return NONE


def _log_softmax(node: Node, args: list[Ends]) -> Ends:
    _softmax(node, args)
    return args[0]


def _attention(_: Node, args: list[Ends]) -> Ends:
    if any(one.any for one in args[:3]) or args[3].above:
        raise MakesNaN
    return NONE


def _unary(above: Ends, below: Ends | None) -> Callable[[Node, list[Ends]], Ends]:
    """What becomes of each infinity; NaN where nothing is said."""

    def through(_: Node, args: list[Ends]) -> Ends:
        if args[0].below and below is None:
            raise MakesNaN
        up, down = above if args[0].above else NONE, below if args[0].below else NONE
        return _either(up, down or NONE)

    return through


_ABOVE, _BELOW = Ends(above=True), Ends(below=True)
_RULES: dict[Any, Callable[[Node, list[Ends]], Ends]] = {
    **dict.fromkeys((*VIEWS, *MOVES, aten.clone.default, aten._to_copy.default, aten.alias.default), _moved),
    **dict.fromkeys(
        (aten.maximum.default, aten.minimum.default, aten.amax.default, aten.amin.default), _moved
    ),
    **dict.fromkeys((aten.where.self, aten.where.ScalarSelf, aten.where.ScalarOther), _chosen),
    **dict.fromkeys((aten.masked_fill.Scalar, aten.masked_fill.Tensor), _filled),
    **dict.fromkeys((aten.add.Tensor, aten.add.Scalar), _added),
    **dict.fromkeys((aten.sub.Tensor, aten.sub.Scalar), _subtracted),
    **dict.fromkeys((aten.mul.Tensor, aten.mul.Scalar), _multiplied),
    **dict.fromkeys((aten.div.Tensor, aten.div.Scalar), _divided),
    **dict.fromkeys((aten.clamp.default, aten.hardtanh.default), _bounded),
    **dict.fromkeys((aten.clamp_min.default, aten.relu.default), _unary(_ABOVE, NONE)),
    aten.clamp_max.default: _unary(NONE, _BELOW),
    **dict.fromkeys((aten.softmax.int, aten._softmax.default), _softmax),
    **dict.fromkeys((aten.log_softmax.int, aten._log_softmax.default), _log_softmax),
    **dict.fromkeys(ATTENTION, _attention),
    **dict.fromkeys(COMPARISONS, lambda *_: NONE),
    aten.neg.default: _unary(_BELOW, _ABOVE),
    aten.abs.default: _unary(_ABOVE, _ABOVE),
    aten.exp.default: _unary(_ABOVE, NONE),
    aten.log.default: _unary(_ABOVE, None),
    aten.sqrt.default: _unary(_ABOVE, None),
    **dict.fromkeys((aten.sigmoid.default, aten.tanh.default, aten.erf.default), _unary(NONE, NONE)),
}

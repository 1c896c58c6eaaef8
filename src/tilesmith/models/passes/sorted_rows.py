"""Which sort of a graph brings rows into the order of their experts, and what is made of it."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from tilesmith.models.passes.edit import value_of
from tilesmith.models.passes.match import CAST, is_call
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

_DIVIDES = (aten.floor_divide.default, aten.div.Tensor_mode)
_RESHAPES = (aten.view.default, aten.reshape.default, aten._unsafe_view.default)
_TAKES_PARTS: dict[Any, int] = {
    **dict.fromkeys((aten.split.Tensor, aten.split_with_sizes.default, aten.chunk.default), 2),
    **dict.fromkeys((aten.slice.Tensor, aten.select.int, aten.unsqueeze.default), 1),
}
"""Operators that take parts of a dimension, and which of their arguments it is."""


@dataclass
class Sorted:
    """A sort of the numbers of experts, and what is made of it."""

    numbers: Node
    ordered: list[Node] = field(default_factory=list)
    """The numbers, sorted."""
    order: list[Node] = field(default_factory=list)
    """Which row each is of."""
    tokens: dict[Node, int] = field(default_factory=dict)
    """Which token each is of, and how many rows one has."""
    back: list[Node] = field(default_factory=list)
    """Where each row went."""
    gathers: list[Node] = field(default_factory=list)
    products: list[Node] = field(default_factory=list)
    results: list[Node] = field(default_factory=list)
    """What is put back into the order from before."""

    @property
    def size(self) -> int:
        return int(value_of(self.numbers).shape[0])


def sorted_rows(node: Node) -> Sorted | None:
    """A sort all of whose uses are known, if a node is one."""
    if not is_call(node, aten.sort.default, aten.sort.stable) or not isinstance(node.args[0], Node):
        return None
    value = value_of(node.args[0])
    plain = len(node.args) == 1 and set(node.kwargs) <= {"stable"}
    if value.dim() != 1 or value.dtype.is_floating_point or not plain:
        return None
    found = Sorted(node.args[0])
    for part in node.users:
        (found.order if part.args[1] else found.ordered).append(part)
    known = all(_follow_order(found, part) for part in found.order)
    known = known and all(_follow_numbers(found, part) for part in found.ordered)
    return found if known and _goes_row_by_row(found) and found.products else None


def _used(node: Node) -> Iterable[Node]:
    """Who uses a node, but for checks, of which nothing depends."""
    return (user for user in node.users if user.users or user.op == "output")


def _follow_order(found: Sorted, order: Node) -> bool:
    for user in _used(order):
        if _gathers_by(user, order) and _rows_of(user) == found.size:
            found.gathers.append(user)
        elif is_call(user, *_DIVIDES) and isinstance(user.args[1], int):
            found.tokens[user] = user.args[1]
            if found.size % user.args[1]:
                return False
            apart = found.size // user.args[1]
            if not all(_gathers_by(one, user) and _rows_of(one) == apart for one in _used(user)):
                return False
            found.gathers += _used(user)
        elif _is_inverse(user, order, found.size):
            found.back.append(user)
            if not all(_gathers_by(one, user) for one in _used(user)):
                return False
            found.results += _used(user)
        elif not is_call(user, aten.empty_like.default):
            return False
    return True


def _follow_numbers(found: Sorted, ordered: Node) -> bool:
    for user in _used(ordered):
        if _gathers_by(user, ordered):
            found.gathers.append(user)
            continue
        counts = list(_used(user)) if is_call(user, *CAST) else [user]
        ends = [end for one in counts for end in _used(one)]
        if not all(is_call(one, aten.histc.default) for one in counts):
            return False
        if not all(is_call(end, aten.cumsum.default) and end.args[1] in (0, -1) for end in ends):
            return False
        products = [(end, product) for end in ends for product in _used(end)]
        if not all(is_grouped(one) and one.args[2] is end and _counts_all(end, one) for end, one in products):
            return False
        found.products += [product for _, product in products]
    return True


def _gathers_by(node: Node, index: Node) -> bool:
    """Whether a node brings rows of a tensor together by these numbers."""
    return is_call(node, aten.index.Tensor) and list(node.args[1]) == [index]  # type: ignore[arg-type]


def _rows_of(gather: Node) -> int:
    source: Any = gather.args[0]
    return int(value_of(source).shape[0])


def _is_inverse(node: Node, order: Node, size: int) -> bool:
    """Whether a node says of each row where the order puts it."""
    if not is_call(node, aten.index_put.default, aten.index_put_.default) or any(node.args[3:]):
        return False
    into, indices, values = node.args[:3]
    counts = is_call(values, aten.arange.default, aten.arange.start, aten.arange.start_step)
    if not counts or list(indices) != [order]:  # type: ignore[arg-type]
        return False
    assert isinstance(into, Node)
    assert isinstance(values, Node)
    bounds = [arg for arg in values.args if isinstance(arg, int)]
    return value_of(into).shape == (size,) and bounds in ([size], [0, size], [0, size, 1])


def is_grouped(node: Node) -> bool:
    """Whether a node multiplies rows, group after group, and does nothing else."""
    schema = getattr(node.target, "_schema", None)
    if getattr(schema, "name", "") not in ("transformers::grouped_mm_fallback", "aten::_grouped_mm"):
        return False
    args: Any = node.args
    if len(args) < 3 or args[2] is None or any(one is not None for one in (*args[3:], *node.kwargs.values())):
        return False
    x, weight = value_of(args[0]), value_of(args[1])
    return x.dim() == 2 and weight.dim() == 3 and x.is_floating_point() and x.numel() > 0


def _counts_all(ends: Node, product: Node) -> bool:
    """Whether the numbers that were counted are those of the weights."""
    args: Any = product.args
    groups = value_of(args[1]).shape[0]
    histogram: Any = ends.args[0]
    return groups > 1 and tuple(histogram.args[1:]) == (groups, 0, groups - 1)


def _goes_row_by_row(found: Sorted) -> bool:
    """Whether rows between the gathers and the results know nothing of each other."""
    inside = set(found.gathers)
    for node in found.numbers.graph.nodes:
        fed = any(source in inside for source in node.all_input_nodes)
        if not fed or node in found.results or (not node.users and node.op != "output"):
            continue
        if node.op == "output" or not _is_row_by_row(node, inside, found):
            return False
        inside.add(node)
    return all(source in inside for result in found.results for source in result.args[:1])


def _is_row_by_row(node: Node, inside: set[Node], found: Sorted) -> bool:
    if node.target is operator.getitem:
        return True
    value = node.meta.get("val")
    part = value[0] if isinstance(value, list | tuple) else value
    if not isinstance(part, torch.Tensor) or part.dim() == 0 or part.shape[0] != found.size:
        return False
    if node in found.products:
        return node.args[0] in inside
    if is_pointwise(node) or is_call(node, *CAST):
        others = (value_of(source) for source in node.all_input_nodes if source not in inside)
        return all(other.dim() < part.dim() or other.shape[0] == 1 for other in others)
    if is_call(node, *_TAKES_PARTS):
        dim = next(iter(node.args[_TAKES_PARTS[node.target] :]), 0)
        return isinstance(dim, int) and dim % (part.dim() + (node.target is aten.select.int)) != 0
    return is_call(node, *_RESHAPES)

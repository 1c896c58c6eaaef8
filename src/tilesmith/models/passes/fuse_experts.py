"""Rows that transformers sorts by their experts -> tilesmith::grouped_linear, which needs only numbers.

A mixture of experts gives every token to a few of them. Rows of tokens are sorted by expert, multiplied group
by group, and put back. In between each row goes by itself, so that their order makes no difference.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.passes.sorted_rows import Sorted, is_grouped, sorted_rows
from tilesmith.models.planning.views import TILE

aten, ours = torch.ops.aten, torch.ops.tilesmith

_MOST_ROWS = 4096
"""So many rows are compared with each other to find their order: sums of their numbers stay exact."""


def fuse_experts(module: GraphModule) -> None:
    """Rows of one tile stay in their order; more are brought into that of their experts on the device."""
    for node in list(module.graph.nodes):
        found = sorted_rows(node)
        if found is not None:
            _rewrite(module, found)
    for node in list(module.graph.nodes):
        if is_grouped(node):
            _by_ends(module, node)
    tidy(module)


def _rewrite(module: GraphModule, found: Sorted) -> None:
    shares = {*found.tokens.values()}
    if found.size <= TILE:
        _in_place(module, found)
    elif len(shares) == 1 and found.size <= _MOST_ROWS and found.back:
        _regrouped(module, found, shares.pop())
    else:
        _multiply(module, found, found.ordered[0])
    tidy(module)


def _in_place(module: GraphModule, found: Sorted) -> None:
    """A tile of rows is multiplied as a whole: it stays as it is."""
    for node in found.gathers:
        args: Any = node.args
        source, (index,) = args
        if index in found.tokens:
            replace(module, node, _repeated(module, node, source, found.tokens[index]))
        elif index in found.order:
            node.replace_all_uses_with(source)
        else:
            replace(module, node, insert(module, node, node.target, (source, [found.numbers])))
    for node in found.results:
        (rows,) = (source for source in node.all_input_nodes if source not in found.back)
        node.replace_all_uses_with(rows)
    _multiply(module, found, found.numbers)


def _repeated(module: GraphModule, node: Node, source: Any, share: int) -> Node:
    """Rows of which each comes so many times."""
    value = value_of(source)
    rest = list(value.shape[1:])
    apart = insert(module, node, aten.unsqueeze.default, (source, 1))
    many = insert(module, node, aten.expand.default, (apart, [value.shape[0], share, *rest]))
    whole: Node = insert(module, node, aten.reshape.default, (many, [value.shape[0] * share, *rest]))
    return whole


def _regrouped(module: GraphModule, found: Sorted, share: int) -> None:
    """Rows in the order of their experts, found and undone on the device."""
    sort: Any = (*found.ordered, *found.order)[0].args[0]
    grouped = insert(module, sort, ours.group_rows.default, (found.numbers, share))
    ordered, tokens, places = (insert(module, sort, operator.getitem, (grouped, part)) for part in range(3))
    for node in found.results:
        node.replace_all_uses_with(_put_back(module, node, found, places))
    alone = insert(module, sort, ours.group_rows.default, (found.numbers, 1))
    order = insert(module, sort, operator.getitem, (alone, 1))
    for node in found.tokens:
        node.replace_all_uses_with(tokens)
    for node in found.order:
        node.replace_all_uses_with(order)
    for node in found.ordered:
        node.replace_all_uses_with(ordered)
    _multiply(module, found, ordered)


def _put_back(module: GraphModule, node: Node, found: Sorted, places: Node) -> Node:
    """Rows in the order from before. What they are multiplied with each need not leave it."""
    value: Any = node.args[0]
    for rows, factor in (value.args[:2], value.args[1::-1]) if is_call(value, aten.mul.Tensor) else ():
        source = _in_order(factor, found)
        if source is not None and isinstance(rows, Node):
            back = insert(module, node, aten.index.Tensor, (rows, [places]))
            column = insert(module, node, aten.unsqueeze.default, (source, -1))
            return insert(module, node, aten.mul.Tensor, (back, column))
    return insert(module, node, aten.index.Tensor, (value, [places]))


def _in_order(factor: Any, found: Sorted) -> Node | None:
    """What was sorted to be a number for each row."""
    if not is_call(factor, aten.unsqueeze.default) or not is_call(factor.args[0], aten.index.Tensor):
        return None
    source, (index,) = factor.args[0].args
    return source if index in found.order and value_of(source).dim() == 1 else None


def _multiply(module: GraphModule, found: Sorted, numbers: Node) -> None:
    for node in found.products:
        column = insert(module, node, aten.unsqueeze.default, (numbers, -1))
        replace(module, node, _product(module, node, column))


def _by_ends(module: GraphModule, node: Node) -> None:
    """The number of a row's group is how many groups end before it."""
    ends: Any = node.args[2]
    rows = insert_constant(module, node, torch.arange(value_of(node).shape[0])[:, None])
    passed = insert(module, node, aten.ge.Tensor, (rows, ends))
    numbers = insert(module, node, aten.sum.dim_IntList, (passed, [-1], True))
    replace(module, node, _product(module, node, numbers))


def _product(module: GraphModule, node: Node, numbers: Node) -> Node:
    """The product itself; of a weight that was turned as it lies."""
    args: Any = node.args
    x, weight = args[:2]
    turned = is_call(weight, aten.permute.default, aten.transpose.int) and _turns_last(weight)
    weight = weight.args[0] if turned else weight
    return insert(module, node, ours.grouped_linear.default, (x, weight, numbers, turned))


def _turns_last(node: Node) -> bool:
    """Whether a view of three dimensions turns the last two around."""
    args: Any = node.args
    if node.target is aten.permute.default:
        return [dim % 3 for dim in args[1]] == [0, 2, 1]
    return {dim % 3 for dim in args[1:]} == {1, 2}

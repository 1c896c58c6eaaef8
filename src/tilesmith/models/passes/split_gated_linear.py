"""A product whose two halves are combined becomes two products of the same rows, which share a kernel."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.op_tables import VIEWS
from tilesmith.models.planning.plan import constants_of
from tilesmith.models.planning.views import TILE

aten = torch.ops.aten
_SPLITS = (aten.split.Tensor, aten.split_with_sizes.default, aten.chunk.default)


def split_gated_linear(module: GraphModule) -> None:
    """Find products with weights known at compile time that gated units cut in two."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        halves = _halves(node)
        if halves is None:
            continue
        x, weight, *rest = node.args
        bias = rest[0] if rest else None
        if weight not in constants or (bias is not None and bias not in constants):
            continue
        for part in halves:
            chosen = slice(*_span(part, node))
            held = insert_constant(module, node, constants[weight][chosen])
            shift = None if bias is None else insert_constant(module, node, constants[bias][chosen])
            replace(module, part, insert(module, node, aten.linear.default, (x, held, shift)))
    tidy(module)


def _halves(node: Any) -> list[Node] | None:
    """The two parts of a product, if it is used for nothing else and they are combined at once."""
    if not is_call(node, aten.linear.default) or len(node.users) != 1:
        return None
    (cut,) = node.users
    if not is_call(cut, *_SPLITS) or not all(is_call(part, operator.getitem) for part in cut.users):
        return None
    wide = value_of(node).shape[-1]
    parts = list(cut.users)
    even = all(value_of(part).shape[-1] * 2 == wide for part in parts) and wide // 2 % TILE == 0
    used = all(user.target not in VIEWS for part in parts for user in part.users)
    return parts if len(parts) == 2 and even and used else None


def _span(part: Node, node: Node) -> tuple[int, int]:
    size = int(value_of(node).shape[-1]) // 2
    number = part.args[1]
    assert isinstance(number, int)
    return number * size, (number + 1) * size

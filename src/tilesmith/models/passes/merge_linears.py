"""Products of the same rows with weights known at compile time become one, and its columns are shared out.

Only where the parts go on as views, as queries, keys and values do: they then read their columns in place.
"""

from __future__ import annotations

from collections import defaultdict

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.op_tables import VIEWS
from tilesmith.models.planning.plan import constants_of
from tilesmith.models.planning.views import TILE

aten = torch.ops.aten


def merge_linears(module: GraphModule) -> None:
    """Join the weights of linear operators that read the same tensor."""
    constants = constants_of(module)
    together: dict[tuple[Node, bool], list[Node]] = defaultdict(list)
    for node in module.graph.nodes:
        if is_call(node, aten.linear.default) and _can_join(node, constants):
            together[node.args[0], _bias(node) is not None].append(node)
    for (source, _), nodes in together.items():
        if len(nodes) > 1:
            _join(module, source, nodes, constants)
    tidy(module)


def _bias(node: Node) -> Node | None:
    bias = node.args[2] if len(node.args) > 2 else None
    return bias if isinstance(bias, Node) else None


def _can_join(node: Node, constants: dict[Node, torch.Tensor]) -> bool:
    bias = _bias(node)
    known = node.args[1] in constants and (bias is None or bias in constants)
    return known and value_of(node).shape[-1] % TILE == 0 and all(user.target in VIEWS for user in node.users)


def _join(module: GraphModule, source: Node, nodes: list[Node], constants: dict[Node, torch.Tensor]) -> None:
    first = nodes[0]
    weights = torch.cat([constants[node.args[1]] for node in nodes])  # type: ignore[index]
    weight = insert_constant(module, first, weights)
    biases = [constants[bias] for node in nodes if (bias := _bias(node)) is not None]
    bias = insert_constant(module, first, torch.cat(biases)) if biases else None
    whole = insert(module, first, aten.linear.default, (source, weight, bias))
    last = value_of(whole).dim() - 1
    start = 0
    for node in nodes:
        stop = start + int(value_of(node).shape[-1])
        part = insert(module, first, aten.slice.Tensor, (whole, last, start, stop))
        node.replace_all_uses_with(part)
        start = stop

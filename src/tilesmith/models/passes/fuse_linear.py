"""Products with a bias as one operator: addmm, and what flattens rows around it, becomes `linear`."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of

aten = torch.ops.aten
_RESHAPES = (aten.view.default, aten.reshape.default, aten._unsafe_view.default)


def fuse_linear(module: GraphModule) -> None:
    """mm and addmm of flattened rows become linear on the rows as they were."""
    for node in list(module.graph.nodes):
        if node.target in (aten.addmm.default, aten.mm.default) and not node.kwargs:
            _capture(module, node)
    tidy(module)


def _capture(module: GraphModule, node: Node) -> None:
    bias, x, weight = node.args if node.target is aten.addmm.default else (None, *node.args)
    if not isinstance(x, Node) or not isinstance(weight, Node):
        return
    if isinstance(bias, Node) and value_of(bias).dim() != 1:
        return
    turned = insert(module, node, aten.permute.default, (weight, [1, 0]))
    source = x.args[0] if x.target in _RESHAPES else None
    users = [user for user in node.users if user.target in _RESHAPES]
    if isinstance(source, Node) and _is_flattened(x, source):
        whole = insert(module, node, aten.linear.default, (source, turned, bias))
        for user in users:
            if value_of(user).shape == value_of(whole).shape:
                replace(module, user, whole)
        if node.users:
            flat = insert(module, node, aten.view.default, (whole, list(value_of(node).shape)))
            node.replace_all_uses_with(flat)
    else:
        node.replace_all_uses_with(insert(module, node, aten.linear.default, (x, turned, bias)))
    module.graph.erase_node(node)


def _is_flattened(flat: Node, source: Node) -> bool:
    before, after = value_of(source).shape, value_of(flat).shape
    return len(before) > 2 and before[-1] == after[-1] and len(after) == 2

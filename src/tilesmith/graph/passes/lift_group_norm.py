"""Group norm of an image whose pixels were put in a row -> group norm of the image, then the row."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.graph.passes.edit import insert, replace, tidy, value_of
from tilesmith.graph.tables import VIEWS

aten = torch.ops.aten


def lift_group_norm(module: GraphModule) -> None:
    """The kernel of a group norm knows images; which pixel is where makes no difference to it."""
    for node in list(module.graph.nodes):
        if node.target is not aten.group_norm.default:
            continue
        flat = node.args[0]
        if not isinstance(flat, Node) or VIEWS.get(flat.target) != "reshape":
            continue
        image = flat.args[0]
        assert isinstance(image, Node)
        if value_of(image).dim() != 4 or value_of(image).shape[:2] != value_of(flat).shape[:2]:
            continue
        normal = insert(module, node, aten.group_norm.default, (image, *node.args[1:]))
        shape = [int(size) for size in value_of(node).shape]
        replace(module, node, insert(module, node, aten.view.default, (normal, shape)))
    tidy(module)

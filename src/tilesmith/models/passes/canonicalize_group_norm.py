"""Group norm of other tensors -> group norm of images: which pixel is where makes no difference to it."""

from __future__ import annotations

from math import prod

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of

aten = torch.ops.aten


def canonicalize_group_norm(module: GraphModule) -> None:
    """All dimensions after the channels become the lines of an image that is one pixel wide."""
    for node in list(module.graph.nodes):
        source = node.args[0] if node.target is aten.group_norm.default else None
        if not isinstance(source, Node) or value_of(source).dim() == 4:
            continue
        shape = [int(size) for size in value_of(node).shape]
        image = insert(module, node, aten.reshape.default, (source, [*shape[:2], prod(shape[2:]), 1]))
        normal = insert(module, node, aten.group_norm.default, (image, *node.args[1:]))
        replace(module, node, insert(module, node, aten.reshape.default, (normal, shape)))
    tidy(module)

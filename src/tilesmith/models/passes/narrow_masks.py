"""A mask that says the same of all elements of a row is not spread over it before rows are put by it."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import tidy, value_of

aten = torch.ops.aten


def narrow_masks(module: GraphModule) -> None:
    """masked_scatter(x, expand(mask), rows) -> masked_scatter(x, mask, rows): so images are put into text."""
    for node in module.graph.nodes:
        mask = node.args[1] if node.target is aten.masked_scatter.default else None
        if not isinstance(mask, Node) or mask.target is not aten.expand.default:
            continue
        narrow = mask.args[0]
        assert isinstance(narrow, Node)
        if value_of(narrow).dim() == value_of(mask).dim() and value_of(narrow).shape[-1] == 1:
            node.update_arg(1, narrow)
    tidy(module)

"""Keys and values repeated for a group of query heads: attention is told of it, and nothing is repeated."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten
_RESHAPES = (aten.view.default, aten.reshape.default, aten._unsafe_view.default)


def fuse_grouped_query_attention(module: GraphModule) -> None:
    """Let attention read keys and values as they were before they were repeated."""
    for node in module.graph.nodes:
        if not is_call(node, aten.scaled_dot_product_attention.default):
            continue
        key, value = (_unrepeated(node.args[which]) for which in (1, 2))
        if key is not None and value is not None and value_of(key).shape[1] == value_of(value).shape[1]:
            node.args = (node.args[0], key, value, *node.args[3:])
            node.kwargs = {**node.kwargs, "enable_gqa": True}
    tidy(module)


def _unrepeated(node: Any) -> Node | None:
    if not is_call(node, *_RESHAPES) or not is_call(node.args[0], aten.expand.default):
        return None
    expanded = node.args[0]
    source = expanded.args[0]
    if not is_call(source, aten.unsqueeze.default) or source.args[1] not in (2, -3):
        return None
    original = source.args[0]
    batch, heads, group, rows, width = value_of(expanded).shape
    same = tuple(value_of(original).shape) == (batch, heads, rows, width)
    return original if same and tuple(value_of(node).shape) == (batch, heads * group, rows, width) else None

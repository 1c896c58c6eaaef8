"""Writes into a cache that stays on the device -> tilesmith::cache_update, which writes in place."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of

aten = torch.ops.aten

RESIDENT = "resident"
"""In the meta of a placeholder whose tensor stays on the device: which output is its new value, or -1."""

IN_PLACE = "in place"
"""In the same: whether rows that are written begin with a tile, or are one."""

_PUTS = (aten.index_put.default, aten._unsafe_index_put.default)


def fuse_cache_updates(module: GraphModule) -> None:
    """index_copy along the rows of a resident input that nobody else reads -> an update in place."""
    for node in list(module.graph.nodes):
        found = _written(node)
        if found is None:
            continue
        cache, positions, rows = found
        in_place = cache.meta.get(IN_PLACE, False) and len(cache.users) == 1
        if in_place and value_of(rows).shape == (*value_of(cache).shape[:-2], *value_of(rows).shape[-2:]):
            updated = insert(module, node, torch.ops.tilesmith.cache_update.default, (cache, positions, rows))
            replace(module, node, updated)
    tidy(module)


def _written(node: Node) -> tuple[Node, Node, Node] | None:
    """The cache, positions and rows of a write along the second last of four dimensions."""
    args: Any = node.args
    if node.target is aten.index_copy.default and value_of(args[0]).dim() == 4 and args[1] in (2, -2):
        return args[0], args[2], args[3]
    if node.target in _PUTS and value_of(args[0]).dim() == 4 and not any(args[3:]):
        indices = [*args[1], *[None] * (4 - len(args[1]))]
        rest = [entry for place, entry in enumerate(indices) if place != 2]
        index = indices[2]
        if index is not None and all(one is None for one in rest) and _is_run(index):
            return args[0], index, args[2]
    return None


def _is_run(index: Node) -> bool:
    value = value_of(index)
    return value.dim() == 1 and value.dtype in (torch.int64, torch.int32)

"""One query of each head that shares keys with others: the group becomes the rows of one matrix.

A decode step has one query per head. With grouped heads, the queries of a group read the same keys and
values, so they are rows of one product: keys are read once for all of them, and fewer rows are padding.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.dtypes import IN_ROWS
from tilesmith.models.planning.fusion import args_of

aten = torch.ops.aten

_MANY_KEYS = 1024


def fold_query_groups(module: GraphModule) -> None:
    """Let the heads of a group be rows of attention, where each has one query."""
    for node in list(module.graph.nodes):
        if is_call(node, aten.scaled_dot_product_attention.default) and _has_single_queries(node):
            folds = _can_fold(node)
            node.meta[IN_ROWS] = value_of(node).shape[0] > 1 or folds
            if folds:
                _fold(module, node)
    tidy(module)


def _has_single_queries(node: Node) -> bool:
    """A single text is worth the moves where it has many keys."""
    shape, keys = value_of(node).shape, value_of(args_of(node)[1]).shape
    known = len(shape) == 4 and all(isinstance(size, int) for size in (*shape, *keys))
    return known and shape[2] == 1 and (shape[0] > 1 or keys[2] >= _MANY_KEYS)


def _can_fold(node: Node) -> bool:
    query, key, value, mask, drops, causal = [*args_of(node), *(None, 0.0, False)[len(node.args) - 3 :]][:6]
    heads, shared = value_of(query).shape[1], value_of(key).shape[1]
    grouped = heads != shared == value_of(value).shape[1] and heads % shared == 0
    one_mask = mask is None or value_of(mask).dim() < 3 or value_of(mask).shape[-3] == 1
    return grouped and one_mask and not drops and not causal


def _fold(module: GraphModule, node: Node) -> None:
    query, key, *rest = args_of(node)
    batch, heads, _, width = value_of(query).shape
    shared = int(value_of(key).shape[1])
    grouped = (batch, shared, heads // shared, width)
    rows = insert(module, node, aten.reshape.default, (query, list(grouped)))
    scale: Any = node.kwargs.get("scale")
    folded = insert(module, node, node.target, (rows, key, *rest), {"scale": scale})
    folded.meta = {**node.meta, "val": folded.meta["val"]}
    whole = insert(module, node, aten.reshape.default, (folded, list(value_of(node).shape)))
    node.replace_all_uses_with(whole)

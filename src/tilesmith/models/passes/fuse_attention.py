"""Attention written out as products and a softmax becomes scaled_dot_product_attention."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of
from tilesmith.models.passes.match import DIV, factors, is_call, terms, uncast, with_number
from tilesmith.models.planning.dtypes import is_real

aten = torch.ops.aten
_SOFTMAX = (aten.softmax.int, aten._softmax.default)
_PRODUCT = (aten.matmul.default, aten.bmm.default)


def fuse_attention(module: GraphModule) -> None:
    """Find softmax(q k^T * scale + mask) v."""
    for node in list(module.graph.nodes):
        found = _attention(node)
        if found is not None:
            query, key, value, mask, scale = found
            args = (query, key, value, mask, 0.0, False)
            whole = insert(module, node, aten.scaled_dot_product_attention.default, args, {"scale": scale})
            replace(module, node, whole)
    tidy(module)


def _attention(node: Any) -> tuple[Node, Node, Node, Node | None, float] | None:
    if not is_call(node, *_PRODUCT) or value_of(node).dim() != 4:
        return None
    weights, value = uncast(node.args[0]), node.args[1]
    if not is_call(weights, *_SOFTMAX) or weights.args[1] not in (-1, 3):
        return None
    scores, mask = _unmasked(uncast(weights.args[0]))
    scores, scale = _unscaled(scores)
    if not is_call(scores, *_PRODUCT):
        return None
    query, key = scores.args[0], _unturned(scores.args[1])
    if key is None or not _used_once(weights, scores):
        return None
    alike = {tuple(value_of(one).shape[:2]) for one in (query, key, value, weights)}
    return (query, key, value, mask, scale) if len(alike) == 1 else None


def _unmasked(node: Any) -> tuple[Any, Node | None]:
    sides = terms(node)
    for scores, mask in () if sides is None else (sides, sides[::-1]):
        if (
            isinstance(mask, Node)
            and is_real(mask)
            and _unscaled(scores)[0] is not None
            and is_call(_unscaled(scores)[0], *_PRODUCT)
        ):
            return scores, mask
    return node, None


def _unscaled(node: Any) -> tuple[Any, float]:
    scaled = with_number(factors(node))
    if scaled is not None:
        return scaled
    if is_call(node, *DIV) and isinstance(node.args[1], int | float) and node.args[1]:
        return node.args[0], 1.0 / node.args[1]
    return node, 1.0


def _unturned(node: Any) -> Node | None:
    if is_call(node, aten.permute.default) and list(node.args[1]) == [0, 1, 3, 2]:
        return _source(node)
    if is_call(node, aten.transpose.int) and {dim % 4 for dim in node.args[1:]} == {2, 3}:
        return _source(node)
    return None


def _source(node: Node) -> Node:
    source = node.args[0]
    assert isinstance(source, Node)
    return source


def _used_once(*nodes: Node) -> bool:
    return all(len(node.users) == 1 for node in nodes)

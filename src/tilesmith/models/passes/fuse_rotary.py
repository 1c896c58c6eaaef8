"""Rotary embeddings turn half of each head: cat(-x[half:], x[:half]) becomes a product with a small matrix.

On the device a product is cheap and moving columns is not; the products with sine and cosine and their sum
then go into the same kernel.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten


def fuse_rotary(module: GraphModule) -> None:
    """Find halves that change places."""
    turns: dict[tuple[int, torch.dtype], Node] = {}
    first = next(iter(module.graph.nodes))
    for node in list(module.graph.nodes):
        source = _rotated(node)
        if source is None:
            continue
        value = value_of(source)
        key = (int(value.shape[-1]), value.dtype)
        if key not in turns:
            turns[key] = insert_constant(module, first, rotation(key[0]).to(key[1]))
        replace(module, node, insert(module, node, aten.matmul.default, (source, turns[key])))
    tidy(module)


def rotation(width: int) -> torch.Tensor:
    """The matrix whose product with a row is its upper half, negated, before its lower one."""
    half = width // 2
    turn = torch.zeros(width, width)
    turn[torch.arange(half) + half, torch.arange(half)] = -1
    turn[torch.arange(half), torch.arange(half) + half] = 1
    return turn


def _rotated(node: Any) -> Node | None:
    if not is_call(node, aten.cat.default) or len(node.args[0]) != 2:
        return None
    rank = value_of(node).dim()
    if (node.args[1] if len(node.args) > 1 else 0) not in (-1, rank - 1):
        return None
    negative, plain = node.args[0]
    upper = negative.args[0] if is_call(negative, aten.neg.default) else None
    width = int(value_of(node).shape[-1])
    source = _part(plain, 0, width // 2, width)
    return source if source is not None and _part(upper, width // 2, width, width) is source else None


def _part(node: Any, start: int, stop: int, width: int) -> Node | None:
    """What columns `start` to `stop` are taken of, all of whose `width` columns go somewhere."""
    if not is_call(node, aten.slice.Tensor):
        return None
    given: list[Any] = [*node.args, *(0, None, None, 1)[len(node.args) - 1 :]]
    source, dim, begin, end, step = given
    value = value_of(source)
    if dim not in (-1, value.dim() - 1) or value.shape[-1] != width or not value.is_floating_point():
        return None
    return source if range(width)[begin:end:step] == range(start, stop) else None

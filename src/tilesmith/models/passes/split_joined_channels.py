"""Convolutions of images that are joined inside a tile become sums of convolutions of the images.

Channels lie along columns, so that an image joined from the sixteenth channel on would be copied element by
element, and every kernel that touches it would work on rows. Each image by itself lies in tiles.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten

_TILE = 32
# Beyond, pixels would be fetched more often than a copy is worth.
_MOST = 3


def split_joined_channels(module: GraphModule) -> None:
    """Find joined images that only convolutions read."""
    for node in list(module.graph.nodes):
        if is_call(node, aten.cat.default) and value_of(node).dim() == 4 and node.args[1:] in ((1,), (-3,)):
            groups = _groups(node)
            if 1 < len(groups) <= _MOST and all(_can_split(user, node) for user in node.users):
                for user in list(node.users):
                    _rewrite(module, user, groups)
    tidy(module)


def _groups(node: Node) -> list[list[Node]]:
    """The images, those together whose first channels begin at tiles from the first of them on."""
    groups: list[list[Node]] = []
    width = 0
    given: Any = node.args[0]
    for part in given:
        if not groups or width % _TILE:
            groups.append([])
            width = 0
        groups[-1].append(part)
        width += value_of(part).shape[1]
    return groups


def _can_split(user: Node, joined: Node) -> bool:
    """Whether a node is a convolution with a known weight, of one group, of the joined images."""
    if not is_call(user, aten.conv2d.default) or user.args[0] is not joined or user.kwargs:
        return False
    given: list[Any] = list(user.args)
    weight, groups = given[1], given[6] if len(given) > 6 else 1
    return weight.op == "get_attr" and int(groups) == 1


def _rewrite(module: GraphModule, node: Node, groups: list[list[Node]]) -> None:
    _, weight, bias, *sizes = [*node.args, None][: max(3, len(node.args))]
    start, total = 0, None
    for parts in groups:
        channels = sum(value_of(part).shape[1] for part in parts)
        own = insert(module, node, aten.slice.Tensor, (weight, 1, start, start + channels))
        x = parts[0] if len(parts) == 1 else insert(module, node, aten.cat.default, (parts, 1))
        part = insert(module, node, aten.conv2d.default, (x, own, None if total else bias, *sizes))
        total = part if total is None else insert(module, node, aten.add.Tensor, (part, total))
        start += channels
    assert total is not None
    replace(module, node, total)

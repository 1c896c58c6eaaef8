"""Zeros around an image before a convolution -> the convolution's own padding, and zeros in its weight."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert_constant, tidy, value_of
from tilesmith.models.planning.plan import constants_of

aten = torch.ops.aten


def fold_padding(module: GraphModule) -> None:
    """A convolution pads alike on both sides. Where less is wanted before than after, its window begins with
    zeros instead: it then starts as many pixels earlier, and sees the same ones."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        if node.target is not aten.conv2d.default or node.args[1] not in constants:
            continue
        padded = node.args[0]
        border = _border(padded)
        if border is None or not _is_plain(node) or value_of(node).dim() != 4:
            continue
        before, after = border
        stride = _pair(node.args[3] if len(node.args) > 3 else 1)
        weight = constants[node.args[1]]
        around = [max(pair) for pair in zip(before, after, strict=True)]
        extra = [wide - given for wide, given in zip(around, before, strict=True)]
        if not _same_size(value_of(padded.args[0]), weight, before, after, around, stride):
            continue
        wider = torch.nn.functional.pad(weight, (extra[1], 0, extra[0], 0))
        held = insert_constant(module, node, wider)
        bias = node.args[2] if len(node.args) > 2 else None
        groups = node.args[6] if len(node.args) > 6 else 1
        node.args = (padded.args[0], held, bias, list(stride), around, [1, 1], groups)
    tidy(module)


def _border(node: Any) -> tuple[list[int], list[int]] | None:
    """What `node` puts before and after the rows and columns of an image, if it puts zeros around one."""
    if not isinstance(node, Node) or node.target is not aten.constant_pad_nd.default:
        return None
    sizes: Any = node.args[1]
    value = node.args[2] if len(node.args) > 2 else 0
    if value != 0 or len(sizes) != 4 or min(sizes) < 0:
        return None
    left, right, top, bottom = sizes
    return [top, left], [bottom, right]


def _is_plain(node: Node) -> bool:
    """Whether a convolution neither pads by itself nor looks at pixels apart."""
    padding = _pair(node.args[4]) if len(node.args) > 4 else (0, 0)
    apart = _pair(node.args[5]) if len(node.args) > 5 else (1, 1)
    return padding == (0, 0) and apart == (1, 1)


def _pair(value: Any) -> tuple[int, int]:
    return (int(value[0]), int(value[-1])) if isinstance(value, list | tuple) else (int(value), int(value))


def _same_size(
    image: torch.Tensor,
    weight: torch.Tensor,
    before: list[int],
    after: list[int],
    around: list[int],
    stride: tuple[int, int],
) -> bool:
    for dim in range(2):
        free = image.shape[2 + dim] + before[dim] - weight.shape[2 + dim]
        if (free + after[dim]) // stride[dim] != (free + around[dim]) // stride[dim]:
            return False
    return True

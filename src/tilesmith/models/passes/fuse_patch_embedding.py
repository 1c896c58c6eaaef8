"""A convolution whose windows do not overlap cuts the image into patches: it becomes a product of patches."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten

_TILE = 32


def fuse_patch_embedding(module: GraphModule) -> None:
    """Find convolutions with a stride as large as their window."""
    for node in list(module.graph.nodes):
        if is_call(node, aten.conv2d.default) and value_of(node).dim() == 4 and _cuts(node):
            _rewrite(module, node)
    tidy(module)


def _cuts(node: Node) -> bool:
    x, weight, _, stride, padding, dilation, groups = _arguments(node)
    taps = list(value_of(weight).shape[2:])
    image = list(value_of(x).shape[2:])
    whole = all(size % step == 0 for size, step in zip(image, taps, strict=True))
    return (
        whole
        and taps == stride
        and max(taps) > 1
        and padding == [0, 0]
        and dilation == [1, 1]
        and groups == 1
    )


def _arguments(node: Node) -> tuple[Node, Node, Any, list[int], list[int], list[int], int]:
    given: list[Any] = list(node.args)
    usual: list[Any] = [None, None, None, [1, 1], [0, 0], [1, 1], 1]
    x, weight, bias, *sizes, groups = [*given, *usual[len(given) :]]
    stride, padding, dilation = (
        list(size) * (3 - len(size)) if isinstance(size, list) else [size] * 2 for size in sizes
    )
    return x, weight, bias, stride, padding, dilation, groups


def _keeps_channels_together(x: Node, weight: Node) -> bool:
    """Whether channels of a pixel lie side by side, and fill tiles: a patch is then copied pixel by pixel."""
    return x.op == "call_function" and weight.op == "get_attr" and value_of(x).shape[1] % _TILE == 0


def _rewrite(module: GraphModule, node: Node) -> None:
    x, weight, bias, *_ = _arguments(node)
    batch, channels, height, width = value_of(x).shape
    filters, _, tall, wide = value_of(weight).shape
    rows, columns = height // tall, width // wide
    cut = insert(module, node, aten.view.default, (x, [batch, channels, rows, tall, columns, wide]))
    together = _keeps_channels_together(x, weight)
    turned = insert(
        module, node, aten.permute.default, (cut, [0, 2, 4, 3, 5, 1] if together else [0, 2, 4, 1, 3, 5])
    )
    if together:
        weight = insert(module, node, aten.permute.default, (weight, [0, 2, 3, 1]))
    patches = insert(
        module, node, aten.reshape.default, (turned, [batch, rows * columns, channels * tall * wide])
    )
    flat = insert(module, node, aten.reshape.default, (weight, [filters, channels * tall * wide]))
    product = insert(module, node, aten.linear.default, (patches, flat, bias))
    back = insert(module, node, aten.permute.default, (product, [0, 2, 1]))
    replace(module, node, insert(module, node, aten.reshape.default, (back, [batch, filters, rows, columns])))

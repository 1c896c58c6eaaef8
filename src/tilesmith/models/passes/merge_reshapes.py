"""Reshapes of reshapes, and permutes that only move dimensions of size 1, become one reshape.

Each may need a copy on the device; what they make together often needs none, or only one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten
_RESHAPES = (aten.reshape.default, aten.view.default, aten._unsafe_view.default)


def merge_reshapes(module: GraphModule) -> None:
    """Let every reshape read what was there before the reshapes in front of it."""
    for node in list(module.graph.nodes):
        if not _is_reshape(node) or not _has_known_shape(node):
            continue
        source: Any = node.args[0]
        while _is_reshape(source):
            source = source.args[0]
        if source is node.args[0] and node.target in _RESHAPES:
            continue
        node.target = aten.reshape.default
        node.args = (source, [int(size) for size in value_of(node).shape])
    tidy(module)


def _is_reshape(node: Any) -> bool:
    """Whether the elements stay in their order."""
    if is_call(node, *_RESHAPES):
        return True
    if not is_call(node, aten.permute.default):
        return False
    shape = value_of(node.args[0]).shape
    moved = [dim % len(shape) for dim in node.args[1]]
    long = [dim for dim in moved if shape[dim] != 1]
    return long == sorted(long)


def _has_known_shape(node: Node) -> bool:
    return all(isinstance(size, int) for size in value_of(node).shape)

"""Memory that nobody has written becomes zeros: what kernels are given must not be NaN by chance."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

aten = torch.ops.aten

_FILLED = {
    aten.empty.memory_format: aten.zeros.default,
    aten.new_empty.default: aten.new_zeros.default,
    aten.empty_like.default: aten.zeros_like.default,
}


def fill_unwritten(module: GraphModule) -> None:
    """`empty` and what is like it, of which circular padding and writes to slices make their results."""
    for node in module.graph.nodes:
        if node.op != "call_function" or node.target not in _FILLED:
            continue
        if node.target is aten.empty.memory_format:
            node.kwargs = {key: value for key, value in node.kwargs.items() if key != "memory_format"}
        node.target = _FILLED[node.target]

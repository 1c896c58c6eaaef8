"""Operators of tilesmith -> operators of ATen that kernels know; products for the gradient of attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models import custom_ops
from tilesmith.models.custom_ops.attention import backward_products
from tilesmith.models.passes.inline import expand

assert custom_ops.__all__  # imported because that registers the operators
aten, ours = torch.ops.aten, torch.ops.tilesmith


def lower_custom_ops(module: GraphModule) -> None:
    """Runs at every level: without it these operators mean nothing to the passes after it."""
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in _RENAMED:
            node.target, node.args, node.kwargs = _RENAMED[node.target](node)
        elif node.target is ours.attention_backward.default:
            expand(module, node, backward_products)
    module.graph.lint()
    module.recompile()


Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


def _attention(node: Node) -> Call:
    q, k, v, mask, causal, scale = node.args
    shared = q.meta["val"].shape[1] != k.meta["val"].shape[1]  # type: ignore[union-attr]
    return (
        aten.scaled_dot_product_attention.default,
        (q, k, v, mask, 0.0, causal),
        {"scale": scale, "enable_gqa": shared},
    )


def _last(node: Node) -> list[int]:
    return [int(node.meta["val"].shape[-1])]


_RENAMED: dict[Any, Callable[[Node], Call]] = {
    ours.matmul.default: lambda node: (aten.matmul.default, node.args, {}),
    ours.attention.default: _attention,
    ours.softmax.default: lambda node: (aten._softmax.default, (node.args[0], -1, False), {}),
    ours.softmax_backward.default: lambda node: (
        aten._softmax_backward_data.default,
        (*node.args, -1, node.meta["val"].dtype),
        {},
    ),
    ours.layer_norm.default: lambda node: (
        aten.layer_norm.default,
        (node.args[0], _last(node), *node.args[1:]),
        {},
    ),
    ours.rms_norm.default: lambda node: (
        aten.rms_norm.default,
        (node.args[0], _last(node), *node.args[1:]),
        {},
    ),
}

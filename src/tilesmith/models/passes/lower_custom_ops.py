"""Operators of tilesmith -> operators of ATen that kernels know; products for the gradient of attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models import custom_ops
from tilesmith.models.custom_ops.attention import backward_products
from tilesmith.models.custom_ops.experts import grouped_formula
from tilesmith.models.custom_ops.paged_attention import paged_formula
from tilesmith.models.passes.edit import recompile
from tilesmith.models.passes.inline import expand

assert custom_ops.__all__  # imported because that registers the operators
aten, ours = torch.ops.aten, torch.ops.tilesmith


def lower_custom_ops(module: GraphModule) -> None:
    """Runs at every level: without it these operators mean nothing to the passes after it."""
    for node in module.graph.find_nodes(op="call_function", target=ours.paged_attention.default):
        node.args, node.kwargs = tuple(_given(node)), {}
        expand(module, node, paged_formula)  # into attention, among others
    for node in module.graph.find_nodes(op="call_function", target=ours.group_rows.default):
        expand(module, node, grouped_formula)
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in _RENAMED:
            node.target, node.args, node.kwargs = _RENAMED[node.target](node)
        elif node.target is ours.attention_backward.default:
            expand(module, node, backward_products)
    module.graph.lint()
    recompile(module)


Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


def _attention(node: Node) -> Call:
    query, key, value, mask, causal, scale = _given(node)
    shared = query.meta["val"].shape[-3] != key.meta["val"].shape[-3]
    return (
        aten.scaled_dot_product_attention.default,
        (query, key, value, mask, 0.0, causal),
        {"scale": scale, "enable_gqa": shared},
    )


def _softmax_backward(node: Node) -> Call:
    return aten._softmax_backward_data.default, (*_given(node), node.meta["val"].dtype), {}


def _given(node: Node) -> list[Any]:
    """Every argument of a call in the order of the schema; where one is left out, its default."""
    names = node.target._schema.arguments  # type: ignore[union-attr]
    given = {**dict(zip((one.name for one in names), node.args, strict=False)), **node.kwargs}
    return [given.get(one.name, one.default_value) for one in names]


_RENAMED: dict[Any, Callable[[Node], Call]] = {
    ours.matmul.default: lambda node: (aten.matmul.default, tuple(_given(node)), {}),
    ours.attention.default: _attention,
    ours.softmax.default: lambda node: (aten._softmax.default, (*_given(node), False), {}),
    ours.softmax_backward.default: _softmax_backward,
    ours.layer_norm.default: lambda node: (aten.layer_norm.default, tuple(_given(node)), {}),
    ours.rms_norm.default: lambda node: (aten.rms_norm.default, tuple(_given(node)), {}),
}

"""precision="int8": linears and convolutions with known weights become products of int8.

Weights have a scale for each output channel. Activations are quantised when they come, symmetrically: a
linear has a scale for each row, a convolution one for the whole tensor. Sums are exact; all else is real.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.planning.plan import constants_of

aten, ours = torch.ops.aten, torch.ops.tilesmith

LARGEST = 127.0
_LEAST = 1e-12
"""So that rows of zeros have a scale."""


def quantize_products(module: GraphModule) -> None:
    """Every product with a constant weight; others stay as they are."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        weight = constants.get(node.args[1]) if len(node.args) > 1 else None
        if weight is None or not weight.is_floating_point() or not value_of(node).is_floating_point():
            continue
        if node.target is aten.linear.default and weight.dim() == 2 and value_of(node).dim() >= 2:
            _linear(module, node, weight)
        elif node.target in (aten.conv2d.default, aten.convolution.default) and weight.dim() == 4:
            _convolution(module, node, weight)
    tidy(module)


def _linear(module: GraphModule, node: Node, weight: torch.Tensor) -> None:
    x, _, *rest = node.args
    quantised, scale = _integers(module, node, x, by_rows=True)
    held, of_weight = quantized_weight(weight)
    result = _call(module, node, ours.integer_linear.default, quantised, insert_constant(module, node, held))
    _finish(module, node, result, scale, of_weight, rest[0] if rest else None, [-1])


def _convolution(module: GraphModule, node: Node, weight: torch.Tensor) -> None:
    usual: list[Any] = [None, [1, 1], [0, 0], [1, 1]]
    given = list(node.args[2:])
    transposed = node.target is aten.convolution.default and bool(given[4])
    if transposed:
        return
    bias, stride, padding, dilation = (*given, *usual[len(given) :])[:4]
    groups = given[-1] if node.target is aten.convolution.default or len(given) > 4 else 1
    window = [_pair(one) for one in (stride, padding, dilation)]
    quantised, scale = _integers(module, node, node.args[0], by_rows=False)
    held, of_weight = quantized_weight(weight)
    constant = insert_constant(module, node, held)
    result = _call(module, node, ours.integer_conv2d.default, quantised, constant, *window, groups)
    _finish(module, node, result, scale, of_weight, bias, [1, -1, 1, 1])


def _pair(value: Any) -> list[int]:
    return [int(value[0]), int(value[-1])] if isinstance(value, list | tuple) else [int(value)] * 2


def quantized_weight(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A weight as int8, and the scale of each output channel.

    >>> held, scale = quantized_weight(torch.tensor([[0.5, -1.0], [4.0, 0.0]]))
    >>> held.tolist(), [round(one, 4) for one in scale.tolist()]
    ([[64, -127], [127, 0]], [0.0079, 0.0315])
    """
    flat = weight.detach().float().flatten(1)
    scale = flat.abs().amax(1).clamp_min(_LEAST) / LARGEST
    return (flat / scale[:, None]).round().to(torch.int8).reshape(weight.shape), scale


def _integers(module: GraphModule, node: Node, x: Any, by_rows: bool) -> tuple[Node, Node]:
    """A tensor as integers, and its scale: one for each row, or one for all."""
    if value_of(x).dtype != torch.float32:
        x = insert(module, node, aten._to_copy.default, (x,), {"dtype": torch.float32})
    size = _call(module, node, aten.abs.default, x)
    largest = _call(module, node, aten.amax.default, size, [-1], by_rows)
    if not by_rows:
        largest = _call(module, node, aten.amax.default, largest)
    above = _call(module, node, aten.clamp.default, largest, _LEAST)
    scale = _call(module, node, aten.div.Tensor, above, LARGEST)
    return _call(module, node, aten.round.default, _call(module, node, aten.div.Tensor, x, scale)), scale


def _finish(
    module: GraphModule,
    node: Node,
    result: Node,
    scale: Node,
    of_weight: torch.Tensor,
    bias: Any,
    shape: list[int],
) -> None:
    result = _call(module, node, aten.mul.Tensor, result, scale)
    held = insert_constant(module, node, of_weight.reshape(shape))
    result = _call(module, node, aten.mul.Tensor, result, held)
    if bias is not None:
        result = _call(module, node, aten.add.Tensor, result, _along(module, node, bias, shape))
    if value_of(node).dtype != torch.float32:
        result = insert(module, node, aten._to_copy.default, (result,), {"dtype": value_of(node).dtype})
    replace(module, node, result)


def _along(module: GraphModule, node: Node, bias: Node, shape: list[int]) -> Node:
    return bias if shape == [-1] else _call(module, node, aten.view.default, bias, shape)


def _call(module: GraphModule, before: Node, target: Any, *args: Any) -> Node:
    return insert(module, before, target, args)

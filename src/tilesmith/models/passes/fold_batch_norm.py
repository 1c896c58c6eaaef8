"""A batch norm after a convolution, both with known weights, becomes part of the convolution."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.exactness import EXACT
from tilesmith.models.planning.plan import constants_of

aten = torch.ops.aten
_CONVOLUTIONS = (aten.conv2d.default, aten.conv2d.padding, aten.conv1d.default, aten.convolution.default)
_NORMS = (
    aten.batch_norm.default,
    aten._native_batch_norm_legit_no_training.default,
    aten._native_batch_norm_legit.default,
)


def fold_batch_norm(module: GraphModule) -> None:
    """Scale the filters, and shift the bias."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        found = _parameters(node, constants)
        conv: Any = node.args[0] if found is not None else None
        if (
            found is None
            or not is_call(conv, *_CONVOLUTIONS)
            or len(conv.users) != 1
            or not _can_take(conv, constants)
        ):
            continue
        scale, shift, spread = found
        weight = constants[conv.args[1]]
        bias = constants.get(conv.args[2]) if len(conv.args) > 2 and conv.args[2] is not None else None
        scaled = _scaled(weight, scale, conv)
        shifted = shift if bias is None else shift + bias * scale
        shifts = insert_constant(module, conv, shifted.to(weight.dtype))
        shifts.meta[EXACT] = _shows_rounding(shifted, spread)
        scales = insert_constant(module, conv, scaled.to(weight.dtype))
        conv.args = (conv.args[0], scales, shifts, *conv.args[3:])
        _use_instead(module, node, conv)
        constants = constants_of(module)
    tidy(module)


def _can_take(conv: Node, constants: dict[Node, torch.Tensor]) -> bool:
    """Whether weight and bias of a convolution are known, and the norm's channels are its filters."""
    bias = conv.args[2] if len(conv.args) > 2 else None
    known = conv.args[1] in constants and (bias is None or bias in constants)
    return known and value_of(conv).dim() == constants[conv.args[1]].dim()  # type: ignore[index]


def _scaled(weight: torch.Tensor, scale: torch.Tensor, conv: Node) -> torch.Tensor:
    """Filters times a factor each. A transposed convolution has them second, those of each group apart."""
    if conv.target is not aten.convolution.default or not conv.args[6]:
        return weight * scale.reshape(-1, *[1] * (weight.dim() - 1))
    groups = conv.args[8]
    assert isinstance(groups, int)
    inner, outer, *taps = weight.shape
    apart = weight.reshape(groups, inner // groups, outer, *taps)
    return (apart * scale.reshape(groups, 1, outer, *[1] * len(taps))).reshape(weight.shape)


def _shows_rounding(bias: torch.Tensor, spread: torch.Tensor) -> bool:
    """Whether bfloat16 would move a channel by more than it rounds the channel's own values.

    >>> [_shows_rounding(torch.tensor([bias]), torch.ones(1)) for bias in (301.0, 1.2)]
    [True, False]
    """
    moved = (bias - bias.bfloat16()).abs()
    return bool((moved > spread * torch.finfo(torch.bfloat16).eps / 2).any())


def _parameters(
    node: Any, constants: dict[Node, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None:
    """Scale and shift of a norm whose statistics are known, and how far from zero its results lie."""
    if not is_call(node, *_NORMS):
        return None
    training, epsilon = (
        (False, node.args[6]) if "no_training" in str(node.target) else (node.args[5], node.args[7])
    )
    if training or not all(one is None or one in constants for one in node.args[1:5]):
        return None
    weight, bias, mean, variance = (
        None if constant is None else constants[constant].double() for constant in node.args[1:5]
    )
    if mean is None or variance is None:
        return None
    weight = torch.ones_like(mean) if weight is None else weight
    bias = torch.zeros_like(mean) if bias is None else bias
    scale = torch.rsqrt(variance + epsilon) * weight
    return scale, bias - mean * scale, weight.abs() + bias.abs()


def _use_instead(module: GraphModule, norm: Node, conv: Node) -> None:
    for user in list(norm.users):
        if is_call(user, operator.getitem) and user.args[1] == 0:
            replace(module, user, conv)
    if norm.target is aten.batch_norm.default:
        norm.replace_all_uses_with(conv)

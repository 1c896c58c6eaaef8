"""tilesmith::layer_norm, tilesmith::rms_norm, and their gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::layer_norm", mutates_args=())
def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float) -> Tensor:
    """Layer norm along the last dimension.

    >>> layer_norm(torch.tensor([[1.0, 3.0]]).double(), None, None, 0.0).tolist()
    [[-1.0, 1.0]]
    """
    result: Tensor = launched("layer_norm", _layer_norm, x, weight, bias, epsilon)
    return result


@torch.library.custom_op("tilesmith::rms_norm", mutates_args=())
def rms_norm(x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """Root mean square norm along the last dimension.

    >>> rms_norm(torch.tensor([[2.0, -2.0]]).double(), None, 0.0).tolist()
    [[1.0, -1.0]]
    """
    result: Tensor = launched("rms_norm", _rms_norm, x, weight, epsilon)
    return result


@torch.library.custom_op("tilesmith::layer_norm_backward", mutates_args=())
def layer_norm_backward(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """The gradient of what went into a layer norm."""
    made: Tensor = launched("layer_norm_backward", layer_norm_formula, grad, x, weight, epsilon)
    return made


@torch.library.custom_op("tilesmith::rms_norm_backward", mutates_args=())
def rms_norm_backward(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """The gradient of what went into an RMS norm."""
    made: Tensor = launched("rms_norm_backward", rms_norm_formula, grad, x, weight, epsilon)
    return made


def _layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, epsilon)


def _rms_norm(x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, epsilon)


def layer_norm_formula(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    grad = grad if weight is None else grad * weight
    centred = x - x.mean(-1, keepdim=True)
    scale = (centred.square().mean(-1, keepdim=True) + epsilon).rsqrt()
    normal = centred * scale
    along = (grad * normal).mean(-1, keepdim=True)
    return (grad - grad.mean(-1, keepdim=True) - normal * along) * scale


def rms_norm_formula(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    grad = grad if weight is None else grad * weight
    scale = (x.square().mean(-1, keepdim=True) + epsilon).rsqrt()
    normal = x * scale
    return (grad - normal * (grad * normal).mean(-1, keepdim=True)) * scale


@layer_norm.register_fake
def _(x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


@rms_norm.register_fake
def _(x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


@layer_norm_backward.register_fake
def _(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


@rms_norm_backward.register_fake
def _(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


def _keep_layer(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, _, ctx.epsilon = inputs
    ctx.save_for_backward(x, weight)


def _keep_rms(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, ctx.epsilon = inputs
    ctx.save_for_backward(x, weight)


def _layer_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    to_x, to_weight, to_bias, _ = ctx.needs_input_grad
    for_x = layer_norm_backward(grad, x, weight, ctx.epsilon) if to_x else None
    for_weight = _over_rows(grad * layer_norm(x, None, None, ctx.epsilon)) if to_weight else None
    return for_x, for_weight, _over_rows(grad) if to_bias else None, None


def _rms_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    to_x, to_weight, _ = ctx.needs_input_grad
    for_x = rms_norm_backward(grad, x, weight, ctx.epsilon) if to_x else None
    return for_x, _over_rows(grad * rms_norm(x, None, ctx.epsilon)) if to_weight else None, None


def _over_rows(value: Tensor) -> Tensor:
    return value.flatten(0, -2).sum(0) if value.dim() > 1 else value


layer_norm.register_autograd(_layer_backward, setup_context=_keep_layer)
rms_norm.register_autograd(_rms_backward, setup_context=_keep_rms)

"""tilesmith::layer_norm, tilesmith::rms_norm, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::layer_norm", mutates_args=())
def layer_norm(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Layer norm along the last dimensions, as many as `normalized_shape` has.

    >>> layer_norm(torch.tensor([[1.0, 3.0]]).double(), [2], eps=0.0).tolist()
    [[-1.0, 1.0]]
    """
    result: Tensor = launched(
        "layer_norm", torch.nn.functional.layer_norm, x, list(normalized_shape), weight, bias, eps
    )
    return result


@torch.library.custom_op("tilesmith::rms_norm", mutates_args=())
def rms_norm(
    x: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Root mean square norm along the last dimensions, as many as `normalized_shape` has.

    `eps` is the machine epsilon of the type of `x` unless given, as in torch.

    >>> rms_norm(torch.tensor([[2.0, -2.0]]).double(), [2], eps=0.0).tolist()
    [[1.0, -1.0]]
    """
    result: Tensor = launched(
        "rms_norm", torch.nn.functional.rms_norm, x, list(normalized_shape), weight, eps
    )
    return result


@torch.library.custom_op("tilesmith::layer_norm_backward", mutates_args=())
def layer_norm_backward(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """The gradient of what went into a layer norm."""
    result: Tensor = launched("layer_norm_backward", layer_norm_formula, grad, x, weight, epsilon)
    return result


@torch.library.custom_op("tilesmith::rms_norm_backward", mutates_args=())
def rms_norm_backward(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """The gradient of what went into an RMS norm."""
    result: Tensor = launched("rms_norm_backward", rms_norm_formula, grad, x, weight, epsilon)
    return result


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
def _(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    _check_ends(x, normalized_shape)
    return x.new_empty(x.shape)


@rms_norm.register_fake
def _(
    x: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    _check_ends(x, normalized_shape)
    return x.new_empty(x.shape)


def _check_ends(x: Tensor, shape: Sequence[int]) -> None:
    torch._check(
        len(shape) > 0 and list(x.shape[-len(shape) :]) == list(shape),
        lambda: f"{tuple(x.shape)} does not end with the normalized_shape {tuple(shape)}",
    )


@layer_norm_backward.register_fake
def _(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


@rms_norm_backward.register_fake
def _(grad: Tensor, x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    return x.new_empty(x.shape)


def _keep_layer(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.shape, weight, _, ctx.eps = inputs
    ctx.save_for_backward(x, weight)


def _keep_rms(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.shape, weight, eps = inputs
    ctx.eps = torch.finfo(x.dtype).eps if eps is None else eps
    ctx.save_for_backward(x, weight)


def _layer_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    to_x, _, to_weight, to_bias = _needed(ctx, 4)
    for_x = _along_rows(layer_norm_backward, grad, x, weight, ctx) if to_x else None
    for_weight = _over_rows(grad * layer_norm(x, ctx.shape, eps=ctx.eps), ctx) if to_weight else None
    return for_x, None, for_weight, _over_rows(grad, ctx) if to_bias else None, None


def _rms_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    to_x, _, to_weight = _needed(ctx, 3)
    for_x = _along_rows(rms_norm_backward, grad, x, weight, ctx) if to_x else None
    for_weight = _over_rows(grad * rms_norm(x, ctx.shape, eps=ctx.eps), ctx) if to_weight else None
    return for_x, None, for_weight, None


def _needed(ctx: Any, count: int) -> tuple[bool, ...]:
    """Which arguments want gradients: torch leaves those out at the end that have their default."""
    return (*ctx.needs_input_grad, *(False,) * count)[:count]


def _along_rows(backward: Any, grad: Tensor, x: Tensor, weight: Tensor | None, ctx: Any) -> Tensor:
    """Several dimensions that are normalised together are one row."""
    if len(ctx.shape) == 1:
        return backward(grad, x, weight, ctx.eps)  # type: ignore[no-any-return]
    ends = -len(ctx.shape)
    row = None if weight is None else weight.flatten()
    result: Tensor = backward(grad.flatten(ends), x.flatten(ends), row, ctx.eps)
    return result.reshape(x.shape)


def _over_rows(value: Tensor, ctx: Any) -> Tensor:
    lead = value.dim() - len(ctx.shape)
    return value.flatten(0, lead - 1).sum(0) if lead else value


layer_norm.register_autograd(_layer_backward, setup_context=_keep_layer)
rms_norm.register_autograd(_rms_backward, setup_context=_keep_rms)

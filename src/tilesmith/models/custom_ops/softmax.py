"""tilesmith::softmax and its gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::softmax", mutates_args=())
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Softmax along a dimension.

    >>> softmax(torch.zeros(1, 4).double()).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    result: Tensor = launched("softmax", torch.softmax, x, dim)
    return result


@softmax.register_fake
def _(x: Tensor, dim: int = -1) -> Tensor:
    torch._check(-x.dim() <= dim < x.dim(), lambda: f"{tuple(x.shape)} has no dimension {dim}")
    return x.new_empty(x.shape)


@torch.library.custom_op("tilesmith::softmax_backward", mutates_args=())
def softmax_backward(grad: Tensor, result: Tensor, dim: int = -1) -> Tensor:
    """The gradient of what went into a softmax, from what came out."""
    grad_input: Tensor = launched("softmax_backward", softmax_formula, grad, result, dim)
    return grad_input


@softmax_backward.register_fake
def _(grad: Tensor, result: Tensor, dim: int = -1) -> Tensor:
    return result.new_empty(result.shape)


def softmax_formula(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    return result * (grad - (grad * result).sum(dim, keepdim=True))


def _keep(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
    ctx.dim = inputs[1]
    ctx.save_for_backward(output)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    return softmax_backward(grad, ctx.saved_tensors[0], ctx.dim), None


softmax.register_autograd(_backward, setup_context=_keep)

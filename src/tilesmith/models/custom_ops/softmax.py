"""tilesmith::softmax and its gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::softmax", mutates_args=())
def softmax(x: Tensor) -> Tensor:
    """Softmax along the last dimension.

    >>> softmax(torch.zeros(1, 4).double()).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    result: Tensor = launched("softmax", lambda one: torch.softmax(one, -1), x)
    return result


@softmax.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape)


@torch.library.custom_op("tilesmith::softmax_backward", mutates_args=())
def softmax_backward(grad: Tensor, result: Tensor) -> Tensor:
    """The gradient of what went into a softmax, from what came out."""
    made: Tensor = launched("softmax_backward", softmax_formula, grad, result)
    return made


@softmax_backward.register_fake
def _(grad: Tensor, result: Tensor) -> Tensor:
    return result.new_empty(result.shape)


def softmax_formula(grad: Tensor, result: Tensor) -> Tensor:
    return result * (grad - (grad * result).sum(-1, keepdim=True))


def _keep(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
    ctx.save_for_backward(output)


def _backward(ctx: Any, grad: Tensor) -> Tensor:
    made: Tensor = softmax_backward(grad, ctx.saved_tensors[0])
    return made


softmax.register_autograd(_backward, setup_context=_keep)

"""tilesmith::matmul"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::matmul", mutates_args=())
def matmul(a: Tensor, b: Tensor) -> Tensor:
    """The product of two matrices, or of two batches of them.

    >>> matmul(torch.ones(2, 3).double(), torch.ones(3, 2).double()).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    result: Tensor = launched("matmul", torch.matmul, a, b)
    return result


@matmul.register_fake
def _(a: Tensor, b: Tensor) -> Tensor:
    torch._check(
        a.dim() >= 2 and b.dim() >= 2, lambda: "tilesmith::matmul takes matrices, or batches of them"
    )
    torch._check(a.shape[-1] == b.shape[-2], lambda: f"cannot multiply {tuple(a.shape)} by {tuple(b.shape)}")
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.new_empty((*lead, a.shape[-2], b.shape[-1]))


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    to_a, to_b = ctx.needs_input_grad
    for_a = matmul(grad, b.transpose(-1, -2)).sum_to_size(a.shape) if to_a else None
    return for_a, matmul(a.transpose(-1, -2), grad).sum_to_size(b.shape) if to_b else None


matmul.register_autograd(_backward, setup_context=_keep)

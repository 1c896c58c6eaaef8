"""What the products are in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def matmul(
    a: torch.Tensor, b: torch.Tensor, *, transpose_a: bool = False, transpose_b: bool = False, **_: Any
) -> torch.Tensor:
    left = a.transpose(-1, -2) if transpose_a else a
    right = b.transpose(-1, -2) if transpose_b else b
    return left @ right


def linear(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    bias: torch.Tensor | None = None,
    activation: str | None = None,
    **options: Any,
) -> torch.Tensor:
    from tilesmith.ops.elementwise.reference import UNARY

    product = matmul(a, b, **options)
    summed = product if bias is None else product + bias
    return summed if activation is None else UNARY[activation](summed)


def addmm(
    tensor: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    **_: Any,
) -> torch.Tensor:
    product = alpha * (a @ b)
    return product if beta == 0 else beta * tensor + product

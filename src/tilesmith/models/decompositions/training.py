"""Gradients that PyTorch computes by scattering, as products and as tensors joined with zeros; dropout."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tilesmith.models import custom_ops
from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


@decomposition(aten.embedding_dense_backward.default, stage="autograd")
def embedding_dense_backward(grad: Tensor, ids: Tensor, rows: int, padding: int, by_frequency: bool) -> Any:
    """Each row of the table gets the sum of the gradients of its uses: a product with zeros and ones."""
    if by_frequency:
        return NotImplemented
    flat = grad.reshape(-1, grad.shape[-1])
    uses = custom_ops.equality(torch.arange(rows, device=ids.device)[:, None], ids.reshape(1, -1))
    table = uses.to(grad.dtype) @ flat
    if 0 <= padding < rows:
        seen = torch.arange(rows, device=grad.device)[:, None] != padding
        table = table * seen.to(grad.dtype)
    return table


@decomposition(aten.native_dropout.default, stage="autograd")
def native_dropout(x: Tensor, chance: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """What is kept is drawn on the host, as PyTorch draws it; the rest is elementwise work."""
    if train is False:
        return x, torch.ones_like(x, dtype=torch.bool)
    kept = torch.bernoulli(x, 1 - chance)
    return x * kept * (0.0 if chance == 1 else 1 / (1 - chance)), kept.bool()


@decomposition(aten.slice_backward.default, stage="autograd")
def slice_backward(grad: Tensor, sizes: list[int], dim: int, start: int, end: int, step: int) -> Any:
    """Zeros before and after."""
    size = sizes[dim]
    begin, stop, _ = slice(start, min(end, size), step).indices(size)
    if step != 1:
        return NotImplemented
    return _between_zeros(grad, sizes, dim, begin, stop)


@decomposition(aten.select_backward.default, stage="autograd")
def select_backward(grad: Tensor, sizes: list[int], dim: int, index: int) -> Tensor:
    """Zeros before and after."""
    at = index % sizes[dim]
    return _between_zeros(grad.unsqueeze(dim), sizes, dim, at, at + 1)


def _between_zeros(grad: Tensor, sizes: list[int], dim: int, begin: int, stop: int) -> Tensor:
    parts = [grad]
    for count, place in ((begin, 0), (sizes[dim] - stop, 2)):
        if count:
            shape = list(grad.shape)
            shape[dim] = count
            parts.insert(place, grad.new_zeros(shape))
    return torch.cat(parts, dim) if len(parts) > 1 else grad

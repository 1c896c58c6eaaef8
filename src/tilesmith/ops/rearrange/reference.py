"""What the data movements are in torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def concatenated(tensors: Sequence[torch.Tensor], dim: int = 0, groups: int = 1, **_: object) -> torch.Tensor:
    import torch

    if groups > 1:
        parts = [tensor.chunk(groups, dim) for tensor in tensors]
        return torch.cat([part[group] for group in range(groups) for part in parts], dim)
    return torch.cat(list(tensors), dim)


def stacked(tensors: Sequence[torch.Tensor], dim: int) -> torch.Tensor:
    import torch

    return torch.stack(list(tensors), dim)


def padded(
    tensor: torch.Tensor, padding: Sequence[Sequence[int]], value: float = 0.0, **_: object
) -> torch.Tensor:
    import torch

    flat = [size for pair in reversed(list(padding)) for size in pair]
    return torch.nn.functional.pad(tensor, flat, value=value)

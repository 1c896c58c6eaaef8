"""Questions about tensors, under ttnn's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor

if TYPE_CHECKING:
    import torch


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    """Whether the tensor lies on a device."""
    return tensor.on_device is not None


def get_memory_config(tensor: Tensor) -> MemoryConfig | None:
    """Where a device tensor lies; None for one on the host."""
    return tensor.memory_config() if tensor.on_device is not None else None


@registered("ttnn.pearson_correlation_coefficient")
def pearson_correlation_coefficient(expected: Tensor | torch.Tensor, actual: Tensor | torch.Tensor) -> float:
    """How well two tensors follow each other; 1 for equal ones, constants among them."""
    import numpy as np
    import torch

    a, b = (_values(one) for one in (expected, actual))
    if a.shape != b.shape:
        raise RuntimeError(f"Shapes must be the same, got {tuple(a.shape)} and {tuple(b.shape)}")
    both_nan = torch.isnan(a) & torch.isnan(b)
    if both_nan.all():
        return 1.0
    if torch.isnan(a).all() or torch.isnan(b).all() or bool(a.any()) != bool(b.any()):
        return 0.0
    first, second = (one.masked_fill(torch.isinf(one) | torch.isnan(one), 0.0).flatten() for one in (a, b))
    if torch.equal(first, second):
        return 1.0
    deviations = first.std(correction=0), second.std(correction=0)
    if not all(deviations):
        return float(torch.allclose(first, second))
    found = np.corrcoef(first.numpy(), second.numpy())[0, 1]
    return float(found)


def _values(tensor: Any) -> torch.Tensor:
    import torch

    values: torch.Tensor = tensor.to_torch() if isinstance(tensor, Tensor) else tensor
    return values.detach().to(torch.float64)

"""Tensors of the host as the matrices that lie in device memory, and back."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tilesmith.models.planning.finite import largest
from tilesmith.models.planning.views import View
from tilesmith.runtime.torch_bridge import numpy_from_torch

TYPES = {
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "int32": torch.int32,
    "int8": torch.int8,
    "bfloat8_b": torch.float32,  # rounded on the way to the device
    "bfloat4_b": torch.float32,
}
# Added to scores that must not be seen.
_UNSEEN = -inf


def to_matrix(value: torch.Tensor, view: View, additive: bool = False) -> NDArray[Any]:
    """The storage of a view with a tensor in it, as numpy has it."""
    matrix = numpy_from_torch(to_tensor(value, view, additive))
    return matrix.view(np.uint8) if view.storage.dtype == "int8" else matrix


def to_tensor(value: torch.Tensor, view: View, additive: bool = False) -> torch.Tensor:
    """The storage of a view with a tensor in it; zeros around it."""
    if additive:
        value = torch.zeros(value.shape, device=value.device).masked_fill(value.logical_not(), _UNSEEN)
    storage = view.storage
    target = TYPES[storage.dtype]
    if tuple(value.shape) == (storage.rows, storage.cols):
        return finite_kept(value.detach(), target).contiguous()
    matrix = torch.zeros(storage.rows, storage.cols, dtype=target, device=value.device)
    seen(matrix, view).copy_(finite_kept(value.detach(), target).reshape(view.shape))
    return matrix


def finite_kept(value: torch.Tensor, target: torch.dtype) -> torch.Tensor:
    """A tensor in another dtype. What is finite stays so, as the lowest float32 that masks are made of."""
    result = value.to(target)
    if target == torch.bfloat16 and value.dtype in (torch.float32, torch.float64):
        most = torch.finfo(target).max
        if result.is_cuda or not largest(value) <= most:  # asking a GPU would wait for it
            grown = result.isinf() & value.isfinite()
            return torch.where(grown, result.clamp(-most, most), result)
    return result


def from_matrix(matrix: NDArray[Any], view: View, dtype: torch.dtype) -> torch.Tensor:
    """The tensor a view sees in a storage."""
    return from_tensor(torch.from_numpy(np.ascontiguousarray(matrix)), view, dtype)


def from_tensor(matrix: torch.Tensor, view: View, dtype: torch.dtype) -> torch.Tensor:
    """The same for a storage as torch has it."""
    value = seen(matrix, view)
    if dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        value = value.round()
    return value.to(dtype).clone(memory_format=torch.contiguous_format)


def seen(matrix: torch.Tensor, view: View) -> torch.Tensor:
    """What a view sees of its storage, in place."""
    width = matrix.shape[1]
    strides = [axis.row * width + axis.col for axis in view.axes]
    start = matrix.storage_offset() + view.row * width + view.col
    return torch.as_strided(matrix, view.shape, strides, start)

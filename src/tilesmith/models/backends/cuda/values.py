"""Tensors in and out of the matrices that kernels work on, all on the GPU."""

from __future__ import annotations

from typing import Any

import torch

from tilesmith.models.backends.transfers import TYPES, finite_kept, seen, to_tensor
from tilesmith.models.planning.steps import Upload
from tilesmith.models.planning.views import View

_WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def lies_as(step: Upload, value: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether a tensor is its matrix already, so that kernels can read it where it is."""
    storage = step.view.storage
    if step.additive or step.below is not None or value.dtype != dtype or value.data_ptr() % 16:
        return False
    axes = [axis for axis in step.view.axes if axis.size > 1]
    sizes = [(size, stride) for size, stride in zip(value.shape, value.stride(), strict=True) if size > 1]
    wanted = [(axis.size, axis.row * storage.cols + axis.col) for axis in axes]
    return sizes == wanted and value.numel() == storage.rows * storage.cols


def fill(matrix: torch.Tensor, step: Upload, value: torch.Tensor) -> None:
    """Write a tensor into its matrix; what lies around it there is zero already."""
    target = seen(matrix, step.view)
    if step.additive:
        hidden = torch.zeros(value.shape, dtype=matrix.dtype, device=matrix.device)
        target.copy_(hidden.masked_fill(value.logical_not(), float("-inf")).reshape(step.view.shape))
    elif step.below is not None:
        # As torch's own kernels do: the GPU stops, and nobody waits for it to say that all is well.
        inside = (value >= 0) & (value < step.below)
        torch._assert_async(inside.all(), f"an index is out of range: it must be below {step.below}")
        target.copy_(value.reshape(step.view.shape))
    elif matrix.dtype == torch.bfloat16 and value.dtype in (torch.float32, torch.float64):
        target.copy_(finite_kept(value.detach(), matrix.dtype).reshape(step.view.shape))
    else:
        target.copy_(value.detach().reshape(step.view.shape))


def constant(step: Upload, value: torch.Tensor, device: torch.device) -> torch.Tensor:
    """The matrix of a constant: the tensor itself where it lies as kernels read it."""
    whole = tuple(value.shape) == (step.view.storage.rows, step.view.storage.cols) and not step.additive
    if whole and value.device == device and value.dtype == TYPES[step.view.storage.dtype]:
        return value.detach().contiguous()
    return to_tensor(value.detach().to(device), step.view, step.additive)


def taken(
    matrix: torch.Tensor, view: View, like: torch.Tensor, owned: bool, channels_last: bool = False
) -> torch.Tensor:
    """The tensor a view sees; the matrix itself, if nobody else reads it and it lies as torch's would."""
    value, dtype = seen(matrix, view), like.dtype
    if owned and value.dtype == dtype and value.numel() == matrix.numel():
        images = channels_last and value.is_contiguous(memory_format=torch.channels_last)
        if images or _lies_like(value, like):
            return value
    if dtype in _WHOLE and value.is_floating_point():
        value = value.round()
    result = value.to(dtype)
    return (
        result.clone(memory_format=torch.contiguous_format)
        if _shares(result, matrix)
        else result.contiguous()
    )


def _lies_like(value: torch.Tensor, like: torch.Tensor) -> bool:
    strides = [stride for size, stride in zip(like.shape, like.stride(), strict=True) if size > 1]
    return strides == [stride for size, stride in zip(value.shape, value.stride(), strict=True) if size > 1]


def _shares(value: torch.Tensor, matrix: torch.Tensor) -> bool:
    return value.untyped_storage().data_ptr() == matrix.untyped_storage().data_ptr()


def moved(value: Any, device: torch.device) -> Any:
    return value.to(device) if isinstance(value, torch.Tensor) and value.device != device else value

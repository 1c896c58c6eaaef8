"""What ttnn.topk refuses, in ttnn's words."""

from __future__ import annotations

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.tensor import Tensor

_VALUES = (DataType.BFLOAT16, DataType.BFLOAT8_B, DataType.FLOAT32)
_INDICES = (DataType.UINT16, DataType.UINT32, DataType.INT32)


def check_topk(
    tensor: Tensor, k: int, dim: int, indices: Tensor | None, outputs: tuple[Tensor, Tensor] | None
) -> None:
    """Refuse types, sizes and given tensors that ttnn refuses."""
    shape = tensor.spec.shape
    axis = normal_axis(dim, len(shape))
    size = shape[axis] if shape else 1
    fatal(0 < k <= size, f"K cannot be larger than the dimension size! K={k}, dimension size={size}")
    if outputs is not None:
        _check_outputs(tensor, tuple(k if one == axis else size for one, size in enumerate(shape)), outputs)
    if indices is not None:
        _check_indices(tensor, indices, axis)
    fatal(
        tensor.dtype in _VALUES,
        f"Input tensor must be BFLOAT16, BFLOAT8_B, or FLOAT32, got: DataType::{tensor.dtype.name}",
    )


def _check_outputs(tensor: Tensor, shape: tuple[int, ...], outputs: tuple[Tensor, Tensor]) -> None:
    for name, output in zip(("values", "indices"), outputs, strict=True):
        fatal(
            tuple(output.spec.shape) == shape,
            f"Preallocated {name} tensor has incorrect shape! Got : {list(output.spec.shape)}, expected:"
            f" {list(shape)}",
        )
    values, places = outputs
    fatal(
        places.dtype in _INDICES,
        f"Preallocated indices tensor must be UINT16, UINT32, or INT32 got: DataType::{places.dtype.name}",
    )
    fatal(
        values.dtype is tensor.dtype,
        "Preallocated output tensor dtype must match input tensor dtype. Got output:"
        f" DataType::{values.dtype.name}, input: DataType::{tensor.dtype.name}",
    )


def _check_indices(tensor: Tensor, indices: Tensor, axis: int) -> None:
    fatal(
        indices.spec.shape == tensor.spec.shape,
        f"Indices tensor has incorrect shape! Got : {list(indices.spec.shape)}, expected:"
        f" {list(tensor.spec.shape)}",
    )
    fatal(
        axis == max(len(tensor.spec.shape), 1) - 1,
        f"Indices tensor is only supported for a reduction on the last dimension, got dim={axis}",
    )
    fatal(
        indices.dtype in _INDICES,
        f"Optional input tensor must be UINT16, UINT32, or INT32, got: DataType::{indices.dtype.name}",
    )
    fatal(
        not (tensor.dtype is DataType.FLOAT32 and indices.dtype is DataType.UINT16),
        "Optional indices tensor must be UINT32 when input tensor is FLOAT32, got UINT16",
    )

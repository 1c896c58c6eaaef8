"""softmax, layer_norm and rms_norm."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import launch, registered, with_signature_of
from tilesmith.ops.layouts import as_tiles, in_layout_of
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.normalization.operation import Attributes, RowOperation, Rows
from tilesmith.ops.program_configs import check_norm_config, grid_of
from tilesmith.ops.rearrange.permutation import transpose
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.shards import fitting_memory
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

ROWS = Rows()
TILE = 32


def _softmax(tensor: Any, dim: int = -1, **_: Any) -> Any:
    return tensor.softmax(dim)


@registered("ttnn.softmax", golden=_softmax)
def softmax(
    input_tensor: Tensor,
    dim: int = -1,
    *,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    numeric_stable: bool = True,
) -> Tensor:
    """e^x along an axis, divided by its sum; always in the stable form, with the maximum subtracted."""
    rank = len(input_tensor.spec.shape)
    axis = dim + rank if dim < 0 else dim
    fatal(
        0 <= axis < rank,
        f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})",
    )
    if axis != rank - 1:
        turned = transpose(input_tensor, axis, -1)
        return transpose(_rows("softmax", turned, None), axis, -1, memory_config=memory_config)
    return _rows("softmax", input_tensor, memory_config)


def _layer_norm(
    tensor: Any, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-12, **_: Any
) -> Any:
    import torch

    residual = _.get("residual_input_tensor")
    summed = tensor if residual is None else tensor + residual
    scale, shift = (None if one is None else one.reshape(-1) for one in (weight, bias))
    return torch.nn.functional.layer_norm(summed, summed.shape[-1:], scale, shift, epsilon)


@registered("ttnn.layer_norm", golden=_layer_norm)
def layer_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: object = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    recip_tensor: Tensor | None = None,
) -> Tensor:
    """Rows with mean 0 and deviation 1, times a weight, plus a bias."""
    check_norm_config(program_config)
    x = _with_residual(input_tensor, residual_input_tensor)
    grid = grid_of(program_config, input_tensor)
    return _rows("layer_norm", x, memory_config, epsilon, weight, bias, grid)


def _rms_norm(tensor: Any, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-12, **_: Any) -> Any:
    residual = _.get("residual_input_tensor")
    summed = tensor if residual is None else tensor + residual
    result = summed * (summed.float().pow(2).mean(-1, keepdim=True) + epsilon).rsqrt()
    if weight is not None:
        result = weight.reshape(-1) * (result if weight.dtype.itemsize > 2 else result.to(weight.dtype))
    return result if bias is None else result + bias.reshape(-1)


@registered("ttnn.rms_norm", golden=_rms_norm)
@with_signature_of(layer_norm, without=("recip_tensor",))
def rms_norm(input_tensor: Tensor, **options: Any) -> Tensor:
    """Rows divided by their root mean square, times a weight, plus a bias."""
    check_norm_config(options.get("program_config"))
    x = _with_residual(input_tensor, options.get("residual_input_tensor"))
    epsilon, memory = options.get("epsilon", 1e-12), options.get("memory_config")
    grid = grid_of(options.get("program_config"), input_tensor)
    return _rows("rms_norm", x, memory, epsilon, options.get("weight"), options.get("bias"), grid)


def _with_residual(x: Tensor, residual: Tensor | None) -> Tensor:
    if residual is None:
        return x
    fatal(
        x.shape == residual.shape,
        "Input and residual logical and padded shapes must match, got input:"
        f" logical={x.shape} padded={x.padded_shape} vs residual: logical={residual.shape}"
        f" padded={residual.padded_shape}",
    )
    return elementwise("add", [x, residual])


def _rows(
    operation: RowOperation,
    x: Tensor,
    memory_config: MemoryConfig | None,
    epsilon: float = 0.0,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    grid: tuple[int, int] | None = None,
) -> Tensor:
    _check_layout(operation, x)
    shape = x.spec.shape
    plain = typecast(x, DataType.BFLOAT16) if x.dtype is DataType.BFLOAT8_B else x
    tiles = as_tiles(plain)
    flat = tiles if len(shape) >= 2 else reshape(tiles, (1,) * (2 - len(shape)) + shape)
    memory = fitting_memory(memory_config or x.memory_config(), shape, x)
    present = (weight is not None, bias is not None)
    attrs = Attributes(operation, flat.spec.dtype, memory.placed(), epsilon, *present, grid)
    rows = [_as_row(one) for one in (weight, bias) if one is not None]
    (result,) = launch(ROWS, attrs, [flat, *rows])
    result = reshape(result, shape)
    result = typecast(result, x.dtype) if plain is not x else result
    return in_layout_of(result, x)


def _check_layout(operation: RowOperation, x: Tensor) -> None:
    fatal(operation != "softmax" or x.layout is Layout.TILE, "Inputs to softmax must be tilized")
    width = x.spec.shape[-1] if x.spec.shape else 1
    fatal(
        x.layout is Layout.TILE or width % TILE == 0,
        f"ROW_MAJOR input requires W ({width}) to be a multiple of tile width ({TILE})",
    )


def _as_row(tensor: Tensor) -> Tensor:
    """One row of tiles; a weight in rows of 32, as ttnn also takes it, is put together again."""
    width = tensor.spec.shape[-1]
    if tensor.layout is Layout.ROW_MAJOR:
        width = tensor.logical_volume()
    row = reshape(tensor, (1, width))
    plain = typecast(row, DataType.BFLOAT16) if row.dtype.is_block_float else row
    return as_tiles(plain)

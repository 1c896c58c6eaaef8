"""var, std, prod and argmax, made of other operations; between them numbers keep 32 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.creation.host import from_values
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.binary import where
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.layouts import as_tiles, in_layout
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.rearrange.slicing import slice_
from tilesmith.ops.reduction.api import Axes, reduced_axes
from tilesmith.ops.reduction.empty import filled, of_nothing
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout


def _golden(name: str) -> Any:
    def golden(
        tensor: Any, dim: Axes = None, keepdim: bool = False, *, correction: bool = True, **_: Any
    ) -> Any:
        axes = tuple(reduced_axes(dim, tensor.dim()))
        return getattr(tensor, name)(dim=axes, correction=int(correction), keepdim=keepdim)

    return golden


def _variance(
    tensor: Tensor,
    dim: Axes,
    keepdim: bool,
    memory_config: MemoryConfig | None,
    correction: bool,
    scalar: float,
) -> Tensor:
    """In two passes: squares of distances from the mean."""
    shape = tensor.spec.shape
    axes = reduced_axes(dim, len(shape))
    count = math.prod(shape[axis] for axis in axes)
    fatal(not tensor.dtype.is_integer, f"tilesmith: var and std work on real numbers, got {tensor.dtype}")
    x = typecast(as_tiles(tensor), DataType.FLOAT32)
    x = x if len(shape) >= 2 else reshape(x, (1,) * (2 - len(shape)) + shape)
    named = [axis - len(shape) for axis in axes]
    mean = call("ttnn.mean", x, named, True)
    squares = elementwise("squared_difference", [x, mean])
    divisor = count - int(correction)
    result: Tensor = call(
        "ttnn.sum", squares, named, keepdim, scalar=scalar / divisor, memory_config=memory_config
    )
    return result if len(shape) >= 2 else reshape(result, (1,) * (len(shape) if keepdim else 0))


def _undefined(
    tensor: Tensor, dim: Axes, keepdim: bool, memory_config: MemoryConfig | None, correction: bool
) -> Tensor | None:
    """NaN, of nothing or of one element corrected by one: arithmetic would make infinity in bfloat16."""
    shape = tensor.spec.shape
    axes = reduced_axes(dim, len(shape))
    if not correction or math.prod(shape[axis] for axis in axes) != 1:
        return of_nothing("var", tensor, axes, keepdim, memory_config)
    return filled(tensor, axes, keepdim, math.nan, memory_config)


@registered("ttnn.var", golden=_golden("var"))
def var(
    input_tensor: Tensor,
    dim: Axes = None,
    keepdim: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    scalar: float = 1.0,
    correction: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """The variance along axes; with `correction` divided by one less than the number of elements."""
    undefined = _undefined(input_tensor, dim, keepdim, memory_config, correction)
    if undefined is not None:
        return undefined
    spread = _variance(input_tensor, dim, keepdim, memory_config, correction, scalar)
    return typecast(spread, input_tensor.dtype)


@registered("ttnn.std", golden=_golden("std"))
def std(
    input_tensor: Tensor,
    dim: Axes = None,
    keepdim: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    scalar: float = 1.0,
    correction: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """The standard deviation along axes."""
    undefined = _undefined(input_tensor, dim, keepdim, memory_config, correction)
    if undefined is not None:
        return undefined
    spread = _variance(input_tensor, dim, keepdim, memory_config, correction, scalar)
    return elementwise("", [spread], dtype=input_tensor.dtype, after=["sqrt"])


def _prod(tensor: Any, dim: int | None = None, keepdim: bool = False, **_: Any) -> Any:
    return tensor.prod() if dim is None else tensor.prod(dim, keepdim)


@registered("ttnn.prod", golden=_prod)
def prod(
    input_tensor: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """The product along an axis, or of all elements: halves are multiplied until one is left."""
    shape = input_tensor.spec.shape
    fatal(
        not input_tensor.dtype.is_integer, f"tilesmith: prod works on real numbers, got {input_tensor.dtype}"
    )
    axes = reduced_axes(dim, len(shape))
    if (known := of_nothing("prod", input_tensor, axes, keepdim, memory_config)) is not None:
        return known
    x = typecast(as_tiles(input_tensor), DataType.FLOAT32)
    if dim is None:
        x, axis = reshape(x, (x.logical_volume(), 1)), 0
        kept = [1] * len(shape) if keepdim else []
    else:
        axis = normal_axis(dim, len(shape))
        kept = [1 if one == axis else size for one, size in enumerate(shape) if keepdim or one != axis]
        x = reshape(x, (1, *shape)) if len(shape) == 1 else x
        axis = axis + len(x.spec.shape) - len(shape)
    while (size := x.spec.shape[axis]) > 1:
        half = size // 2
        pairs = elementwise("mul", [_part(x, axis, 0, half), _part(x, axis, half, 2 * half)])
        if size % 2:
            first = elementwise("mul", [_part(pairs, axis, 0, 1), _part(x, axis, size - 1, size)])
            pairs = first if half == 1 else call("ttnn.concat", [first, _part(pairs, axis, 1, half)], axis)
        x = pairs
    result = typecast(reshape(x, kept), input_tensor.dtype, memory_config=memory_config)
    return in_layout(result, input_tensor.layout)


def _part(tensor: Tensor, axis: int, first: int, last: int) -> Tensor:
    starts, ends = [0] * len(tensor.spec.shape), list(tensor.spec.shape)
    starts[axis], ends[axis] = first, last
    return slice_(tensor, starts, ends)


def _argmax(tensor: Any, dim: int | None = None, keepdim: bool = False, **_: Any) -> Any:
    return tensor.argmax(dim, keepdim)


@registered("ttnn.argmax", golden=_argmax)
def argmax(
    input_tensor: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    sub_core_grids: CoreRangeSet | None = None,
    use_multicore: bool = True,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """Where the largest element along an axis, or of all, is: the first of them, as uint32 in rows."""
    shape = input_tensor.spec.shape
    x = as_tiles(input_tensor)
    x = (
        typecast(x, DataType.FLOAT32 if x.dtype is DataType.FLOAT32 else DataType.BFLOAT16)
        if not x.dtype.is_integer
        else x
    )
    if dim is None:
        x, axis = reshape(x, (1, x.logical_volume())), 1
        kept = [1] * len(shape) if keepdim else []
    else:
        axis = normal_axis(dim, len(shape))
        kept = [1 if one == axis else size for one, size in enumerate(shape) if keepdim or one != axis]
        x = reshape(x, (1, *shape)) if len(shape) == 1 else x
        axis += len(x.spec.shape) - len(shape)
    rank = len(x.spec.shape)
    size = x.spec.shape[axis]
    fatal(size < 2**24, f"tilesmith: argmax counts up to 2^24 elements, got {size}")
    largest = call("ttnn.max", x, axis, True)
    is_largest = typecast(elementwise("eq", [x, largest]), DataType.FLOAT32)
    places = np.arange(size, dtype=np.float32).reshape([size if one == axis else 1 for one in range(rank)])
    numbers = from_values(places, DataType.FLOAT32, Layout.TILE, input_tensor.device())
    found = call("ttnn.min", where(is_largest, numbers, float(size)), axis, True)
    index = in_layout(reshape(typecast(found, DataType.UINT32), kept), Layout.ROW_MAJOR)
    if output_tensor is not None:
        result: Tensor = call("ttnn.copy", index, output_tensor)
        return result
    moved: Tensor = index if memory_config is None else call("ttnn.to_memory_config", index, memory_config)
    return moved

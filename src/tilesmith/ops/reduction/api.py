"""sum, mean, max and min."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import launch, register
from tilesmith.ops.layouts import as_tiles, in_layout
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.reduction.empty import of_nothing
from tilesmith.ops.reduction.operation import Attributes, Pool, Reduce
from tilesmith.ops.shards import over_same_cores
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout

REDUCE = Reduce()
Axes = int | Sequence[int] | None
_OPPOSITE: dict[Pool, Pool] = {"max": "min", "min": "max"}


def _reduction(name: str) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        dim: Axes = None,
        keepdim: bool = False,
        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        scalar: float = 1.0,
        correction: bool | None = None,
        sub_core_grids: CoreRangeSet | None = None,
        fast_and_approximate_mode: bool = False,
        output_layout: Layout | None = None,
    ) -> Tensor:
        return _reduced(name, input_tensor, dim, keepdim, memory_config, scalar, output_layout)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{name} along axes; along all of them when none is named. `scalar` multiplies the result."
    )
    return function


def _reduced(
    name: str,
    tensor: Tensor,
    dim: Axes,
    keepdim: bool,
    memory_config: MemoryConfig | None,
    scalar: float,
    output_layout: Layout | None,
) -> Tensor:
    shape = tensor.spec.shape
    axes = reduced_axes(dim, len(shape))
    fatal(
        name != "mean" or not tensor.dtype.is_integer,
        f"ttnn.mean does not support integer inputs - got DataType::{tensor.dtype.name}.",
    )
    if (known := of_nothing(name, tensor, axes, keepdim, memory_config)) is not None:
        return known
    count = 1
    for axis in axes:
        count *= shape[axis]
    scale = scalar / count if name == "mean" else scalar
    pool: Pool = "max" if name == "max" else "min" if name == "min" else "sum"
    result = _in_steps(
        _plain(as_tiles(tensor)), pool, [axis - len(shape) for axis in axes], scale, memory_config
    )
    result = result if result.dtype is tensor.dtype else typecast(result, tensor.dtype)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape) if keepdim or axis not in axes]
    own = Layout.TILE if name in ("max", "min") or tensor.layout is Layout.TILE else Layout.ROW_MAJOR
    memory = over_same_cores(result.memory_config(), tuple(kept), result.spec.dtype, result)
    return in_layout(reshape(result, kept, memory_config=memory), output_layout or own)


def reduced_axes(dim: Axes, rank: int) -> list[int]:
    """The axes named, counted from the front and sorted; all of them for none.

    >>> reduced_axes([-1, 0], 3)
    [0, 2]
    """
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return list(range(rank))
    axes = []
    for index, asked in enumerate([dim] if isinstance(dim, int) else dim):
        axis = asked + rank if asked < 0 else asked
        fatal(
            0 <= axis < max(rank, 1),
            f"Unsupported dim {axis} at index {index}. After possible adjustment, needs to be at least 0 and"
            f" less than rank {rank}, or exactly 0 for a rank 0 tensor.",
        )
        axes.append(axis)
    axes.sort()
    for index in range(1, len(axes)):
        fatal(
            axes[index] != axes[index - 1],
            "reduce dim list contains a duplicate axis after sorting"
            f" (indices {index - 1} and {index}, value {axes[index]})",
        )
    return [axis for axis in axes if axis < rank]


def _plain(tensor: Tensor) -> Tensor:
    """In numbers that stand alone, and with at least two axes."""
    plain = typecast(tensor, DataType.BFLOAT16) if tensor.dtype.is_block_float else tensor
    shape = plain.spec.shape
    return plain if len(shape) >= 2 else reshape(plain, (1,) * (2 - len(shape)) + shape)


def _in_steps(
    tensor: Tensor, pool: Pool, axes: Sequence[int], scale: float, memory_config: MemoryConfig | None
) -> Tensor:
    """The last two axes together, every other by itself; the scale comes with the last step."""
    steps: list[tuple[int, ...]] = [(axis,) for axis in axes if axis < -2]
    matrix = tuple(axis for axis in axes if axis >= -2)
    steps = [matrix, *steps] if matrix else steps
    dtype = tensor.spec.dtype
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        shape = tuple(
            1 if axis - len(tensor.spec.shape) in step else size
            for axis, size in enumerate(tensor.spec.shape)
        )
        stored = dtype if last or pool != "sum" or dtype is not DataFormat.Float16_b else DataFormat.Float32
        memory = over_same_cores(memory_config or tensor.memory_config(), shape, stored, tensor)
        # ttnn scales what the last step compares: with a negative scale the smallest becomes the largest.
        own = _OPPOSITE.get(pool, pool) if last and scale < 0 else pool
        attrs = Attributes(own, step, memory.placed(), stored, scale if last else 1.0)
        (tensor,) = launch(REDUCE, attrs, [tensor])
    return tensor


def _golden(name: str) -> Callable[..., Any]:
    def golden(tensor: Any, dim: Axes = None, keepdim: bool = False, *, scalar: float = 1.0, **_: Any) -> Any:
        axes = tuple(reduced_axes(dim, tensor.dim()))
        if name in ("max", "min"):
            scaled = tensor if scalar == 1.0 else tensor * scalar
            return {"max": scaled.amax, "min": scaled.amin}[name](dim=axes, keepdim=keepdim)
        result = getattr(tensor, name)(dim=axes, keepdim=keepdim)
        return result if scalar == 1.0 else result * scalar

    return golden


for _name in ("sum", "mean", "max", "min"):
    register(f"ttnn.{_name}", _reduction(_name), golden=_golden(_name))

"""narrow, roll, repeat_interleave, tril and triu: elements moved by other operations of this folder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import from_values
from tilesmith.ops.framework import register, registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.joins import concat, repeat
from tilesmith.ops.rearrange.memory import to_memory_config
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.rearrange.slicing import slice_
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


@registered("ttnn.narrow", golden=lambda tensor, dim, start, length: tensor.narrow(dim, start, length))
def narrow(input_tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A part of an axis, from `start` on."""
    shape = input_tensor.spec.shape
    axis = normal_axis(dim, len(shape))
    first = start + shape[axis] if start < 0 else start
    fatal(
        first >= 0 and length >= 0 and first + length <= shape[axis],
        f"start ({start}) + length ({length}) exceeds dimension size ({shape[axis]}).",
    )
    return _part(input_tensor, axis, first, first + length)


def _part(tensor: Tensor, axis: int, first: int, last: int) -> Tensor:
    starts, ends = [0] * len(tensor.spec.shape), list(tensor.spec.shape)
    starts[axis], ends[axis] = first, last
    return slice_(tensor, starts, ends)


@registered("ttnn.roll", golden=lambda tensor, shifts, dim=None, **_: tensor.roll(shifts, dim))
def roll(
    input_tensor: Tensor,
    shifts: int | Sequence[int],
    dim: int | Sequence[int] | None = None,
    *,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """Elements moved along axes; what leaves at one end comes in at the other."""
    shape = input_tensor.spec.shape
    if dim is None:
        flat = reshape(input_tensor, (1, input_tensor.logical_volume()))
        return reshape(roll(flat, shifts, 1), shape, memory_config=memory_config)
    steps = [shifts] if isinstance(shifts, int) else list(shifts)
    axes = [dim] if isinstance(dim, int) else list(dim)
    fatal(len(steps) == len(axes), "Roll expects shifts and dimensions to have the same size.")
    result = input_tensor
    for step, asked in zip(steps, axes, strict=True):
        axis = normal_axis(asked, len(shape))
        by = step % shape[axis] if shape[axis] else 0
        if by:
            cut = shape[axis] - by
            ends = [_part(result, axis, cut, shape[axis]), _part(result, axis, 0, cut)]
            result = concat(ends, axis)
    return result if memory_config is None else to_memory_config(result, memory_config)


@registered(
    "ttnn.repeat_interleave", golden=lambda tensor, repeats, dim, **_: tensor.repeat_interleave(repeats, dim)
)
def repeat_interleave(
    input_tensor: Tensor, repeats: int, dim: int, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """Every element of an axis so many times in a row."""
    shape = input_tensor.spec.shape
    axis = normal_axis(dim, len(shape))
    fatal(repeats > 0, f"repeats must be positive, got {repeats}")
    apart = reshape(input_tensor, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    times = [repeats if one == axis + 1 else 1 for one in range(len(shape) + 1)]
    whole = tuple(size * repeats if one == axis else size for one, size in enumerate(shape))
    return reshape(repeat(apart, times), whole, memory_config=memory_config)


def _triangle(name: str) -> None:
    def function(
        input_tensor: Tensor, diagonal: int = 0, *, memory_config: MemoryConfig | None = None
    ) -> Tensor:
        shape = input_tensor.spec.shape
        fatal(len(shape) >= 2, f"{name} needs a tensor of at least 2 dimensions")
        ones = np.ones(shape[-2:], np.float32)
        kept = np.tril(ones, diagonal) if name == "tril" else np.triu(ones, diagonal)
        mask = from_values(kept, input_tensor.dtype, Layout.TILE, input_tensor.device())
        result: Tensor = call("ttnn.where", mask, input_tensor, 0.0, memory_config=memory_config)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}: the elements on one side of a diagonal of each matrix, and zeros."
    register(f"ttnn.{name}", function, golden=lambda tensor, diagonal=0, **_: getattr(tensor, name)(diagonal))


for _name in ("tril", "triu"):
    _triangle(_name)

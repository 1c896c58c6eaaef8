"""concat, stack, pad, repeat and expand: larger tensors from smaller ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.gather import MAX_SOURCES
from tilesmith.ops.rearrange.mapping import placed, repeated, widened
from tilesmith.ops.rearrange.reference import concatenated, padded, stacked
from tilesmith.ops.rearrange.shapes import reshape, unsqueeze
from tilesmith.ops.rearrange.slicing import split
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout


@registered("ttnn.concat", golden=concatenated)
def concat(
    tensors: Sequence[Tensor],
    dim: int = 0,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    groups: int = 1,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Tensors one after another along an axis."""
    fatal(len(tensors) > 0, "ttnn.concat: expected a non-empty list of Tensors!")
    axis = normal_axis(dim, len(tensors[0].spec.shape))
    fatal(
        len(tensors[0].spec.shape) > 0,
        "ttnn.concat: tensors of rank 0 have no dimension to concatenate",
        remedy="use ttnn.stack, or unsqueeze them first",
    )
    _check_joinable(tensors, axis)
    if groups > 1:
        return _in_groups(tensors, axis, groups, memory_config, output_tensor)
    if len(tensors) == 1:
        return tensors[0]
    if len(tensors) > MAX_SOURCES:
        head = concat(tensors[:MAX_SOURCES], dim)
        return concat(
            [head, *tensors[MAX_SOURCES:]], dim, memory_config=memory_config, output_tensor=output_tensor
        )
    segments, at = [], 0
    for source, tensor in enumerate(tensors):
        start = tuple(at if one == axis else 0 for one in range(len(tensor.spec.shape)))
        segments.append(placed(tensor.spec.shape, start, source))
        at += tensor.spec.shape[axis]
    shape = [at if one == axis else size for one, size in enumerate(tensors[0].spec.shape)]
    return rearrange(
        tensors, shape, segments, label="concat", memory_config=memory_config, output=output_tensor
    )


def _in_groups(
    tensors: Sequence[Tensor],
    axis: int,
    groups: int,
    memory_config: MemoryConfig | None,
    output_tensor: Tensor | None,
) -> Tensor:
    """The first part of each tensor, then the second of each, and so on."""
    for tensor in tensors:
        size = tensor.spec.shape[axis]
        fatal(size % groups == 0, f"ttnn.concat: {size} elements cannot be divided into {groups} groups")
    parts = [split(tensor, tensor.spec.shape[axis] // groups, axis) for tensor in tensors]
    ordered = [parts[one][group] for group in range(groups) for one in range(len(tensors))]
    return concat(ordered, axis, memory_config=memory_config, output_tensor=output_tensor)


def _check_joinable(tensors: Sequence[Tensor], axis: int) -> None:
    first = tensors[0]
    for tensor in tensors[1:]:
        shapes = (first.spec.shape, tensor.spec.shape)
        fatal(len(shapes[0]) == len(shapes[1]), "All tensors must have the same number of dimensions.")
        fatal(
            all(a == b for one, (a, b) in enumerate(zip(*shapes, strict=True)) if one != axis),
            "All dimensions must be the same size except for the dimension along which the contenation is"
            " taking place.",
        )
        layout = "tile" if first.layout is Layout.TILE else "row-major"
        fatal(
            tensor.layout is first.layout, f"ttnn.concat: expected all input tensors to be in {layout} layout"
        )
        fatal(tensor.dtype is first.dtype, "All Tensors should have same dtypes.")


@registered("ttnn.stack", golden=stacked)
def stack(input_tensors: Sequence[Tensor], dim: int) -> Tensor:
    """Tensors of one shape along a new axis."""
    fatal(len(input_tensors) > 0, "ttnn.stack: expected a non-empty list of Tensors!")
    return concat([unsqueeze(one, dim) for one in input_tensors], dim)


@registered("ttnn.pad", golden=padded)
def pad(
    input_tensor: Tensor,
    padding: Sequence[Sequence[int]] | Sequence[int],
    value: float | Sequence[int] = 0.0,
    pad_value: float | None = None,
    *,
    use_multicore: bool = True,
    memory_config: MemoryConfig | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """(before, after) for every axis; or the shape to reach, where to start in it, and the value."""
    shape = input_tensor.spec.shape
    if isinstance(value, (int, float)):
        pairs = [tuple(pair) for pair in padding if isinstance(pair, Sequence)]
        fill = value
    else:
        whole = [size for size in padding if isinstance(size, int)]
        pairs = [(a, w - a - s) for a, w, s in zip(value, whole, shape, strict=True)]
        fill = pad_value or 0.0
    fatal(len(pairs) <= len(shape), "ttnn.pad: padding len can't be larger than input tensor rank")
    pairs = [(0, 0)] * (len(shape) - len(pairs)) + pairs
    fatal(
        all(before >= 0 and after >= 0 for before, after in pairs),
        f"ttnn.pad: padding must not be negative, got {pairs}",
    )
    target = tuple(before + size + after for (before, after), size in zip(pairs, shape, strict=True))
    if target == shape and memory_config in (None, input_tensor.memory_config()):
        return input_tensor
    start = tuple(before for before, _ in pairs)
    return rearrange(
        [input_tensor], target, [placed(shape, start)], label="pad", memory_config=memory_config, fill=fill
    )


@registered("ttnn.repeat", golden=lambda tensor, dims, **_: tensor.repeat(tuple(dims)))
def repeat(
    input_tensor: Tensor,
    repeat_dims: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """Each axis so many times over."""
    rank = max(len(repeat_dims), len(input_tensor.spec.shape))
    times = (1,) * (rank - len(repeat_dims)) + tuple(repeat_dims)
    shape = (1,) * (rank - len(input_tensor.spec.shape)) + input_tensor.spec.shape
    fatal(all(one > 0 for one in times), f"Repetitions must be positive, got {list(times)}")
    whole = tuple(one * size for one, size in zip(times, shape, strict=True))
    if math.prod(times) == 1:
        return reshape(input_tensor, shape, memory_config=memory_config)
    only_ones = all(size == 1 or one == 1 for one, size in zip(times, shape, strict=True))
    segment = widened(shape, whole) if only_ones else repeated(shape, times)
    return rearrange(
        [input_tensor],
        whole,
        [segment],
        label="repeat",
        memory_config=memory_config,
        view=() if only_ones else segment.size,
        output=optional_output_tensor,
    )


@registered("ttnn.expand", golden=lambda tensor, shape, **_: tensor.expand(tuple(shape)))
def expand(
    input_tensor: Tensor, output_shape: Sequence[int], *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """Axes of size 1 repeated to the sizes given; -1 keeps a size."""
    shape = (1,) * (len(output_shape) - len(input_tensor.spec.shape)) + input_tensor.spec.shape
    fatal(len(shape) == len(output_shape), "Output shape must have at least as many dimensions as the input")
    wanted = [size if one == -1 else one for one, size in zip(output_shape, shape, strict=True)]
    fatal(
        all(size in (1, one) for one, size in zip(wanted, shape, strict=True)),
        "Only size 1 dimensions can be expanded in the output shape",
    )
    times = [one // size for one, size in zip(wanted, shape, strict=True)]
    return repeat(input_tensor, times, memory_config=memory_config)

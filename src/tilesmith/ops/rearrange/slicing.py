"""slice, indexing, split and chunk: parts of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import EllipsisType

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.mapping import sliced
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet

Index = int | slice | EllipsisType


def _golden(
    tensor: object, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] = (), **_: object
) -> object:
    steps = steps or [1] * len(starts)
    return tensor[tuple(map(slice, starts, ends, steps))]  # type: ignore[index]  # a torch tensor


def _numbers(given: Sequence[int] | Tensor | None) -> Sequence[int] | None:
    """Of a tensor, the numbers in it."""
    return [int(one) for one in given.to_numpy().reshape(-1)] if isinstance(given, Tensor) else given


@registered("ttnn.slice", golden=_golden)
def slice_(
    input_tensor: Tensor,
    slice_start: Sequence[int] | Tensor | None = None,
    slice_end: Sequence[int] | Tensor | None = None,
    slice_step: Sequence[int] | None = None,
    *,
    starts: Sequence[int] | Tensor | None = None,
    ends: Sequence[int] | Tensor | None = None,
    steps: Sequence[int] | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    pad_value: float | None = None,
    sub_core_grids: CoreRangeSet | None = None,
    slice_dim: int | None = None,
    num_devices: int | None = None,
) -> Tensor:
    """Elements from `slice_start` up to, not including, `slice_end`, every `slice_step`-th.

    Both may be tensors of numbers; what `slice_dim` and `num_devices` say of them is then not needed here.
    """
    shape = input_tensor.spec.shape
    rank = len(shape)
    first = _numbers(starts if slice_start is None else slice_start)
    last = _numbers(ends if slice_end is None else slice_end)
    if first is None or last is None:
        raise TypeError("ttnn.slice(): starts and ends are needed")
    given = steps if slice_step is None else slice_step
    steps = list(given) if given is not None else [1] * rank
    fatal(len(first) == rank, f"Input rank {rank} and begins {len(first)} must have the same size")
    fatal(len(last) == rank, f"Input rank {rank} and ends {len(last)} must have the same size")
    fatal(len(steps) == rank, f"Input rank {rank} and step {len(steps)} must have the same size")
    begins = [one + size if one < 0 else one for one, size in zip(first, shape, strict=True)]
    stops = [one + size if one < 0 else one for one, size in zip(last, shape, strict=True)]
    for begin, end, step, extent in zip(begins, stops, steps, shape, strict=True):
        fatal(step > 0, f"Step {step} must be positive")
        fatal(end <= extent, f"Ends {end} must be less than or equal to the shape of the tensor {extent}")
        fatal(begin <= end, f"End {end} must be greater than or equal to start {begin}")
    size = tuple(-(-(end - begin) // step) for begin, end, step in zip(begins, stops, steps, strict=True))
    if size == shape and memory_config in (None, input_tensor.memory_config()) and output_tensor is None:
        return input_tensor
    return rearrange(
        [input_tensor],
        size,
        [sliced(shape, begins, size, steps)],
        label="slice",
        memory_config=memory_config,
        fill=pad_value or 0,
        output=output_tensor,
    )


def indexed(tensor: Tensor, index: Index | tuple[Index, ...]) -> Tensor:
    """tensor[index], as ttnn's Tensor has it: whole numbers drop their axis."""
    shape = tensor.spec.shape
    given = index if isinstance(index, tuple) else (index,)
    for item in given:
        if not isinstance(item, (int, slice, EllipsisType)):
            raise TypeError(f"Invalid slice type: {item}")
    full = _without_ellipsis(given, len(shape))
    if tensor.on_host is not None:
        values = tensor.to_numpy()[tuple(full)]
        spec = replace(tensor.spec, shape=tuple(values.shape))
        return Tensor(on_host=HostTensor.of_numpy(values, spec))
    ranges = [_range(one, size) for one, size in zip(full, shape, strict=True)]
    part = slice_(
        tensor, [one.start for one in ranges], [one.stop for one in ranges], [one.step for one in ranges]
    )
    kept = [size for size, one in zip(part.spec.shape, full, strict=True) if not isinstance(one, int)]
    return reshape(part, kept)


def _without_ellipsis(index: tuple[Index, ...], rank: int) -> list[int | slice]:
    fatal(sum(one is ... for one in index) <= 1, "Only one ellipsis is allowed in a slice")
    named = [one for one in index if not isinstance(one, EllipsisType)]
    fatal(len(named) <= rank, f"Too many indices for tensor of dimension {rank}")
    before = next((i for i, one in enumerate(index) if one is ...), len(index))
    everything: list[int | slice] = [slice(None)] * (rank - len(named))
    return [*named[:before], *everything, *named[before:]]


def _range(index: int | slice, size: int) -> range:
    if isinstance(index, int):
        at = index + size if index < 0 else index
        fatal(0 <= at < size, f"Index {index} is out of range for a dimension of size {size}")
        return range(at, at + 1)
    return range(*index.indices(size))


@registered("ttnn.split", golden=lambda tensor, size, dim=0, **_: list(tensor.split(size, dim)))
def split(
    input_tensor: Tensor,
    split_size: int | Sequence[int],
    dim: int = 0,
    *,
    memory_config: MemoryConfig | None = None,
) -> list[Tensor]:
    """Consecutive parts along an axis: all of one size but the last, or of the sizes given."""
    shape = input_tensor.spec.shape
    axis = normal_axis(dim, len(shape))
    if isinstance(split_size, int):
        fatal(split_size > 0, f"Split size {split_size} must be positive")
        sizes = [min(split_size, shape[axis] - first) for first in range(0, shape[axis], split_size)]
    else:
        sizes = list(split_size)
    fatal(
        sum(sizes) == shape[axis], f"Split sizes should sum up to dimension size {shape[axis]}, got {sizes}"
    )
    parts, first = [], 0
    for size in sizes:
        parts.append(_part(input_tensor, axis, first, size, memory_config))
        first += size
    return parts


@registered("ttnn.chunk", golden=lambda tensor, chunks, dim: list(tensor.chunk(chunks, dim)))
def chunk(input_tensor: Tensor, chunks: int, dim: int) -> list[Tensor]:
    """As many parts along an axis, or fewer where they do not divide it."""
    fatal(chunks > 0, "Number of chunks must be positive")
    size = input_tensor.spec.shape[normal_axis(dim, len(input_tensor.spec.shape))]
    return split(input_tensor, -(-size // chunks), dim)


def _part(tensor: Tensor, axis: int, first: int, size: int, memory_config: MemoryConfig | None) -> Tensor:
    starts = [0] * len(tensor.spec.shape)
    ends = list(tensor.spec.shape)
    starts[axis], ends[axis] = first, first + size
    return slice_(tensor, starts, ends, memory_config=memory_config)

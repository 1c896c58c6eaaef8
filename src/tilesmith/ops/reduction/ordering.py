"""topk, sort, cumsum and cumprod, made of other operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import from_values
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.binary import where
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import register, registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.layouts import as_tiles, in_layout
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.joins import concat, pad
from tilesmith.ops.rearrange.memory import copy, to_memory_config
from tilesmith.ops.rearrange.permutation import transpose
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.rearrange.slicing import slice_
from tilesmith.ops.reduction.topk_checks import check_topk
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout

MOST_STEPS = 8  # each takes four launches


def _topk(
    tensor: Any, k: int = 32, dim: int = -1, largest: bool = True, sorted: bool = True, **_: Any
) -> Any:
    return tensor.topk(k, dim, largest, sorted)


@registered("ttnn.topk", golden=_topk)
def topk(
    input_tensor: Tensor,
    k: int = 32,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    memory_config: MemoryConfig | None = None,
    sub_core_grids: CoreRangeSet | None = None,
    indices_tensor: Tensor | None = None,
    output_tensor: tuple[Tensor, Tensor] | None = None,
    stable: bool = False,
) -> list[Tensor]:
    """The k largest (or smallest) elements along an axis, in order, and where they are."""
    check_topk(input_tensor, k, dim, indices_tensor, output_tensor)
    return _in_order(input_tensor, k, dim, largest, memory_config, indices_tensor, output_tensor)


def _in_order(
    input_tensor: Tensor,
    k: int,
    dim: int,
    largest: bool,
    memory_config: MemoryConfig | None,
    indices_tensor: Tensor | None,
    output_tensor: tuple[Tensor, Tensor] | None,
) -> list[Tensor]:
    shape = input_tensor.spec.shape
    axis = normal_axis(dim, len(shape))
    size = shape[axis]
    if k > MOST_STEPS or input_tensor.dtype.is_integer or indices_tensor is not None:
        return _topk_on_host(input_tensor, k, axis, largest, memory_config, indices_tensor, output_tensor)
    fatal(size < 2**24, f"tilesmith: topk counts up to 2^24 elements, got {size}")
    x = typecast(as_tiles(input_tensor), DataType.FLOAT32)
    x = reshape(x, (1, *shape)) if len(shape) == 1 else x
    back = axis - len(shape)
    x = transpose(x, back, -1)
    x = x if largest else elementwise("", [x], after=["neg"])
    values, places = _largest(x, k)
    values = values if largest else elementwise("", [values], after=["neg"])
    index = DataType.UINT16 if size < 2**16 else DataType.UINT32
    found = [typecast(values, input_tensor.dtype), typecast(places, index)]
    kept = tuple(k if one == axis else extent for one, extent in enumerate(shape))
    found = [reshape(transpose(one, back, -1), kept) for one in found]
    if output_tensor is not None:
        return [copy(one, room) for one, room in zip(found, output_tensor, strict=True)]
    return found if memory_config is None else [to_memory_config(one, memory_config) for one in found]


def _topk_on_host(
    tensor: Tensor,
    k: int,
    axis: int,
    largest: bool,
    memory_config: MemoryConfig | None,
    indices: Tensor | None,
    output: tuple[Tensor, Tensor] | None,
) -> list[Tensor]:
    """Many at once, or of integers: a launch for each would take too long. Equal ones keep their order."""

    def compute(x: Any, given: Any) -> Any:
        values, places = x.sort(dim=axis, descending=largest, stable=True)
        values, places = (one.narrow(axis, 0, k) for one in (values, places))
        return values, places if given is None else given.expand_as(x).gather(axis, places)

    index = DataType.UINT16 if tensor.spec.shape[axis] < 2**16 else DataType.UINT32
    return on_host(
        "ttnn.topk",
        compute,
        [tensor, indices],
        dtype=[tensor.dtype, index if indices is None else indices.dtype],
        layout=tensor.layout,
        memory_config=memory_config,
        output=output,
    )


@registered("ttnn.sort", golden=lambda tensor, dim=-1, descending=False, **_: tensor.sort(dim, descending))
def sort(
    input_tensor: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> list[Tensor]:
    """The elements along an axis in order, and where they were; equal ones keep their order."""
    size = input_tensor.spec.shape[normal_axis(dim, len(input_tensor.spec.shape))]
    fatal(size > 0, "ttnn.sort: the dimension has no elements")
    if out is not None and input_tensor.dtype in (DataType.FLOAT32, DataType.UINT16):
        fatal(
            out[1].dtype is DataType.UINT32,
            "Output indices tensor dtype must be UINT32 when input dtype is FLOAT32 or UINT16. Got:"
            f" DataType::{out[1].dtype.name}",
        )
    found = _in_order(input_tensor, size, dim, descending, memory_config, None, out)
    wide = input_tensor.dtype in (DataType.FLOAT32, DataType.UINT16) and out is None
    return [found[0], typecast(found[1], DataType.UINT32)] if wide else found


def _largest(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """One after another: the largest of the last axis, the first place it has, and then without it."""
    size = x.spec.shape[-1]
    row = np.arange(size, dtype=np.float32).reshape((1,) * (len(x.spec.shape) - 1) + (size,))
    numbers = from_values(row, DataType.FLOAT32, Layout.TILE, x.device())
    free = numbers  # of those not taken yet
    values, places = [], []
    for _ in range(k):
        largest = call("ttnn.max", x, -1, True)
        place = call("ttnn.min", where(elementwise("eq", [x, largest]), free, float(size)), -1, True)
        taken = elementwise("eq", [numbers, place])
        x = where(taken, float("-inf"), x)
        free = where(taken, float(size), free)
        values.append(largest)
        places.append(place)
    return concat(values, -1), concat(places, -1)


def _scan(tensor: Tensor, dim: int, combine: str, neutral: int, backwards: bool, target: DataType) -> Tensor:
    """All elements up to each one along an axis, combined in steps of 1, 2, 4 ... with 32 bits."""
    axis = normal_axis(dim, len(tensor.spec.shape))
    x = typecast(as_tiles(tensor), DataType.INT32 if tensor.dtype.is_integer else DataType.FLOAT32)
    step = 1
    while tensor.spec.shape and step < tensor.spec.shape[axis]:
        x = elementwise(combine, [x, _shifted(x, axis, -step if backwards else step, neutral)])
        step *= 2
    return in_layout(typecast(x, target), tensor.layout)


def _accumulation(name: str, combine: str, neutral: int) -> None:
    def function(
        input: Tensor,
        dim: int,
        *,
        dtype: DataType | None = None,
        reverse_order: bool = False,
        out: Tensor | None = None,
        memory_config: MemoryConfig | None = None,
    ) -> Tensor:
        result = _scan(input, dim, combine, neutral, reverse_order, dtype or input.dtype)
        if out is not None:
            return copy(result, out)
        return result if memory_config is None else to_memory_config(result, memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} along an axis, from its end with `reverse_order`."
    register(f"ttnn.{name}", function, golden=lambda tensor, dim, **_: getattr(tensor, name)(dim))


_accumulation("cumsum", "add", 0)
_accumulation("cumprod", "mul", 1)


def _shifted(x: Tensor, axis: int, step: int, neutral: int) -> Tensor:
    """Moved along an axis, with what changes nothing where nothing comes from."""
    shape = x.spec.shape
    starts, ends = [0] * len(shape), list(shape)
    starts[axis], ends[axis] = max(-step, 0), shape[axis] - max(step, 0)
    amounts = [[0, 0] for _ in shape]
    amounts[axis] = [max(step, 0), max(-step, 0)]
    return pad(slice_(x, starts, ends), amounts, neutral)

"""zeros, ones, full, empty, arange, rand, and those that take another tensor for a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import sizes, uploaded
from tilesmith.ops.creation.random import Attributes, Random
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import launch, register, registered
from tilesmith.ops.layouts import in_layout
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig, placed
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.tensor_spec import TensorSpec


@registered("ttnn.full")
def full(
    shape: Sequence[int],
    fill_value: float,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig | None = None,
    optional_tensor: Tensor | None = None,
) -> Tensor:
    """A tensor full of one value."""
    if optional_tensor is not None:
        fatal(optional_tensor.spec.shape == sizes(shape), "optional_tensor must have the shape asked for")
        return rearrange(
            [optional_tensor], sizes(shape), [], label="full", fill=fill_value, output=optional_tensor
        )
    values = np.full(
        sizes(shape), fill_value, np.int64 if dtype is not None and dtype.is_integer else np.float32
    )
    return uploaded(values, dtype, layout, device, memory_config)


def _filled(value: float, name: str) -> Callable[..., Tensor]:
    def function(
        shape: Sequence[int],
        dtype: DataType | None = None,
        layout: Layout | None = None,
        device: MeshDevice | None = None,
        memory_config: MemoryConfig | None = None,
    ) -> Tensor:
        return full(shape, value, dtype, layout, device, memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A tensor full of {name}."
    return function


@registered("ttnn.full_like")
def full_like(
    tensor: Tensor,
    fill_value: float,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig | None = None,
    optional_tensor: Tensor | None = None,
) -> Tensor:
    """A tensor full of one value, like another in all that is not said."""
    shape, target = tensor.spec.shape, dtype or tensor.dtype
    place = device or tensor.device()
    plain = target is tensor.dtype and tensor.on_device is not None and not target.is_block_float
    if plain and (device is None or device is tensor.device()):
        return rearrange(
            [tensor],
            shape,
            [],
            label="full_like",
            layout=layout,
            memory_config=memory_config,
            fill=fill_value,
            output=optional_tensor,
        )
    memory = memory_config or tensor.memory_config()
    return full(shape, fill_value, target, layout or tensor.layout, place, memory, optional_tensor)


def _filled_like(value: float, name: str) -> Callable[..., Tensor]:
    def function(
        tensor: Tensor,
        dtype: DataType | None = None,
        layout: Layout | None = None,
        device: MeshDevice | None = None,
        memory_config: MemoryConfig | None = None,
        optional_tensor: Tensor | None = None,
    ) -> Tensor:
        return full_like(tensor, value, dtype, layout, device, memory_config, optional_tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A tensor full of {name.partition('_')[0]}, like another."
    return function


for _name, _value in (("zeros", 0), ("ones", 1)):
    register(f"ttnn.{_name}", _filled(_value, _name))
    register(f"ttnn.{_name}_like", _filled_like(_value, f"{_name}_like"))


@registered("ttnn.empty")
def empty(
    shape: Sequence[int],
    dtype: DataType = DataType.BFLOAT16,
    layout: Layout = Layout.ROW_MAJOR,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
) -> Tensor:
    """Room on a device, not yet written."""
    if device is None:
        raise TypeError("ttnn.empty(): a device is needed")
    spec = TensorSpec(sizes(shape), dtype.format, layout, placed(memory_config))
    return Tensor.of_device(DeviceTensor(device.device._allocate(spec)))


@registered("ttnn.empty_like")
def empty_like(
    tensor: Tensor,
    *,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """Room like another tensor's."""
    memory = memory_config or tensor.memory_config()
    return empty(
        tensor.spec.shape, dtype or tensor.dtype, layout or tensor.layout, device or tensor.device(), memory
    )


def allocate_tensor_on_device(
    shape: Sequence[int],
    dtype: DataType,
    layout: Layout,
    device: MeshDevice,
    memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
) -> Tensor:
    """ttnn's name for `empty`, with its order of arguments."""
    return empty(shape, dtype, layout, device, memory_config)


register("ttnn.allocate_tensor_on_device", allocate_tensor_on_device)


@registered("ttnn.arange")
def arange(
    start: int,
    end: int | None = None,
    step: int = 1,
    *,
    dtype: DataType = DataType.BFLOAT16,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
    layout: Layout = Layout.ROW_MAJOR,
) -> Tensor:
    """start, start + step, ... before end; with one argument from 0."""
    first, last = (0, start) if end is None else (start, end)
    fatal(step != 0, "Step must be nonzero")
    fatal(
        (last > first) == (step > 0) or last == first,
        "Invalid range: Step direction does not match range bounds",
    )
    return uploaded(np.arange(first, last, step), dtype, layout, device, memory_config)


@registered("ttnn.rand")
def rand(
    shape: Sequence[int],
    device: MeshDevice,
    *,
    dtype: DataType = DataType.BFLOAT16,
    layout: Layout = Layout.TILE,
    memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
    low: float = 0.0,
    high: float = 1.0,
    seed: int = 0,
    mesh_mapper: object = None,
) -> Tensor:
    """Evenly distributed numbers from `low` up to `high`, made on the device."""
    fatal(low < high, f"rand: low ({low}) must be below high ({high})")
    fatal(not dtype.is_integer, f"rand: dtype must be a float, got {dtype}")
    spec = TensorSpec(sizes(shape), dtype.format, Layout.TILE, placed(memory_config))
    room = Tensor.of_device(DeviceTensor(device.device._allocate(spec)))
    (tensor,) = launch(Random(), Attributes(spec, low, high, seed), [], output=[room])
    return in_layout(tensor, layout)


def moreh_full_like(
    input: Tensor,
    fill_value: float,
    *,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """ttnn's other name for `full_like`."""
    return full_like(input, fill_value, dtype, layout, None, memory_config)


register("ttnn.moreh_full_like", moreh_full_like)

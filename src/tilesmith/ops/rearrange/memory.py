"""Where tensors lie: between DRAM and L1, interleaved and sharded, host and device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.ops.checks import fatal
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.layout import _same
from tilesmith.ops.rearrange.mapping import identity
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreCoord, CoreRangeSet
from tilesmith.runtime import BufferType, ShardOrientation, ShardSpec, TensorMemoryLayout


@registered("ttnn.to_memory_config", golden=_same)
def to_memory_config(
    tensor: Tensor,
    memory_config: MemoryConfig,
    dtype: DataType | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """A copy in other memory; the tensor itself when it is there already."""
    wanted = dtype or tensor.dtype
    if tensor.memory_config() == memory_config and wanted is tensor.dtype and output_tensor is None:
        return tensor
    return moved(tensor, memory_config, dtype, output_tensor)


def moved(
    tensor: Tensor, memory_config: MemoryConfig, dtype: DataType | None = None, output: Tensor | None = None
) -> Tensor:
    """A copy in the memory given, always."""
    from tilesmith.ops.elementwise.unary import typecast

    if dtype is not None and dtype is not tensor.dtype:
        return typecast(tensor, dtype, memory_config=memory_config, output_tensor=output)
    shape = tensor.spec.shape
    segments = [identity(shape or (1,))]
    return rearrange([tensor], shape, segments, label="copy", memory_config=memory_config, output=output)


@registered("ttnn.clone", golden=_same)
def clone(
    input: Tensor,
    *,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """A copy."""
    return moved(input, memory_config or input.memory_config(), dtype)


@registered("ttnn.copy")
def copy(input_a: Tensor, input_b: Tensor) -> Tensor:
    """Copy a tensor's elements into another of the same shape."""
    fatal(input_a.shape == input_b.shape, f"Shapes must be the same, got {input_a.shape} and {input_b.shape}")
    return moved(input_a, input_b.memory_config(), input_b.dtype, input_b)


@registered("ttnn.reallocate", golden=_same)
def reallocate(tensor: Tensor, memory_config: MemoryConfig | None = None) -> Tensor:
    """The tensor where it leaves the least gaps: it steps aside, its memory is given back, and it returns."""
    memory = memory_config or tensor.memory_config()
    aside = moved(tensor, memory)
    tensor.deallocate()
    placed = moved(aside, memory)
    aside.deallocate()
    return placed


register("ttnn.move", reallocate, golden=_same)


@registered("ttnn.deallocate")
def deallocate(tensor: Tensor, force: bool = True) -> None:
    """Give a tensor's device memory back."""
    tensor.deallocate(force)


@registered("ttnn.interleaved_to_sharded", golden=_same)
def interleaved_to_sharded(
    input_tensor: Tensor,
    grid: MemoryConfig | CoreCoord | CoreRangeSet,
    shard_shape: Sequence[int] | DataType | None = None,
    shard_scheme: TensorMemoryLayout | None = None,
    shard_orientation: ShardOrientation | None = None,
    output_dtype: DataType | None = None,
    *,
    keep_l1_aligned: bool = False,
    preallocated_output: Tensor | None = None,
) -> Tensor:
    """Into shards, given as a memory config or piece by piece."""
    fatal(not input_tensor.is_sharded(), "Input tensor must be interleaved")
    if isinstance(grid, MemoryConfig):
        dtype = shard_shape if isinstance(shard_shape, DataType) else output_dtype
        return moved(input_tensor, grid, dtype, preallocated_output)
    fatal(
        isinstance(shard_shape, Sequence) and shard_scheme is not None,
        "interleaved_to_sharded needs a sharded memory config, or grid, shard_shape, shard_scheme and"
        " orientation",
    )
    assert isinstance(shard_shape, Sequence)
    assert shard_scheme is not None
    cores = grid if isinstance(grid, CoreRangeSet) else CoreGrid(x=grid[0], y=grid[1]).ranges
    spec = ShardSpec(cores, shard_shape, shard_orientation or ShardOrientation.ROW_MAJOR)
    return moved(input_tensor, MemoryConfig(shard_scheme, BufferType.L1, spec), output_dtype)


@registered("ttnn.sharded_to_interleaved", golden=_same)
def sharded_to_interleaved(
    input_tensor: Tensor, memory_config: MemoryConfig | None = None, output_dtype: DataType | None = None
) -> Tensor:
    """Out of shards."""
    fatal(input_tensor.is_sharded(), "Input tensor must be sharded")
    return moved(input_tensor, memory_config or DRAM_MEMORY_CONFIG, output_dtype)


@registered("ttnn.reshard", golden=_same)
def reshard(
    input_tensor: Tensor, output_memory_config: MemoryConfig, output_tensor: Tensor | None = None
) -> Tensor:
    """From shards to other shards."""
    fatal(input_tensor.is_sharded(), "input must be sharded")
    fatal(output_memory_config.is_sharded(), "output must be sharded")
    return moved(input_tensor, output_memory_config, None, output_tensor)


@registered("ttnn.to_device", golden=_same)
def to_device(
    tensor: Tensor,
    device: MeshDevice,
    memory_config: MemoryConfig | None = None,
    cq_id: int | None = None,
) -> Tensor:
    """A copy on the device; the tensor itself when it is on one already."""
    if tensor.on_host is None:
        return tensor
    memory = memory_config or tensor.memory_config()
    spec = replace(tensor.spec, memory_config=memory.placed())
    return Tensor.of_device(tensor.on_host.to_device(device.device, spec))


@registered("ttnn.from_device", golden=_same)
def from_device(tensor: Tensor, blocking: bool = True, cq_id: int | None = None) -> Tensor:
    """A copy on the host."""
    return tensor.cpu()

"""Memory configs that leave their shards open, or whose shards do not fit, completed for a shape."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import Layout, ShardOrientation, ShardSpec, TensorMemoryLayout
from tilesmith.runtime.tensor_spec import TensorSpec


def fitting_memory(
    wanted: MemoryConfig, shape: tuple[int, ...], like: Tensor, layout: Layout | None = None
) -> MemoryConfig:
    """The memory config wanted, for a tensor of this shape made from `like`.

    A sharded one without shards takes those of `like`. Where the shards were only inherited and cannot hold
    the shape, the tensor goes interleaved into the same memory; shards asked for by name must fit.
    """
    if not wanted.is_sharded():
        return wanted
    own = like.memory_config()
    if wanted.lacks_shards and own.shard_spec is None and like.on_device is not None:
        return _over_all_cores(wanted, shape, like, layout)
    if wanted.lacks_shards:
        wanted = replace(wanted, shard_spec=own.shard_spec)
    if wanted != own:
        return wanted
    try:
        TensorSpec(shape, like.spec.dtype, layout or like.spec.layout, wanted.placed())
    except DeviceError:
        return replace(DRAM_MEMORY_CONFIG, buffer_type=wanted.buffer_type)
    return wanted


def _over_all_cores(
    wanted: MemoryConfig, shape: tuple[int, ...], like: Tensor, layout: Layout | None
) -> MemoryConfig:
    """Shards over the whole chip, as ttnn makes them where nobody named any."""
    assert like.on_device is not None
    size = like.on_device.device.arch.grid
    grid = CoreRangeSet(CoreRange((0, 0), (size[0] - 1, size[1] - 1)))
    whole = TensorSpec(shape, like.spec.dtype, layout or like.spec.layout, DRAM_MEMORY_CONFIG.placed())
    spec = cut_evenly(wanted.memory_layout, whole, grid, ShardOrientation.ROW_MAJOR)
    return replace(wanted, shard_spec=spec)


def over_same_cores(
    wanted: MemoryConfig, shape: tuple[int, ...], dtype: DataFormat, like: Tensor
) -> MemoryConfig:
    """The memory config wanted, its shards cut anew for tiles of this shape, on the same cores.

    ND shards stay as they are: they need not fill the tensor, nor the tensor them.
    """
    spec = wanted.shard_spec or like.memory_config().shard_spec
    if not wanted.is_sharded() or spec is None or wanted.memory_layout is TensorMemoryLayout.ND_SHARDED:
        return wanted
    whole = TensorSpec(shape, dtype, Layout.TILE, DRAM_MEMORY_CONFIG.placed())
    return replace(wanted, shard_spec=cut_evenly(wanted.memory_layout, whole, spec.grid, spec.orientation))


def cut_evenly(
    layout: TensorMemoryLayout, whole: TensorSpec, grid: CoreRangeSet, orientation: ShardOrientation
) -> ShardSpec:
    """Shards of whole tiles for the tensor over a grid of cores, as ttnn's TensorSpec cuts them."""
    (height, width), (rows, cols) = whole.height_width, whole.page_shape
    box = grid.ranges[0]
    by_row = orientation is ShardOrientation.ROW_MAJOR
    down, across = {
        TensorMemoryLayout.HEIGHT_SHARDED: (grid.num_cores, 1),
        TensorMemoryLayout.WIDTH_SHARDED: (1, grid.num_cores),
        TensorMemoryLayout.BLOCK_SHARDED: (box.height, box.width) if by_row else (box.width, box.height),
    }[layout]
    shard = tuple(
        -(-size // (count * unit)) * unit
        for size, count, unit in ((height, down, rows), (width, across, cols))
    )
    return ShardSpec(grid, shard, orientation)

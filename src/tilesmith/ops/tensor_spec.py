"""TensorSpec as ttnn takes it: a shape, a type, a layout, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from tilesmith.formats import TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.memory import MemoryConfig
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import (
    BufferType,
    Layout,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime.tensor_spec import TensorSpec as PlacedSpec


class ShardShapeAlignment(Enum):
    """To what a shard's shape is rounded up: to nothing, to pages, or to what is fast."""

    NONE = 0
    REQUIRED = 1
    RECOMMENDED = 2


class TensorSpec(PlacedSpec):
    """ttnn.TensorSpec(shape, dtype, layout, buffer_type=...), or with a memory layout and shards.

    >>> TensorSpec([2, 40], DataType.BFLOAT16, Layout.TILE, buffer_type=BufferType.L1).padded_shape
    (32, 64)
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DataType,
        layout: Layout,
        memory_layout: TensorMemoryLayout | BufferType | NdShardSpec = TensorMemoryLayout.INTERLEAVED,
        shard_spec: ShardSpec | BufferType | None = None,
        buffer_type: BufferType = BufferType.DRAM,
        tile: TileShape | None = None,
        *,
        nd_shard_spec: NdShardSpec | None = None,
        memory_config: MemoryConfig | None = None,
    ) -> None:
        if isinstance(memory_layout, BufferType):  # the overload without a memory layout
            memory = MemoryConfig(TensorMemoryLayout.INTERLEAVED, memory_layout)
        elif isinstance(memory_layout, NdShardSpec) or nd_shard_spec is not None:
            shards = memory_layout if isinstance(memory_layout, NdShardSpec) else nd_shard_spec
            place = shard_spec if isinstance(shard_spec, BufferType) else buffer_type
            memory = MemoryConfig(buffer_type=place, nd_shard_spec=shards)
        else:
            assert not isinstance(shard_spec, BufferType)
            memory = memory_config or MemoryConfig(memory_layout, buffer_type, shard_spec)
        super().__init__(tuple(map(int, shape)), dtype.format, layout, memory.placed(), tile or TileShape())

    def sharded(
        self,
        shard_shape: Sequence[int] | NdShardSpec,
        grid: CoreRangeSet | None = None,
        shard_alignment: ShardShapeAlignment = ShardShapeAlignment.RECOMMENDED,
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
        shard_distribution_strategy: ShardDistributionStrategy = ShardDistributionStrategy.ROUND_ROBIN_1D,
    ) -> TensorSpec:
        """The same tensor in shards of a shape."""
        if isinstance(shard_shape, NdShardSpec):
            given = shard_shape
        else:
            fatal(grid is not None, "TensorSpec.sharded takes a grid of cores")
            assert grid is not None
            given = NdShardSpec(shard_shape, grid, orientation, shard_distribution_strategy)
        return self._in(replace(given, shard_shape=self._aligned(given.shard_shape, shard_alignment)))

    def sharded_across_dims(
        self,
        dims: Sequence[int],
        grid: CoreRangeSet,
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
    ) -> TensorSpec:
        """Shards as small as can be along these axes, whole along the others."""
        sizes = list(self.padded_shape)
        for axis in dims:
            sizes[axis] = 1
        return self.sharded(sizes, grid, orientation=orientation)

    def sharded_across_dims_except(
        self,
        dims: Sequence[int],
        grid: CoreRangeSet,
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
    ) -> TensorSpec:
        """Shards whole along these axes, as small as can be along the others."""
        sizes = [1] * len(self.padded_shape)
        for axis in dims:
            sizes[axis] = self.padded_shape[axis]
        return self.sharded(sizes, grid, orientation=orientation)

    def height_sharded(
        self, grid: CoreRangeSet, orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    ) -> TensorSpec:
        """Some rows for each core."""
        height, width = self.height_width
        sizes = (-(-height // grid.num_cores), width)
        return self.sharded(sizes, grid, ShardShapeAlignment.REQUIRED, orientation)

    def width_sharded(
        self, grid: CoreRangeSet, orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    ) -> TensorSpec:
        """Some columns for each core."""
        height, width = self.height_width
        sizes = (height, -(-width // grid.num_cores))
        return self.sharded(sizes, grid, ShardShapeAlignment.REQUIRED, orientation)

    def block_sharded(
        self, grid: CoreRange | CoreRangeSet, orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    ) -> TensorSpec:
        """A block for each core of a rectangle."""
        cores = CoreRangeSet.of(grid)
        fatal(len(cores.ranges) == 1, "Block sharding requires a single CoreRange")
        box, (height, width) = cores.ranges[0], self.height_width
        by_row = orientation is ShardOrientation.ROW_MAJOR
        down, across = (box.height, box.width) if by_row else (box.width, box.height)
        sizes = (-(-height // down), -(-width // across))
        strategy = ShardDistributionStrategy.GRID_2D
        return self.sharded(sizes, cores, ShardShapeAlignment.RECOMMENDED, orientation, strategy)

    def _aligned(self, sizes: Sequence[int], alignment: ShardShapeAlignment) -> tuple[int, ...]:
        if alignment is ShardShapeAlignment.NONE or not sizes:
            return tuple(sizes)
        if self.layout is Layout.TILE:
            units = [self.tile.rows, self.tile.cols]
        else:
            fast = alignment is ShardShapeAlignment.RECOMMENDED
            units = [1, max(64 // self.dtype.datum_bytes, 1) if fast else 1]
        units = [1] * (len(sizes) - 2) + units[-len(sizes) :]
        return tuple(-(-size // unit) * unit for size, unit in zip(sizes, units, strict=True))

    def _in(self, shards: NdShardSpec) -> TensorSpec:
        memory = MemoryConfig(buffer_type=self.memory_config.buffer_type, nd_shard_spec=shards)
        dtype = DataType.of(self.dtype)
        return TensorSpec(self.shape, dtype, self.layout, tile=self.tile, memory_config=memory)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlacedSpec) and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return super().__hash__()


def _facts(spec: PlacedSpec) -> tuple[object, ...]:
    return spec.shape, spec.dtype, spec.layout, spec.memory_config, (spec.tile.rows, spec.tile.cols)

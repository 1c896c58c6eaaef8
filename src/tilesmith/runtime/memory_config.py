"""Where a tensor lies: DRAM or L1, interleaved over banks or in shards on chosen cores. ttnn's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tilesmith.arch.cores import Cores
from tilesmith.errors import DeviceError
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet


class Layout(Enum):
    """The order of a tensor's elements: rows one after another, or 32x32 tiles.

    >>> TILE_LAYOUT is Layout.TILE
    True
    """

    ROW_MAJOR = "row_major"
    TILE = "tile"


class BufferType(Enum):
    """The memory a buffer lies in: the chip's DRAM, or the SRAM of its cores.

    >>> L1_MEMORY_CONFIG.buffer_type is BufferType.L1
    True
    """

    DRAM = "dram"
    L1 = "l1"


class TensorMemoryLayout(Enum):
    """How pages are spread: one by one over all banks, or as shards on cores.

    >>> DRAM_MEMORY_CONFIG.memory_layout is TensorMemoryLayout.INTERLEAVED
    True
    """

    INTERLEAVED = "interleaved"
    HEIGHT_SHARDED = "height_sharded"
    WIDTH_SHARDED = "width_sharded"
    BLOCK_SHARDED = "block_sharded"
    ND_SHARDED = "nd_sharded"


class ShardDistributionStrategy(Enum):
    """How shards go to cores: in turn, as a grid of shards on a grid of cores, or neighbours together."""

    ROUND_ROBIN_1D = 0
    GRID_2D = 1
    CONTIGUOUS_1D = 2


class ShardOrientation(Enum):
    """The order in which shards go to cores: along rows of cores, or along columns.

    >>> ShardOrientation.ROW_MAJOR.name
    'ROW_MAJOR'
    """

    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"


@dataclass(frozen=True)
class ShardSpec:
    """The cores that hold shards, and the height and width of one shard in elements.

    >>> ShardSpec(CoreRange((0, 0), (3, 0)), (64, 32)).grid.num_cores
    4
    """

    grid: CoreRangeSet
    shape: tuple[int, int]
    orientation: ShardOrientation = ShardOrientation.ROW_MAJOR

    def __init__(
        self,
        grid: Cores,
        shape: Sequence[int] = (),
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
        *,
        shard_shape: Sequence[int] = (),
        shard_orientation: ShardOrientation | None = None,
    ) -> None:
        """`shard_shape` and `shard_orientation` are ttnn's names of the two."""
        if len(shape or shard_shape) != 2:
            raise DeviceError(f"a shard has two sizes, got {tuple(shape or shard_shape)}")
        height, width = shape or shard_shape
        orientation = shard_orientation or orientation
        if height < 1 or width < 1:
            raise DeviceError(f"a shard of {height} x {width} holds nothing")
        self.__dict__.update(grid=CoreRangeSet.of(grid), shape=(height, width), orientation=orientation)

    @property
    def cores(self) -> list[CoreCoord]:
        """In the order in which shards are dealt out."""
        return self.grid.cores(row_wise=self.orientation is ShardOrientation.ROW_MAJOR)


@dataclass(frozen=True)
class NdShardSpec:
    """Shards with as many axes as wanted. A core may hold several.

    >>> NdShardSpec((1, 32, 64), CoreRange((0, 0), (3, 0))).num_cores()
    4
    """

    shard_shape: tuple[int, ...]
    grid: CoreRangeSet
    orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    shard_distribution_strategy: ShardDistributionStrategy = ShardDistributionStrategy.ROUND_ROBIN_1D

    def __init__(
        self,
        shard_shape: Sequence[int],
        grid: Cores,
        orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
        shard_distribution_strategy: ShardDistributionStrategy = ShardDistributionStrategy.ROUND_ROBIN_1D,
    ) -> None:
        shape = tuple(int(size) for size in shard_shape)
        if not shape or any(size < 1 for size in shape):
            raise DeviceError(f"a shard of shape {shape} holds nothing")
        self.__dict__.update(
            shard_shape=shape,
            grid=CoreRangeSet.of(grid),
            orientation=orientation,
            shard_distribution_strategy=shard_distribution_strategy,
        )

    def num_cores(self) -> int:
        return self.grid.num_cores


@dataclass(frozen=True)
class MemoryConfig:
    """Memory layout, memory, and the shard spec of sharded layouts.

    A tensor whose `nd_shard_spec` could be written as a ShardSpec has both.

    >>> MemoryConfig(buffer_type=BufferType.L1) == L1_MEMORY_CONFIG
    True
    """

    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: ShardSpec | None = None
    nd_shard_spec: NdShardSpec | None = None

    def __post_init__(self) -> None:
        if self.is_nd_sharded and self.nd_shard_spec is None:
            raise DeviceError(
                "an ND-sharded tensor needs its shard spec",
                remedy="pass NdShardSpec(shard shape, cores)",
            )
        if self.is_sharded and not self.is_nd_sharded and self.shard_spec is None:
            raise DeviceError(
                f"a {self.memory_layout.value} tensor needs a shard spec",
                remedy="pass ShardSpec(cores, (height, width))",
            )
        if not self.is_sharded and self.shard_spec is not None:
            raise DeviceError(
                "an interleaved tensor has no shards",
                remedy="drop the shard spec, or choose a sharded memory layout",
            )

    @property
    def is_sharded(self) -> bool:
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED

    @property
    def is_nd_sharded(self) -> bool:
        """Sharded in a way that only an NdShardSpec can say."""
        return self.memory_layout is TensorMemoryLayout.ND_SHARDED

    @property
    def in_dram(self) -> bool:
        return self.buffer_type is BufferType.DRAM


TILE_LAYOUT = Layout.TILE
ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR
DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)


def height_sharded(cores: Cores, shape: Sequence[int]) -> MemoryConfig:
    """Each core holds some rows, in L1.

    >>> height_sharded(CoreRange((0, 0), (7, 0)), (32, 64)).memory_layout.name
    'HEIGHT_SHARDED'
    """
    return MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, ShardSpec(cores, shape))


def width_sharded(cores: Cores, shape: Sequence[int]) -> MemoryConfig:
    """Each core holds some columns, in L1.

    >>> from tilesmith import CoreCoord, CoreRange
    >>> width_sharded(CoreRange(CoreCoord(0, 0), CoreCoord(3, 0)), (32, 64)).shard_spec.shape
    (32, 64)
    """
    return MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1, ShardSpec(cores, shape))


def block_sharded(
    cores: CoreRange, shape: Sequence[int], orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
) -> MemoryConfig:
    """Each core of a rectangle holds a block, in L1.

    >>> from tilesmith import CoreCoord, CoreRange
    >>> block_sharded(CoreRange(CoreCoord(0, 0), CoreCoord(1, 1)), (32, 64)).shard_spec.shape
    (32, 64)
    """
    return MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1, ShardSpec(cores, shape, orientation))

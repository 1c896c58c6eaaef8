"""create_sharded_memory_config: shards from a tensor's shape and a grid of cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from tilesmith.ops.checks import fatal
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.memory import MemoryConfig
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import BufferType, ShardOrientation, ShardSpec, TensorMemoryLayout


class ShardStrategy(Enum):
    HEIGHT = TensorMemoryLayout.HEIGHT_SHARDED
    WIDTH = TensorMemoryLayout.WIDTH_SHARDED
    BLOCK = TensorMemoryLayout.BLOCK_SHARDED


def create_sharded_memory_config(
    shape: Sequence[int],
    core_grid: CoreGrid | CoreRangeSet | Sequence[CoreGrid],
    strategy: ShardStrategy,
    orientation: ShardOrientation | None = None,
    use_height_and_width_as_shard_shape: bool = False,
) -> MemoryConfig:
    """Shards in L1 for a tensor of this shape, divided evenly over the grid.

    >>> memory = create_sharded_memory_config([64, 32], CoreGrid(x=2, y=1), ShardStrategy.HEIGHT)
    >>> memory.shard_spec.shape
    (32, 32)
    """
    fatal(isinstance(shape, Sequence), "Invalid input shape")
    fatal(isinstance(strategy, ShardStrategy), "Invalid sharding strategy")
    order = orientation or ShardOrientation.ROW_MAJOR
    cores = _cores(core_grid)
    *outer, height, width = shape
    if use_height_and_width_as_shard_shape:
        shard = (height, width) if order is ShardOrientation.ROW_MAJOR else (width, height)
    else:
        fatal(isinstance(core_grid, CoreGrid), "height and width must be shard shape with CoreRangeSet")
        assert isinstance(core_grid, CoreGrid)
        shard = _even_shard(math.prod(outer) * height, width, core_grid, strategy, order)
    return MemoryConfig(strategy.value, BufferType.L1, ShardSpec(cores, shard, order))


def _cores(grid: CoreGrid | CoreRangeSet | Sequence[CoreGrid]) -> CoreRangeSet:
    if isinstance(grid, CoreRangeSet):
        return grid
    if isinstance(grid, CoreGrid):
        return grid.ranges
    fatal(len(grid) == 2 and all(isinstance(one, CoreGrid) for one in grid), "Invalid core_grid type")
    whole, rest = grid
    return CoreRangeSet(
        [
            CoreRange((0, 0), (whole.x - 1, whole.y - 1)),
            CoreRange((0, whole.y), (rest.x - 1, whole.y)),
        ]
    )


def _even_shard(
    height: int, width: int, grid: CoreGrid, strategy: ShardStrategy, orientation: ShardOrientation
) -> tuple[int, int]:
    down, across = {
        ShardStrategy.HEIGHT: (grid.num_cores, 1),
        ShardStrategy.WIDTH: (1, grid.num_cores),
        ShardStrategy.BLOCK: (grid.y, grid.x)
        if orientation is ShardOrientation.ROW_MAJOR
        else (grid.x, grid.y),
    }[strategy]
    fatal(height % down == 0 and width % across == 0, "Invalid sharding core_grid")
    return height // down, width // across

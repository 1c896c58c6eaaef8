"""Where the result lies: every row was printed by ttnn 0.81.1 on its mock n150."""

from __future__ import annotations

from typing import Any

import pytest

from tilesmith.formats import DataFormat
from tilesmith.ops.grid_sample.attributes import GridSampleAttributes
from tilesmith.ops.grid_sample.operation import GRID_SAMPLE
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, MemoryConfig
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import (
    BufferType,
    Device,
    Layout,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime import MemoryConfig as Placed
from tilesmith.runtime.tensor_spec import TensorSpec

ROW_WISE, BY_COLUMN = ShardOrientation.ROW_MAJOR, ShardOrientation.COL_MAJOR
IN_DRAM, IN_L1 = Placed(), Placed(buffer_type=BufferType.L1)
NEAREST = {"mode": "nearest", "use_precomputed_grid": True}


def _shards(
    cores: CoreRange | CoreRangeSet, shape: tuple[int, int], orientation: ShardOrientation = ROW_WISE
) -> Placed:
    spec = ShardSpec(cores, shape, orientation)
    return Placed(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, spec)


def _row(cores: int) -> CoreRange:
    return CoreRange((0, 0), (cores - 1, 0))


_36_CORES = CoreRangeSet([CoreRange((0, 0), (3, 7)), CoreRange((4, 0), (4, 3))])
_ALL_CORES = CoreRange((0, 0), (7, 7))

# (grid, its memory, arguments, shape of the result, its memory); the image is (1, 8, 8, 32).
ROWS: list[tuple[tuple[int, ...], Placed, dict[str, Any], tuple[int, ...], Placed]] = [
    ((1, 6, 6, 2), IN_DRAM, {}, (1, 6, 6, 32), IN_DRAM),
    ((1, 6, 6, 2), IN_DRAM, {"memory_config": L1_MEMORY_CONFIG}, (1, 6, 6, 32), IN_L1),
    ((1, 6, 6, 2), IN_L1, {}, (1, 6, 6, 32), IN_L1),
    ((1, 6, 6, 2), IN_DRAM, NEAREST, (1, 6, 6, 32), _shards(_36_CORES, (1, 32))),
    ((1, 10, 10, 2), IN_DRAM, NEAREST, (1, 10, 10, 32), _shards(_ALL_CORES, (2, 32))),
    ((1, 6, 6, 6), IN_DRAM, NEAREST, (1, 6, 18, 32), _shards(_36_CORES, (3, 32))),
    (
        (1, 6, 6, 6),
        IN_DRAM,
        {**NEAREST, "batch_output_channels": True},
        (1, 6, 6, 96),
        _shards(_36_CORES, (1, 96)),
    ),
    (
        (1, 6, 6, 2),
        IN_DRAM,
        {**NEAREST, "memory_config": DRAM_MEMORY_CONFIG},
        (1, 6, 6, 32),
        _shards(_36_CORES, (1, 32)),
    ),
    (
        (1, 6, 6, 2),
        IN_DRAM,
        {"memory_config": MemoryConfig.of(_shards(_row(4), (9, 32)))},
        (1, 6, 6, 32),
        _shards(_row(4), (9, 32)),
    ),
    (
        (1, 6, 6, 2),
        IN_DRAM,
        {**NEAREST, "memory_config": MemoryConfig.of(_shards(_row(4), (9, 32)))},
        (1, 6, 6, 32),
        _shards(_row(4), (9, 32)),
    ),
    ((1, 6, 6, 2), _shards(_row(6), (6, 2)), {}, (1, 6, 6, 32), _shards(_row(6), (6, 32))),
    (
        (1, 6, 6, 2),
        _shards(_row(6), (6, 2)),
        {"memory_config": DRAM_MEMORY_CONFIG},
        (1, 6, 6, 32),
        _shards(_row(6), (6, 32)),
    ),
    (
        (1, 6, 6, 4),
        _shards(_row(6), (6, 4), BY_COLUMN),
        {},
        (1, 6, 12, 32),
        _shards(_row(6), (12, 32), BY_COLUMN),
    ),
    (
        (1, 6, 6, 4),
        _shards(_row(6), (6, 4), BY_COLUMN),
        {"batch_output_channels": True},
        (1, 6, 6, 64),
        _shards(_row(6), (6, 64), BY_COLUMN),
    ),
]


@pytest.mark.parametrize(("grid", "memory", "arguments", "shape", "wanted"), ROWS)
def test_lies_where_ttnn_puts_it(
    device: Device,
    grid: tuple[int, ...],
    memory: Placed,
    arguments: dict[str, Any],
    shape: tuple[int, ...],
    wanted: Placed,
) -> None:
    bf16, row_major = DataFormat.Float16_b, Layout.ROW_MAJOR
    inputs = [
        device.empty((1, 8, 8, 32), bf16, row_major),
        device.empty(grid, bf16, row_major, memory),
    ]
    attrs = GridSampleAttributes(**arguments)
    GRID_SAMPLE.validate(attrs, inputs)
    assert GRID_SAMPLE.output_specs(attrs, inputs) == (TensorSpec(shape, bf16, row_major, wanted),)

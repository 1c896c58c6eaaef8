"""TensorSpec as plain data for JSON, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import (
    BufferType,
    Layout,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime.tensor_spec import TensorSpec


def spec_to_plain(spec: TensorSpec) -> dict[str, Any]:
    """
    >>> spec = TensorSpec((64, 32), DataFormat.Float16_b, Layout.TILE, MemoryConfig())
    >>> spec_from_plain(spec_to_plain(spec)) == spec
    True
    """
    memory = spec.memory_config
    if memory.is_nd_sharded:
        raise DeviceError(
            f"a recording cannot hold the ND-sharded tensor of shape {spec.shape}",
            remedy="shard it by height, width or blocks, or move it to DRAM with ttnn.to_memory_config",
        )
    return {
        "shape": list(spec.shape),
        "dtype": spec.dtype.name,
        "layout": spec.layout.value,
        "tile": [spec.tile.rows, spec.tile.cols],
        "memory": [memory.memory_layout.value, memory.buffer_type.value],
        "shards": memory.shard_spec and _shards_out(memory.shard_spec),
    }


def spec_from_plain(item: dict[str, Any]) -> TensorSpec:
    memory_layout, place = item["memory"]
    shards = item["shards"] and _shards_in(*item["shards"])
    memory = MemoryConfig(TensorMemoryLayout(memory_layout), BufferType(place), shards)
    shape, tile = tuple(item["shape"]), TileShape(*item["tile"])
    return TensorSpec(shape, DataFormat[item["dtype"]], Layout(item["layout"]), memory, tile)


def _shards_out(shards: ShardSpec) -> list[Any]:
    boxes = [[*one.start, *one.end] for one in shards.grid.ranges]
    return [boxes, list(shards.shape), shards.orientation.value]


def _shards_in(boxes: Sequence[Sequence[int]], shape: Sequence[int], orientation: str) -> ShardSpec:
    grid = CoreRangeSet([CoreRange((a, b), (c, d)) for a, b, c, d in boxes])
    return ShardSpec(grid, tuple(shape), ShardOrientation(orientation))

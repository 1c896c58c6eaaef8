"""A memory config as plain numbers and names, for files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilesmith.program import CoreRange, CoreRangeSet
from tilesmith.runtime import (
    BufferType,
    MemoryConfig,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)


def memory_facts(memory: MemoryConfig) -> dict[str, Any]:
    """
    >>> memory_facts(MemoryConfig())["shards"] is None
    True
    """
    flat, nd = memory.shard_spec, memory.nd_shard_spec
    strategy = None if nd is None else nd.shard_distribution_strategy.name
    return {
        "memory_layout": memory.memory_layout.name,
        "buffer_type": memory.buffer_type.name,
        "shards": None if flat is None else {"shape": flat.shape, **_cores(flat)},
        "nd": None if nd is None else {"shape": nd.shard_shape, "strategy": strategy, **_cores(nd)},
    }


def _cores(shards: ShardSpec | NdShardSpec) -> dict[str, Any]:
    boxes = [[*box.start, *box.end] for box in shards.grid.ranges]
    return {"grid": boxes, "orientation": shards.orientation.name}


def memory_of(facts: Mapping[str, Any]) -> MemoryConfig:
    """
    >>> memory_of(memory_facts(MemoryConfig())) == MemoryConfig()
    True
    """
    flat, nd = facts["shards"], facts["nd"]
    return MemoryConfig(
        TensorMemoryLayout[facts["memory_layout"]],
        BufferType[facts["buffer_type"]],
        flat and ShardSpec(_grid(flat), flat["shape"], ShardOrientation[flat["orientation"]]),
        nd
        and NdShardSpec(
            nd["shape"],
            _grid(nd),
            ShardOrientation[nd["orientation"]],
            ShardDistributionStrategy[nd["strategy"]],
        ),
    )


def _grid(shards: Mapping[str, Any]) -> CoreRangeSet:
    return CoreRangeSet([CoreRange((x, y), (right, bottom)) for x, y, right, bottom in shards["grid"]])

"""ttnn.types: types, under the name of ttnn's submodule."""

from __future__ import annotations

from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.device import MeshDevice as Device
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.memory import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    MemoryConfig,
)
from tilesmith.ops.shape import Shape
from tilesmith.ops.shard_strategy import ShardStrategy
from tilesmith.ops.tensor import StorageType, Tensor
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet
from tilesmith.runtime import (
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    BufferType,
    Layout,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)

WormholeComputeKernelConfig = BlackholeComputeKernelConfig = ComputeKernelConfig

__all__ = [
    "DRAM_MEMORY_CONFIG",
    "L1_BLOCK_SHARDED_MEMORY_CONFIG",
    "L1_HEIGHT_SHARDED_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "L1_WIDTH_SHARDED_MEMORY_CONFIG",
    "ROW_MAJOR_LAYOUT",
    "TILE_LAYOUT",
    "BlackholeComputeKernelConfig",
    "BufferType",
    "CoreCoord",
    "CoreGrid",
    "CoreRange",
    "CoreRangeSet",
    "DataType",
    "Device",
    "Layout",
    "MemoryConfig",
    "Shape",
    "ShardOrientation",
    "ShardSpec",
    "ShardStrategy",
    "StorageType",
    "Tensor",
    "TensorMemoryLayout",
    "WormholeComputeKernelConfig",
]

"""Devices, tensors on them, and running programs there."""

from tilesmith.program.executor import Executor, RunOptions, RunReport
from tilesmith.runtime.accessor import TensorAccessorArgs
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.device import Device, open_device
from tilesmith.runtime.memory_config import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    BufferType,
    Layout,
    MemoryConfig,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
    block_sharded,
    height_sharded,
    width_sharded,
)
from tilesmith.runtime.mesh import Mesh, MeshTensor, open_mesh
from tilesmith.runtime.sharded_cb import cb_from_sharded_tensor
from tilesmith.runtime.tensor import Tensor

__all__ = [
    "DRAM_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "ROW_MAJOR_LAYOUT",
    "TILE_LAYOUT",
    "Buffer",
    "BufferType",
    "Device",
    "Executor",
    "Layout",
    "MemoryConfig",
    "Mesh",
    "MeshTensor",
    "NdShardSpec",
    "RunOptions",
    "RunReport",
    "ShardDistributionStrategy",
    "ShardOrientation",
    "ShardSpec",
    "Tensor",
    "TensorAccessorArgs",
    "TensorMemoryLayout",
    "block_sharded",
    "cb_from_sharded_tensor",
    "height_sharded",
    "open_device",
    "open_mesh",
    "width_sharded",
]

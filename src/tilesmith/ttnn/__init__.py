"""ttnn's API over the operations and the runtime: `from tilesmith import ttnn`, and ttnn code runs here.

>>> from tilesmith import ttnn
>>> import torch
>>> with ttnn.manage_device(device_id=0) as device:
...     ones = ttnn.ones([2, 3], layout=ttnn.TILE_LAYOUT, device=device)
...     ttnn.to_torch(ttnn.add(ones, ones)).tolist()
[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tilesmith.arch.cores import corerange_to_cores
from tilesmith.formats import tile_bytes
from tilesmith.ops.catalogue import load_operations
from tilesmith.ops.compute_config import ComputeKernelConfig, init_device_compute_kernel_config
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.device import Arch, MeshDevice
from tilesmith.ops.dtypes import (
    DataType,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float32,
    fp8_e4m3,
    int8,
    int32,
    uint8,
    uint16,
    uint32,
)
from tilesmith.ops.elementwise.activation import Activation as UnaryWithParam
from tilesmith.ops.elementwise.activation import GeluVariant, SigmoidMode, UnaryOpType
from tilesmith.ops.embedding.api import EmbeddingsType
from tilesmith.ops.framework import (
    attach_golden_function,
    get_golden_function,
    registered_operations,
)
from tilesmith.ops.generic.api import (
    TensorAccessorArgs,
    cb_descriptor_from_sharded_tensor,
    grid_to_cores,
    split_work_to_cores,
)
from tilesmith.ops.generic.descriptors import (
    NOC,
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    CoreType,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    SemaphoreDescriptor,
    TileDescriptor,
    UnpackToDestMode,
    WriterConfigDescriptor,
    merge_program_descriptors,
)
from tilesmith.ops.generic.runtime_args import RuntimeArgs
from tilesmith.ops.memory import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    MemoryConfig,
)
from tilesmith.ops.normalization.masked import create_layer_norm_reciprocals
from tilesmith.ops.program_configs import (
    LayerNormDefaultProgramConfig,
    LayerNormShardedMultiCoreProgramConfig,
    MatmulMultiCoreProgramConfig,
    MatmulMultiCoreReuseMultiCast1DProgramConfig,
    MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig,
    MatmulMultiCoreReuseMultiCastProgramConfig,
    MatmulMultiCoreReuseProgramConfig,
    SoftmaxDefaultProgramConfig,
    SoftmaxShardedMultiCoreProgramConfig,
)
from tilesmith.ops.queries import (
    get_memory_config,
    get_optimal_worker_cores_for_sharded_tensor,
    is_tensor_storage_on_device,
)
from tilesmith.ops.rearrange.shapes import TileReshapeMapMode
from tilesmith.ops.shape import Shape
from tilesmith.ops.shard_strategy import ShardStrategy, create_sharded_memory_config
from tilesmith.ops.tensor import StorageType, Tensor
from tilesmith.ops.tensor_spec import TensorSpec
from tilesmith.ops.tile import Tile
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet, MathFidelity, num_cores_to_corerangeset
from tilesmith.program import Processor as DataMovementProcessor
from tilesmith.runtime import (
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    BufferType,
    Layout,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.ttnn import cluster, device, graph, tracer, types
from tilesmith.ttnn.config import (
    CONFIG,
    CONFIG_OVERRIDES,
    CONFIG_PATH,
    Config,
    load_config_from_dictionary,
    load_config_from_json_file,
    manage_config,
)
from tilesmith.ttnn.device import (
    CreateDevice,
    DispatchCoreAxis,
    DispatchCoreConfig,
    DispatchCoreType,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    GetPCIeDeviceID,
    SetDefaultDevice,
    close_device,
    get_arch_name,
    get_device_ids,
    get_dram_alignment,
    get_l1_alignment,
    get_max_worker_l1_unreserved_size,
    get_num_devices,
    get_num_pcie_devices,
    manage_device,
    open_device,
    synchronize_device,
)
from tilesmith.ttnn.names import NAMES, find

TILE_SIZE = 32
TRACE_ALLOC_TRACKING = False  # where the buffers of traces were allocated is not kept track of
Device = MeshDevice
WormholeComputeKernelConfig = BlackholeComputeKernelConfig = ComputeKernelConfig

MODULES = ("_ttnn", "core", "experimental", "kv_cache", "model_preprocessing", "operations", "transformer")

load_operations()


def tile_size(dtype: DataType) -> int:
    """Bytes of a 32x32 tile.

    >>> tile_size(bfloat16)
    2048
    """
    return tile_bytes(dtype.format)


def __getattr__(name: str) -> Any:
    operation = registered_operations().get(f"ttnn.{name}")
    if operation is not None:
        return operation
    if name in NAMES:
        return find(name)
    if name in MODULES:
        return import_module(f"tilesmith.ttnn.{name}")
    raise AttributeError(f"tilesmith's ttnn has no {name!r}; dir(ttnn) lists what it has")


def __dir__() -> list[str]:
    operations = (name.removeprefix("ttnn.") for name in registered_operations())
    return sorted({*globals(), *NAMES, *MODULES, *(name for name in operations if "." not in name)})


__all__ = [  # the operations come on top, by name
    "CONFIG",
    "CONFIG_OVERRIDES",
    "CONFIG_PATH",
    "DRAM_MEMORY_CONFIG",
    "L1_BLOCK_SHARDED_MEMORY_CONFIG",
    "L1_HEIGHT_SHARDED_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "L1_WIDTH_SHARDED_MEMORY_CONFIG",
    "NOC",
    "ROW_MAJOR_LAYOUT",
    "TILE_LAYOUT",
    "TILE_SIZE",
    "TRACE_ALLOC_TRACKING",
    "Arch",
    "BlackholeComputeKernelConfig",
    "BufferType",
    "CBDescriptor",
    "CBFormatDescriptor",
    "ComputeConfigDescriptor",
    "ComputeKernelConfig",
    "Config",
    "CoreCoord",
    "CoreGrid",
    "CoreRange",
    "CoreRangeSet",
    "CoreType",
    "CreateDevice",
    "DataMovementConfigDescriptor",
    "DataMovementProcessor",
    "DataType",
    "Device",
    "DispatchCoreAxis",
    "DispatchCoreConfig",
    "DispatchCoreType",
    "EmbeddingsType",
    "GeluVariant",
    "GetDefaultDevice",
    "GetNumAvailableDevices",
    "GetNumPCIeDevices",
    "GetPCIeDeviceID",
    "KernelDescriptor",
    "LayerNormDefaultProgramConfig",
    "LayerNormShardedMultiCoreProgramConfig",
    "Layout",
    "MathFidelity",
    "MatmulMultiCoreProgramConfig",
    "MatmulMultiCoreReuseMultiCast1DProgramConfig",
    "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
    "MatmulMultiCoreReuseMultiCastProgramConfig",
    "MatmulMultiCoreReuseProgramConfig",
    "MemoryConfig",
    "MeshDevice",
    "ProgramDescriptor",
    "ReaderConfigDescriptor",
    "RuntimeArgs",
    "SemaphoreDescriptor",
    "SetDefaultDevice",
    "Shape",
    "ShardOrientation",
    "ShardSpec",
    "ShardStrategy",
    "SigmoidMode",
    "SoftmaxDefaultProgramConfig",
    "SoftmaxShardedMultiCoreProgramConfig",
    "StorageType",
    "Tensor",
    "TensorAccessorArgs",
    "TensorMemoryLayout",
    "TensorSpec",
    "Tile",
    "TileDescriptor",
    "TileReshapeMapMode",
    "UnaryOpType",
    "UnaryWithParam",
    "UnpackToDestMode",
    "WormholeComputeKernelConfig",
    "WriterConfigDescriptor",
    "attach_golden_function",
    "bfloat4_b",
    "bfloat8_b",
    "bfloat16",
    "cb_descriptor_from_sharded_tensor",
    "close_device",
    "cluster",
    "corerange_to_cores",
    "create_layer_norm_reciprocals",
    "create_sharded_memory_config",
    "device",
    "float32",
    "fp8_e4m3",
    "get_arch_name",
    "get_device_ids",
    "get_dram_alignment",
    "get_golden_function",
    "get_l1_alignment",
    "get_max_worker_l1_unreserved_size",
    "get_memory_config",
    "get_num_devices",
    "get_num_pcie_devices",
    "get_optimal_worker_cores_for_sharded_tensor",
    "graph",
    "grid_to_cores",
    "init_device_compute_kernel_config",
    "int8",
    "int32",
    "is_tensor_storage_on_device",
    "load_config_from_dictionary",
    "load_config_from_json_file",
    "manage_config",
    "manage_device",
    "merge_program_descriptors",
    "num_cores_to_corerangeset",
    "open_device",
    "split_work_to_cores",
    "synchronize_device",
    "tile_size",
    "tracer",
    "types",
    "uint8",
    "uint16",
    "uint32",
]

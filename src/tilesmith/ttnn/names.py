"""Names of ttnn that are neither operations nor imported at once: where each is found."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "ops.mesh_names": "MeshShape MeshCoordinate MeshCoordinateRange FabricConfig FabricReliabilityMode"
    " FabricTensixConfig FabricUDMMode FabricManagerMode Topology set_fabric_config get_fabric_config"
    " open_mesh_device close_mesh_device using_distributed_env get_pcie_device_ids",
    "ops.mesh_mapping": "PlacementReplicate PlacementShard MeshMapperConfig MeshComposerConfig TensorToMesh"
    " ReplicateTensorToMesh ShardTensorToMesh ShardTensor2dMesh MeshToTensor ConcatMeshToTensor"
    " ConcatMesh2dToTensor"
    " create_mesh_mapper create_mesh_composer replicate_tensor_to_mesh_mapper"
    " shard_tensor_to_mesh_mapper concat_mesh_to_tensor_composer",
    "ops.sub_devices": "SubDevice SubDeviceId SubDeviceManagerId MeshEvent record_event wait_for_event"
    " event_synchronize",
    "ops.global_semaphores": "GlobalSemaphore create_global_semaphore get_global_semaphore_address"
    " reset_global_semaphore_value",
    "ops.traces": "MeshTraceId begin_trace_capture end_trace_capture execute_trace release_trace",
    "ops.tensor_spec": "ShardShapeAlignment",
    "ops.hosted.convolution_config": "Conv1dConfig Conv2dConfig Conv3dConfig Conv2dSliceConfig"
    " Op2DSliceConfig Conv2dDRAMSliceHeight Conv2dDRAMSliceWidth Conv2dL1Full Conv2dL1FullSliceConfig"
    " Op2DDRAMSliceHeight Op2DDRAMSliceWidth Op2DL1Full Op2DL1FullSliceConfig PaddingMode"
    " get_conv_output_dim",
    "ops.compute_config": "DeviceComputeKernelConfig ThrottleLevel layernorm_default_compute_config"
    " rmsnorm_default_compute_config",
    "ops.core_grid": "num_cores_to_corerangeset_in_subcoregrids",
    "ops.printing": "set_printoptions",
    "ops.hosted.attention_reference": "PagedCacheGeometryOverride",
    "ops.hosted.broadcasting": "BcastOpMath BcastOpDim",
    "ops.program_configs": "SDPAProgramConfig MinimalMatmulConfig"
    " MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig",
    "ttnn.hooks": "register_pre_operation_hook register_post_operation_hook",
    "runtime": "NdShardSpec ShardDistributionStrategy",
}
NAMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def find(name: str) -> Any:
    """The object of a name in the table."""
    return getattr(import_module(f"tilesmith.{NAMES[name]}"), name)

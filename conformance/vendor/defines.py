"""Macros that ttnn's program factories pass to kernels and without which those do not compile."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Given to every compute kernel: they choose headers, not code.
_ALWAYS = (("SFPU_OP_RELU_FAMILY_INCLUDE", "1"),)
# Given to a kernel that mentions the macro in its text or local headers and does not define it.
_IF_USED = (
    ("ELTWISE_OP", "add_tiles"),
    ("ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("ELTWISE_OP_INIT", "add_init"),
    ("BINARY_OP", "add_tiles"),
    ("BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("BINARY_SFPU_INIT", "add_binary_tile_init();"),
    ("BINARY_SFPU_OP", "add_binary_tile"),
    ("TERNARY_SFPU_OP_INIT", "where_tile_init"),
    ("TERNARY_SFPU_OP_FUNC", "where_tile<DataFormat::Float16_b>"),
    ("BCAST_INPUT", "1"),
    ("REDUCE_OP", "ckernel::PoolType::SUM"),
    ("REDUCE_DIM", "ckernel::ReduceDim::REDUCE_ROW"),
    ("REDUCE_SCALER", "1"),
    ("BCAST_LLKOP", "EltwiseBinaryType::ELWADD"),
    ("BCAST_DIM", "BroadcastType::ROW"),
    ("BCAST_OP", "add_tiles_bcast"),
    ("CHAIN_BCAST_OP", "compute_kernel_lib::BinaryFpuOp::Add"),
    ("CHAIN_BCAST_DIM", "compute_kernel_lib::BroadcastDim::Row"),
    ("SFPU_OP_CHAIN_0", "relu_tile_init(); relu_tile(0);"),
    ("FILL_TILE_WITH_FIRST_ELEMENT", "fill_tile_with_first_element_bfloat16"),
    ("FILL_TILE_WITH_FIRST_ROW", "fill_tile_with_first_row_bfloat16"),
    ("FILL_TILE_WITH_FIRST_COLUMN", "fill_tile_with_first_column_bfloat16"),
    ("FILL_TILE_WITH_FIRST_ROW_B", "fill_tile_with_first_row_bfloat16"),
    ("FILL_TILE_WITH_FIRST_COLUMN_B", "fill_tile_with_first_column_bfloat16"),
    ("FILL_TILE_WITH_FIRST_ROW_RM", "fill_tile_with_first_row_rm_bfloat16"),
    ("FILL_TILE_WITH_FIRST_COLUMN_RM", "fill_tile_with_first_column_rm_bfloat16"),
    ("FILL_TILE_WITH_FIRST_ROW_RM_B", "fill_tile_with_first_row_rm_bfloat16"),
    ("FILL_TILE_WITH_FIRST_COLUMN_RM_B", "fill_tile_with_first_column_rm_bfloat16"),
    ("TYPECAST_LLK_INIT", "typecast_tile_init<5u, 0u>"),
    ("TYPECAST_LLK", "typecast_tile<5u, 0u>"),
    ("CLAMP_BITS", "0u"),
    ("NUM_BYTES", "2"),
    ("H_MCAST_POSTED", "0"),
    ("HYB_UNIFIED_CT_BASE", "0"),
    ("HYB_UNIFIED_RT_BASE", "0"),
    ("TILE_HW_VAL", "1024"),
    ("HAS_SHARDING", "0"),
    ("GROUPED_KV_SOURCE_COUNT", "1"),
    ("SLIDING_HALO_SLOT_COUNT", "1"),
    ("SLIDING_MAX_SOURCE_RANGES", "1"),
    ("SLIDING_LOCAL_FIRST", "0"),
    ("COPY_DEST_DATA_FORMAT", "DataFormat::Float16_b"),
    ("EXP_APPROX", "0"),
    ("EXP_APPROX_MODE", "0"),
    ("BF16_ROUNDING_MODE", "ckernel::DstRoundingMode::NearestEven"),
)
# Tables of coordinates; their length is a compile-time argument.
_EMPTY_TABLES = (
    "CHUNK_TILE_OFFSETS", "CHUNK_TILE_WIDTHS",
    "COLLECTOR_CORE_COORDS", "DEST_CHIP_ID", "DEST_MESH_ID", "DEVICE_ORDER", "DIRECTIONS",
    "INPUT_CORE_XY", "K_OUTPUT_CORE_XY", "OUTPUT_CORE_XY",
    "OUTPUT_SHARD_CORE_MAP", "PACKET_WORKER_CORES", "Q_OUTPUT_CORE_XY", "SCHEDULE", "V_OUTPUT_CORE_XY",
)  # fmt: skip
# For kernels whose path contains the first word; these win over the table above.
_BY_PATH = (
    ("binary_ng/device/kernels_ng/compute/", "SRC_BCAST", "1"),
    ("binary_ng/device/kernels_ng/compute/", "SRC_BCAST_B", "0"),
    ("binary_ng/device/kernels_dfb/compute/", "SRC_BCAST", "1"),
    ("binary_ng/device/kernels_dfb/compute/", "SRC_BCAST_B", "0"),
    ("reduction/generic/device/kernels/dataflow/", "ENABLE_FP32_DEST_ACC", "0"),
    ("reduction/generic/device/kernels/dataflow/", "DST_SYNC_FULL", "0"),
    ("eltwise/binary/", "BINARY_SFPU_OP", "add_binary_tile(i * 2, i * 2 + 1, i * 2);"),
    ("pool/generic/", "REDUCE_OP", "ckernel::PoolType::MAX"),
    ("eltwise_where", "BINARY_SFPU_INIT", "where_tile_init();"),
    ("eltwise_where", "BINARY_SFPU_OP", "where_tile<DataFormat::Float16_b>"),
    ("eltwise_where", "WHERE_DATA_FORMAT", "Float16_b"),
    ("eltwise_where", "WHERE_TTS", "1"),
    ("ternary_addc", "TERNARY_SFPU_OP_INIT", "addcmul_tile_init"),
    ("ternary_addc", "TERNARY_SFPU_OP_FUNC", "addcmul_tile<DataFormat::Float16_b>"),
    ("all_to_all_dispatch", "AXIS", "1"),
    ("all_to_all_dispatch_metadata", "DISPATCH_ALGORITHM", "0"),
    ("all_to_all_combine", "REPLICATE_GROUP_AXIS", "1"),
    ("selective_reduce_combine", "REPLICATE_GROUP_AXIS", "1"),
    ("all_gather_minimal_matmul_async/device/kernels/dm_in0", "IS_IN0", "1"),
    ("ternary_addcmul_int", "ADDCMUL_DATA_FORMAT", "DataFormat::Int32"),
)
# Macros with a parameter; empty is what ttnn passes when there is no activation.
_EMPTY_IF_USED = re.compile(r"\bPROCESS_ACTIVATIONS\b")
_ACTIVATIONS = ("LHS", "RHS", "POST")


def defines_for(path: str, text: str, *, compute: bool) -> dict[str, str]:
    """The table's entries that `text` uses and does not define itself."""
    by_path = {name: value for part, name, value in _BY_PATH if part in path}
    return {**dict(_chosen(text, compute)), **by_path}


def _chosen(text: str, compute: bool) -> Iterator[tuple[str, str]]:
    if compute:
        yield from _ALWAYS
    for name, value in (*_IF_USED, *((table, "{}") for table in _EMPTY_TABLES)):
        if re.search(rf"\b{name}\b", text) and not re.search(rf"#\s*define\s+{name}\b", text):
            yield name, value
    if _EMPTY_IF_USED.search(text):
        for operand in _ACTIVATIONS:
            yield f"PROCESS_{operand}_ACTIVATIONS(i)", ""

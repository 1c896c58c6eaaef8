"""Macros that ttnn's program factories pass to kernels and without which those do not compile."""

from __future__ import annotations

import re

# (macro, value): given to a kernel whose text or local headers mention the macro and do not define it.
_VALUES: tuple[tuple[str, str], ...] = (
    ("ELTWISE_OP", "add_tiles"),
    ("ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("ELTWISE_OP_INIT", "add_tiles_init"),
    ("BINARY_OP", "add_tiles"),
    ("BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("BINARY_SFPU_INIT", "add_binary_tile_init();"),
    ("BINARY_SFPU_OP", "add_binary_tile"),
    ("REDUCE_OP", "PoolType::SUM"),
    ("REDUCE_DIM", "ReduceDim::REDUCE_ROW"),
    ("BCAST_LLKOP", "EltwiseBinaryType::ELWADD"),
    ("BCAST_DIM", "BroadcastType::ROW"),
    ("BCAST_OP", "add_tiles_bcast_rows"),
    ("SFPU_OP_CHAIN_0", "relu_tile_init(); relu_tile(0);"),
    ("SFPU_OP_RELU_FAMILY_INCLUDE", "1"),
    ("SFPU_OP_INIT_ACTIVATION", "relu_tile_init();"),
    ("SFPU_OP_FUNC_ACTIVATION", "relu_tile(i);"),
)


def defines_for(text: str) -> dict[str, str]:
    """The table's entries that `text` uses and does not define itself."""
    return {
        name: value
        for name, value in _VALUES
        if re.search(rf"\b{name}\b", text) and not re.search(rf"#\s*define\s+{name}\b", text)
    }

"""Calls of the matrix unit, the unpackers and the packer, on buffers 0 and 1 and tile `i` of `count`."""

from __future__ import annotations

from conformance.simulator.calls import Call

_BINARY, _BROADCAST = "eltwise_binary.h", "bcast.h"
OPERATIONS = ("add", "sub", "mul")

ELEMENTWISE: tuple[Call, ...] = (
    *(Call(_BINARY, f"{one}_init(0, 1); {one}_tiles(0, 1, i, i, 0);") for one in OPERATIONS),
    *(
        Call(_BROADCAST, f"{one}_bcast_{kind}_init(0, 1); {one}_tiles_bcast_{kind}(0, 1, i, i, 0);")
        for one in OPERATIONS
        for kind in ("rows", "cols", "scalar")
    ),
)
REUSE: tuple[Call, ...] = (
    *(
        Call(
            _BINARY,
            "copy_init(1); copy_tile(1, i, 0);"
            f" {one}_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_{where}>(0);"
            f" {one}_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_{where}>(0, i, 0);",
        )
        for one in OPERATIONS
        for where in ("SRCA", "SRCB")
    ),
    *(
        Call(
            _BINARY, f"copy_init(1); copy_tile(1, i, 0); {one}_init(0, 1, true); {one}_tiles(0, 1, i, i, 0);"
        )
        for one in OPERATIONS
    ),
    # Four sums and products after another in one tile.
    Call(_BINARY, "mul_init(0, 1); for (uint32_t k = 0; k < 4; k++) mul_tiles(0, 1, k % count, i, 0);"),
    Call(_BINARY, "add_init(0, 1, true); for (uint32_t k = 0; k < 4; k++) add_tiles(0, 1, k % count, i, 0);"),
)
MOVES: tuple[Call, ...] = (
    Call("tile_move_copy.h", "copy_init(0); copy_tile(0, i, 0);"),
    Call("tile_move_copy.h", "copy_init(0); copy_block(0, 0, 0, count); copy_init(1); copy_tile(1, i, 0);"),
    Call("transpose.h", "transpose_init(0); transpose_tile(0, i, 0);"),
    *(
        Call(
            _BROADCAST,
            f"unary_bcast_init<BroadcastType::{kind}>(1); unary_bcast<BroadcastType::{kind}>(1, i, 0);",
            f"unary_bcast_uninit<BroadcastType::{kind}>(1);",
        )
        for kind in ("ROW", "COL", "SCALAR")
    ),
)
PRODUCTS: tuple[Call, ...] = (
    Call("matmul.h", "matmul_init(0, 1); matmul_tiles(0, 1, i, i, 0);"),
    Call("matmul.h", "matmul_init(0, 1); for (uint32_t k = 0; k < 8; k++) matmul_tiles(0, 1, k % 2, i, 0);"),
    Call("matmul.h", "matmul_init(0, 1, 1); matmul_tiles(0, 1, i, i, 0);"),
    Call("matmul.h", "matmul_init(1, 0); matmul_tiles(1, 0, i, 0, 0);"),
    Call("matmul.h", "matmul_block_init(0, 1, 0, 2, 1, 1); matmul_block(0, 1, i, 0, 0, 0, 2, 1, 1);"),
    Call("matmul.h", "matmul_block_init(0, 1, 0, 1, 2, 1); matmul_block(0, 1, 0, i, 0, 0, 1, 2, 1);"),
    Call("matmul.h", "matmul_block_init(0, 1, 0, 2, 2, 1); matmul_block(0, 1, 0, 0, 0, 0, 2, 2, 1);"),
    Call(
        "matmul.h",
        "matmul_block_init(0, 1, 1, 1, 1, 2);"
        " for (uint32_t k = 0; k < 2; k++) matmul_block(0, 1, k, k, 0, 1, 1, 1, 2);",
    ),
)


def _pool(kind: str, over: str, tiles: int) -> Call:
    made = f"<PoolType::{kind}, ReduceDim::REDUCE_{over}>"
    loop = f"for (uint32_t k = 0; k < {tiles}; k++)"
    text = f"reduce_init{made}(0, 1, 16); {loop} reduce_tile{made}(0, 1, (i + k) % count, 0, 0);"
    return Call("reduce.h", text, "reduce_uninit();")


POOLS: tuple[Call, ...] = tuple(
    _pool(kind, over, tiles)
    for kind in ("SUM", "AVG", "MAX")
    for over in ("ROW", "COL", "SCALAR")
    for tiles in (1, 3)
)
# The mask that zeroes the rest of the tile is gone when it is packed. Other reductions then show what earlier
# operations left in SrcB.
UNMASKED: tuple[Call, ...] = tuple(
    Call(call.header, f"{call.text} {call.after}")
    for call in POOLS
    if "ROW" in call.text and "MAX" not in call.text
)
SUMS = tuple(call for call in POOLS if "MAX" not in call.text)
LARGEST = tuple(call for call in POOLS if "MAX" in call.text)
_SUM = "add_init(0, 1); add_tiles(0, 1, i, i, 0);"
# Three times into the same page.
_PACK = "pack_tile<true>(0, 16, 0);"
PACKS: tuple[Call, ...] = (
    Call(_BINARY, _SUM),
    Call(_BINARY, "mul_init(0, 1); mul_tiles(0, 1, i, i, 0);"),
    Call("tile_move_copy.h", "copy_init(0); copy_tile(0, i, 0);"),
    Call("pack.h", f"{_SUM} pack_relu_config(ReluConfig::zero());", "pack_relu_config(ReluConfig::none());"),
    Call("pack.h", _SUM, pack=f"{_PACK} pack_reconfig_l1_acc(1); {_PACK} {_PACK} pack_reconfig_l1_acc(0);"),
)  # fmt: skip

# Several engines after another on one tile of DST. All of DST at once is 16 tiles.
_REUSE = "EltwiseBinaryReuseDestType::DEST_TO_SRC"
CHAINS: tuple[Call, ...] = (
    Call("eltwise_unary/gelu.h", "add_init(0, 1); add_tiles(0, 1, i, i, 0); gelu_tile_init(); gelu_tile(0);"),
    Call("eltwise_unary/exp.h", "sub_bcast_cols_init(0, 1); sub_tiles_bcast_cols(0, 1, i, i, 0);"
         " exp_tile_init(); exp_tile(0);"),
    Call(_BINARY, f"add_init(0, 1); add_tiles(0, 1, i, i, 0); mul_reuse_dest_init<{_REUSE}B>(0);"
         f" mul_reuse_dest_tiles<{_REUSE}B>(0, i, 0);"),
    Call("eltwise_unary/sqrt.h", "mul_init(0, 0); mul_tiles(0, 0, i, i, 0); sqrt_tile_init(); sqrt_tile(0);"
         f" add_reuse_dest_init<{_REUSE}A>(1); add_reuse_dest_tiles<{_REUSE}A>(1, i, 0);"),
    Call(_BROADCAST, "mul_bcast_rows_init(0, 1); mul_tiles_bcast_rows(0, 1, i, i, 0);"
         " add_init(0, 1, true); add_tiles(0, 1, i, i, 0);"),
)  # fmt: skip
WHOLE_DST: tuple[Call, ...] = (
    Call(
        "eltwise_binary_sfpu.h",
        "copy_init(0); for (uint32_t k = 0; k < 16; k++) copy_tile(0, (i + k) % count, k);"
        " add_binary_tile_init(); for (uint32_t k = 1; k < 16; k++) add_binary_tile(0, k, 0);",
    ),
)

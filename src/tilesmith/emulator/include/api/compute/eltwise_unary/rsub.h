// rsub_tile: a number less the tile.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void rsub_tile_init(TS_AT) { ts::sfpu::initialise("rsub", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_tile(uint32_t idst, uint32_t scalar, TS_AT) {
    ts::sfpu::map_floats({"rsub", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::reverse_subtract<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<decltype(x)>(scalar));
    });
}

ALWI void rsub_unary_int32_tile_init(TS_AT) { ts::sfpu::initialise("rsub_unary_int32", at); }

ALWI void rsub_unary_int32_tile(uint32_t idst, uint32_t scalar, TS_AT) {
    ts::sfpu::map_words({"rsub_unary_int32", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::Int(scalar) - x; });
}
}  // namespace ckernel

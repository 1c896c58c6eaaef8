// mask_tile: zero (or infinity) where the next tile is zero.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void mask_tile_init(TS_AT) { ts::sfpu::initialise("mask", at); }

ALWI void mask_tile(uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b, TS_AT) {
    ts::sfpu::map_words({"mask", at}, idst_data, idst_data + 1, idst_data, [](ts::sfpu::Int x, ts::sfpu::Int m) TS_OP {
        return ts::sfpu::select(m == 0, ts::sfpu::Int(0), x);
    });
}

ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask, TS_AT) {
    ts::sfpu::map_words({"mask", at}, idst_data, idst_data + 1, idst_data, [](ts::sfpu::Int x, ts::sfpu::Int m) TS_OP {
        return ts::sfpu::select(m == 0, ts::sfpu::Int(0x7f800000), x);
    });
}
}  // namespace ckernel

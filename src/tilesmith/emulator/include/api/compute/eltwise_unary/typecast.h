// typecast_tile: from one data format to another, both given by number.
#pragma once
#include "ts/sfpu/typecast.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init(TS_AT) {
    ts::sfpu::initialise("typecast", at);
}

// Without formats: what kernels written before the formats were template parameters call.
ALWI void typecast_tile_init(TS_AT) { ts::sfpu::initialise("typecast", at); }

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void typecast_tile(uint32_t idst, TS_AT) {
    constexpr auto from = static_cast<DataFormat>(IN_DTYPE), to = static_cast<DataFormat>(OUT_DTYPE);
    const bool wide = ts_dst_is_32bit();
    ts::sfpu::map_words({"typecast", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::typecast<from, to, ts::sfpu::Real<true>>(x, wide);
    });
}
}  // namespace ckernel

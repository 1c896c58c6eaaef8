// addcdiv_tile: a + value * b / c.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void addcdiv_tile_init(TS_AT) { ts::sfpu::initialise("addcdiv", at); }

template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void addcdiv_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, uint32_t value, TS_AT) {
    ts::sfpu::map_floats({"addcdiv", at}, idst0, idst1, idst2, odst, [=](auto x, auto y, auto z) TS_OP {
        return ts::sfpu::addcdiv<is_fp32_dest_acc_en>(x, y, z, ts::sfpu::scalar<decltype(x)>(value));
    });
}
}  // namespace ckernel

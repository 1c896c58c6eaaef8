// addcmul_tile: a + value * b * c.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void addcmul_tile_init(TS_AT) { ts::sfpu::initialise("addcmul", at); }

template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void addcmul_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, uint32_t value, TS_AT) {
    ts::sfpu::map_floats({"addcmul", at}, idst0, idst1, idst2, odst, [=](auto x, auto y, auto z) TS_OP {
        return ts::sfpu::addcmul<is_fp32_dest_acc_en>(x, y, z, ts::sfpu::scalar<decltype(x)>(value));
    });
}
}  // namespace ckernel

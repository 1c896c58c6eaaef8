// mac_tile: a * b + c.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <DataFormat data_format>
ALWI void mac_tile_init(TS_AT) {
    ts::sfpu::initialise("mac", at);
}

template <DataFormat data_format>
ALWI void mac_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"mac", at}, idst0, idst1, idst2, odst, [](auto x, auto y, auto z) TS_OP {
        return ts::sfpu::narrow<ts::sfpu::dst_is_wide>(decltype(x)(x * y + z));
    });
}
}  // namespace ckernel

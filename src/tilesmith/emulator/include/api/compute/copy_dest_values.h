// copy_dest_values: one DST tile into another.
#pragma once
#include "ts/sfpu/tile.h"
#include "ts/sfpu/typecast.h"

namespace ckernel {
ALWI void copy_dest_values_init(TS_AT) { ts::sfpu::initialise("copy_dest_values", at); }

template <DataFormat DATA_FORMAT = DataFormat::Float16_b>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out, TS_AT) {
    const ts::sfpu::Call call{"copy_dest_values", at};
    if constexpr (ts::sfpu::is_floating(DATA_FORMAT)) {
        ts::sfpu::map_floats(call, idst_in, idst_in, idst_out, [](auto x, auto) TS_OP { return x; });
    } else {
        ts::sfpu::map_words(call, idst_in, idst_in, idst_out, [](ts::sfpu::Int x, ts::sfpu::Int) TS_OP { return x; });
    }
}
}  // namespace ckernel

// clamp_tile: limits from below and above.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void clamp_tile_init(TS_AT) { ts::sfpu::initialise("clamp", at); }

ALWI void clamp_tile(uint32_t idst, uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"clamp", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::clamp(x, ts::sfpu::scalar<decltype(x)>(param0), ts::sfpu::scalar<decltype(x)>(param1));
    });
}

ALWI void clamp_tile_int32(uint32_t idst, uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::map_words({"clamp", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::integer_min<false>(ts::sfpu::integer_max<false>(x, param0), param1);
    });
}
}  // namespace ckernel

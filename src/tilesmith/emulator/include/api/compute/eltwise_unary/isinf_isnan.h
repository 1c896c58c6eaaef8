// Tests for infinities and NaN: one where true, zero elsewhere.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void isinf_tile_init(TS_AT) { ts::sfpu::initialise("isinf", at); }

ALWI void isinf_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"isinf", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(ts::sfpu::is_inf(x), decltype(x)(1.0f), decltype(x)(0.0f));
    });
}

ALWI void isposinf_tile_init(TS_AT) { ts::sfpu::initialise("isposinf", at); }

ALWI void isposinf_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"isposinf", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(x.as_int() == 0x7f800000, decltype(x)(1.0f), decltype(x)(0.0f));
    });
}

ALWI void isneginf_tile_init(TS_AT) { ts::sfpu::initialise("isneginf", at); }

ALWI void isneginf_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"isneginf", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(x.as_int() == int32_t(0xff800000u), decltype(x)(1.0f), decltype(x)(0.0f));
    });
}

ALWI void isnan_tile_init(TS_AT) { ts::sfpu::initialise("isnan", at); }

ALWI void isnan_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"isnan", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(ts::sfpu::is_nan(x), decltype(x)(1.0f), decltype(x)(0.0f));
    });
}

ALWI void isfinite_tile_init(TS_AT) { ts::sfpu::initialise("isfinite", at); }

ALWI void isfinite_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"isfinite", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(ts::sfpu::is_finite(x), decltype(x)(1.0f), decltype(x)(0.0f));
    });
}
}  // namespace ckernel

// Two DST tiles: add, subtract, multiply, divide, power.
#pragma once
#include "ts/sfpu/power.h"
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void add_binary_tile_init(TS_AT) { ts::sfpu::initialise("add_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"add_binary", at}, idst0, idst1, odst, [](auto x, auto y) TS_OP { return x + y; });
}

ALWI void sub_binary_tile_init(TS_AT) { ts::sfpu::initialise("sub_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"sub_binary", at}, idst0, idst1, odst, [](auto x, auto y) TS_OP { return x - y; });
}

ALWI void rsub_binary_tile_init(TS_AT) { ts::sfpu::initialise("rsub_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"rsub_binary", at}, idst0, idst1, odst, [](auto x, auto y) TS_OP { return y - x; });
}

ALWI void mul_binary_tile_init(TS_AT) { ts::sfpu::initialise("mul_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"mul_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::multiply<is_fp32_dest_acc_en>(x, y); });
}

ALWI void div_binary_tile_init(TS_AT) { ts::sfpu::initialise("div_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void div_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"div_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::divide<is_fp32_dest_acc_en>(x, y); });
}

ALWI void power_binary_tile_init(TS_AT) { ts::sfpu::initialise("power_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void power_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"power_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::power<is_fp32_dest_acc_en>(x, y); });
}
}  // namespace ckernel

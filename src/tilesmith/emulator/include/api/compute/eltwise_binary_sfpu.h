// Two DST tiles: arithmetic, power and comparisons.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/power.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void add_binary_tile_init(TS_AT) { ts::sfpu::initialise("add_binary", at); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    constexpr bool as_is = is_fp32_dest_acc_en || dst_rounding_mode == DstRoundingMode::Default;
    ts::sfpu::map_floats({"add_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::narrow_even<as_is>(x + y); });
}

ALWI void sub_binary_tile_init(TS_AT) { ts::sfpu::initialise("sub_binary", at); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    constexpr bool as_is = is_fp32_dest_acc_en || dst_rounding_mode == DstRoundingMode::Default;
    ts::sfpu::map_floats({"sub_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::narrow_even<as_is>(x - y); });
}

ALWI void rsub_binary_tile_init(TS_AT) { ts::sfpu::initialise("rsub_binary", at); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    constexpr bool as_is = is_fp32_dest_acc_en || dst_rounding_mode == DstRoundingMode::Default;
    ts::sfpu::map_floats({"rsub_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::narrow_even<as_is>(y - x); });
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

ALWI void eq_binary_tile_init(TS_AT) { ts::sfpu::initialise("eq_binary", at); }

ALWI void eq_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"eq_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::eq>(x, y); });
}

ALWI void ne_binary_tile_init(TS_AT) { ts::sfpu::initialise("ne_binary", at); }

ALWI void ne_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"ne_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::ne>(x, y); });
}

ALWI void lt_binary_tile_init(TS_AT) { ts::sfpu::initialise("lt_binary", at); }

ALWI void lt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"lt_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::lt>(x, y); });
}

ALWI void gt_binary_tile_init(TS_AT) { ts::sfpu::initialise("gt_binary", at); }

ALWI void gt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"gt_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::gt>(x, y); });
}

ALWI void le_binary_tile_init(TS_AT) { ts::sfpu::initialise("le_binary", at); }

ALWI void le_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"le_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::le>(x, y); });
}

ALWI void ge_binary_tile_init(TS_AT) { ts::sfpu::initialise("ge_binary", at); }

ALWI void ge_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"ge_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::compare_ordered<ts::sfpu::Compare::ge>(x, y); });
}
}  // namespace ckernel

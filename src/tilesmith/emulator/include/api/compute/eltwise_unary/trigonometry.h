// Circular and hyperbolic functions and their inverses.
#pragma once
#include "ts/sfpu/hyperbolic.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void sin_tile_init(TS_AT) { ts::sfpu::initialise("sin", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sin_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"sin", at}, idst, [](auto x) TS_OP { return ts::sfpu::sine<is_fp32_dest_acc_en>(x); });
}

ALWI void cos_tile_init(TS_AT) { ts::sfpu::initialise("cos", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void cos_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"cos", at}, idst, [](auto x) TS_OP { return ts::sfpu::cosine<is_fp32_dest_acc_en>(x); });
}

ALWI void tan_tile_init(TS_AT) { ts::sfpu::initialise("tan", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tan_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"tan", at}, idst, [](auto x) TS_OP { return ts::sfpu::tangent<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void asin_tile_init(TS_AT) {
    ts::sfpu::initialise("asin", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void asin_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"asin", at}, idst, [](auto x) TS_OP { return ts::sfpu::arcsine<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void acos_tile_init(TS_AT) {
    ts::sfpu::initialise("acos", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void acos_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"acos", at}, idst, [](auto x) TS_OP { return ts::sfpu::arccosine<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atan_tile_init(TS_AT) {
    ts::sfpu::initialise("atan", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atan_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"atan", at}, idst, [](auto x) TS_OP { return ts::sfpu::arctangent<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sinh_tile_init(TS_AT) {
    ts::sfpu::initialise("sinh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sinh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"sinh", at}, idst, [](auto x) TS_OP { return ts::sfpu::sinh<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void cosh_tile_init(TS_AT) {
    ts::sfpu::initialise("cosh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void cosh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"cosh", at}, idst, [](auto x) TS_OP { return ts::sfpu::cosh<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void asinh_tile_init(TS_AT) {
    ts::sfpu::initialise("asinh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void asinh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"asinh", at}, idst, [](auto x) TS_OP { return ts::sfpu::asinh<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void acosh_tile_init(TS_AT) {
    ts::sfpu::initialise("acosh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void acosh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"acosh", at}, idst, [](auto x) TS_OP { return ts::sfpu::acosh<is_fp32_dest_acc_en>(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atanh_tile_init(TS_AT) {
    ts::sfpu::initialise("atanh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atanh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"atanh", at}, idst, [](auto x) TS_OP { return ts::sfpu::atanh<is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel

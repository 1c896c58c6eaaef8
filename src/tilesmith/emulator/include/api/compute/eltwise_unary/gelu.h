// gelu_tile and its tanh form and derivative.
#pragma once
#include "ts/sfpu/gelu.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile_init(TS_AT) {
    ts::sfpu::initialise("gelu", at);
}

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({fast_and_approx ? "gelu:gelu_approx" : "gelu", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::gelu<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

template <bool fast = false>
ALWI void gelu_tanh_tile_init(TS_AT) {
    ts::sfpu::initialise("gelu_tanh", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fast = false>
ALWI void gelu_tanh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"gelu_tanh", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::gelu_tanh_form<fast, is_fp32_dest_acc_en>(x); });
}

template <bool fast_and_approx = false>
ALWI void gelu_derivative_tile_init(TS_AT) {
    ts::sfpu::initialise("gelu_derivative", at);
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_derivative_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"gelu_derivative", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::gelu_derivative<fast_and_approx, is_fp32_dest_acc_en>(x);
    });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile_init_pack(TS_AT) {}

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({fast_and_approx ? "gelu:gelu_approx" : "gelu", at, VectorMode::RC, 8, ts::sfpu::On::pack},
                         idst, [](auto x) TS_OP { return ts::sfpu::gelu<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

template <bool fast = false>
ALWI void gelu_tanh_tile_init_pack(TS_AT) {}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fast = false>
ALWI void gelu_tanh_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"gelu_tanh", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst,
                         [](auto x) TS_OP { return ts::sfpu::gelu_tanh_form<fast, is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel

// The vector functions that have no header of their own.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/sigmoid.h"
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init(TS_AT) {
    ts::sfpu::initialise("sigmoid", at);
}

template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sigmoid_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"sigmoid", at, vec_mode}, idst,
                         [](auto x) TS_OP { return ts::sfpu::sigmoid<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

ALWI void silu_tile_init(TS_AT) { ts::sfpu::initialise("silu", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void silu_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"silu", at}, idst, [](auto x) TS_OP { return ts::sfpu::silu<is_fp32_dest_acc_en>(x); });
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile_init(TS_AT) {
    ts::sfpu::initialise("tanh", at);
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"tanh", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::tanh<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

ALWI void square_tile_init(TS_AT) { ts::sfpu::initialise("square", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void square_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"square", at}, idst, [](auto x) TS_OP { return decltype(x)(x * x); });
}

ALWI void abs_tile_init(TS_AT) { ts::sfpu::initialise("abs", at); }

ALWI void abs_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"abs", at}, idst, [](auto x) TS_OP { return ts::sfpu::abs(x); });
}

ALWI void abs_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"abs", at}, idst, [](ts::sfpu::Int x) TS_OP { return ts::sfpu::integer_abs(x); });
}

ALWI void sign_tile_init(TS_AT) { ts::sfpu::initialise("sign", at); }

ALWI void sign_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"sign", at}, idst, [](auto x) TS_OP { return ts::sfpu::sign(x); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp2_tile_init(TS_AT) {
    ts::sfpu::initialise("exp2", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp2_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"exp2", at}, idst, [](auto x) TS_OP { return ts::sfpu::exp2<is_fp32_dest_acc_en>(x); });
}

template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void expm1_tile_init(TS_AT) {
    ts::sfpu::initialise("expm1", at);
}

template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void expm1_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"expm1", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(ts::sfpu::expm1<is_fp32_dest_acc_en>(x));
    });
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_tile_init(TS_AT) {
    ts::sfpu::initialise("log", at);
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"log", at}, idst, [](auto x) TS_OP {
        using F = decltype(x);
        constexpr auto base = ts::sfpu::LogBase::natural;
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(
            ts::sfpu::log<fast_and_approx, base, is_fp32_dest_acc_en>(x, F(1.0f)));
    });
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_with_base_tile_init(TS_AT) {
    ts::sfpu::initialise("log_with_base", at);
}

template <bool fast_and_approx = false, bool base_is_two = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log_with_base_tile(uint32_t idst, uint32_t base_scale, TS_AT) {
    ts::sfpu::map_floats({"log_with_base", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        constexpr auto base = base_is_two ? ts::sfpu::LogBase::two : ts::sfpu::LogBase::scaled;
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(
            ts::sfpu::log<fast_and_approx, base, is_fp32_dest_acc_en>(x, ts::sfpu::scalar<F>(base_scale)));
    });
}
}  // namespace ckernel

// The vector functions that have no header of their own.
#pragma once
#include "api/compute/sfpu_reduce.h"
#include "api/compute/topk.h"
#include "ts/sfpu/activations.h"
#include "ts/sfpu/integer.h"
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/power.h"
#include "ts/sfpu/sigmoid.h"
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"
#include "ts/sfpu/whole_tile.h"

namespace ckernel {
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init(TS_AT) {
    ts::sfpu::initialise("sigmoid", at);
}

template <auto vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sigmoid_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({fast_and_approx ? "sigmoid:sigmoid_approx" : "sigmoid", at, ts::sfpu::ModeArgument(vec_mode)},
                         idst, [](auto x) TS_OP { return ts::sfpu::sigmoid<fast_and_approx, is_fp32_dest_acc_en>(x); });
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
    ts::sfpu::map_floats({fast_and_approx ? "tanh:tanh_approx" : "tanh", at}, idst,
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

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init_pack(TS_AT) {}

template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sigmoid_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({fast_and_approx ? "sigmoid:sigmoid_approx" : "sigmoid", at, vec_mode, 8, ts::sfpu::On::pack},
                         idst, [](auto x) TS_OP { return ts::sfpu::sigmoid<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile_init_pack(TS_AT) {}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({fast_and_approx ? "tanh:tanh_approx" : "tanh", at, VectorMode::RC, 8, ts::sfpu::On::pack},
                         idst, [](auto x) TS_OP { return ts::sfpu::tanh<fast_and_approx, is_fp32_dest_acc_en>(x); });
}

ALWI void silu_tile_init_pack(TS_AT) {}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void silu_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"silu", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst,
                         [](auto x) TS_OP { return ts::sfpu::silu<is_fp32_dest_acc_en>(x); });
}

ALWI void signbit_tile_init(TS_AT) { ts::sfpu::initialise("signbit", at); }

ALWI void signbit_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"signbit", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::select(ts::sfpu::negative(x), decltype(x)(1.0f), decltype(x)(0.0f));
    });
}

ALWI void signbit_tile_int32_init(TS_AT) { ts::sfpu::initialise("signbit_int32", at); }

ALWI void signbit_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"signbit_int32", at}, idst,
                        [](ts::sfpu::Int x) TS_OP { return ts::sfpu::logical_right(x, 31); });
}

ALWI void power_tile_init(TS_AT) { ts::sfpu::initialise("power", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void power_tile(uint32_t idst, uint32_t param0, TS_AT) {
    const float exponent = __builtin_bit_cast(float, param0);
    ts::sfpu::map_floats({"power", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::unary_power<is_fp32_dest_acc_en>(x, exponent); });
}

ALWI void power_iterative_tile_init(TS_AT) { ts::sfpu::initialise("power_iterative", at); }

ALWI void power_iterative_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"power_iterative", at}, idst, [=](auto x) TS_OP { return ts::sfpu::whole_power(x, param0); });
}

ALWI void heaviside_tile_init(TS_AT) { ts::sfpu::initialise("heaviside", at); }

ALWI void heaviside_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"heaviside", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::heaviside(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void unary_max_tile_init(TS_AT) { ts::sfpu::initialise("unary_max", at); }

ALWI void unary_max_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_max", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::maximum(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void unary_max_int32_tile_init(TS_AT) { ts::sfpu::initialise("unary_max_int32", at); }

ALWI void unary_max_int32_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_max_int32", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::integer_max<false>(x, param0); });
}

ALWI void unary_max_uint32_tile_init(TS_AT) { ts::sfpu::initialise("unary_max_uint32", at); }

ALWI void unary_max_uint32_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_max_uint32", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::integer_max<true>(x, param0); });
}

ALWI void unary_min_tile_init(TS_AT) { ts::sfpu::initialise("unary_min", at); }

ALWI void unary_min_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_min", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::minimum(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void unary_min_int32_tile_init(TS_AT) { ts::sfpu::initialise("unary_min_int32", at); }

ALWI void unary_min_int32_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_min_int32", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::integer_min<false>(x, param0); });
}

ALWI void unary_min_uint32_tile_init(TS_AT) { ts::sfpu::initialise("unary_min_uint32", at); }

ALWI void unary_min_uint32_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_min_uint32", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::integer_min<true>(x, param0); });
}

ALWI void tiled_prod_tile_init(TS_AT) { ts::sfpu::initialise("tiled_prod", at); }
ALWI void tiled_prod_tile(uint32_t idst, TS_AT) { ts::sfpu::running_product({"tiled_prod", at}, idst); }

ALWI void alt_complex_rotate90_tile_init(TS_AT) { ts::sfpu::initialise("alt_complex_rotate90", at); }
ALWI void alt_complex_rotate90_tile(uint32_t idst, TS_AT) {
    ts::sfpu::rotate_pairs({"alt_complex_rotate90", at}, idst);
}

// The larger of two tiles, into the first: the older name of binary_max_tile.
ALWI void max_tile_init(TS_AT) { ts::sfpu::initialise("max", at); }
ALWI void max_tile(uint32_t idst0, uint32_t idst1, ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"max", at, vector_mode}, idst0, idst1, idst0,
                         [](auto x, auto y) TS_OP { return ts::sfpu::maximum(x, y); });
}
}  // namespace ckernel

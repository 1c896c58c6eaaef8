// Attention's functions of row statistics: they stand in the first column of a tile, so two faces of four steps each do.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/exponential.h"

#include "sfpi.h"
#include "ts/sfpi/reciprocal.h"

namespace ts::sfpu {
// e^x from a polynomial on the part of x that is left of whole powers of two. Below 2^-126 it is zero.
template <int Degree, bool Wide, class F>
TS_LANE F exp_polynomial(F x) {
    static_assert(Degree == 2 || Degree == 4);
    const Int whole = to_smag8(F(x * F(1.44269504088896340736f)));
    const F power = from_sign_magnitude<F>(whole);
    const F rest = mad(power, F(-0.69314718055994530942f), x);
    F y;
    if constexpr (Degree == 2) {
        y = fused(rest, 0.999848792924395313327307f, 1.015087600985210566847836f, 0.506283670567455688618423f);
    } else {
        y = fused(rest, 1.0000001510806179002040134f, 0.99996228117047652035114f, 0.49998365704615426417337f,
                  0.16792157982882225102649f, 4.1959439860014343843e-2f);
    }
    const F biased = power + F(127.0f);
    y = y * set_exponent(F(0.0f), to_uint8(biased));
    return narrow<Wide>(select(is_zero_bits(biased), F(0.0f), y));
}
}  // namespace ts::sfpu

namespace ckernel::sfpu {
inline constexpr int rows_of_column = 4;  // of half a face, which holds the first column

template <bool SCALE_EN, bool is_fp32_dest_acc_en>
sfpi_inline sfpi::vFloat _ckernel_sfpu_exp_accurate_(sfpi::vFloat x, uint32_t scale_bf16) {
    if constexpr (SCALE_EN) x = x * sfpi::vFloat(__builtin_bit_cast(float, scale_bf16 << 16));
    return sfpi::impl_::on_floats<sfpi::vFloat>(
        [](auto f) TS_OP { return ts::sfpu::exp_accurate<is_fp32_dest_acc_en>(f).as_int(); }, x);
}

template <bool is_fp32_dest_acc_en>
inline void calculate_recip_first_column() {
    for (int row = 0; row < rows_of_column; ++row) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        if constexpr (APPROX) {
            sfpi::dst_reg[0] = sfpu_reciprocal_iter<0>(x);
        } else if constexpr (is_fp32_dest_acc_en) {
            sfpi::dst_reg[0] = sfpu_reciprocal_iter<2>(x);
        } else {
            const sfpi::vFloat y = sfpu_reciprocal_iter<1>(x);
            sfpi::dst_reg[0] = sfpi::impl_::on_floats<sfpi::vFloat>(
                [](auto f) TS_OP { return ts::sfpu::round_to_bf16(f).as_int(); }, y);
        }
        sfpi::dst_reg += 2;
    }
}

template <bool SDPA_EXP_APPROX_MODE, uint16_t scale_bf16, bool is_fp32_dest_acc_en>
inline void calculate_exponential_first_column() {
    constexpr int degree = is_fp32_dest_acc_en ? 4 : 2;
    for (int row = 0; row < rows_of_column; ++row) {
        sfpi::vFloat x = sfpi::dst_reg[0];
        if constexpr (SDPA_EXP_APPROX_MODE) {
            sfpi::dst_reg[0] = _ckernel_sfpu_exp_accurate_<true, is_fp32_dest_acc_en>(x, scale_bf16);
        } else {
            x = x * sfpi::vFloat(__builtin_bit_cast(float, uint32_t{scale_bf16} << 16));
            sfpi::dst_reg[0] = sfpi::impl_::on_floats<sfpi::vFloat>(
                [](auto f) TS_OP { return ts::sfpu::exp_polynomial<degree, is_fp32_dest_acc_en>(f).as_int(); }, x);
        }
        sfpi::dst_reg += 2;
    }
}

template <bool is_fp32_dest_acc_en>
inline void calculate_softplus_first_column(uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
    for (int row = 0; row < rows_of_column; ++row) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = sfpi::impl_::on_floats<sfpi::vFloat>(
            [=](auto f) TS_OP {
                using F = decltype(f);
                return ts::sfpu::softplus<is_fp32_dest_acc_en>(f, ts::sfpu::scalar<F>(beta),
                                                               ts::sfpu::scalar<F>(beta_reciprocal),
                                                               ts::sfpu::scalar<F>(threshold))
                    .as_int();
            },
            x);
        sfpi::dst_reg += 2;
    }
}

// Two partial softmaxes into one, in five tiles of DST: maxima 0 and 1 become the factors of both, 2 the new maximum,
// sums 3 and 4 the new sum in 3. With four tiles, the second sum comes in 2.
template <bool is_fp32_dest_acc_en, bool reuse_cur_max_tile = false>
inline void calculate_fused_max_sub_exp_add_tile(int scale_bf16) {
    static_assert(!reuse_cur_max_tile || is_fp32_dest_acc_en);
    constexpr int tile = 32, first_max = 0, second_max = tile, new_max = 2 * tile, first_sum = 3 * tile;
    constexpr int second_sum = reuse_cur_max_tile ? new_max : 4 * tile;
    for (int row = 0; row < rows_of_column; ++row) {
        const sfpi::vFloat a = sfpi::dst_reg[first_max], b = sfpi::dst_reg[second_max];
        const sfpi::vFloat sum_a = sfpi::dst_reg[first_sum], sum_b = sfpi::dst_reg[second_sum];
        v_if(a < b) { sfpi::dst_reg[new_max] = b; }
        v_else { sfpi::dst_reg[new_max] = a; }
        v_endif;
        const sfpi::vFloat top = sfpi::dst_reg[new_max];
        const sfpi::vFloat exp_a = _ckernel_sfpu_exp_accurate_<true, is_fp32_dest_acc_en>(a - top, scale_bf16);
        const sfpi::vFloat exp_b = _ckernel_sfpu_exp_accurate_<true, is_fp32_dest_acc_en>(b - top, scale_bf16);
        sfpi::dst_reg[first_max] = exp_a;
        sfpi::dst_reg[second_max] = exp_b;
        sfpi::vFloat scaled_b = exp_b * sum_b;
        if constexpr (!reuse_cur_max_tile) {
            sfpi::dst_reg[second_sum] = scaled_b;
            scaled_b = sfpi::dst_reg[second_sum];
        }
        sfpi::dst_reg[first_sum] = exp_a * sum_a;
        const sfpi::vFloat scaled_a = sfpi::dst_reg[first_sum];
        sfpi::dst_reg[first_sum] = scaled_b + scaled_a;
        sfpi::dst_reg += 2;
    }
}
}  // namespace ckernel::sfpu

// Tile products as the matrix unit computes them, for all operands: the way that matmul_phases.h takes for most is
// quicker. Sums of eight products are aligned by the host's float adder, or in integers where floats cannot hold them.
#pragma once
#include <vector>

#include "fpu.h"
#include "tile_places.h"

namespace ts::num::general {

constexpr int nothing = -4096;     // exponent of a zero: never the largest
constexpr int groups = 4;          // of eight products along the inner dimension; two per instruction

// One tile as the multipliers see it: SrcA (in1) by inner index and column, SrcB (in0) by row and inner index.
struct Operand {
    alignas(64) int16_t exponent[tile_side][tile_side];
    alignas(64) float bits[2][tile_side][tile_side];
    int largest = 0;               // exponent
};

// bits * 2^(exponent - 127), exactly.
TS_INLINE F16 scaled(I16 bits, I16 exponent, I16 alive) {
    const F16 value = to_float(bits) * as_float(exponent << 23);
    return as_float(as_bits(value) & alive);
}

template <bool is_srca>
void split_operand(const uint32_t* tile, FpuMode mode, Operand& out) {
    const int lift = mode.five_bit_exponent ? 112 : 0;
    I16 largest{};
    for (uint32_t row = 0; row < tile_side; ++row) {
        for (uint32_t col = 0; col < tile_side; col += 16) {
            const I16 word = load(tile + word_at(row, col));
            const I16 alive = exponent_of(word) != 0;
            const I16 exponent = exponent_of(word) + lift;
            largest = max(largest, exponent & alive);
            store_narrow<int16_t>(&out.exponent[row][col], TS_SELECT(alive, exponent, splat(nothing)));
            for (int low = 0; low < 2; ++low) {
                const I16 bits = is_srca ? srca_bits(word, low) : srcb_bits(word, 2 * low);
                // The factor breaks ties away from zero and changes no other rounding: products stay below 2^12.
                const F16 part = scaled(bits, exponent, alive) * (is_srca ? 1.0f : 1.0f + 0x1p-13f);
                store(&out.bits[low][row][col], as_bits(part) | (word & (int32_t)0x80000000));
            }
        }
    }
    out.largest = largest_lane(largest);
}

// Floats cannot scale operands so large.
inline bool is_huge(const Operand& a, const Operand& b) {
    return a.largest > 247 || b.largest > 247 || a.largest + b.largest > 358;
}

// Face columns computed side by side: the sums of one wait for each other. More would not fit the host's registers.
#ifdef __AVX512F__
constexpr int faces_at_once = 2;
#else
constexpr int faces_at_once = 1;
#endif

struct Row {
    I16 value[2], exponent[2][groups], origin[2][groups];
};

// The largest exponent of eight products, for each group of them, and where their sum starts: adding to 1.5 * 2^23
// units makes the float adder round each product to whole units, which is the chip's alignment shift.
TS_INLINE void start_sums(const Operand& a, const int16_t* exponent_b, Row& row) {
    for (int g = 0; g < groups; ++g) {
        I16 largest[2];
        largest_sums(a.exponent[g * 8], exponent_b + g * 8, largest);
        for (int f = 0; f < 2; ++f) {
            row.exponent[f][g] = largest[f];
            row.origin[f][g] = ((largest[f] - 104) << 23) | 0x400000;
        }
    }
}

TS_INLINE Term group_term(F16 sum, I16 exponent, I16 origin, int phase, FpuMode mode) {
    const int lift = mode.five_bit_exponent ? 224 : 0;
    const int bias = product_bias(mode, phase) - lift;
    const I16 alive = exponent + bias > 0;
    const int lowest = bias + lift > 0 ? bias + lift : 0;
    return {max(exponent + bias, splat(lowest)), ((as_bits(sum) - origin) << 13) & alive};
}

// Two groups of products, which one instruction adds to DST.
TS_INLINE void add_groups(const Operand& a, const Operand& b, int i, int face, int g, int phase, FpuMode mode,
                          Row& row) {
    F16 sum[faces_at_once][2];
    for (int f = 0; f < faces_at_once; ++f)
        for (int half = 0; half < 2; ++half) sum[f][half] = as_float(row.origin[face + f][g + half]);
#pragma GCC unroll 8
    for (int k = g * 8; k < g * 8 + 8; ++k)
        for (int half = 0; half < 2; ++half) {
            const F16 left = splat_float(b.bits[phase >> 1][i][k + half * 8]);
            for (int f = 0; f < faces_at_once; ++f)
                sum[f][half] += load_float(&a.bits[phase & 1][k + half * 8][(face + f) * 16]) * left;
        }
#pragma GCC unroll 2
    for (int f = 0; f < faces_at_once; ++f) {
        const I16 *exponent = &row.exponent[face + f][g], *origin = &row.origin[face + f][g];
        const Term first = group_term(sum[f][0], exponent[0], origin[0], phase, mode);
        const Term second = group_term(sum[f][1], exponent[1], origin[1], phase, mode);
        row.value[face + f] = accumulate<true>(first, second, row.value[face + f], mode);
    }
}

template <bool wide, bool five_bit_exponent, bool blackhole>
void multiply_rows(const Operand& a, const Operand& b, uint32_t from, uint32_t to, int phases, uint32_t* dst) {
    constexpr FpuMode mode{wide, five_bit_exponent, blackhole};
    for (uint32_t i = from; i < to; ++i) {
        Row row;
        start_sums(a, b.exponent[i], row);
        for (int f = 0; f < 2; ++f) row.value[f] = read_dst(dst + word_at(i, f * 16), mode);
        for (int face = 0; face < 2; face += faces_at_once)
            for (int phase = 0; phase < phases; ++phase)
                for (int g = 0; g < groups; g += 2) add_groups(a, b, i, face, g, phase, mode, row);
        for (int f = 0; f < 2; ++f) write_dst(dst + word_at(i, f * 16), row.value[f], mode);
    }
}

// A function per mode, so that what the mode decides is decided outside of the loops.
using MultiplyRows = void (*)(const Operand& a, const Operand& b, uint32_t from, uint32_t to, int phases,
                              uint32_t* dst);

template <bool five_bit_exponent>
MultiplyRows multiply_rows_for(FpuMode mode) {
    if (!mode.wide) return multiply_rows<false, five_bit_exponent, false>;
    if (mode.blackhole) return multiply_rows<true, five_bit_exponent, true>;
    return multiply_rows<true, five_bit_exponent, false>;
}

// The same sums in integers, for exponents that floats cannot hold.
inline Term exact_group_sum(const uint32_t* in0, const uint32_t* in1, uint32_t row, uint32_t face_col, int group,
                            int phase, FpuMode mode) {
    const int bias = product_bias(mode, phase);
    Products products(bias);
    for (int i = 0; i < 8; ++i) {
        const uint32_t k = group * 8 + i;
        products.set(i, load(in1 + word_at(k, face_col * 16)), splat((int32_t)in0[word_at(row, k)]), phase, bias);
    }
    return products.sum();
}

inline void multiply_exact(const uint32_t* in0, const uint32_t* in1, uint32_t from, uint32_t to, FpuMode mode,
                           uint32_t* dst) {
    for (uint32_t row = from; row < to; ++row) {
        for (uint32_t face_col = 0; face_col < 2; ++face_col) {
            I16 value = read_dst(dst + word_at(row, face_col * 16), mode);
            for (int phase = 0; phase < mode.phases; ++phase) {
                for (int half = 0; half < 2; ++half) {
                    const Term first = exact_group_sum(in0, in1, row, face_col, 2 * half, phase, mode);
                    const Term second = exact_group_sum(in0, in1, row, face_col, 2 * half + 1, phase, mode);
                    value = accumulate<true>(first, second, value, mode);
                }
            }
            write_dst(dst + word_at(row, face_col * 16), value, mode);
        }
    }
}

// Rows `from` to `to` of one product.
inline void multiply(const uint32_t* in0, const uint32_t* in1, uint32_t from, uint32_t to, FpuMode mode,
                     uint32_t* dst) {
    static thread_local std::vector<Operand> operands(2);  // too large for a stack
    Operand &a = operands[0], &b = operands[1];
    split_operand<true>(in1, mode, a);
    split_operand<false>(in0, mode, b);
    if (is_huge(a, b)) return multiply_exact(in0, in1, from, to, mode, dst);
    const auto rows = mode.five_bit_exponent ? multiply_rows_for<true>(mode) : multiply_rows_for<false>(mode);
    rows(a, b, from, to, mode.phases, dst);
}

}  // namespace ts::num::general

// Tile products. `fast` is a float GEMM on face order; `chip` follows the matrix unit's sums of eight products.
#include "fpu.h"

namespace ts::num {
namespace {

constexpr int tile_side = 32;
constexpr uint32_t face_of(uint32_t row, uint32_t col) { return (row / 16 * 2 + col / 16) * face_words; }
constexpr uint32_t word_at(uint32_t row, uint32_t col) { return face_of(row, col) + row % 16 * 16 + col % 16; }

// Rows and face columns whose sums fit the host's registers, for one tile of columns and for two side by side.
#ifdef __AVX512F__
constexpr int narrow_rows = 8, narrow_faces = 2, wide_rows = 4, wide_faces = 4;
#else
constexpr int narrow_rows = 4, narrow_faces = 1, wide_rows = 4, wide_faces = 1;
#endif

// Sums held in registers over the whole inner dimension. `in1` and `dst` point to the tops of face columns.
template <int rows, int faces>
TS_INLINE void multiply_block(const float* in0, const float* const* in1, uint32_t row, float* const* dst) {
    const uint32_t place = word_at(row, 0);
    F16 sum[rows][faces];
    for (int r = 0; r < rows; ++r)
        for (int f = 0; f < faces; ++f) sum[r][f] = load_float(dst[f] + place + r * 16);
    for (uint32_t half = 0; half < 2; ++half) {
        const float* a = in0 + word_at(row, half * 16);
        const float* b[faces];
        for (int f = 0; f < faces; ++f) b[f] = in1[f] + half * 2 * face_words;
        for (uint32_t k = 0; k < 16; ++k) {
            F16 right[faces];
            for (int f = 0; f < faces; ++f) right[f] = load_float(b[f] + k * 16);
            for (int r = 0; r < rows; ++r) {
                const F16 left = splat_float(a[r * 16 + k]);
                for (int f = 0; f < faces; ++f) sum[r][f] += left * right[f];
            }
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int f = 0; f < faces; ++f) store_float(dst[f] + place + r * 16, sum[r][f]);
}

template <int rows, int faces>
void multiply_columns(const float* in0, const float* const* in1, float* const* dst, uint32_t count) {
    for (uint32_t f = 0; f < count; f += faces)
        for (uint32_t row = 0; row < tile_side; row += rows) multiply_block<rows, faces>(in0, in1 + f, row, dst + f);
}

// ---- chip ----
constexpr int nothing = -4096;     // exponent of a zero: never the largest
constexpr int groups = 4;          // of eight products along the inner dimension; two per instruction

// SrcA (in1) by inner index and face column, SrcB (in0) by row and inner index, split into multiplier inputs.
struct Operands {
    I16 exponent_a[tile_side][2];
    F16 bits_a[2][tile_side][2];
    alignas(64) int32_t exponent_b[tile_side][tile_side];
    alignas(64) float bits_b[2][tile_side][tile_side];
    bool huge = false;             // an operand that floats cannot scale
};

// bits * 2^(exponent - 127), exactly.
TS_INLINE F16 scaled(I16 bits, I16 exponent, I16 alive) {
    const F16 value = to_float(bits) * as_float(exponent << 23);
    return as_float(as_bits(value) & alive);
}

void prepare(const uint32_t* in0, const uint32_t* in1, FpuMode mode, Operands& out) {
    const int lift = mode.five_bit_exponent ? 112 : 0;
    I16 max_a{}, max_b{};
    for (uint32_t k = 0; k < tile_side; ++k) {
        for (uint32_t half = 0; half < 2; ++half) {
            const I16 a = load(in1 + word_at(k, half * 16));
            const I16 b = load(in0 + word_at(k, half * 16));
            const I16 alive_a = exponent_of(a) != 0, alive_b = exponent_of(b) != 0;
            const I16 exponent_a = exponent_of(a) + lift, exponent_b = exponent_of(b) + lift;
            max_a = max(max_a, exponent_a & alive_a);
            max_b = max(max_b, exponent_b & alive_b);
            out.exponent_a[k][half] = TS_SELECT(alive_a, exponent_a, splat(nothing));
            store(&out.exponent_b[k][half * 16], TS_SELECT(alive_b, exponent_b, splat(nothing)));
            const I16 sign_a = a & (int32_t)0x80000000, sign_b = b & (int32_t)0x80000000;
            for (int low = 0; low < 2; ++low) {
                const F16 part_a = scaled(srca_bits(a, low), exponent_a, alive_a);
                // The factor breaks ties away from zero and changes no other rounding: products stay below 2^12.
                const F16 part_b = scaled(srcb_bits(b, 2 * low), exponent_b, alive_b) * (1.0f + 0x1p-13f);
                out.bits_a[low][k][half] = as_float(as_bits(part_a) | sign_a);
                store_float(&out.bits_b[low][k][half * 16], as_float(as_bits(part_b) | sign_b));
            }
        }
    }
    const int a = largest_lane(max_a), b = largest_lane(max_b);
    out.huge = a > 247 || b > 247 || a + b > 358;
}

// Adding to 1.5 * 2^23 units makes the float adder round each product to whole units: the chip's alignment shift.
TS_INLINE Term float_group_sum(const Operands& in, uint32_t row, uint32_t face_col, int group, int phase, I16 exponent,
                               FpuMode mode) {
    const int lift = mode.five_bit_exponent ? 224 : 0;
    const int bias = product_bias(mode, phase) - lift;
    const I16 origin = ((exponent - 104) << 23) | 0x400000;
    F16 sum = as_float(origin);
    for (int k = group * 8; k < group * 8 + 8; ++k) {
        sum += in.bits_a[phase & 1][k][face_col] * splat_float(in.bits_b[phase >> 1][row][k]);
    }
    const I16 alive = exponent + bias > 0;
    const int lowest = bias + lift > 0 ? bias + lift : 0;
    return {max(exponent + bias, splat(lowest)), ((as_bits(sum) - origin) << 13) & alive};
}

template <bool wide, bool five_bit_exponent, bool blackhole>
void multiply_rows(const Operands& in, int phases, uint32_t* dst) {
    constexpr FpuMode mode{wide, five_bit_exponent, blackhole};
    for (uint32_t row = 0; row < tile_side; ++row) {
        for (uint32_t face_col = 0; face_col < 2; ++face_col) {
            uint32_t* out = dst + word_at(row, face_col * 16);
            I16 value = read_dst(out, mode), exponent[groups];
            for (int g = 0; g < groups; ++g) {
                exponent[g] = splat(2 * nothing);
                for (int k = g * 8; k < g * 8 + 8; ++k) {
                    exponent[g] = max(exponent[g], in.exponent_a[k][face_col] + splat(in.exponent_b[row][k]));
                }
            }
            for (int phase = 0; phase < phases; ++phase) {
                for (int g = 0; g < groups; g += 2) {
                    const Term first = float_group_sum(in, row, face_col, g, phase, exponent[g], mode);
                    const Term second = float_group_sum(in, row, face_col, g + 1, phase, exponent[g + 1], mode);
                    value = accumulate<true>(first, second, value, mode);
                }
            }
            write_dst(out, value, mode);
        }
    }
}

// A function per mode, so that what the mode decides is decided outside of the loops.
using MultiplyRows = void (*)(const Operands&, int phases, uint32_t* dst);

template <bool five_bit_exponent>
MultiplyRows multiply_rows_for(FpuMode mode) {
    if (!mode.wide) return multiply_rows<false, five_bit_exponent, false>;
    if (mode.blackhole) return multiply_rows<true, five_bit_exponent, true>;
    return multiply_rows<true, five_bit_exponent, false>;
}

// The same sums in integers, for exponents that floats cannot hold.
Term exact_group_sum(const uint32_t* in0, const uint32_t* in1, uint32_t row, uint32_t face_col, int group, int phase,
                     FpuMode mode) {
    const int bias = product_bias(mode, phase);
    Products products(bias);
    for (int i = 0; i < 8; ++i) {
        const uint32_t k = group * 8 + i;
        products.set(i, load(in1 + word_at(k, face_col * 16)), splat((int32_t)in0[word_at(row, k)]), phase, bias);
    }
    return products.sum();
}

void multiply_exact(const uint32_t* in0, const uint32_t* in1, FpuMode mode, uint32_t* dst) {
    for (uint32_t row = 0; row < tile_side; ++row) {
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

}  // namespace

void matmul_fast(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst) {
    for (uint32_t r = 0; r < rows; ++r) {
        const float* a = reinterpret_cast<const float*>(in0) + r * tile_words;
        for (uint32_t c = 0; c < cols; c += 2) {
            const float* right[4];
            float* out[4];
            const uint32_t faces = c + 1 < cols ? 4 : 2;
            for (uint32_t f = 0; f < faces; ++f) {
                right[f] = reinterpret_cast<const float*>(in1) + (c + f / 2) * tile_words + f % 2 * face_words;
                out[f] = reinterpret_cast<float*>(dst[r * cols + c + f / 2]) + f % 2 * face_words;
            }
            if (faces == 4) multiply_columns<wide_rows, wide_faces>(a, right, out, faces);
            else multiply_columns<narrow_rows, narrow_faces>(a, right, out, faces);
        }
    }
}

void matmul_chip(const uint32_t* in0, const uint32_t* in1, FpuMode mode, uint32_t* dst) {
    Operands operands;
    prepare(in0, in1, mode, operands);
    if (operands.huge) return multiply_exact(in0, in1, mode, dst);
    const auto multiply = mode.five_bit_exponent ? multiply_rows_for<true>(mode) : multiply_rows_for<false>(mode);
    multiply(operands, mode.phases, dst);
}

void matmul_integer(const uint32_t* in0, const uint32_t* in1, uint32_t* dst) {
    for (uint32_t row = 0; row < tile_side; ++row) {
        for (uint32_t face_col = 0; face_col < 2; ++face_col) {
            I16 sum = load(dst + word_at(row, face_col * 16));
            for (uint32_t k = 0; k < tile_side; ++k) {
                sum += load(in1 + word_at(k, face_col * 16)) * (int32_t)in0[word_at(row, k)];
            }
            store(dst + word_at(row, face_col * 16), sum);
        }
    }
}

}  // namespace ts::num

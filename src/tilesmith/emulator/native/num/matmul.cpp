// Tile products. `fast` is a float GEMM on face order; `chip` follows the matrix unit's sums of eight products.
#include <vector>

#include "fpu.h"
#include "workers.h"

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
constexpr uint32_t part_rows = 16, parts_of_tile = tile_side / part_rows;  // what one thread computes at a time
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
bool is_huge(const Operand& a, const Operand& b) {
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

void multiply_exact(const uint32_t* in0, const uint32_t* in1, uint32_t from, uint32_t to, FpuMode mode, uint32_t* dst) {
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

void multiply_integers(const uint32_t* in0, const uint32_t* in1, uint32_t* dst) {
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

}  // namespace

void matmul_fast(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst) {
    const uint32_t pairs = (cols + 1) / 2;
    share(rows * pairs, [&](uint32_t i) {
        const uint32_t r = i / pairs, c = i % pairs * 2;
        const float* a = reinterpret_cast<const float*>(in0) + r * tile_words;
        const float* right[4];
        float* out[4];
        const uint32_t faces = c + 1 < cols ? 4 : 2;
        for (uint32_t f = 0; f < faces; ++f) {
            right[f] = reinterpret_cast<const float*>(in1) + (c + f / 2) * tile_words + f % 2 * face_words;
            out[f] = reinterpret_cast<float*>(dst[r * cols + c + f / 2]) + f % 2 * face_words;
        }
        if (faces == 4) multiply_columns<wide_rows, wide_faces>(a, right, out, faces);
        else multiply_columns<narrow_rows, narrow_faces>(a, right, out, faces);
    });
}

void matmul_chip(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, FpuMode mode,
                 uint32_t* const* dst) {
    const auto multiply = mode.five_bit_exponent ? multiply_rows_for<true>(mode) : multiply_rows_for<false>(mode);
    static thread_local std::vector<Operand> operands;
    if (operands.size() < rows + cols) operands.resize(rows + cols);
    Operand *left = operands.data(), *right = left + rows;
    share(rows + cols, [&](uint32_t i) {
        if (i < rows) split_operand<false>(in0 + i * tile_words, mode, left[i]);
        else split_operand<true>(in1 + (i - rows) * tile_words, mode, right[i - rows]);
    });
    share(rows * cols * parts_of_tile, [&](uint32_t i) {
        const uint32_t tile = i / parts_of_tile, r = tile / cols, c = tile % cols, from = i % parts_of_tile * part_rows;
        if (is_huge(right[c], left[r]))
            multiply_exact(in0 + r * tile_words, in1 + c * tile_words, from, from + part_rows, mode, dst[tile]);
        else multiply(right[c], left[r], from, from + part_rows, mode.phases, dst[tile]);
    });
}

void matmul_integer(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst) {
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < cols; ++c)
            multiply_integers(in0 + r * tile_words, in1 + c * tile_words, dst[r * cols + c]);
}

}  // namespace ts::num

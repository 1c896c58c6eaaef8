// Tile products. `fast` is a float GEMM on face order; `chip` follows the matrix unit's sums of eight products.
#include <vector>

#include "matmul_general.h"
#include "matmul_phases.h"
#include "workers.h"

namespace ts::num {
namespace {

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
constexpr uint32_t part_rows = 16, parts_of_tile = tile_side / part_rows;  // what one thread computes at a time

// Blocks whose operands and results are usual, and with them nearly all: row by row, what is not is left to the others.
void multiply_usual(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, FpuMode mode,
                    uint32_t* const* dst) {
    const auto multiply = mode.wide ? phases::multiply_rows_for<phases::Wide>(mode.phases)
                                    : phases::multiply_rows_for<phases::Narrow>(mode.phases);
    const int32_t misread = mode.blackhole ? 0 : 27 << 23;
    static thread_local std::vector<phases::Operand> operands;
    if (operands.size() < rows + cols) operands.resize(rows + cols);
    phases::Operand *left = operands.data(), *right = left + rows;
    share(rows + cols, [&](uint32_t i) {
        if (i < rows) phases::split<false>(in0 + i * tile_words, mode.five_bit_exponent, left[i]);
        else phases::split<true>(in1 + (i - rows) * tile_words, mode.five_bit_exponent, right[i - rows]);
    });
    share(rows * cols * parts_of_tile, [&](uint32_t i) {
        const uint32_t tile = i / parts_of_tile, r = tile / cols, c = tile % cols, from = i % parts_of_tile * part_rows;
        const bool fits = left[r].fits && right[c].fits;
        for (uint32_t row = from; row < from + part_rows; row += phases::rows_at_once) {
            if (fits && multiply(right[c], left[r], row, mode.five_bit_exponent, misread, dst[tile])) continue;
            const uint32_t to = fits ? row + phases::rows_at_once : from + part_rows;
            general::multiply(in0 + r * tile_words, in1 + c * tile_words, row, to, mode, dst[tile]);
            if (!fits) return;
        }
    });
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
    if (mode.wide || !mode.five_bit_exponent) return multiply_usual(in0, in1, rows, cols, mode, dst);
    // A small exponent in a small DST.
    share(rows * cols, [&](uint32_t i) {
        general::multiply(in0 + i / cols * tile_words, in1 + i % cols * tile_words, 0, tile_side, mode, dst[i]);
    });
}

void matmul_integer(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst) {
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < cols; ++c)
            multiply_integers(in0 + r * tile_words, in1 + c * tile_words, dst[r * cols + c]);
}

}  // namespace ts::num

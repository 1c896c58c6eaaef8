// Blocks of tile products, computed at once.
#include <vector>

#include "matmul_rows.h"

namespace ts::num {
namespace {

void multiply_usual(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, FpuMode mode,
                    uint32_t* const* dst) {
    static thread_local std::vector<phases::Operand> operands;
    if (operands.size() < rows + cols) operands.resize(rows + cols);
    phases::Operand *left = operands.data(), *right = left + rows;
    const bool five_bit = mode.five_bit_exponent;
    for (uint32_t r = 0; r < rows; ++r)
        phases::split<false>(WordsOf{in0 + r * tile_words}, five_bit, 0, tile_side, left[r]);
    for (uint32_t c = 0; c < cols; ++c)
        phases::split<true>(WordsOf{in1 + c * tile_words}, five_bit, 0, tile_side, right[c]);
    for (uint32_t i = 0; i < rows * cols; ++i)
        usual_rows(left[i / cols], right[i % cols], 0, tile_side, mode, dst[i],
                   [&] { return TileWords{in0 + i / cols * tile_words, in1 + i % cols * tile_words}; });
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
            if (faces == 4) multiply_columns<wide_rows, wide_faces>(a, right, 0, tile_side, out, faces);
            else multiply_columns<narrow_rows, narrow_faces>(a, right, 0, tile_side, out, faces);
        }
    }
}

void matmul_chip(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, FpuMode mode,
                 uint32_t* const* dst) {
    if (takes_usual_way(mode)) return multiply_usual(in0, in1, rows, cols, mode, dst);
    for (uint32_t i = 0; i < rows * cols; ++i)
        general::multiply(in0 + i / cols * tile_words, in1 + i % cols * tile_words, 0, tile_side, mode, dst[i]);
}

void matmul_integer(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst) {
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < cols; ++c)
            multiply_integers(in0 + r * tile_words, in1 + c * tile_words, dst[r * cols + c]);
}

}  // namespace ts::num

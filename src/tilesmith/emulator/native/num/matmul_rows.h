// Some rows of the product of two tiles. `fast` is a float GEMM on face order; `chip` follows the matrix unit's sums of
// eight products.
#pragma once
#include "matmul_general.h"
#include "matmul_phases.h"

namespace ts::num {

// ---- fast ----

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

// Rows `from` to `to`, which multiples of eight begin and end.
template <int rows, int faces>
void multiply_columns(const float* in0, const float* const* in1, uint32_t from, uint32_t to, float* const* dst,
                      uint32_t count) {
    for (uint32_t f = 0; f < count; f += faces)
        for (uint32_t row = from; row < to; row += rows) multiply_block<rows, faces>(in0, in1 + f, row, dst + f);
}

inline void fast_rows(const uint32_t* in0, const uint32_t* in1, uint32_t from, uint32_t to, uint32_t* dst) {
    const float* right = reinterpret_cast<const float*>(in1);
    float* out = reinterpret_cast<float*>(dst);
    const float* const columns[] = {right, right + face_words};
    float* const sums[] = {out, out + face_words};
    multiply_columns<narrow_rows, narrow_faces>(reinterpret_cast<const float*>(in0), columns, from, to, sums, 2);
}

// ---- chip ----

// Sixteen datums of a tile that stands in Src.
struct WordsOf {
    const uint32_t* tile;
    TS_INLINE I16 operator()(uint32_t row, uint32_t face_col) const { return load(tile + word_at(row, face_col * 16)); }
};

// A small exponent in a small DST goes the general way.
inline bool takes_usual_way(FpuMode mode) { return mode.wide || !mode.five_bit_exponent; }

struct TileWords {
    const uint32_t *in0, *in1;
};

// What is not usual is left to the general way, rows by rows; `words()` gives it the tiles as they stand in Src.
template <class Words>
void usual_rows(const phases::Operand& left, const phases::Operand& right, uint32_t from, uint32_t to, FpuMode mode,
                uint32_t* dst, Words words) {
    const auto multiply = mode.wide ? phases::multiply_rows_for<phases::Wide>(mode.phases)
                                    : phases::multiply_rows_for<phases::Narrow>(mode.phases);
    const int32_t misread = mode.blackhole ? 0 : 27 << 23;
    const bool fits = left.fits && right.fits;
    uint32_t unusual = fits ? multiply({right, left, mode.five_bit_exponent, misread, dst}, from, to) : 0;
    if (fits && !unusual) return;
    const TileWords tiles = words();
    if (!fits) return general::multiply(tiles.in0, tiles.in1, from, to, mode, dst);
    for (; unusual; unusual &= unusual - 1) {
        const uint32_t row = static_cast<uint32_t>(__builtin_ctz(unusual)) * phases::rows_at_once;
        general::multiply(tiles.in0, tiles.in1, row, row + phases::rows_at_once, mode, dst);
    }
}

}  // namespace ts::num

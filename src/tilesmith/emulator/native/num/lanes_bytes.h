// Thirty-two bytes, one for each column of a tile; sums saturate.
#pragma once
#include "lanes.h"

namespace ts::num {

typedef uint8_t Bytes __attribute__((vector_size(32)));

TS_INLINE Bytes splat_bytes(int value) { return Bytes{} + static_cast<uint8_t>(value); }
TS_INLINE Bytes load_bytes(const uint8_t* from) {
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
}
TS_INLINE Bytes min(Bytes a, Bytes b) { return a < b ? a : b; }
TS_INLINE Bytes max(Bytes a, Bytes b) { return a > b ? a : b; }
TS_INLINE Bytes add_saturated(Bytes a, Bytes b) {
#ifdef __AVX2__
    return (Bytes)_mm256_adds_epu8((__m256i)a, (__m256i)b);
#else
    return a + min(b, ~a);
#endif
}

TS_INLINE bool any(Bytes mask) {
#ifdef __AVX__
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    uint64_t words[4];
    std::memcpy(words, &mask, sizeof mask);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
#endif
}

// The smallest of right[k] + left[k] over eight k, for 32 columns: rows of 32 bytes that follow each other.
TS_INLINE Bytes smallest_sums(const uint8_t* right, const uint8_t* left) {
    Bytes smallest = splat_bytes(255);
    for (int k = 0; k < 8; ++k)
        smallest = min(smallest, add_saturated(load_bytes(right + k * 32), splat_bytes(left[k])));
    return smallest;
}

TS_INLINE void widen(Bytes bytes, I16* halves) {
    uint8_t rows[32];
    std::memcpy(rows, &bytes, sizeof rows);
    halves[0] = load_bytes_as_words(rows);
    halves[1] = load_bytes_as_words(rows + 16);
}

}  // namespace ts::num

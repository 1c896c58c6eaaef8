// Sixteen lanes as one vector of the compiler's: AVX-512, or a compiler that splits it well.
#pragma once
#include <cstdint>
#include <cstring>

namespace ts::num {

using I16 = int32_t __attribute__((vector_size(64)));
using U16 = uint32_t __attribute__((vector_size(64)));
using F16 = float __attribute__((vector_size(64)));

TS_INLINE I16 splat(int32_t v) { return I16{v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}; }
TS_INLINE F16 splat_float(float v) { return F16{v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}; }
// A macro, because a comparison that passes through a function becomes a mask and is compared again.
#define TS_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
TS_INLINE I16 load(const void* from) {
    I16 value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
TS_INLINE F16 load_float(const void* from) {
    F16 value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
TS_INLINE void store(void* to, I16 value) { std::memcpy(to, &value, sizeof value); }
TS_INLINE void store_float(void* to, F16 value) { std::memcpy(to, &value, sizeof value); }
TS_INLINE I16 to_int(F16 value) { return __builtin_convertvector(value, I16); }  // towards zero
TS_INLINE F16 to_float(I16 value) { return __builtin_convertvector(value, F16); }

#ifdef __clang__
TS_INLINE F16 floor(F16 value) { return __builtin_elementwise_floor(value); }
#endif

TS_INLINE I16 load_halfwords(const void* from) {
    uint16_t __attribute__((vector_size(32))) row;
    std::memcpy(&row, from, sizeof row);
    return (I16) __builtin_convertvector(row, U16);
}

TS_INLINE I16 load_bytes_as_words(const void* from) {
#ifdef __AVX512F__  // GCC would convert datum by datum
    return (I16)_mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from)));
#else
    uint8_t __attribute__((vector_size(16))) row;
    std::memcpy(&row, from, sizeof row);
    return (I16) __builtin_convertvector(row, U16);
#endif
}

template <class T>
TS_INLINE void store_narrow(void* to, I16 value, uint32_t count = 16) {
    typedef T Row __attribute__((vector_size(16 * sizeof(T))));
    const Row row = __builtin_convertvector(value, Row);
    std::memcpy(to, &row, count * sizeof(T));
}

TS_INLINE int32_t largest_lane(I16 v) {
    auto fold = [](I16 a, I16 b) { return TS_SELECT(a > b, a, b); };
    v = fold(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = fold(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = fold(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = fold(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return v[0];
}

// The largest of right[k] + left[k] over eight k, for 32 columns: rows of 32 half-words that follow each other.
TS_INLINE void largest_sums(const int16_t* right, const int16_t* left, I16* largest) {
    using S32 = int16_t __attribute__((vector_size(64)));
    using S16 = int16_t __attribute__((vector_size(32)));
    S32 most;
    for (int k = 0; k < 8; ++k) {
        S32 row;
        std::memcpy(&row, right + k * 32, sizeof row);
        row += left[k];
        most = k == 0 ? row : (row > most ? row : most);
    }
    S16 halves[2];
    std::memcpy(halves, &most, sizeof most);
    for (int half = 0; half < 2; ++half) largest[half] = __builtin_convertvector(halves[half], I16);
}

// Neighbours joined: the second of each pair above the first. The upper half of the result means nothing.
TS_INLINE I16 join_pairs(I16 v, int bits) {
    const I16 even = __builtin_shufflevector(v, v, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
    const I16 odd = __builtin_shufflevector(v, v, 1, 3, 5, 7, 9, 11, 13, 15, 1, 3, 5, 7, 9, 11, 13, 15);
    return even | odd << bits;
}

}  // namespace ts::num

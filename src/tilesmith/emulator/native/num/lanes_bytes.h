// Sixty-four bytes, four for each of sixteen lanes; sums saturate.
#pragma once
#include "lanes.h"

namespace ts::num {

#ifdef __AVX512BW__

using Bytes = __m512i;

TS_INLINE Bytes splat_bytes(int value) { return _mm512_set1_epi8(static_cast<char>(value)); }
TS_INLINE Bytes splat_word(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
TS_INLINE Bytes load_bytes(const uint32_t* from) { return _mm512_loadu_si512(from); }
TS_INLINE Bytes min(Bytes a, Bytes b) { return _mm512_min_epu8(a, b); }
TS_INLINE Bytes max(Bytes a, Bytes b) { return _mm512_max_epu8(a, b); }
TS_INLINE Bytes increment(Bytes bytes) { return _mm512_add_epi8(bytes, splat_bytes(1)); }  // 255 becomes 0
TS_INLINE Bytes add_saturated(Bytes a, Bytes b) { return _mm512_adds_epu8(a, b); }
TS_INLINE I16 as_words(Bytes bytes) { return (I16)bytes; }
TS_INLINE bool any_less(Bytes bytes, int limit) { return _mm512_cmplt_epu8_mask(bytes, splat_bytes(limit)) != 0; }
TS_INLINE bool any_more(Bytes bytes, int limit) { return _mm512_cmpgt_epu8_mask(bytes, splat_bytes(limit)) != 0; }

#else

struct Bytes {
    typedef uint8_t Half __attribute__((vector_size(32)));
    Half low, high;
};

TS_INLINE Bytes::Half min(Bytes::Half a, Bytes::Half b) { return a < b ? a : b; }
TS_INLINE Bytes::Half max(Bytes::Half a, Bytes::Half b) { return a > b ? a : b; }
TS_INLINE Bytes::Half add_saturated(Bytes::Half a, Bytes::Half b) {
#ifdef __AVX2__
    return (Bytes::Half)_mm256_adds_epu8((__m256i)a, (__m256i)b);
#else
    return a + min(b, ~a);
#endif
}
TS_INLINE bool any(Bytes::Half mask) {
#ifdef __AVX__
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    uint64_t words[4];
    std::memcpy(words, &mask, sizeof mask);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
#endif
}

TS_INLINE Bytes splat_bytes(int value) {
    const Bytes::Half all = Bytes::Half{} + static_cast<uint8_t>(value);
    return {all, all};
}
TS_INLINE Bytes splat_word(uint32_t value) {
    typedef uint32_t Words __attribute__((vector_size(32)));
    const Bytes::Half all = (Bytes::Half)(Words{} + value);
    return {all, all};
}
TS_INLINE Bytes load_bytes(const uint32_t* from) {
    Bytes::Half low, high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + 8, sizeof high);
    return {low, high};
}
TS_INLINE Bytes min(const Bytes& a, const Bytes& b) { return {min(a.low, b.low), min(a.high, b.high)}; }
TS_INLINE Bytes max(const Bytes& a, const Bytes& b) { return {max(a.low, b.low), max(a.high, b.high)}; }
TS_INLINE Bytes increment(const Bytes& bytes) { return {bytes.low + 1, bytes.high + 1}; }  // 255 becomes 0
TS_INLINE Bytes add_saturated(const Bytes& a, const Bytes& b) {
    return {add_saturated(a.low, b.low), add_saturated(a.high, b.high)};
}
#ifdef __clang__
TS_INLINE I16 as_words(const Bytes& bytes) { return load(&bytes); }
#else
TS_INLINE I16 as_words(const Bytes& bytes) { return {(I16::Half)bytes.low, (I16::Half)bytes.high}; }
#endif
TS_INLINE bool any_less(const Bytes& bytes, int limit) {
    const Bytes all = splat_bytes(limit);
    return any((Bytes::Half)((bytes.low < all.low) | (bytes.high < all.high)));
}
TS_INLINE bool any_more(const Bytes& bytes, int limit) {
    const Bytes all = splat_bytes(limit);
    return any((Bytes::Half)((bytes.low > all.low) | (bytes.high > all.high)));
}

#endif

}  // namespace ts::num

// Sixteen lanes as two vectors of eight, with the operators of one vector: for AVX2 and its like.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ts::num {

template <class T>
struct Halves {
    typedef T Half __attribute__((vector_size(32)));
    Half low, high;

    Halves() = default;
    TS_INLINE Halves(Half l, Half h) : low(l), high(h) {}
    template <class... Values>
        requires(sizeof...(Values) == 16)
    TS_INLINE Halves(Values... values) {
        const T all[16] = {static_cast<T>(values)...};
        std::memcpy(&low, all, sizeof low);
        std::memcpy(&high, all + 8, sizeof high);
    }
    template <class Other>
    TS_INLINE explicit Halves(const Halves<Other>& other) : low((Half)other.low), high((Half)other.high) {}  // bits
    TS_INLINE T operator[](int i) const { return i < 8 ? low[i] : high[i - 8]; }
    TS_INLINE Halves operator~() const { return {~low, ~high}; }
    TS_INLINE Halves operator-() const { return {-low, -high}; }
};

using I16 = Halves<int32_t>;
using U16 = Halves<uint32_t>;
using F16 = Halves<float>;

#define TS_LANE_OPERATOR(op)                                                         \
    template <class T>                                                               \
    TS_INLINE Halves<T> operator op(const Halves<T>& a, const Halves<T>& b) {        \
        return {a.low op b.low, a.high op b.high};                                   \
    }                                                                                \
    template <class T>                                                               \
    TS_INLINE Halves<T> operator op(const Halves<T>& a, std::type_identity_t<T> b) { \
        return {a.low op b, a.high op b};                                            \
    }                                                                                \
    template <class T>                                                               \
    TS_INLINE Halves<T> operator op(std::type_identity_t<T> a, const Halves<T>& b) { \
        return {a op b.low, a op b.high};                                            \
    }                                                                                \
    template <class T, class Right>                                                  \
    TS_INLINE Halves<T>& operator op## = (Halves<T> & a, const Right& b) {           \
        return a = a op b;                                                           \
    }
#define TS_LANE_COMPARISON(op)                                                 \
    template <class T>                                                         \
    TS_INLINE I16 operator op(const Halves<T>& a, const Halves<T>& b) {        \
        return {a.low op b.low, a.high op b.high};                             \
    }                                                                          \
    template <class T>                                                         \
    TS_INLINE I16 operator op(const Halves<T>& a, std::type_identity_t<T> b) { \
        return {a.low op b, a.high op b};                                      \
    }
TS_LANE_OPERATOR(+)
TS_LANE_OPERATOR(-)
TS_LANE_OPERATOR(*)
TS_LANE_OPERATOR(&)
TS_LANE_OPERATOR(|)
TS_LANE_OPERATOR(^)
TS_LANE_OPERATOR(<<)
TS_LANE_OPERATOR(>>)
TS_LANE_COMPARISON(==)
TS_LANE_COMPARISON(!=)
TS_LANE_COMPARISON(<)
TS_LANE_COMPARISON(>)
TS_LANE_COMPARISON(<=)
TS_LANE_COMPARISON(>=)
#undef TS_LANE_OPERATOR
#undef TS_LANE_COMPARISON

TS_INLINE I16 splat(int32_t v) { return {I16::Half{} + v, I16::Half{} + v}; }
TS_INLINE F16 splat_float(float v) {
    const F16::Half all{v, v, v, v, v, v, v, v};
    return {all, all};
}
TS_INLINE I16 TS_SELECT(const I16& mask, const I16& yes, const I16& no) {
    return {mask.low ? yes.low : no.low, mask.high ? yes.high : no.high};
}
template <class T>
TS_INLINE Halves<T> load_as(const void* from) {
    typename Halves<T>::Half low, high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, static_cast<const char*>(from) + sizeof low, sizeof high);
    return {low, high};
}
template <class T>
TS_INLINE void store_as(void* to, const Halves<T>& value) {
    std::memcpy(to, &value.low, sizeof value.low);
    std::memcpy(static_cast<char*>(to) + sizeof value.low, &value.high, sizeof value.high);
}
TS_INLINE I16 load(const void* from) { return load_as<int32_t>(from); }
TS_INLINE F16 load_float(const void* from) { return load_as<float>(from); }
TS_INLINE void store(void* to, const I16& value) { store_as(to, value); }
TS_INLINE void store_float(void* to, const F16& value) { store_as(to, value); }
TS_INLINE I16 to_int(const F16& v) {  // towards zero
    return {__builtin_convertvector(v.low, I16::Half), __builtin_convertvector(v.high, I16::Half)};
}
TS_INLINE F16 to_float(const I16& v) {
    return {__builtin_convertvector(v.low, F16::Half), __builtin_convertvector(v.high, F16::Half)};
}

TS_INLINE F16::Half floor(F16::Half value) {
#ifdef __AVX__
    return (F16::Half)_mm256_floor_ps((__m256)value);
#else
    for (int i = 0; i < 8; ++i) value[i] = __builtin_floorf(value[i]);
    return value;
#endif
}
TS_INLINE F16 floor(const F16& value) { return {floor(value.low), floor(value.high)}; }

TS_INLINE I16 load_bytes_as_words(const void* from) {
#ifdef __AVX2__
    const auto half = [](const void* at) { return (I16::Half)_mm256_cvtepu8_epi32(_mm_loadu_si64(at)); };
    return {half(from), half(static_cast<const char*>(from) + 8)};
#else
    uint8_t row[16];
    int32_t words[16];
    std::memcpy(row, from, sizeof row);
    for (int i = 0; i < 16; ++i) words[i] = row[i];
    return load(words);
#endif
}

TS_INLINE I16 load_halfwords(const void* from) {
    uint16_t row[16];
    int32_t words[16];
    std::memcpy(row, from, sizeof row);
    for (int i = 0; i < 16; ++i) words[i] = row[i];
    return load(words);
}

template <class T>
TS_INLINE void store_narrow(void* to, const I16& value, uint32_t count = 16) {
    uint32_t words[16];
    T row[16];
    store(words, value);
    for (int i = 0; i < 16; ++i) row[i] = static_cast<T>(words[i]);
    std::memcpy(to, row, count * sizeof(T));
}

TS_INLINE int32_t largest_lane(const I16& v) {
    int32_t largest = v[0];
    for (int i = 1; i < 16; ++i) largest = largest < v[i] ? v[i] : largest;
    return largest;
}

// The largest of right[k] + left[k] over eight k, for 32 columns: rows of 32 half-words that follow each other.
TS_INLINE void largest_sums(const int16_t* right, const int16_t* left, I16* largest) {
    typedef int16_t S16 __attribute__((vector_size(32)));
    for (int half = 0; half < 2; ++half) {
        S16 most;
        for (int k = 0; k < 8; ++k) {
            S16 row;
            std::memcpy(&row, right + k * 32 + half * 16, sizeof row);
            row += left[k];
            most = k == 0 ? row : (row > most ? row : most);
        }
        int32_t words[16];
        for (int i = 0; i < 16; ++i) words[i] = most[i];
        largest[half] = load(words);
    }
}

// Neighbours joined: the second of each pair above the first. The upper half of the result means nothing.
TS_INLINE I16 join_pairs(const I16& v, int bits) {
    int32_t joined[16] = {};
    for (int i = 0; i < 8; ++i) joined[i] = v[2 * i] | v[2 * i + 1] << bits;
    return load(joined);
}

}  // namespace ts::num

// What the packer does: a DST word becomes a source-format datum (rounding half away from zero), passes the ReLU stage,
// is converted late (truncating) to the L1 format, and is stored or added there.
#include "format_facts.h"
#include "l1_add.h"
#include "lanes.h"

namespace ts::num {
namespace {

// ---- early: DST word -> source datum (16-bit ones in the low half) ----
void early_bf16(const uint32_t* in, uint32_t n, bool wide, bool six_bits, uint32_t* out) {
    for (uint32_t i = 0; i < n; i += 16) {
        I16 word = load(in + i);
        word = TS_SELECT((word & 0x7FFFFFFF) > 0x7F800000, word & (int32_t)0xFF800000, word);
        if (wide && !six_bits) word += 0x8000;
        I16 value = shift_right(word, 16);
        if (!wide) value &= (value & 0x7FFF) >= 0x80;
        if (six_bits) value = (value + 1) & ~1;
        if (wide) value &= (value & 0x7FFF) >= 0x80;
        store(out + i, value & 0xFFFF);
    }
}

// 16-bit DST of fp16 operands: shown as fp32, held with 5 exponent bits.
uint32_t half_from_narrow(uint32_t word, bool six_bits) {
    if (word & 0x7F800000) word -= 112 << 23;
    uint32_t value = (word >> 16 & 0x8000) | (word >> 13 & 0x7FFF);
    if (six_bits) {
        if ((value & 0x7FFF) > 0x7FF7) value = (value & 0x8000) | 0x7FF0;
        value = (value + 8) & ~15u;
    }
    return (value & 0x7FFF) < 0x400 ? 0 : value;
}

// Blackhole can round a wide datum to ten mantissa bits on its way to fp16.
uint32_t half_from_wide(uint32_t word) {
    if ((word & 0x7FFFFFFF) > 0x7F800000) word = (word & 0x80000000) | 0x7F800000;
    uint32_t value = (word + 0x1000) >> 13;
    if ((value & 0x3FFFF) < 0x400) value = 0;
    const uint32_t sign = value >> 18 << 15;
    const int32_t exponent = int32_t(value >> 10 & 255) - 112;
    if (exponent < 0) return sign;
    return exponent > 31 ? sign | 0x7FFF : sign | uint32_t(exponent) << 10 | (value & 0x3FF);
}

uint32_t int8_datum(uint32_t word, bool is_unsigned) {
    const int32_t value = int32_t(word);
    if (is_unsigned) return value < 0 ? 0 : value > 255 ? 255 : uint32_t(value);
    const uint32_t magnitude = value < 0 ? -uint32_t(value) : uint32_t(value);
    return (value < 0 ? 0x80 : 0) | (magnitude > 127 ? 127 : magnitude);
}

TS_NOINLINE void early(const uint32_t* in, uint32_t n, const PackMode& mode, uint32_t* out) {
    switch (mode.source) {
        case fmt::float16_b: return early_bf16(in, n, mode.wide, false, out);
        case fmt::bfp8_b: return early_bf16(in, n, mode.wide, true, out);
        case fmt::float16:
        case fmt::bfp8:
            for (uint32_t i = 0; i < n; ++i) {
                out[i] = mode.wide ? half_from_wide(in[i]) : half_from_narrow(in[i], mode.source == fmt::bfp8);
            }
            return;
        case fmt::int8:
        case fmt::uint8:
            for (uint32_t i = 0; i < n; ++i) out[i] = int8_datum(in[i], mode.source == fmt::uint8);
            return;
        default: std::memcpy(out, in, n * 4);
    }
}

// ---- ReLU on the source datum; thresholds are compared as bit patterns ----
TS_NOINLINE void relu(uint32_t* values, uint32_t n, const PackMode& mode) {
    if (mode.relu == Relu::none) return;
    const bool word = mode.source == fmt::float32 || mode.source == fmt::tf32 || mode.source == fmt::int32;
    const uint32_t sign = word ? 0x80000000 : 0x8000;
    const uint32_t threshold = word ? uint32_t(mode.threshold) << 16 : mode.threshold;
    const uint32_t blind = word ? 13 : 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t value = values[i];
        if (value & sign) value = 0;
        if (mode.relu == Relu::min_threshold && value <= threshold) value = 0;
        if (mode.relu == Relu::max_threshold && (value >> blind) > (threshold >> blind)) value = threshold;
        values[i] = value;
    }
}

// ---- late: source datum -> L1 datum; block formats are given bf16 (or fp16) datums ----
uint32_t half_to_bf16(uint32_t half) {
    const uint32_t exponent = half >> 10 & 31;
    return exponent ? (half & 0x8000) | (exponent + 112) << 7 | (half & 0x3FF) >> 3 : 0;
}

uint32_t half_to_float(uint32_t half) {
    const uint32_t sign = (half & 0x8000) << 16;
    return sign | ((half & 0x7C00) ? ((half & 0x7FFF) + (112 << 10)) << 13 : (half & 0x3FF) << 13);
}

uint32_t half_to_fp8(uint32_t half, bool four_bit_exponent) {
    const uint32_t sign = half >> 8 & 0x80, exponent = half >> 10 & 31;
    if (!four_bit_exponent) return half >> 8;
    if (exponent <= 8) return sign;
    return exponent >= 24 ? sign | 0x7F : sign | (exponent - 8) << 3 | (half & 0x3FF) >> 7;
}

uint32_t float_to_half(uint32_t word) {
    const uint32_t sign = word >> 31 << 15;
    const int32_t exponent = int32_t(word >> 23 & 255) - 112;
    if (exponent < 0) return sign;
    return exponent > 31 ? sign | 0x7FFF : sign | uint32_t(exponent) << 10 | (word & 0x7FFFFF) >> 13;
}

TS_NOINLINE uint32_t late_datum(uint32_t value, uint8_t source, uint8_t format) {
    const bool half = has_small_exponent(source);
    switch (format) {
        case fmt::float32:
        case fmt::tf32:
            return half                                                  ? half_to_float(value)
                   : (source == fmt::float16_b || source == fmt::bfp8_b) ? value << 16
                                                                         : value;
        case fmt::float16_b: return half ? half_to_bf16(value) : source == fmt::float32 ? value >> 16 : value;
        case fmt::float16: return half ? value : float_to_half(source == fmt::float32 ? value : value << 16);
        case fmt::lf8:
        case fmt::fp8_e4m3:
            return half_to_fp8(half ? value : float_to_half(source == fmt::float32 ? value : value << 16),
                               format == fmt::fp8_e4m3);
        case fmt::bfp8_b:
        case fmt::bfp4_b:
        case fmt::bfp2_b: {
            if (half) return half_to_bf16(value);
            if (source != fmt::float32) return value;
            value >>= 16;
            return (value & 0x7FFF) < 0x80 ? 0 : value;
        }
        default: return value;
    }
}

// ---- into L1 ----
TS_INLINE I16 without_denormals(I16 words) {
    return TS_SELECT((words & 0x7FFFFFFF) < 0x800000, words & int32_t(0x80000000), words);
}

// What add_float does, for sixteen at a time.
TS_NOINLINE void add_floats(const uint32_t* values, uint32_t n, uint8_t* l1) {
    for (uint32_t i = 0; i < n; i += 16) {
        const F16 old = as_float(without_denormals(load(l1 + i * 4)));
        const I16 sum = as_bits(old + as_float(without_denormals(load(values + i))));
        const I16 nan = splat(0x7FC00000);
        store(l1 + i * 4, TS_SELECT((sum & 0x7FFFFFFF) > 0x7F800000, nan, without_denormals(sum)));
    }
}

template <class T>
void store_datums(const uint32_t* values, uint32_t n, const PackMode& mode, uint8_t* l1) {
    if (!mode.accumulate) {
        for (uint32_t i = 0; i < n; i += 16) {
            store_narrow<T>(l1 + i * sizeof(T), load(values + i), n - i < 16 ? n - i : 16);
        }
        return;
    }
    const bool floats = mode.format == fmt::float32 || mode.format == fmt::tf32;
    if (floats && n % 16 == 0) return add_floats(values, n, l1);
    for (uint32_t i = 0; i < n; ++i) {
        T old;
        std::memcpy(&old, l1 + i * sizeof(T), sizeof(T));
        uint32_t sum = old + values[i];
        if (floats) sum = add_float(old, values[i]);
        else if (mode.format == fmt::float16_b) sum = add_bf16(old, values[i]);
        else if (mode.format == fmt::float16) sum = add_half(old, values[i]);
        const T result = T(sum);
        std::memcpy(l1 + i * sizeof(T), &result, sizeof(T));
    }
}

// Sixteen bf16 datums share the largest exponent; magnitudes round to seven bits, and shorter formats cut those off.
TS_NOINLINE void store_block(const uint32_t* values, uint32_t bits, bool small, uint8_t* exponent_at,
                             uint8_t* codes_at) {
    const I16 value = load(values);
    const I16 exponent = small ? shift_right(value, 10) & 31 : shift_right(value, 7) & 255;
    const int32_t largest = largest_lane(exponent);
    I16 magnitude = (small ? shift_right(value, 3) & 127 : value & 127) | ((exponent != 0) & 128);
    const I16 shift = min(largest - exponent, splat(15));
    magnitude = min((magnitude + (splat(1) << shift)) >> (shift + 1), splat(127)) >> int(8 - bits);
    const I16 sign = (shift_right(value, 15) & 1) << int(bits - 1);
    const I16 codes = magnitude | (sign & (magnitude != 0));
    *exponent_at = uint8_t(largest);
    if (bits == 8) return store_narrow<uint8_t>(codes_at, codes);
    const I16 pairs = join_pairs(codes, int(bits));
    if (bits == 4) return store_narrow<uint8_t>(codes_at, pairs, 8);
    store_narrow<uint8_t>(codes_at, join_pairs(pairs, 4), 4);
}

// Plain rounding to nearest even for `fast` numbers; returns source datums as `early` does.
TS_NOINLINE void early_fast(const uint32_t* in, uint32_t n, uint8_t source, uint32_t* out) {
    if (source != fmt::float16_b && source != fmt::bfp8_b) {
        std::memcpy(out, in, n * 4);
        return;
    }
    for (uint32_t i = 0; i < n; i += 16) {
        const I16 word = load(in + i);
        const I16 rounded = shift_right(word + 0x7FFF + (shift_right(word, 16) & 1), 16);
        store(out + i, TS_SELECT((word & 0x7FFFFFFF) > 0x7F800000, shift_right(word, 16) | 0x40, rounded));
    }
}

TS_NOINLINE void convert(const uint32_t* words, uint32_t n, PackMode mode, uint32_t* values) {
    if (mode.fast && !is_integer(mode.source)) {
        if (mode.format == fmt::float16 || mode.format == fmt::lf8 || mode.format == fmt::fp8_e4m3) {
            for (uint32_t i = 0; i < n; ++i) values[i] = half_from_wide(words[i]);
            mode.source = fmt::float16;
        } else {
            mode.source = mode.format == fmt::float32 || mode.format == fmt::tf32 ? fmt::float32 : fmt::float16_b;
            early_fast(words, n, mode.source, values);
        }
    } else {
        early(words, n, mode, values);
    }
    relu(values, n, mode);
    const bool is_bf16 = mode.source == fmt::float16_b || mode.source == fmt::bfp8_b;
    if (mode.source == mode.format || (is_bf16 && is_block(mode.format) && !has_small_exponent(mode.format))) return;
    for (uint32_t i = 0; i < n; ++i) values[i] = late_datum(values[i], mode.source, mode.format);
}

TS_NOINLINE void store_all(const uint32_t* values, uint32_t n, const PackMode& mode, uint8_t* l1) {
    switch (mode.format) {
        case fmt::float32:
        case fmt::tf32:
        case fmt::int32:
        case fmt::uint32: return store_datums<uint32_t>(values, n, mode, l1);
        case fmt::float16:
        case fmt::float16_b:
        case fmt::uint16: return store_datums<uint16_t>(values, n, mode, l1);
        default: return store_datums<uint8_t>(values, n, mode, l1);
    }
}

// Rows of the tile in L1 order, with what a reduction does not define written as zero.
TS_NOINLINE void gather(const uint32_t* dst, Dim keep, Geometry shape, uint32_t* words) {
    for (uint32_t face = 0; face < shape.faces; ++face) {
        for (uint32_t row = 0; row < shape.face_rows; ++row, words += 16) {
            std::memcpy(words, dst + face * face_words + row * 16, 64);
            if (keep == Dim::none) continue;
            const bool top = face < shape.faces_across && row == 0;
            if (keep != Dim::row && !top) std::memset(words, 0, 64);
            const bool whole_row = keep == Dim::col;
            if (!whole_row) {
                if (keep == Dim::scalar && face != 0) words[0] = 0;
                std::memset(words + 1, 0, 60);
            }
        }
    }
}

}  // namespace

void pack(const uint32_t* dst, const PackMode& mode, uint8_t* l1, Geometry shape) {
    uint32_t words[tile_words], values[tile_words];
    const uint32_t n = shape.datums();
    const bool contiguous = shape.face_rows == 16 && mode.keep == Dim::none;
    if (!contiguous) gather(dst, mode.keep, shape, words);
    convert(contiguous ? dst : words, n, mode, values);
    if (!is_block(mode.format)) return store_all(values, n, mode, l1);
    const uint32_t bits = block_bits(mode.format);
    uint8_t* codes = l1 + (n / 16 + 15) / 16 * 16;
    for (uint32_t row = 0; row < n / 16; ++row) {
        store_block(values + row * 16, bits, has_small_exponent(mode.format), l1 + row, codes + row * 2 * bits);
    }
}

void pack_row(const uint32_t* dst, const PackMode& mode, uint8_t* l1, uint32_t count) {
    uint32_t values[16];
    convert(dst, 16, mode, values);
    store_all(values, count, mode, l1);
}

}  // namespace ts::num

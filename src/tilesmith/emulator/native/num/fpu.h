// The matrix unit's adder, bit for bit: up to two sums of products and a DST datum are brought to one exponent, each
// rounded, then added, normalised and rounded again. Every FPU operation ends here.
#pragma once
#include "lanes.h"
#include "num.h"

namespace ts::num {

// A signed sum of products; 2^23 stands for 1.0 at its exponent.
struct Term {
    I16 exponent{}, value{};
};

// Sums of products round half up, so that an arithmetic shift does it for both signs. One bit more than the result is
// kept until the rounding: values stay below 2^30.
TS_INLINE I16 align(I16 value, I16 distance) { return (shift_far((value << 1), distance) + 1) >> 1; }

// Magnitudes round half away from zero.
TS_INLINE I16 align_magnitude(I16 magnitude, I16 distance) { return align(magnitude, distance); }

// What does not fit a 16-bit DST is rounded away before the addition too.
TS_INLINE I16 drop_low_bits(I16 value) { return (value + (1 << 12)) & ~0x1FFF; }

TS_INLINE I16 exponent_of(I16 word) { return shift_right(word, 23) & 255; }

TS_INLINE I16 normalise_wide(I16 sum, I16 exponent, FpuMode mode) {
    const I16 magnitude = absolute(sum);
    const I16 lead = leading_bit(magnitude);
    exponent += lead - 23;
    // Wormhole's leading-sign counter misreads the pattern of -1.
    if (!mode.blackhole) exponent += 27 & (sum == -1);
    const I16 mantissa = shift_right((magnitude << (30 - lead)) + (1 << 6), 7);
    // A mantissa that rounded up to 2.0 carries into the exponent by itself.
    const I16 bits = min(((min(exponent, splat(255)) - 1) << 23) + mantissa, splat(0x7F800000));
    const I16 alive = (sum != 0) & (bits >= 0x800000);
    return (bits | (sum & (int32_t)0x80000000)) & alive;
}

// What drop_low_bits leaves is exact as a float, whose exponent counts the leading bit.
TS_INLINE I16 normalise_narrow(I16 sum, I16 exponent, FpuMode mode) {
    const int drop = mode.five_bit_exponent ? 13 : 16;
    const I16 rounded = (as_bits(to_float(sum)) + (1 << (drop - 1))) & -(1 << drop);
    const I16 scale = exponent - 150;
    const I16 result_exponent = (shift_right(rounded, 23) & 255) + scale;
    const int limit = mode.five_bit_exponent ? 32 : 255;
    const int32_t most = mode.five_bit_exponent ? (31 << 23 | 0x3FF << 13) : 0x7F800000;
    const I16 saturated = (rounded & (int32_t)0x80000000) | most;
    const I16 scaled = (I16)((U16)rounded + ((U16)scale << 23));  // wraps where it is not taken
    const I16 result = TS_SELECT(result_exponent >= limit, saturated, scaled);
    return result & ((sum != 0) & (result_exponent > 0));
}

template <bool two_terms>
TS_INLINE I16 accumulate(const Term& first, const Term& second, I16 dst, FpuMode mode) {
    const I16 dst_exponent = exponent_of(dst);
    I16 dst_value = ((dst & 0x7FFFFF) | 0x800000) & (dst_exponent != 0);
    I16 exponent = max(first.exponent, dst_exponent);
    if (two_terms) exponent = max(exponent, second.exponent);
    I16 value0 = align(first.value, exponent - first.exponent);
    I16 value1 = two_terms ? align(second.value, exponent - second.exponent) : I16{};
    dst_value = align_magnitude(dst_value, exponent - dst_exponent);
    if (!mode.wide) {
        value0 = drop_low_bits(value0);
        if (two_terms) value1 = drop_low_bits(value1);
        dst_value = drop_low_bits(dst_value);
    }
    const I16 dst_sign = dst >> 31;
    const I16 sum = value0 + value1 + ((dst_value ^ dst_sign) - dst_sign);
    return mode.wide ? normalise_wide(sum, exponent, mode) : normalise_narrow(sum, exponent, mode);
}

// Exponent bias of a product in one fidelity phase.
TS_INLINE int product_bias(FpuMode mode, int phase) {
    int bias = !mode.five_bit_exponent ? -127 : (mode.wide ? 127 - 30 : -15);
    if (phase & 1) bias -= 5;
    if (phase & 2) bias -= 7;
    return bias;
}

// SrcA's multiplier input has 5 bits: the top of the mantissa in even phases, the rest in odd ones.
TS_INLINE I16 srca_bits(I16 word, int phase) {
    const I16 mantissa = (shift_right(word, 13) & 0x3FF) | 0x400;
    return (phase & 1) ? ((mantissa >> 1) & 31) : (mantissa >> 6);
}

// SrcB's has 7.
TS_INLINE I16 srcb_bits(I16 word, int phase) {
    const I16 mantissa = (shift_right(word, 13) & 0x3FF) | 0x400;
    return (phase & 2) ? ((mantissa & 15) << 3) : (mantissa >> 4);
}

// Eight products brought to their largest exponent and added; each rounds half away from zero.
struct Products {
    I16 exponents[8], magnitudes[8], signs[8];  // signs are all ones where negative
    I16 lowest;

    explicit Products(int bias) : lowest(splat(bias > 0 ? bias : 0)) {}

    TS_INLINE void set(int i, I16 srca, I16 srcb, int phase, int bias) {
        const I16 alive = (exponent_of(srca) != 0) & (exponent_of(srcb) != 0);
        exponents[i] = TS_SELECT(alive, exponent_of(srca) + exponent_of(srcb) + bias, lowest);
        magnitudes[i] = (srca_bits(srca, phase) * srcb_bits(srcb, phase)) & alive;
        signs[i] = (srca ^ srcb) >> 31;
    }

    TS_INLINE Term sum() const {
        I16 largest = lowest;
        for (int i = 0; i < 8; ++i) largest = max(largest, exponents[i]);
        I16 total{};
        for (int i = 0; i < 8; ++i) {
            total += (align_magnitude(magnitudes[i], largest - exponents[i]) ^ signs[i]) - signs[i];
        }
        const I16 alive = largest > 0;
        return {largest & alive, (total << 13) & alive};
    }
};

// A 16-bit DST of fp16 operands holds a 5-bit exponent. The engine's DST always shows fp32 patterns.
TS_INLINE I16 five_bit_to_float(I16 word) { return word + ((112 << 23) & ((word & 0x0F800000) != 0)); }
TS_INLINE I16 float_to_five_bit(I16 word) { return word - ((112 << 23) & ((word & 0x7F800000) != 0)); }

// Denormals, and zeros of either sign, are plain zero to the matrix unit.
TS_INLINE I16 flush(I16 word) { return word & ((word & 0x7F800000) != 0); }

TS_INLINE I16 read_dst(const uint32_t* at, FpuMode mode) {
    const I16 word = load(at);
    return mode.five_bit_exponent && !mode.wide ? float_to_five_bit(word) : word;
}

TS_INLINE void write_dst(uint32_t* at, I16 word, FpuMode mode) {
    store(at, mode.five_bit_exponent && !mode.wide ? five_bit_to_float(word) : word);
}

}  // namespace ts::num

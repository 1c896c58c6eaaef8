// What an instruction adds to DST: two sums of eight products and the datum, brought to one exponent, each rounded, in
// the host's floats (matmul_phases.h).
#pragma once
#include "lanes.h"

namespace ts::num::phases {

constexpr float power_of_two(int exponent) {
    return exponent >= 0 ? float(1 << exponent) : 1.0f / float(1 << -exponent);
}

// What follows is exact while exponents of DST data that are not zero lie between `lowest` and `highest`, and distances
// of sums between `nearest` and `farthest`. Sums that count for nothing are taken as being as far away as `gone`.
constexpr int highest = 208, nearest = 39, gone_five_bit = 145;

// 16-bit DST. Terms are rounded to 2^-23 of their exponent, half up, and then to 2^-10, which floats hold. The datum
// carries a bit below its last, which rounds ties away from zero.
struct Narrow {
    static constexpr int lowest = 23, farthest = 197, gone = 220;
    static constexpr int32_t ties = 0x400, no_bits = 0xFFFF;  // no_bits: that a datum cannot have

    static TS_INLINE I16 begin(I16 dst) { return dst | ties; }
    static TS_INLINE I16 end(I16 dst, float scale) { return as_bits(as_float(dst & (int32_t)0xFFFF0000) * scale); }

    // The result is lifted by so many bits.
    template <int lift>
    static TS_INLINE I16 add(F16 first, F16 second, I16 leader, I16 dst, int32_t) {
        const I16 exponent = max(leader, dst & 0x7F800000);
        const F16 one = as_float(exponent);
        // Of a unit, 2^-10: what rounds half up to 2^-13 units, and that to whole ones.
        constexpr float half = 0x1p-11f + 0x1p-24f, origin = 0x1.8p13f;
        F16 total = multiply_add(one, origin, as_float(dst));
        total = add_floor_at(total, multiply_add(one, half, first), exponent);
        total = add_floor_at(total, multiply_add(one, half, second), exponent);
        if (lift) total = total * power_of_two(lift);
        const F16 result = multiply_add(one, -origin * power_of_two(lift), total);
        return ((as_bits(result) + 0x8000) & (int32_t)0xFFFF0000) | ties;
    }

private:
    // Whole units, 2^-10 of `exponent`, of a value.
    static TS_INLINE F16 add_floor_at(F16 total, F16 value, [[maybe_unused]] I16 exponent) {
#ifdef __AVX512F__
        return add_rounded_down(total, value);  // the last bit of `total` is a unit
#else
        const F16 to_units = as_float((I16)(0x84000000u - (U16)exponent)), unit = as_float(exponent - (10 << 23));
        return floor(value * to_units) * unit + total;
#endif
    }
};

// 32-bit DST: terms are rounded to 2^-23 of their exponent, half up, the datum away from zero. Their sum is an integer.
struct Wide {
    static constexpr int lowest = 38, farthest = 169, gone = 205;
    static constexpr int32_t no_bits = 0;

    static TS_INLINE I16 begin(I16 dst) { return dst; }
    static TS_INLINE I16 end(I16 dst, float scale) { return as_bits(as_float(dst) * scale); }

    // `misread`: what Wormhole's leading-sign counter adds to the exponent of -1.
    template <int lift>
    static TS_INLINE I16 add(F16 first, F16 second, I16 leader, I16 dst, int32_t misread) {
        const I16 exponent = max(leader, dst & 0x7F800000);
        const F16 to_units = as_float((I16)(0x8A800000u - (U16)exponent)), half = splat_float(0.5f);
        const I16 below_half = (dst & (int32_t)0x80000000) | 0x3EFFFFFF;  // 0.5 would take too much along
        const I16 total = to_int_floor(first * to_units + half) + to_int_floor(second * to_units + half) +
                          to_int(as_float(dst) * to_units + as_float(below_half));
        const F16 sum = to_float(twice_with_ties(absolute(total)));
        I16 unit = exponent - ((24 - lift) << 23);
        unit = TS_SELECT(total == -1, unit + misread, unit);
        return as_bits(sum * as_float(unit)) | (total & (int32_t)0x80000000);
    }
};

}  // namespace ts::num::phases

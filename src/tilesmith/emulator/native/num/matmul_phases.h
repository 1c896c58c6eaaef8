// Tile products as the matrix unit computes them, for operands of usual size. What a fidelity phase multiplies is a part
// of each operand, which a float holds with its exponent; the host's float adder aligns and rounds.
//
// A sum of eight products has the exponent E of its largest. Added to 1.5 * 2^23 units of E, each product is rounded to
// whole units, which is the chip's alignment shift. What an instruction then adds to DST, two such sums and the datum,
// is brought to one exponent again. Below, exponents are distances from the largest that is held, so that bytes hold
// them and saturate where products are too small to count.
#pragma once
#include "fpu.h"
#include "lanes_bytes.h"
#include "tile_places.h"

namespace ts::num::phases {

constexpr int groups = 4;  // of eight products along the inner dimension; two per instruction
constexpr int largest = 191;  // exponent of an operand
constexpr int nothing = 255;  // distance of a zero

// Whose products the host's registers hold.
#ifdef __AVX512F__
constexpr int rows_at_once = 2, faces_at_once = 2;
#else
constexpr int rows_at_once = 1, faces_at_once = 1;
#endif

// One tile as the multipliers see it: SrcA (in1) by inner index and column, SrcB (in0) by row and inner index.
struct Operand {
    alignas(64) uint8_t distance[tile_side][tile_side];
    alignas(64) float part[2][tile_side][tile_side];  // the upper bits of a mantissa, and the others as if they were
    bool fits;
};

// Rows `from` to `to` of it.
template <bool is_srca>
void split(const uint32_t* tile, bool five_bit_exponent, uint32_t from, uint32_t to, Operand& out) {
    constexpr int32_t upper = (int32_t)(is_srca ? 0xFFF80000 : 0xFFFE0000);
    constexpr int32_t both = (int32_t)(is_srca ? 0xFFFFC000 : 0xFFFFE000);
    constexpr float lift = is_srca ? 32.0f : 128.0f;
    constexpr float ties = is_srca ? 1.0f : 1.0f + 0x1p-13f;  // away from zero; no other rounding changes
    const int offset = five_bit_exponent ? 112 : 0;
    I16 most{};
    for (uint32_t row = from; row < to; ++row) {
        for (uint32_t col = 0; col < tile_side; col += 16) {
            const I16 bits = load(tile + word_at(row, col));
            const I16 alive = (bits & 0x7F800000) != 0;
            const I16 word = (bits + (offset << 23)) & alive;
            const I16 exponent = exponent_of(word);
            most = max(most, exponent);
            store_narrow<uint8_t>(&out.distance[row][col], TS_SELECT(alive, largest - exponent, splat(nothing)));
            const F16 high = as_float(word & upper);
            const F16 low = as_float(word & both) - high;
            store_float(&out.part[0][row][col], high * ties);
            store_float(&out.part[1][row][col], low * (lift * ties));
        }
    }
    out.fits = largest_lane(most) <= largest;
}

// Both face columns of some rows: what is added to one waits for nothing of the others.
constexpr int chains = rows_at_once * 2;

template <int phases>
struct Sums {
    I16 origin[groups][chains], leader[groups / 2][chains];
    F16 sum[phases][groups][chains];  // from its origin
};

// Where a sum starts: 1.5 * 2^23 units of the largest product.
TS_INLINE I16 origin(I16 distance) { return (I16)(0x86400000u - ((U16)distance << 23)); }

// By how much the exponents of a phase's products lie lower.
constexpr int drop_of(int phase) { return (phase & 1 ? 5 : 0) + (phase & 2 ? 7 : 0); }

// Of two sums and the datum, in the place it has in a float.
template <int phase>
TS_INLINE I16 largest_exponent(I16 leader, I16 dst) {
    return max(leader - ((13 + drop_of(phase)) << 23 | 0x400000), dst & 0x7F800000);
}

// What follows is exact while exponents of DST data that are not zero lie between `lowest` and `highest`, and distances
// of sums between `nearest` and `farthest`. Sums that count for nothing are taken as being as far away as `gone`.
constexpr int highest = 220, nearest = 52, gone_five_bit = 158;

// 16-bit DST. Terms are rounded to 2^-23 of their exponent, half up, and then to 2^-10, which floats hold. The datum
// carries a bit below its last, which rounds ties away from zero.
struct Narrow {
    static constexpr int lowest = 23, farthest = 210, gone = 233;
    static constexpr int32_t ties = 0x400;

    static TS_INLINE I16 begin(I16 dst) { return dst | ties; }
    static TS_INLINE I16 end(I16 dst) { return dst & (int32_t)0xFFFF0000; }
    static TS_INLINE bool takes(I16 dst) { return !any(dst & 0xFFFF); }

    template <int phase>
    static TS_INLINE I16 add(F16 first, F16 second, I16 leader, I16 dst, int32_t) {
        const I16 exponent = largest_exponent<phase>(leader, dst);
        const I16 to_units = (I16)(0x84000000u - (U16)exponent);
        const F16 scale = as_float(to_units - (drop_of(phase) << 23)), half = splat_float(0.5f + 0x1p-14f);
        F16 total = add_floor(splat_float(0x1.8p23f), first * scale + half);
        total = add_floor(total, second * scale + half);
        total += as_float(dst) * as_float(to_units);
        const F16 result = total * as_float(exponent - (10 << 23)) - as_float(exponent + (13 << 23 | 0x400000));
        return ((as_bits(result) + 0x8000) & (int32_t)0xFFFF0000) | ties;
    }
};

// 32-bit DST: terms are rounded to 2^-23 of their exponent, half up, the datum away from zero. Their sum is an integer.
struct Wide {
    static constexpr int lowest = 38, farthest = 182, gone = 218;

    static TS_INLINE I16 begin(I16 dst) { return dst; }
    static TS_INLINE I16 end(I16 dst) { return dst; }
    static TS_INLINE bool takes(I16) { return true; }

    // `misread`: what Wormhole's leading-sign counter adds to the exponent of -1.
    template <int phase>
    static TS_INLINE I16 add(F16 first, F16 second, I16 leader, I16 dst, int32_t misread) {
        const I16 exponent = largest_exponent<phase>(leader, dst);
        const I16 to_units = (I16)(0x8A800000u - (U16)exponent);
        const F16 scale = as_float(to_units - (drop_of(phase) << 23)), half = splat_float(0.5f);
        const F16 datum = as_float(dst) * as_float(to_units);
        const I16 below_half = (as_bits(datum) & (int32_t)0x80000000) | 0x3EFFFFFF;  // 0.5 would take too much along
        const I16 total = to_int_floor(first * scale + half) + to_int_floor(second * scale + half) +
                          to_int(datum + as_float(below_half));
        const I16 magnitude = absolute(total);
        // A bit below the last, where floats drop any, rounds ties away from zero.
        I16 doubled = magnitude + magnitude;
        doubled = TS_SELECT(magnitude >= 0x1000000, doubled + 1, doubled);
        const F16 sum = to_float(doubled);
        I16 unit = exponent - (24 << 23);
        unit = TS_SELECT(total == -1, unit + misread, unit);
        return as_bits(sum * as_float(unit)) | (total & (int32_t)0x80000000);
    }
};

// One group of eight products of all phases.
template <int phases>
TS_INLINE void add_products(const Operand& a, const Operand& b, uint32_t row, int face, int g, Sums<phases>& out) {
    constexpr int a_parts = phases > 1 ? 2 : 1;
    F16 sum[phases][rows_at_once][faces_at_once];
    for (int phase = 0; phase < phases; ++phase)
        for (int r = 0; r < rows_at_once; ++r)
            for (int f = 0; f < faces_at_once; ++f) sum[phase][r][f] = as_float(out.origin[g][r * 2 + face + f]);
#pragma GCC unroll 8
    for (int k = g * 8; k < g * 8 + 8; ++k) {
        F16 right[a_parts][faces_at_once];
        for (int p = 0; p < a_parts; ++p)
            for (int f = 0; f < faces_at_once; ++f)
                right[p][f] = in_register(load_float(&a.part[p][k][(face + f) * 16]));
        for (int phase = 0; phase < phases; ++phase)
            for (int r = 0; r < rows_at_once; ++r)
                for (int f = 0; f < faces_at_once; ++f)
                    sum[phase][r][f] += right[phase & 1][f] * splat_float(b.part[phase >> 1][row + r][k]);
    }
    for (int phase = 0; phase < phases; ++phase)
        for (int r = 0; r < rows_at_once; ++r)
            for (int f = 0; f < faces_at_once; ++f) {
                const int chain = r * 2 + face + f;
                out.sum[phase][g][chain] = sum[phase][r][f] - as_float(out.origin[g][chain]);
            }
}

template <class Dst, int phase, int phases>
TS_INLINE void add_phases(const Sums<phases>& sums, int32_t misread, I16* dst) {
    if constexpr (phase < phases) {
#pragma GCC unroll 2
        for (int g = 0; g < groups; g += 2)
#pragma GCC unroll 4
            for (int c = 0; c < chains; ++c)
                dst[c] = Dst::template add<phase>(sums.sum[phase][g][c], sums.sum[phase][g + 1][c],
                                                  sums.leader[g / 2][c], dst[c], misread);
        add_phases<Dst, phase + 1>(sums, misread, dst);
    }
}

// Of the sums of one row; false where one is too large or too small.
template <class Dst, int phases>
TS_INLINE bool find_origins(const Operand& a, const uint8_t* left, int gone, int chain, Sums<phases>& out) {
    Bytes least = splat_bytes(255), most = splat_bytes(0);
    for (int g = 0; g < groups; ++g) {
        const Bytes found = smallest_sums(a.distance[g * 8], left + g * 8);
        least = min(least, found);
        most = max(most, found + 1);  // of what is not `nothing`
        I16 distance[2];
        widen(min(found, splat_bytes(gone)), distance);
        for (int f = 0; f < 2; ++f) out.origin[g][chain + f] = origin(distance[f]);
    }
    for (int g = 0; g < groups; g += 2)
        for (int f = chain; f < chain + 2; ++f) out.leader[g / 2][f] = max(out.origin[g][f], out.origin[g + 1][f]);
    return !any((least < splat_bytes(nearest)) | (most > splat_bytes(Dst::farthest + 1)));
}

template <class Dst>
TS_INLINE bool is_usual(I16 dst) {
    const I16 magnitude = dst & 0x7FFFFFFF;
    const I16 small = (magnitude < (Dst::lowest << 23)) & (magnitude != 0);
    return !any(small | (magnitude > (highest << 23))) && Dst::takes(dst);
}

// False where an exponent is unusual; DST is as it was then.
template <class Dst, int phases>
bool multiply_rows(const Operand& a, const Operand& b, uint32_t row, bool five_bit_exponent, int32_t misread,
                   uint32_t* dst) {
    Sums<phases> sums;
    const int gone = five_bit_exponent ? gone_five_bit : Dst::gone;
    for (int r = 0; r < rows_at_once; ++r)
        if (!find_origins<Dst>(a, b.distance[row + r], gone, r * 2, sums)) return false;
    I16 value[chains];
    for (int c = 0; c < chains; ++c) {
        value[c] = load(dst + word_at(row + c / 2, c % 2 * 16));
        if (!is_usual<Dst>(value[c])) return false;
        value[c] = Dst::begin(value[c]);
    }
    for (int face = 0; face < 2; face += faces_at_once)
        for (int g = 0; g < groups; ++g) add_products(a, b, row, face, g, sums);
    add_phases<Dst, 0>(sums, misread, value);
    for (int c = 0; c < chains; ++c) store(dst + word_at(row + c / 2, c % 2 * 16), Dst::end(value[c]));
    return true;
}

using MultiplyRows = bool (*)(const Operand& a, const Operand& b, uint32_t row, bool five_bit_exponent, int32_t misread,
                              uint32_t* dst);

template <class Dst>
MultiplyRows multiply_rows_for(int phases) {
    constexpr MultiplyRows by_phases[] = {multiply_rows<Dst, 1>, multiply_rows<Dst, 2>, multiply_rows<Dst, 3>,
                                          multiply_rows<Dst, 4>};
    return by_phases[phases - 1];
}

}  // namespace ts::num::phases

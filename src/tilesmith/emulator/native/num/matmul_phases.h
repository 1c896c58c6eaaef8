// Tile products as the matrix unit computes them, for operands of usual size. What a fidelity phase multiplies is a part
// of each operand, which a float holds with its exponent; the host's float adder aligns and rounds.
//
// A sum of eight products has the exponent E of its largest. Added to 1.5 * 2^23 units of E, each product is rounded to
// whole units, which is the chip's alignment shift. What an instruction then adds to DST, two such sums and the datum,
// is brought to one exponent again. Below, exponents are distances from the largest that is held, so that bytes hold
// them and saturate where products are too small to count.
//
// The products of later phases lie lower. Their operands are lifted, and DST with them, so that all phases look alike.
#pragma once
#include "fpu.h"
#include "lanes_bytes.h"
#include "tile_places.h"

namespace ts::num::phases {

constexpr int groups = 4;  // of eight products along the inner dimension; two per instruction
constexpr int nothing = 255;  // distance of a zero
// Exponents of operands, so that the distance of a sum is what its origin lacks to the largest exponent of a float.
constexpr int largest_srca = 185, largest_srcb = 184;

// Two rows of DST: both face columns of each, which one byte of a word stands for.
constexpr int rows_at_once = 2, chains = rows_at_once * 2;
constexpr uint32_t word_of(int chain) { return uint32_t(chain / 2 * 16) + uint32_t(chain % 2) * face_words; }

// Whose products the host's registers hold.
#ifdef __AVX512F__
constexpr int rows_in_registers = 2, faces_in_registers = 2, chains_unrolled = chains;
#else
constexpr int rows_in_registers = 1, faces_in_registers = 1, chains_unrolled = 1;
#endif

// One tile as the multipliers see it: SrcA (in1) by inner index and column, SrcB (in0) by row and inner index.
struct Operand {
    // Bytes of SrcA's words: its face columns, twice; of SrcB's: a row twice, and the next row twice.
    alignas(64) uint32_t distance[tile_side / 2][tile_side];
    alignas(64) float part[2][tile_side][tile_side];  // the upper bits of a mantissa, and the others as if they were
    bool fits;

    const uint32_t* distances_of_inner(int k) const { return distance[0] + k * 16; }  // of SrcA: sixteen columns
    const uint32_t* distances_of_rows(uint32_t row) const { return distance[row / 2]; }
};

// Sixteen datums of it; returns their distances.
template <bool is_srca>
TS_INLINE I16 split_datums(I16 bits, int offset, uint32_t row, uint32_t col, I16& most, Operand& out) {
    constexpr int32_t upper = (int32_t)(is_srca ? 0xFFF80000 : 0xFFFE0000);
    constexpr int32_t both = (int32_t)(is_srca ? 0xFFFFC000 : 0xFFFFE000);
    constexpr float lift = is_srca ? 32.0f : 128.0f;
    constexpr float ties = is_srca ? 1.0f : 1.0f + 0x1p-13f;  // away from zero; no other rounding changes
    constexpr int largest = is_srca ? largest_srca : largest_srcb;
    const I16 alive = (bits & 0x7F800000) != 0;
    const I16 word = (bits + (offset << 23)) & alive;
    const I16 exponent = word & 0x7F800000;
    most = max(most, exponent);
    const F16 high = as_float(word & upper);
    const F16 low = as_float(word & both) - high;
    store_float(&out.part[0][row][col], high * ties);
    store_float(&out.part[1][row][col], low * (lift * ties));
    return TS_SELECT(alive, shift_right((largest << 23) - exponent, 23), splat(nothing));
}

// Rows `from` to `to` of it, an even number; `datums(row, face_col)` gives them as they stand in Src.
template <bool is_srca, class Datums>
TS_INLINE void split(Datums datums, bool five_bit_exponent, uint32_t from, uint32_t to, Operand& out) {
    const int offset = five_bit_exponent ? 112 : 0;
    I16 most{};
    const auto part = [&](uint32_t row, uint32_t face_col) TS_INLINE_LAMBDA {
        return split_datums<is_srca>(datums(row, face_col), offset, row, face_col * 16, most, out);
    };
    for (uint32_t row = from; row < to; row += rows_at_once) {
        if (is_srca) {
            for (uint32_t k = row; k < row + rows_at_once; ++k) {
                const I16 columns = part(k, 0) | part(k, 1) << 8;
                store(out.distance[0] + k * 16, columns | columns << 16);
            }
        } else {
            for (uint32_t half = 0; half < 2; ++half) {
                const I16 rows = part(row, half) | part(row + 1, half) << 16;
                store(&out.distance[row / 2][half * 16], rows | rows << 8);
            }
        }
    }
    out.fits = largest_lane(most) <= (is_srca ? largest_srca : largest_srcb) << 23;
}

template <int phases>
struct Sums {
    I16 origin[groups][chains], leader[groups / 2][chains];  // leader: largest exponent of two sums
    F16 sum[phases][groups][chains];  // from its origin
};

// Where a sum starts: 1.5 * 2^23 units of the largest product, whose distance is a byte of `words`.
template <int byte>
TS_INLINE I16 origin(I16 words) {
    const I16 moved = byte < 3 ? words << (23 - 8 * byte) : shift_right(words, 1);
    return (~moved & 0x7F800000) | 0x400000;
}
constexpr int32_t origin_of_one = 13 << 23 | 0x400000;  // beyond the exponent

// By how much the products of the next phase lie lower: the lifts of SrcA and of SrcB change.
constexpr int next_drop(int phase) { return phase == 1 ? 2 : 5; }
constexpr int drop_of(int phase) { return (phase & 1 ? 5 : 0) + (phase & 2 ? 7 : 0); }
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
        const I16 magnitude = absolute(total);
        // A bit below the last, where floats drop any, rounds ties away from zero.
        I16 doubled = magnitude + magnitude;
        doubled = TS_SELECT(magnitude >= 0x1000000, doubled + 1, doubled);
        const F16 sum = to_float(doubled);
        I16 unit = exponent - ((24 - lift) << 23);
        unit = TS_SELECT(total == -1, unit + misread, unit);
        return as_bits(sum * as_float(unit)) | (total & (int32_t)0x80000000);
    }
};

// One group of eight products of all phases.
template <int phases>
TS_INLINE void add_products(const Operand& a, const Operand& b, uint32_t row, int first, int g, Sums<phases>& out) {
    constexpr int a_parts = phases > 1 ? 2 : 1;
    F16 sum[phases][rows_in_registers][faces_in_registers];
    for (int phase = 0; phase < phases; ++phase)
        for (int r = 0; r < rows_in_registers; ++r)
            for (int f = 0; f < faces_in_registers; ++f) sum[phase][r][f] = as_float(out.origin[g][first + r * 2 + f]);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
        const int k = g * 8 + i;
        F16 right[a_parts][faces_in_registers];
        for (int p = 0; p < a_parts; ++p)
            for (int f = 0; f < faces_in_registers; ++f)
                right[p][f] = in_register(load_float(&a.part[p][k][(first % 2 + f) * 16]));
        for (int phase = 0; phase < phases; ++phase)
            for (int r = 0; r < rows_in_registers; ++r)
                for (int f = 0; f < faces_in_registers; ++f)
                    sum[phase][r][f] += right[phase & 1][f] * splat_float(b.part[phase >> 1][row + first / 2 + r][k]);
    }
    for (int phase = 0; phase < phases; ++phase)
        for (int r = 0; r < rows_in_registers; ++r)
            for (int f = 0; f < faces_in_registers; ++f) {
                const int chain = first + r * 2 + f;
                out.sum[phase][g][chain] = sum[phase][r][f] - as_float(out.origin[g][chain]);
            }
}

template <class Dst, int phase, int phases>
TS_INLINE void add_phases(const Sums<phases>& sums, int32_t misread, I16* dst) {
    if constexpr (phase < phases) {
        constexpr int lift = phase + 1 < phases ? next_drop(phase) : 0;
        const auto add = [&]<int lift>(int g) TS_INLINE_LAMBDA {
#pragma GCC unroll chains_unrolled
            for (int c = 0; c < chains; ++c)
                dst[c] = Dst::template add<lift>(sums.sum[phase][g][c], sums.sum[phase][g + 1][c],
                                                 sums.leader[g / 2][c], dst[c], misread);
        };
        add.template operator()<0>(0);
        add.template operator()<lift>(2);
        add_phases<Dst, phase + 1>(sums, misread, dst);
    }
}

// Of the sums of some rows; false where one is too large or too small.
template <class Dst, int phases>
TS_INLINE bool find_origins(const uint32_t* right, const uint32_t* left, int gone, Sums<phases>& out) {
    Bytes least = splat_bytes(255), most = splat_bytes(0);
    for (int g = 0; g < groups; ++g) {
        Bytes found = splat_bytes(255);
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) found = min(found, add_saturated(load_bytes(right + k * 16), splat_word(left[k])));
        right += 8 * 16, left += 8;
        least = min(least, found);
        most = max(most, increment(found));  // of what is not `nothing`
        const I16 distance = as_words(min(found, splat_bytes(gone)));
        out.origin[g][0] = origin<0>(distance), out.origin[g][1] = origin<1>(distance);
        out.origin[g][2] = origin<2>(distance), out.origin[g][3] = origin<3>(distance);
    }
    for (int g = 0; g < groups; g += 2)
        for (int c = 0; c < chains; ++c)
            out.leader[g / 2][c] = max(out.origin[g][c], out.origin[g + 1][c]) - origin_of_one;
    return !any_less(least, nearest) && !any_more(most, Dst::farthest + 1);
}

// What is set where a datum of DST is too small, too large or too long.
template <class Dst>
TS_INLINE I16 unusual(I16 dst) {
    const I16 magnitude = dst & 0x7FFFFFFF;
    const I16 outside = (I16)((U16)(magnitude - (Dst::lowest << 23)) > (U16)splat((highest - Dst::lowest) << 23));
    return (outside & magnitude) | (dst & Dst::no_bits);
}

// False where an exponent is unusual; DST is as it was then.
template <class Dst, int phases>
bool multiply_rows(const Operand& a, const Operand& b, uint32_t row, bool five_bit_exponent, int32_t misread,
                   uint32_t* dst) {
    Sums<phases> sums;
    const int gone = five_bit_exponent ? gone_five_bit : Dst::gone;
    if (!find_origins<Dst>(a.distances_of_inner(0), b.distances_of_rows(row), gone, sums)) return false;
    I16 value[chains], wrong{};
    uint32_t* const rows = dst + word_at(row, 0);
    for (int c = 0; c < chains; ++c) {
        value[c] = load(rows + word_of(c));
        wrong = wrong | unusual<Dst>(value[c]);
    }
    if (any(wrong)) return false;
    for (int c = 0; c < chains; ++c) value[c] = Dst::begin(value[c]);
    for (int c = 0; c < chains; c += rows_in_registers * faces_in_registers)
        for (int g = 0; g < groups; ++g) add_products(a, b, row, c, g, sums);
    add_phases<Dst, 0>(sums, misread, value);
    for (int c = 0; c < chains; ++c) store(rows + word_of(c), Dst::end(value[c], power_of_two(-drop_of(phases - 1))));
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

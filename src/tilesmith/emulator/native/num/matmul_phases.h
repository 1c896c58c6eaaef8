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
#include <utility>

#include "fpu.h"
#include "lanes_bytes.h"
#include "matmul_dst.h"
#include "tile_places.h"

namespace ts::num::phases {

constexpr int groups = 4;  // of eight products along the inner dimension; two per instruction
constexpr int nothing = 255;  // distance of a zero
// Exponents of operands, so that the distance of a sum is what its origin lacks to the largest exponent of a float.
constexpr int largest_srca = 185, largest_srcb = 184;

// Two rows of DST: both face columns of each, which one byte of a word stands for.
constexpr int rows_at_once = 2, chains = rows_at_once * 2;
constexpr uint32_t word_of(int chain) { return uint32_t(chain / 2 * 16) + uint32_t(chain % 2) * face_words; }

// Whose products the host's registers hold at once.
#ifdef __AVX512F__
constexpr int faces_in_registers = 2;
constexpr bool takes_turns = true;  // registers hold what products and additions need
#else
constexpr int faces_in_registers = 1;
constexpr bool takes_turns = false;
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

// Two rows of a product.
template <int phases>
struct Rows {
    uint32_t first;
    I16 value[chains];  // of DST
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

// Products and additions to DST come in as many steps, so that those of one pair of rows can be computed beside those of
// another. A step multiplies for two sums of each chain: a group of two phases that share an operand, or two groups.
template <int phases>
constexpr int steps = 2 * phases;

template <int phases, int step>
struct Step {
    static constexpr int phase = step / 4 * 2;
    static constexpr bool two_phases = phase + 1 < phases;
    static constexpr int group = two_phases ? step % 4 : step % 4 * 2;
    static constexpr int next = two_phases ? 0 : 1;  // group
    F16 sum[2][rows_at_once][faces_in_registers];

    TS_INLINE void begin(const Rows<phases>& rows, int face) {
        for (int n = 0; n < 2; ++n)
            for (int r = 0; r < rows_at_once; ++r)
                for (int f = 0; f < faces_in_registers; ++f)
                    sum[n][r][f] = as_float(rows.origin[group + n * next][r * 2 + face + f]);
    }

    TS_INLINE void add_product(const Operand& a, const Operand& b, uint32_t first, int face, int i) {
        const int k = group * 8 + i;
        F16 right[2][faces_in_registers];
        for (int f = 0; f < faces_in_registers; ++f) {
            right[0][f] = in_register(load_float(&a.part[0][k][(face + f) * 16]));
            right[1][f] = in_register(load_float(&a.part[two_phases][k + next * 8][(face + f) * 16]));
        }
        for (int r = 0; r < rows_at_once; ++r) {
            const float* row = b.part[phase >> 1][first + r] + k;
            const F16 left = in_register(splat_float(row[0]));
            const F16 other = two_phases ? left : in_register(splat_float(row[8]));
            for (int f = 0; f < faces_in_registers; ++f) {
                sum[0][r][f] += right[0][f] * left;
                sum[1][r][f] += right[1][f] * other;
            }
        }
    }

    TS_INLINE void end(Rows<phases>& rows, int face) const {
        for (int n = 0; n < 2; ++n)
            for (int r = 0; r < rows_at_once; ++r)
                for (int f = 0; f < faces_in_registers; ++f) {
                    const int chain = r * 2 + face + f, g = group + n * next;
                    rows.sum[phase + n * two_phases][g][chain] = sum[n][r][f] - as_float(rows.origin[g][chain]);
                }
    }
};

// What one instruction adds to DST in one phase.
template <class Dst, int phases, int step>
TS_INLINE void add_to_dst(Rows<phases>& rows, int c, int32_t misread) {
    constexpr int phase = step / 2, half = step % 2;
    constexpr int lift = half == 1 && phase + 1 < phases ? next_drop(phase) : 0;
    rows.value[c] = Dst::template add<lift>(rows.sum[phase][half * 2][c], rows.sum[phase][half * 2 + 1][c],
                                            rows.leader[half][c], rows.value[c], misread);
}

// Of the sums of two rows; false where one is too large or too small.
template <class Dst, int phases>
TS_INLINE bool find_origins(const uint32_t* right, const uint32_t* left, int gone, Rows<phases>& out) {
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

struct Task {
    const Operand &a, &b;
    bool five_bit_exponent;
    int32_t misread;
    uint32_t* dst;
};

// False where an exponent is unusual.
template <class Dst, int phases>
TS_INLINE bool begin(const Task& task, uint32_t first, Rows<phases>& rows) {
    rows.first = first;
    const int gone = task.five_bit_exponent ? gone_five_bit : Dst::gone;
    if (!find_origins<Dst>(task.a.distances_of_inner(0), task.b.distances_of_rows(first), gone, rows)) return false;
    I16 wrong{};
    for (int c = 0; c < chains; ++c) {
        const I16 value = load(task.dst + word_at(first, 0) + word_of(c));
        wrong = wrong | unusual<Dst>(value);
        rows.value[c] = Dst::begin(value);
    }
    return !any(wrong);
}

// A step of the products of some rows beside one of the additions of others, in turns: the host's units do them at the
// same time. The additions of a row wait for each other, its products do not.
template <class Dst, int phases, int step, bool multiplies, bool adds>
TS_INLINE void advance_step(const Task& task, Rows<phases>& multiplied, Rows<phases>& added) {
    const auto add = [&](int c) TS_INLINE_LAMBDA { add_to_dst<Dst, phases, step>(added, c, task.misread); };
    for (int face = 0; face < 2; face += faces_in_registers) {
        Step<phases, step> products;
        if (multiplies) products.begin(multiplied, face);
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            if (multiplies) products.add_product(task.a, task.b, multiplied.first, face, i);
            if (adds && takes_turns && i % 2 == 0) add(i / 2);
        }
        if (multiplies) products.end(multiplied, face);
    }
    if (!adds || takes_turns) return;
#pragma GCC unroll 1
    for (int c = 0; c < chains; ++c) add(c);
}

template <class Dst, int phases, bool multiplies, bool adds>
TS_NOINLINE void advance(const Task& task, Rows<phases>& multiplied, Rows<phases>& added) {
    [&]<int... step>(std::integer_sequence<int, step...>) TS_INLINE_LAMBDA {
        (advance_step<Dst, phases, step, multiplies, adds>(task, multiplied, added), ...);
    }(std::make_integer_sequence<int, steps<phases>>{});
    if (!adds) return;
    uint32_t* const rows = task.dst + word_at(added.first, 0);
    for (int c = 0; c < chains; ++c)
        store(rows + word_of(c), Dst::end(added.value[c], power_of_two(-drop_of(phases - 1))));
}

// Pairs of rows on their way: begun, then multiplied, then added.
template <class Dst, int phases>
struct Pipeline {
    const Task& task;
    Rows<phases> rows[3];
    Rows<phases>*free = &rows[0], *begun = nullptr, *multiplied = nullptr;

    bool begin_next(uint32_t first) { return begin<Dst>(task, first, *free); }
    // What was begun is multiplied, and what was multiplied is added.
    TS_INLINE void move_on(Rows<phases>* next) {
        if (begun && multiplied) advance<Dst, phases, true, true>(task, *begun, *multiplied);
        else if (begun) advance<Dst, phases, true, false>(task, *begun, *begun);
        else if (multiplied) advance<Dst, phases, false, true>(task, *multiplied, *multiplied);
        multiplied = begun;
        begun = next;
        for (Rows<phases>& row : rows)
            if (&row != begun && &row != multiplied) free = &row;
    }
};

// Rows `from` to `to`. Pairs of rows with an unusual exponent are left as they are: a bit for each, from row 0 on.
template <class Dst, int phases>
uint32_t multiply_rows(const Task& task, uint32_t from, uint32_t to) {
    Pipeline<Dst, phases> pipeline{task};
    uint32_t left = 0;
    for (uint32_t row = from; row < to; row += rows_at_once) {
        if (pipeline.begin_next(row)) pipeline.move_on(pipeline.free);
        else left |= 1u << row / rows_at_once;
    }
    pipeline.move_on(nullptr);
    pipeline.move_on(nullptr);
    return left;
}

using MultiplyRows = uint32_t (*)(const Task& task, uint32_t from, uint32_t to);

template <class Dst>
MultiplyRows multiply_rows_for(int phases) {
    constexpr MultiplyRows by_phases[] = {multiply_rows<Dst, 1>, multiply_rows<Dst, 2>, multiply_rows<Dst, 3>,
                                          multiply_rows<Dst, 4>};
    return by_phases[phases - 1];
}

}  // namespace ts::num::phases

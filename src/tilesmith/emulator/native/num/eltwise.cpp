// Copies and elementwise operations of the matrix unit.
#include "fpu.h"

namespace ts::num {
namespace {

Term sum_term(I16 a, I16 b, FpuMode mode) {
    a = flush(a);
    b = flush(b);
    const I16 swap = (a & 0x7FFFFFFF) < (b & 0x7FFFFFFF);
    const I16 larger = TS_SELECT(swap, b, a);
    const I16 smaller = TS_SELECT(swap, a, b);
    I16 exponent = exponent_of(larger);
    const I16 mantissa_a = ((shift_right(larger, 13) & 0x3FF) | 0x400) & (larger != 0);
    I16 mantissa_b = ((shift_right(smaller, 13) & 0x3FF) | 0x400) & (smaller != 0);
    mantissa_b = align_magnitude(mantissa_b, exponent - exponent_of(smaller));
    const I16 opposed = (larger ^ smaller) >> 31;
    const I16 magnitude = (mantissa_a + ((mantissa_b ^ opposed) - opposed)) << 13;
    const I16 negative = larger >> 31;
    if (mode.wide && mode.five_bit_exponent) exponent = TS_SELECT(exponent != 0, exponent + 112, splat(127 - 30));
    return {exponent, (magnitude ^ negative) - negative};
}

Term product_term(I16 a, I16 b, FpuMode mode, int phase) {
    const int bias = product_bias(mode, phase);
    const I16 exponent = exponent_of(a) + exponent_of(b) + bias;
    const I16 alive = (exponent_of(a) != 0) & (exponent_of(b) != 0) & (exponent > 0);
    const I16 magnitude = (srca_bits(a, phase) * srcb_bits(b, phase)) << 13;
    const I16 negative = (a ^ b) >> 31;
    return {TS_SELECT(alive, exponent, splat(bias > 0 ? bias : 0)), ((magnitude ^ negative) - negative) & alive};
}

void eltwise_fast(Eltwise op, const uint32_t* a, const uint32_t* b, bool add_to_dst, uint32_t* dst, uint32_t words) {
    for (uint32_t i = 0; i < words; i += 16) {
        const F16 x = load_float(a + i), y = load_float(b + i);
        F16 result = op == Eltwise::add ? x + y : op == Eltwise::sub ? x - y : x * y;
        if (add_to_dst) result += load_float(dst + i);
        store_float(dst + i, result);
    }
}

}  // namespace

void copy(const uint32_t* src, Src as, bool fast, FpuMode mode, uint32_t* dst, uint32_t faces) {
    const uint32_t words = faces * face_words;
    if (fast || as == Src::integer || as == Src::raw) {
        std::memcpy(dst, src, words * sizeof(uint32_t));
        return;
    }
    for (uint32_t i = 0; i < words; i += 16) {
        I16 word = load(src + i);
        if (mode.wide) {  // the copy is an addition of zero, and the adder knows infinity but neither NaN nor denormals
            word = flush(word);
            word = TS_SELECT(exponent_of(word) == 255, word & (int32_t)0xFF800000, word);
        }
        if (!mode.wide && !mode.keeps_small) word &= exponent_of(word) != 0;
        if (as == Src::five_bit) word = five_bit_to_float(word);
        store(dst + i, word);
    }
}

void eltwise(Eltwise op, const uint32_t* a, const uint32_t* b, bool fast, FpuMode mode, bool add_to_dst, uint32_t* dst,
             uint32_t faces) {
    const uint32_t words = faces * face_words;
    if (fast) return eltwise_fast(op, a, b, add_to_dst, dst, words);
    for (uint32_t i = 0; i < words; i += 16) {
        const I16 x = load(a + i);
        I16 y = load(b + i);
        I16 result = add_to_dst ? read_dst(dst + i, mode) : I16{};
        if (op == Eltwise::mul) {
            for (int phase = 0; phase < mode.phases; ++phase) {
                result = accumulate<false>(product_term(x, y, mode, phase), {}, result, mode);
            }
        } else {
            if (op == Eltwise::sub) y ^= (int32_t)0x80000000;
            result = accumulate<false>(sum_term(x, y, mode), {}, result, mode);
        }
        write_dst(dst + i, result, mode);
    }
}

void eltwise_integer(Eltwise op, const uint32_t* a, const uint32_t* b, bool add_to_dst, uint32_t* dst, uint32_t faces) {
    for (uint32_t i = 0; i < faces * face_words; i += 16) {
        const I16 x = load(a + i), y = load(b + i);
        I16 result = op == Eltwise::add ? x + y : op == Eltwise::sub ? x - y : x * y;
        if (add_to_dst) result += load(dst + i);
        store(dst + i, result);
    }
}

void dst_to_src(const uint32_t* dst, bool fast, Src as, uint32_t* src, uint32_t faces) {
    for (uint32_t i = 0; i < faces * face_words; i += 16) {
        I16 word = load(dst + i);
        if (!fast && as != Src::integer && as != Src::raw) {
            if (as == Src::five_bit) word = float_to_five_bit(word);
            else word &= (int32_t)(as == Src::tf32 ? 0xFFFFE000 : 0xFFFF0000);
        }
        store(src + i, word);
    }
}

}  // namespace ts::num

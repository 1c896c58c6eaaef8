// Reductions: pooling a face's sixteen rows into one, and the transposes that turn row results into a column.
#include "fpu.h"

namespace ts::num {
namespace {

// Numbers in sign and magnitude as integers of the same order.
TS_INLINE I16 ordered(I16 word) { return word ^ ((word >> 31) & 0x7FFFFFFF); }

// One row of sums: sum over i of data[i][lane] * scale[i], eight products at a time. `data_is_srcb` says which
// multiplier input the data takes.
TS_NOINLINE Term pooled_sum(const uint32_t* face, const uint32_t* scale, int group, int phase, FpuMode mode,
                            bool data_is_srcb) {
    const int bias = product_bias(mode, phase);
    Products products(bias);
    for (int i = 0; i < 8; ++i) {
        const I16 data = load(face + (group * 8 + i) * 16);
        const I16 factor = splat((int32_t)scale[group * 8 + i]);
        products.set(i, data_is_srcb ? factor : data, data_is_srcb ? data : factor, phase, bias);
    }
    return products.sum();
}

struct Pooling {
    Pool pool;
    bool fast;
    FpuMode mode;
    Src as;
    const uint32_t* scale;

    TS_NOINLINE I16 phase_sum(const uint32_t* face, const uint32_t* factors, int phase, bool data_is_srcb,
                              I16 row) const {
        const Term first = pooled_sum(face, factors, 0, phase, mode, data_is_srcb);
        return accumulate<true>(first, pooled_sum(face, factors, 1, phase, mode, data_is_srcb), row, mode);
    }

    I16 fast_sum(const uint32_t* face, const uint32_t* factors, I16 row) const {
        F16 total = as_float(row);
        for (int i = 0; i < 16; ++i) total += load_float(face + i * 16) * as_float(splat((int32_t)factors[i]));
        return as_bits(total);
    }

    I16 sum(const uint32_t* face, I16 row) const {
        if (fast) return fast_sum(face, scale, row);
        for (int phase = 0; phase < mode.phases; ++phase) row = phase_sum(face, scale, phase, false, row);
        return row;
    }

    // The maximum scales its input by the power of two in the scaler.
    TS_NOINLINE I16 largest(const uint32_t* face, I16 row) const {
        if (!fast && mode.wide) row &= (int32_t)0xFFFFE000;
        const int one = mode.five_bit_exponent ? 15 : 127;
        for (int i = 0; i < 16; ++i) {
            const int power = int(scale[i] >> 23 & 255);
            I16 word = load(face + i * 16);
            word = power ? (fast ? word : flush(word)) : I16{};
            if (power && power != one) word += ((power - one) << 23) & ((word & 0x7F800000) != 0);
            row = TS_SELECT(ordered(word) > ordered(row), word, row);
        }
        return row;
    }

    I16 operator()(const uint32_t* face, I16 row) const {
        return pool == Pool::max ? largest(face, row) : sum(face, row);
    }

    // What a row of DST becomes on its way through SrcB.
    I16 through_src(I16 row) const {
        if (fast) return row;
        return row & (int32_t)(as == Src::tf32 ? 0xFFFFE000 : 0xFFFF0000);
    }

    I16 start(const uint32_t* at, bool fresh) const {
        if (fresh) return pool == Pool::max ? splat(-1) : I16{};
        return read_dst(at, mode);
    }
};

void reduce_columns(const Pooling& pooling, const uint32_t* data, Geometry shape, bool fresh, uint32_t* dst) {
    for (uint32_t col = 0; col < shape.faces_across; ++col) {
        I16 row = pooling.start(dst + col * face_words, fresh);
        for (uint32_t face = col; face < shape.faces; face += shape.faces_across)
            row = pooling(data + face * face_words, row);
        write_dst(dst + col * face_words, row, pooling.mode);
    }
}

void reduce_all(const Pooling& pooling, const uint32_t* data, Geometry shape, bool fresh, uint32_t* dst) {
    I16 partial = pooling.pool == Pool::max ? splat(-1) : I16{};
    for (uint32_t face = 0; face < shape.faces; ++face) partial = pooling(data + face * face_words, partial);
    alignas(64) uint32_t column[face_words] = {};
    partial = pooling.through_src(partial);
    if (!pooling.fast) partial = flush(partial);
    for (int i = 0; i < 16; ++i) column[i * 16] = (uint32_t)partial[i];
    const I16 total = pooling(column, pooling.start(dst, fresh));
    alignas(64) uint32_t row[16] = {(uint32_t)total[0]};
    write_dst(dst, load(row), pooling.mode);
}

// Transposed data pools into a row, which is then written down as a column. Row 0 keeps the whole row for the next
// tile.
void reduce_rows_max(const Pooling& pooling, const uint32_t* transposed, Geometry shape, bool fresh, uint32_t* dst) {
    for (uint32_t down = 0; down < shape.faces_down(); ++down) {
        uint32_t* out = dst + down * shape.faces_across * face_words;
        I16 row = pooling.start(out, fresh);
        for (uint32_t across = 0; across < shape.faces_across; ++across) {
            row = pooling(transposed + (down * shape.faces_across + across) * face_words, row);
        }
        row = pooling.through_src(row);
        if (!pooling.fast) {
            row = flush(row);
            row = TS_SELECT(exponent_of(row) == 255, row & (int32_t)0xFF800000, row);
        }
        write_dst(out, row, pooling.mode);
        for (int i = 1; i < 16; ++i) {
            std::memset(out + i * 16, 0, 64);
            out[i * 16] = (uint32_t)row[i];
        }
    }
}

// A product with the scaler's rows standing as columns: row `line` of the scaler's faces makes column `line` of the
// result. Lanes are the tile's rows, so the data comes transposed.
struct RowSums {
    const Pooling& pooling;
    const uint32_t* transposed;
    const uint32_t* scaler;
    Geometry shape;

    const uint32_t* factors(uint32_t face, uint32_t line) const {
        const uint32_t scaled_by = shape.faces == 4 ? face % shape.faces_across : face;
        return scaler + scaled_by * face_words + line * 16;
    }

    void column(uint32_t down, uint32_t line, uint32_t* out) const {
        const uint32_t across = shape.faces_across;
        alignas(64) uint32_t column[16];
        for (int i = 0; i < 16; ++i) column[i] = out[i * 16 + line];
        I16 sums = read_dst(column, pooling.mode);
        auto add_face = [&](uint32_t col, int phase) {
            const uint32_t face = down * across + col;
            const uint32_t *data = transposed + face * face_words, *by = factors(face, line);
            sums = pooling.fast ? pooling.fast_sum(data, by, sums) : pooling.phase_sum(data, by, phase, true, sums);
        };
        const int phases = pooling.fast ? 1 : pooling.mode.phases;
        if (shape.faces == 4) {
            for (int phase = 0; phase < phases; ++phase)
                for (uint32_t col = 0; col < across; ++col) add_face(col, phase);
        } else {
            for (uint32_t col = 0; col < across; ++col)
                for (int phase = 0; phase < phases; ++phase) add_face(col, phase);
        }
        write_dst(column, sums, pooling.mode);
        for (int i = 0; i < 16; ++i) out[i * 16 + line] = column[i];
    }

    // A scaler is mostly zero below its first row, or the same in every row: neither needs a product.
    bool is_zero(uint32_t down, uint32_t line) const {
        for (uint32_t col = 0; col < shape.faces_across; ++col)
            for (int i = 0; i < 16; ++i)
                if (factors(down * shape.faces_across + col, line)[i] << 1) return false;
        return true;
    }
    bool repeats(uint32_t down, uint32_t line, const uint32_t* out) const {
        for (uint32_t col = 0; col < shape.faces_across; ++col) {
            const uint32_t face = down * shape.faces_across + col;
            if (std::memcmp(factors(face, line), factors(face, line - 1), 64) != 0) return false;
        }
        for (int i = 0; i < 16; ++i)
            if (out[i * 16 + line] != out[i * 16 + line - 1]) return false;
        return true;
    }
};

void reduce_rows_sum(const RowSums& sums, uint32_t* dst) {
    for (uint32_t down = 0; down < sums.shape.faces_down(); ++down) {
        uint32_t* out = dst + down * sums.shape.faces_across * face_words;
        bool repeats[16] = {};
        for (uint32_t line = 1; line < 16; ++line) repeats[line] = sums.repeats(down, line, out);
        for (uint32_t line = 0; line < (sums.pooling.fast ? 1 : 16); ++line) {
            if (repeats[line]) {
                for (int i = 0; i < 16; ++i) out[i * 16 + line] = out[i * 16 + line - 1];
            } else if (line == 0 || !sums.is_zero(down, line)) {
                sums.column(down, line, out);
            }
        }
    }
}

}  // namespace

void reduce(Pool pool, Dim dim, const uint32_t* data, const uint32_t* scaler, bool fast, FpuMode mode, Src as,
            Geometry shape, bool fresh, uint32_t* dst) {
    const Pooling pooling{pool, fast, mode, as, scaler};
    if (fresh) std::memset(dst, 0, tile_words * sizeof(uint32_t));
    if (dim == Dim::col) return reduce_columns(pooling, data, shape, fresh, dst);
    if (dim == Dim::scalar) return reduce_all(pooling, data, shape, fresh, dst);
    alignas(64) uint32_t transposed[tile_words];
    std::memcpy(transposed, data, shape.faces * face_words * sizeof(uint32_t));
    transpose_within_faces(transposed, shape.faces);
    if (pool == Pool::max) return reduce_rows_max(pooling, transposed, shape, fresh, dst);
    reduce_rows_sum({pooling, transposed, scaler, shape}, dst);
}

}  // namespace ts::num

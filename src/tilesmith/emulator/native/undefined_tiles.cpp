#include <cstring>

#include "undefined.h"

namespace ts {

static constexpr uint32_t words = num::tile_words;

// ---- Src ----

static bool inside(const uint32_t* tile, const uint32_t* begin, size_t count) {
    return tile >= begin && tile < begin + count;
}

uint32_t* new_mask(Engine& engine, const uint32_t* tile) {
    SrcBank& bank = engine.banks[engine.fill];
    if (inside(tile, bank.words, size_t{bank.capacity} * words)) {
        if (bank.mask.empty()) bank.mask.resize(size_t{bank.capacity} * words);
        return bank.mask.data() + (tile - bank.words);
    }
    engine.scratch_mask.resize(engine.scratch.size());
    return engine.scratch_mask.data() + (tile - engine.scratch.data());
}

uint32_t* mask_beside(Engine& engine, const uint32_t* tile) {
    SrcBank& bank = engine.banks[engine.fill];
    if (!bank.mask.empty() && inside(tile, bank.words, size_t{bank.capacity} * words))
        return bank.mask.data() + (tile - bank.words);
    return nullptr;
}

static const uint32_t* mask_of(const SrcBank& bank, uint32_t tile) {
    return bank.mask.empty() ? nullptr : bank.mask.data() + size_t{tile} * words;
}

// ---- DST ----

uint32_t* dst_mask(Engine& engine, uint32_t half, uint32_t index) {
    if (!(engine.halves[half].undefined >> index & 1)) return nullptr;
    return engine.dst_mask.data() + (half * engine.capacity + index) * words;
}

static void set_mask(Engine& engine, uint32_t index, const uint32_t* mask) {
    index %= engine.capacity;
    DstHalf& half = engine.halves[engine.math_half];
    bool any = false;
    for (uint32_t i = 0; mask && i < words && !any; ++i) any = mask[i] != 0;
    half.undefined &= ~(1u << index);
    if (!any) return;
    if (engine.dst_mask.empty()) engine.dst_mask.resize(size_t{dst_tiles} * 2 * words);
    half.undefined |= 1u << index;
    std::memcpy(dst_mask(engine, engine.math_half, index), mask, words * sizeof(uint32_t));
}

static void join(uint32_t* into, const uint32_t* mask) {
    for (uint32_t i = 0; mask && i < words; ++i) into[i] |= mask[i];
}

static bool concerns(const Engine& engine, const SrcBank& bank) {
    return !bank.mask.empty() || engine.halves[engine.math_half].undefined;
}

void mask_copy(Engine& engine, const SrcBank& bank, uint32_t dst) {
    if (concerns(engine, bank)) set_mask(engine, dst, mask_of(bank, 0));
}

void mask_eltwise(Engine& engine, const SrcBank& bank, uint32_t dst, bool with_second, bool with_dst) {
    if (!concerns(engine, bank)) return;
    uint32_t mask[words] = {};
    join(mask, mask_of(bank, 0));
    if (with_second) join(mask, mask_of(bank, 1));
    if (with_dst) join(mask, dst_mask(engine, engine.math_half, dst % engine.capacity));
    set_mask(engine, dst, mask);
}

// ---- rows and columns ----

struct Lines {
    bool row[32] = {}, column[32] = {}, any = false;

    void add(const uint32_t* mask, num::Geometry shape) {
        for (uint32_t i = 0; mask && i < words; ++i) {
            if (!mask[i]) continue;
            any = row[row_of(i, shape)] = column[column_of(i, shape)] = true;
        }
    }
    static uint32_t row_of(uint32_t i, num::Geometry shape) {
        return (i / num::face_words / shape.faces_across * shape.face_rows + i % num::face_words / 16) % 32;
    }
    static uint32_t column_of(uint32_t i, num::Geometry shape) {
        return i / num::face_words % shape.faces_across * 16 + i % 16;
    }
};

void mask_reduce(Engine& engine, const SrcBank& bank, FpuDim dim, uint32_t dst, bool fresh) {
    if (!concerns(engine, bank)) return;
    const num::Geometry shape = bank.shape[0];
    Lines data, scaler;
    data.add(mask_of(bank, 0), shape);
    scaler.add(mask_of(bank, 1), bank.shape[1]);
    uint32_t mask[words] = {};
    if (!fresh) join(mask, dst_mask(engine, engine.math_half, dst % engine.capacity));
    for (uint32_t i = 0; i < words; ++i) {
        const bool hit = dim == FpuDim::row   ? data.row[Lines::row_of(i, shape)]
                         : dim == FpuDim::col ? data.column[Lines::column_of(i, shape)]
                                              : data.any;
        if (hit || scaler.any) mask[i] = ~0u;
    }
    set_mask(engine, dst, mask);
}

void mask_matmul(Engine& engine, const SrcBank& bank, uint32_t dst, uint32_t rows, uint32_t cols, bool whole) {
    if (!concerns(engine, bank)) return;
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < cols; ++c) {
            Lines left, right;
            left.add(mask_of(bank, r), {});
            right.add(mask_of(bank, rows + c), {});
            uint32_t mask[words] = {};
            join(mask, dst_mask(engine, engine.math_half, (dst + r * cols + c) % engine.capacity));
            for (uint32_t i = 0; i < words; ++i)
                if (whole ? left.row[Lines::row_of(i, {})] || right.column[Lines::column_of(i, {})]
                          : left.any || right.any)
                    mask[i] = ~0u;
            set_mask(engine, dst + r * cols + c, mask);
        }
    }
}

// ---- the vector unit ----

static bool crosses_lanes(const std::string& function) {
    for (const char* name : {"cumsum", "sum_int", "topk", "bcast", "reshuffle_rows", "ema", "reduce",
                             "sfpu_add_top_row", "two_pass_stats", "welford", "tiled_prod"})
        if (function.find(name) != std::string::npos) return true;
    return false;
}

void sfpu_begins(Engine& engine, const char* function) {
    sfpu_ended(engine);
    if (engine.halves[engine.math_half].undefined) engine.vector_function = function;
}

void sfpu_takes(Engine& engine, uint32_t dst, bool to_write) {
    if (!engine.halves[engine.math_half].undefined) return;
    const uint32_t index = dst % engine.capacity;
    for (const Taken& known : engine.taken)
        if (known.index == index && known.to_write == to_write) return;
    const uint32_t* tile = engine.tile(engine.math_half, index);
    engine.taken.push_back({index, to_write, std::vector<uint32_t>(tile, tile + words)});
}

// What the function read, as a mask: of a select only the side that was chosen.
static void read_mask(Engine& engine, uint32_t* mask) {
    std::vector<const Taken*> read;
    for (const Taken& tile : engine.taken)
        if (!tile.to_write) read.push_back(&tile);
    const auto of = [&](size_t i) { return dst_mask(engine, engine.math_half, read[i]->index); };
    const bool masks = engine.vector_function == "mask" && read.size() == 2;
    const bool selects = engine.vector_function == "where" && read.size() == 3;
    for (size_t i = 0; i < read.size(); ++i) {
        const uint32_t* one = of(i);
        for (uint32_t lane = 0; one && lane < words; ++lane) {
            const bool chosen = masks     ? i == 1 || read[1]->before[lane] != 0
                                : selects ? i == 0 || (read[0]->before[lane] != 0) == (i == 1)
                                          : true;
            if (chosen) mask[lane] |= one[lane];
        }
    }
}

void sfpu_ended(Engine& engine) {
    if (engine.taken.empty()) return;
    uint32_t read[words] = {};
    read_mask(engine, read);
    if (crosses_lanes(engine.vector_function)) {
        bool any = false;
        for (const uint32_t lane : read) any = any || lane;
        for (uint32_t& lane : read) lane = any ? ~0u : 0;
    }
    for (const Taken& tile : engine.taken) {
        const uint32_t* now = engine.tile(engine.math_half, tile.index);
        if (!tile.to_write && std::memcmp(now, tile.before.data(), words * sizeof(uint32_t)) == 0) continue;
        uint32_t mask[words] = {};
        join(mask, dst_mask(engine, engine.math_half, tile.index));
        for (uint32_t i = 0; i < words; ++i) mask[i] = now[i] != tile.before[i] ? read[i] : mask[i] | read[i];
        set_mask(engine, tile.index, mask);
    }
    engine.taken.clear();
}

}  // namespace ts

// Sorting on the vector unit: each column of two tiles is a list of 64 values, with their indices two tiles further.
#pragma once
#include "ts/sfpu/columns.h"

namespace ts::sfpu {
inline constexpr int list_length = 64;

// How two entries compare: by value, and where that ties by index if the sort is to be stable.
struct SortOrder {
    int tie = 0;  // 1: smaller indices are smaller, -1: smaller indices are larger, 0: ties stay put
    uint32_t value_mask = ~0u;  // without the bits that rank tags would use
    bool moves_indices = true;  // false where the value word carries its index
};

struct SortTiles {
    uint32_t* values[2];
    uint32_t* indices[2];
    SortOrder order;

    TS_NO_CHECK uint32_t& value(int i, int col) const { return values[i / 32][element(i % 32, col)]; }
    TS_NO_CHECK uint32_t& index(int i, int col) const { return indices[i / 32][element(i % 32, col)]; }

    TS_NO_CHECK int compare(int i, int j, int col) const {
        const auto key = [&](int at) TS_OP {
            const int32_t word = static_cast<int32_t>(value(at, col) & order.value_mask);
            return word ^ (word >> 31 & 0x7fffffff);
        };
        const int32_t a = key(i), b = key(j);
        if (a != b) return a < b ? -1 : 1;
        if (order.tie == 0 || index(i, col) == index(j, col)) return 0;
        return index(i, col) < index(j, col) ? -order.tie : order.tie;
    }
    TS_NO_CHECK void exchange(int i, int j, bool largest_first, int col) const {
        const int which = compare(i, j, col);
        if (largest_first ? which >= 0 : which <= 0) return;
        swap(value(i, col), value(j, col));
        if (order.moves_indices) swap(index(i, col), index(j, col));
    }

    static TS_NO_CHECK void swap(uint32_t& a, uint32_t& b) {
        const uint32_t t = a;
        a = b;
        b = t;
    }
};

// A rank-stamped sort keeps its direction and tag width from the stamping call to the sorting ones.
TS_NO_CHECK inline void remember_ranks(bool largest, uint32_t tag_bits) {
    set_constant(2, (largest ? 1u : 0u) | tag_bits << 8);
}
TS_NO_CHECK inline SortOrder ranked_order() {
    const uint32_t kept = constant(2);
    return {(kept & 1) != 0 ? -1 : 1, ~((1u << (kept >> 8)) - 1u)};
}

// Null where the role has no DST.
TS_NO_CHECK inline bool sort_tiles(const Call& call, uint32_t tile, const SortOrder& order, SortTiles& tiles) {
    ts_sfpu_run(call.name, call.at);
    tiles.order = order;
    for (uint32_t i = 0; i < 2; ++i) {
        tiles.values[i] = ts_dst_modify(tile + i, call.at);
        tiles.indices[i] = ts_dst_modify(tile + 2 + i, call.at);
    }
    return tiles.values[0] != nullptr;
}

// The compare-and-exchange stages of one distance, directions alternating from one sorted sequence to the next.
TS_NO_CHECK inline void sort_stage(const SortTiles& tiles, int distance, int sequence, bool largest_first) {
    for (int i = 0; i < list_length; ++i) {
        if ((i & distance) != 0) continue;
        const bool flip = (i / sequence) % 2 != 0;
        for (int col = 0; col < 32; ++col) tiles.exchange(i, i + distance, largest_first != flip, col);
    }
}

// Bitonic phases; phase p leaves sorted sequences of 2^(p+1). Steps bound the distances of a single late phase.
TS_NO_CHECK inline void sort_locally(const Call& call, uint32_t tile, const SortOrder& order, bool smallest_first,
                                     int last, int first, int last_step, int first_step) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, order, tiles)) return;
    for (int phase = first; phase <= last; ++phase) {
        const int sequence = 2 << phase;
        int step = phase + 1;
        if (phase > 3) {
            const int from = first == last ? first_step : step, down_to = first == last ? last_step : 4;
            for (int s = from; s > down_to; --s) sort_stage(tiles, 1 << (s - 1), sequence, !smallest_first);
            step = 4;
        }
        for (; step > 0; --step) sort_stage(tiles, 1 << (step - 1), sequence, !smallest_first);
    }
}

// Keeps the better of each pair `distance` apart in the first list.
TS_NO_CHECK inline void merge_lists(const Call& call, uint32_t tile, const SortOrder& order, bool keep_smallest,
                                    int iteration, int k) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, order, tiles)) return;
    const int run = k > 32 ? 32 : k;
    const int distance = (run << iteration) > 32 ? 32 : run << iteration;
    for (int start = 0; start + distance < list_length; start += 2 * distance) {
        for (int i = start; i < start + run; ++i) {
            for (int col = 0; col < 32; ++col) tiles.exchange(i, i + distance, !keep_smallest, col);
        }
    }
}

// Sorts the bitonic lists a merge has left, directions alternating.
TS_NO_CHECK inline void rebuild_lists(const Call& call, uint32_t tile, const SortOrder& order, bool smallest_first,
                                      int iteration, int k, bool only_first) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, order, tiles)) return;
    const int spacing = k >= list_length ? list_length : (k << (iteration + 1)) > 32 ? 32 : k << (iteration + 1);
    bool largest_first = !smallest_first;
    for (int start = 0; start < list_length; start += spacing) {
        for (int distance = k / 2; distance > 0; distance /= 2) {
            for (int i = 0; i < k; ++i) {
                if ((i & distance) != 0) continue;
                for (int col = 0; col < 32; ++col) {
                    tiles.exchange(start + i, start + i + distance, largest_first, col);
                }
            }
        }
        if (only_first) return;
        largest_first = !largest_first;
    }
}

// Value and index in one word: the upper half of the float, and the index so that ties come out in its order.
template <bool Largest>
TS_LANE Int index_polarity(Int value) {
    const Mask flipped = Largest ? value >= 0 : value < 0;
    return select(flipped, Int(0xffff), Int(0));
}
template <bool Largest>
TS_LANE Int fuse(Int value, Int index) {
    return (value & int32_t(0xffff0000u)) | ((index ^ index_polarity<Largest>(value)) & 0xffff);
}
template <bool Largest>
TS_LANE Int fused_index(Int key) { return (key ^ index_polarity<Largest>(key)) & 0xffff; }
}  // namespace ts::sfpu

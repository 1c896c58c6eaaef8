// Sorting on the vector unit: each column of two tiles is a list of 64 values, with their indices two tiles further.
#pragma once
#include "ts/sfpu/columns.h"

namespace ts::sfpu {
inline constexpr int list_length = 64;

struct SortTiles {
    uint32_t* values[2];
    uint32_t* indices[2];

    TS_NO_CHECK int order(int i, int col) const {
        return total_order(Int(values[i / 32][element(i % 32, col)])).v[0];
    }
    // Puts the pair in order; equal values stay where they are.
    TS_NO_CHECK void exchange(int i, int j, bool largest_first, int col) const {
        const int a = order(i, col), b = order(j, col);
        if (largest_first ? a >= b : a <= b) return;
        swap_words(values[i / 32][element(i % 32, col)], values[j / 32][element(j % 32, col)]);
        swap_words(indices[i / 32][element(i % 32, col)], indices[j / 32][element(j % 32, col)]);
    }

    static TS_NO_CHECK void swap_words(uint32_t& a, uint32_t& b) {
        const uint32_t t = a;
        a = b;
        b = t;
    }
};

// Null where the role has no DST.
TS_NO_CHECK inline bool sort_tiles(const Call& call, uint32_t tile, SortTiles& tiles) {
    ts_sfpu_run(call.name, call.at);
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
TS_NO_CHECK inline void sort_locally(
    const Call& call, uint32_t tile, bool smallest_first, int last, int first, int last_step, int first_step) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, tiles)) return;
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
TS_NO_CHECK inline void merge_lists(const Call& call, uint32_t tile, bool keep_smallest, int iteration, int k) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, tiles)) return;
    const int run = k > 32 ? 32 : k;
    const int distance = (run << iteration) > 32 ? 32 : run << iteration;
    for (int start = 0; start + distance < list_length; start += 2 * distance) {
        for (int i = start; i < start + run; ++i) {
            for (int col = 0; col < 32; ++col) tiles.exchange(i, i + distance, !keep_smallest, col);
        }
    }
}

// Sorts the bitonic lists a merge has left, directions alternating.
TS_NO_CHECK inline void rebuild_lists(
    const Call& call, uint32_t tile, bool smallest_first, int iteration, int k, bool only_first) {
    SortTiles tiles;
    if (!sort_tiles(call, tile, tiles)) return;
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
}  // namespace ts::sfpu

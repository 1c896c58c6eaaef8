#include "occupancy.h"

#include <algorithm>
#include <cstdlib>

namespace ts {

static uint64_t lowest(uint64_t bits, uint32_t count) {
    if (static_cast<uint32_t>(__builtin_popcountll(bits)) <= count) return bits;
    uint64_t rest = bits;
    for (uint32_t i = 0; i < count; ++i) rest &= rest - 1;
    return bits ^ rest;
}

Occupancy::~Occupancy() { std::free(taken_); }

void Occupancy::resize(uint32_t count) {
    count_ = count;
    std::free(taken_);
    taken_ = static_cast<uint64_t*>(std::calloc(size_t{words} * count, sizeof(uint64_t)));  // costs what is touched
    full_.assign(count, {});
    rest_.assign(count, 0);
    users_.assign(count, {});
}

void Occupancy::reset() {
    const size_t used = std::min<uint64_t>(newest_ + 1, words);
    std::fill(taken_, taken_ + used * count_, 0);
    std::fill(full_.begin(), full_.end(), Stretch{});
    std::fill(rest_.begin(), rest_.end(), 0);
    std::fill(users_.begin(), users_.end(), Users{});
    begin_ = newest_ = 0;
}

bool Occupancy::reach(uint64_t word) {
    if (word < begin_) return false;
    for (; word >= begin_ + words; ++begin_) {
        uint64_t* oldest = taken_ + begin_ % words * count_;
        std::fill(oldest, oldest + count_, 0);
    }
    newest_ = std::max(newest_, word);
    return true;
}

__attribute__((noinline)) uint64_t Occupancy::find(uint32_t index, uint64_t from, uint32_t cycles, uint32_t steps) {
    const uint64_t wanted = from >> step_shift;
    Stretch& full = full_[index];
    const uint64_t first = wanted >= full.begin && wanted < full.end ? full.end : wanted;
    const uint64_t contiguous_last = first + steps - 1;
    uint64_t last = first, mask = ~uint64_t{0} << (first & 63);
    for (uint64_t word = first >> 6; steps > 0; ++word, mask = ~uint64_t{0}) {
        if (!reach(word)) return from + cycles;
        uint64_t& bits = taken_[word % words * count_ + index];
        const uint64_t free = ~bits & mask;
        if (!free) continue;
        const uint64_t mine = lowest(free, steps);
        bits |= mine;
        steps -= static_cast<uint32_t>(__builtin_popcountll(mine));
        last = (word << 6) + 63 - static_cast<uint64_t>(__builtin_clzll(mine));
    }
    if (first <= full.end && first >= full.begin) full.end = std::max(full.end, last + 1);
    else full = {first, last + 1};
    if (first == wanted && last == contiguous_last) return from + cycles;
    return std::max(from + cycles, (last + 1) << step_shift);
}

}  // namespace ts

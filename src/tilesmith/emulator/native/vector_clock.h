// A vector clock: how far a fiber, or who was told by it, knows each fiber of the run to have come.
#pragma once
#include <cstdint>
#include <vector>

namespace ts {

// Most fibers hear only of those of their own core, which are numbered one after the other: the others' clocks, of which
// nothing is known, are not kept.
class VectorClock {
public:
    // Of a fiber that begins, and knows of nobody else.
    void start(uint32_t fiber, uint32_t clock) {
        first_ = fiber;
        at_.assign(1, clock);
    }
    // 0: nothing is known of it.
    uint32_t operator[](uint32_t fiber) const {
        const uint32_t place = fiber - first_;  // wraps below the first
        return place < at_.size() ? at_[place] : 0;
    }
    void tick(uint32_t fiber) { ++at_[fiber - first_]; }  // its own
    void join(const VectorClock& other) {
        if (other.at_.empty()) return;
        reach(other.first_, other.end());
        uint32_t* mine = at_.data() + (other.first_ - first_);
        for (size_t i = 0; i < other.at_.size(); ++i) mine[i] = mine[i] < other.at_[i] ? other.at_[i] : mine[i];
    }

private:
    uint32_t end() const { return first_ + static_cast<uint32_t>(at_.size()); }
    void reach(uint32_t first, uint32_t end_wanted) {
        if (at_.empty()) first_ = first;
        if (first < first_) {
            at_.insert(at_.begin(), first_ - first, 0);
            first_ = first;
        }
        if (end_wanted > end()) at_.resize(end_wanted - first_);
    }
    uint32_t first_ = 0;  // the fiber whose clock stands first
    std::vector<uint32_t> at_;
};

}  // namespace ts

// Who has taken which part of virtual time on links, endpoints and DRAM banks.
#pragma once
#include <cstdint>
#include <vector>

namespace ts {

// Which stretches of virtual time each of a set of resources is taken, in steps of 16 cycles. Fibers do not come in the
// order of their clocks, so one "busy until" would make those that come late wait for what others do in their future.
// Time that lies further back than the window counts as free. What neighbours do at one time lies side by side.
class Occupancy {
public:
    Occupancy() = default;
    Occupancy(const Occupancy&) = delete;
    ~Occupancy();
    void resize(uint32_t count);
    void reset();

    // When so many cycles of service are done, if they are asked for from then on.
    uint64_t take(uint32_t index, uint64_t from, uint32_t cycles) {
        const uint32_t due = cycles + rest_[index], steps = due >> step_shift;
        rest_[index] = static_cast<uint8_t>(due & ((1u << step_shift) - 1));
        const uint64_t first = from >> step_shift, word = first >> 6;
        const auto bit = static_cast<uint32_t>(first & 63);
        if (bit + steps <= 63 && word - begin_ < words) {  // mostly it is free, and lies in one word
            uint64_t& bits = taken_[word % words * count_ + index];
            __builtin_prefetch(&taken_[(word + 1) % words * count_ + index], 1);  // the next one mostly asks there
            const uint64_t mine = ((uint64_t{1} << steps) - 1) << bit;
            if (!(bits & mine)) {
                bits |= mine;
                newest_ = word > newest_ ? word : newest_;
                return from + cycles;
            }
        }
        return steps == 0 ? from + cycles : find(index, from, cycles, steps);
    }

    // When the last that anyone but this user asked for was done, 0 if nobody else has; this user's is done at `end`.
    uint64_t others_end(uint32_t index, uint16_t user, uint64_t end) {
        Users& users = users_[index];
        if (users.last != user) {
            users.others_end = users.end;
            users.last = user;
        }
        users.end = end;
        return users.others_end;
    }

private:
    static constexpr uint16_t nobody = 0xffff;
    static constexpr uint32_t step_shift = 4, words = 4096;  // a window of 2^22 cycles
    struct Stretch {
        uint64_t begin, end;
    };
    struct Users {
        uint64_t end = 0, others_end = 0;  // of what `last` asked for, and of what anyone else did
        uint16_t last = nobody;
    };
    uint32_t count_ = 0;
    uint64_t begin_ = 0, newest_ = 0;  // the first word of the window, the newest in use
    uint64_t* taken_ = nullptr;        // a ring of words for every resource, a bit per step
    std::vector<Stretch> full_;        // steps known to have no gap
    std::vector<uint8_t> rest_;        // cycles that did not fill a step yet
    std::vector<Users> users_;         // who has asked for it
    uint64_t find(uint32_t index, uint64_t from, uint32_t cycles, uint32_t steps);
    bool reach(uint64_t word);
};

}  // namespace ts

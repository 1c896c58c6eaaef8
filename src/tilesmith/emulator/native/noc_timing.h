// How long transfers take: two NoCs of links that form rings, endpoints, and DRAM banks, each with a bandwidth.
#pragma once
#include <cstdint>
#include <vector>

namespace ts {

struct BytesByPacket {  // bytes per cycle for packets up to so many bytes; unused entries have size 0
    uint32_t size[4];
    double bytes[4];
    double at(uint32_t packet) const;
};

enum NocApi : uint32_t { noc_plain, noc_stateful, noc_object, noc_apis };  // which calls of the API issue a transfer

struct Timing {  // cycles and bytes per cycle, from the arch data; field for field ../library.py
    uint32_t issue_read[noc_apis], issue_write[noc_apis];
    uint32_t hop, read_round_trip, write_round_trip, atomic_round_trip, packet_cycles, bank_address;
    uint32_t multicast_reserve, multicast_per_hop, loopback, dram_read_access, dram_write_access, max_packet,
        router_buffer;
    uint32_t cb_operation, semaphore_operation, noc_width, noc_height;
    double stream_bytes, l1_read_bytes;
    BytesByPacket dram_read_bytes, dram_write_bytes;
};

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
            const uint64_t mine = ((uint64_t{1} << steps) - 1) << bit;
            if (!(bits & mine)) {
                bits |= mine;
                newest_ = word > newest_ ? word : newest_;
                return from + cycles;
            }
        }
        return steps == 0 ? from + cycles : find(index, from, cycles, steps);
    }

private:
    static constexpr uint32_t step_shift = 4, words = 4096;  // a window of 2^22 cycles
    struct Stretch {
        uint64_t begin, end;
    };
    uint32_t count_ = 0;
    uint64_t begin_ = 0, newest_ = 0;  // the first word of the window, the newest in use
    uint64_t* taken_ = nullptr;        // a ring of words for every resource, a bit per step
    std::vector<Stretch> full_;        // steps known to have no gap
    std::vector<uint8_t> rest_;        // cycles that did not fill a step yet
    uint64_t find(uint32_t index, uint64_t from, uint32_t cycles, uint32_t steps);
    bool reach(uint64_t word);
};

struct NocNode {
    uint16_t x, y;
};

// The links of one NoC: each router has one out along x and one along y; each endpoint one in and one out.
struct NocLinks {
    Occupancy along_x, along_y, in, out;
    void resize(uint32_t nodes);
    void reset();
};

struct Journey {
    uint64_t leaves, arrives, done;  // the source is free; the data is there; the issuer knows
};

struct Core;
struct Target;
uint32_t packets(uint32_t size);
Journey read_journey(const Core& core, const Target& target, uint32_t size, uint32_t noc);
Journey write_journey(Core& core, const Target& target, uint32_t size, uint32_t noc);
Journey atomic_journey(const Core& core, const Target& target, uint32_t noc);
Journey multicast_journey(Core& core, uint64_t rectangle, uint32_t cores, uint32_t size, uint32_t noc, bool linked);

}  // namespace ts

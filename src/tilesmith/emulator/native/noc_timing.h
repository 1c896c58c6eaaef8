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

// Which stretches of virtual time a resource is taken, in steps of 16 cycles. Fibers do not come in the order of their
// clocks, so one "busy until" would make those that come late wait for what others do in their future. Time that lies
// further back than the window counts as free.
class Occupancy {
public:
    uint64_t take(uint64_t from, uint32_t cycles);  // when so many cycles of service are done
    void reset();

private:
    static constexpr uint32_t step_shift = 4, words = 512;  // a window of 2^19 cycles
    std::vector<uint64_t> taken_;                           // a ring of words, a bit per step
    uint64_t end_ = words;                                  // the first word behind the window
    uint64_t touched_ = 0;                                  // the newest word that was written
    uint64_t full_begin_ = 0, full_end_ = 0;                // steps of a stretch known to have no gap
    uint32_t rest_ = 0;                                     // cycles that did not fill a step yet
    bool reach(uint64_t word);
};

struct NocNode {
    uint16_t x, y;
};

// The links of one NoC: each router has one out along x and one along y; each endpoint one in and one out.
struct NocLinks {
    std::vector<Occupancy> along_x, along_y, in, out;
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
Journey write_journey(const Core& core, const Target& target, uint32_t size, uint32_t noc);
Journey atomic_journey(const Core& core, const Target& target, uint32_t noc);
Journey multicast_journey(Core& core, uint64_t rectangle, uint32_t size, uint32_t noc, bool linked);

}  // namespace ts

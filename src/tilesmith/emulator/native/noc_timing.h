// How long transfers take: two NoCs of links that form rings, endpoints, and DRAM banks, each with a bandwidth.
#pragma once
#include "occupancy.h"

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
    double stream_bytes, l1_read_bytes, convoy_end;
    BytesByPacket dram_read_bytes, dram_write_bytes;
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

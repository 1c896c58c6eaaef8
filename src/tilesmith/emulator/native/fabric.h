// The links between chips, and the routers that move packets over them.
#pragma once
#include <unordered_map>

#include "machine.h"

namespace ts {

enum class Direction : uint8_t { east, west, north, south };

struct MeshConfig {  // field for field ../library.py
    uint32_t rows, columns;
    uint32_t links;      // between neighbours; a channel is a direction and a link: direction * links + link
    uint32_t ring_rows, ring_columns;  // whether the last chip of a column, of a row, is linked to the first
    uint32_t slots;      // packets a router holds for one sender
    uint32_t max_payload, header_bytes;
    uint32_t first_hop, next_hop;                 // cycles, beside the time on the wire
    uint32_t send, receive, ring, scatter, flush;  // cycles of a router's one processor for a packet
    double link_bytes;   // per cycle
    uint32_t channels() const { return 4 * links; }
};

struct Fabric {
    MeshConfig config{};
    Occupancy wires;             // by chip and channel: what goes out
    Occupancy routers;           // likewise: the processor that sends and receives there
    std::vector<Fiber*> holder;  // likewise: who has its connection open
    std::vector<uint64_t> bytes;  // likewise: sent over it
    struct Landed {  // the last write of one sender, and the sender's clock then
        uint32_t sender, epoch;
        At at;
    };
    struct Receiver {  // a chip that others write to
        uint32_t kernels = 0, ended = 0;
        std::vector<Landed> landed;
        VectorClock known;  // of its kernels that have ended
    };
    std::vector<Receiver> receivers;  // by chip
    struct Acknowledged {  // a write to DRAM: whose clock must be known before it is read
        uint32_t sender, epoch;
        At at;
    };
    std::unordered_map<const uint8_t*, Acknowledged> acknowledged;  // by where it begins, the last one
    void start(const MeshConfig& mesh, uint32_t chips);
    int neighbour(uint32_t chip, Direction direction) const;  // -1: no link goes there
};

}  // namespace ts

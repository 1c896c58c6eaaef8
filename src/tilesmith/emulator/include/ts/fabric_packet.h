// What the header of a fabric packet says, as kernels write it and as the emulator's routers read it. The vendor packs
// the route into bits that its routers consume hop by hop; here it stands as it was asked for.
#pragma once
#include <cstdint>

namespace ts {

enum class FabricSend : uint8_t {  // the vendor's NocSendType
    write = 0,
    inline_write = 1,
    atomic_inc = 2,
    write_and_inc = 3,
    scatter_write = 4,
    multicast_write = 5,
    multicast_inc = 6,
    read = 7,
    sparse_write = 8,
};

enum class FabricRoute : uint8_t {
    none,
    hops,   // the chip so many hops in the connection's direction
    range,  // `hops` away and the `range` - 1 chips behind it
    mask,   // those whose bit is set in `mask`, from the first hop on
    chip,   // one chip of the mesh, by its number
    area,   // from a chip on: so many hops east, west, north, south
};

struct FabricHeader {
    struct Write {
        uint64_t address;
    };
    struct InlineWrite {
        uint64_t address;
        uint32_t value;
    };
    struct AtomicInc {
        uint64_t address;
        uint32_t value;
        bool flush;
    };
    struct WriteAndInc {
        uint64_t address, semaphore;
        uint32_t value;
        bool flush;
    };
    struct ScatterWrite {
        uint64_t address[4];
        uint16_t size[3];  // the last is what is left
        uint8_t count, encoding;
    };
    union {
        Write write;
        InlineWrite inline_write;
        AtomicInc atomic_inc;
        WriteAndInc write_and_inc;
        ScatterWrite scatter;
    };
    uint16_t payload_size;
    FabricSend send;
    FabricRoute route;
    uint8_t hops, range;
    uint16_t chip;
    uint32_t mask;
    uint8_t area[4];
    uint8_t unused[8];
};
static_assert(sizeof(FabricHeader) == 64);

}  // namespace ts

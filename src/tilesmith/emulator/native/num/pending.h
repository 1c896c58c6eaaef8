// Products that are computed later. The thread that runs a program notes them and goes on; it and the workers compute
// them, in order for each part of DST, and whoever wants to see DST waits until all are done. What happens when is
// decided by the thread that runs the program alone, so values, cycles and findings are the same with any number of
// threads.
#pragma once
#include "num.h"

namespace ts::num {

// How the bytes of a whole tile in L1 become datums in a Src register.
struct TileSource {
    uint8_t format = fmt::float16_b;
    Src as = Src::bf16;
    bool fast = false, transposed = false;
};

// What one instruction multiplies: `rows` tiles of in0, then `cols` of in1, as bytes that unpack copied from L1.
struct Operands {
    static constexpr uint32_t most_bytes = tile_words * sizeof(uint32_t);  // of a tile
    uint8_t* bytes = nullptr;
    uint8_t rows = 0, cols = 0;
    TileSource source[2];

    uint32_t tiles() const { return uint32_t{rows} + cols; }
    uint8_t* at(uint32_t tile) const { return bytes + tile * most_bytes; }
    uint32_t size(uint32_t tile) const { return tile_bytes(source[tile >= rows].format, {}); }
    void unpack(uint32_t tile, uint32_t* words) const;  // as it would stand in Src
    void prefetch() const;  // another thread has written them
};

// Holds them.
class Batch {
public:
    Operands operands;

    Batch() = default;
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch() { delete[] operands.bytes; }
    void start(uint32_t rows, uint32_t cols, TileSource in0, TileSource in1);
    void copy(uint32_t tile, const uint8_t* l1);
    void prefetch() const;  // another thread has read them, and they will be written

private:
    uint32_t capacity_ = 0;
};

// One after the other in DST, from `dst` on, which is tile `place` of it.
struct Destination {
    uint32_t* dst = nullptr;
    uint32_t place = 0;
    uint32_t fresh = 0;  // a bit for each product that finds nothing in DST
};

struct ProductQueue;

// Those of one engine; all calls come from the thread that runs the program.
struct Pending {
    ProductQueue* queue = nullptr;

    // Takes the batch, and leaves another one that is free.
    void add(Batch*& batch, FpuMode mode, bool fast, const Destination& to);
    void settle() {
        if (queue) finish();
    }

private:
    void finish();
};

bool defers();       // there are other threads
bool help_anyone();  // compute something that is pending; false if there is nothing
void forget_pending();  // in a process that was forked: what was pending belongs to other threads

}  // namespace ts::num

// The engine's arithmetic as plain C functions: test_arithmetic.py calls them with tiles of its own.
#include "num/matmul_general.h"
#include "num/num.h"
#include "num/pending.h"
#include "num/workers.h"

using namespace ts::num;

extern "C" {

uint32_t num_tile_bytes(uint8_t format) { return tile_bytes(format, Geometry{}); }

void num_unpack(uint8_t format, uint8_t as, bool fast, const uint8_t* l1, uint32_t* out) {
    unpack(format, static_cast<Src>(as), fast, l1, Geometry{}, out);
}

void num_pack(const uint32_t* dst, uint8_t format, uint8_t source, uint8_t relu, uint8_t* l1) {
    PackMode mode;
    mode.format = format;
    mode.source = source;
    mode.wide = true;
    mode.relu = static_cast<Relu>(relu);
    pack(dst, mode, l1, Geometry{});
}

void num_eltwise(uint8_t op, const uint32_t* a, const uint32_t* b, bool fast, bool add, uint32_t* dst) {
    FpuMode mode;
    mode.wide = true;
    eltwise(static_cast<Eltwise>(op), a, b, fast, mode, add, dst, 4);
}

void num_eltwise_integer(uint8_t op, const uint32_t* a, const uint32_t* b, uint32_t* dst) {
    eltwise_integer(static_cast<Eltwise>(op), a, b, false, dst, 4);
}

void num_matmul_fast(const uint32_t* a, const uint32_t* b, uint32_t* dst) { matmul_fast(a, b, 1, 1, &dst); }

void num_matmul_chip(const uint32_t* a, const uint32_t* b, uint8_t phases, uint32_t* dst) {
    FpuMode mode;
    mode.wide = true;
    mode.phases = phases;
    matmul_chip(a, b, 1, 1, mode, &dst);
}

// The product as the engine takes it, and as the general way gives it.
void num_matmul_both(const uint32_t* a, const uint32_t* b, uint8_t phases, bool wide, bool five_bit, bool blackhole,
                     uint32_t* dst, uint32_t* wanted) {
    FpuMode mode;
    mode.wide = wide;
    mode.five_bit_exponent = five_bit;
    mode.blackhole = blackhole;
    mode.phases = phases;
    matmul_chip(a, b, 1, 1, mode, &dst);
    general::multiply(a, b, 0, 32, mode, wanted);
}

// `steps` products of blocks, one after the other, into the same DST: at once, or later by so many threads.
void num_matmul_blocks(const uint32_t* a, const uint32_t* b, uint32_t steps, uint32_t rows, uint32_t cols, bool fast,
                       bool five_bit, uint32_t threads, uint32_t* dst) {
    uint32_t* tiles[16];
    for (uint32_t i = 0; i < rows * cols; ++i) tiles[i] = dst + i * tile_words;
    use_threads(threads);
    FpuMode mode;
    mode.five_bit_exponent = five_bit;
    const TileSource words{fmt::float32, Src::raw, true, false};
    Pending pending;
    Batch* batch = new Batch;
    for (uint32_t step = 0; step < steps; ++step, a += rows * tile_words, b += cols * tile_words) {
        if (!defers()) {  // as the engine does; another program may have changed the number of threads
            pending.settle();
            if (fast) matmul_fast(a, b, rows, cols, tiles);
            else matmul_chip(a, b, rows, cols, mode, tiles);
            continue;
        }
        batch->start(rows, cols, words, words);
        for (uint32_t i = 0; i < rows + cols; ++i)
            batch->copy(i,
                        reinterpret_cast<const uint8_t*>(i < rows ? a + i * tile_words : b + (i - rows) * tile_words));
        pending.add(batch, mode, fast, {dst, 3, 0});
    }
    pending.settle();
    delete batch;
    use_threads(1);
}

void num_matmul_integer(const uint32_t* a, const uint32_t* b, uint32_t* dst) { matmul_integer(a, b, 1, 1, &dst); }

void num_transpose(uint32_t* tile) {
    transpose_faces(tile);
    transpose_within_faces(tile, 4);
}

void num_broadcast(uint32_t* tile, uint8_t dim) { broadcast(tile, static_cast<Dim>(dim), Geometry{}, 0); }

}  // extern "C"

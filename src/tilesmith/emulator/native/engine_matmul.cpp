// Products of blocks of tiles: rows + columns tiles are unpacked once and multiplied pair by pair.
#include <cstring>

#include "undefined.h"

namespace ts {
namespace {

bool is_whole(num::Geometry shape) { return shape.faces == 4 && shape.face_rows == 16; }

// Small tiles stand in the corner of a 32x32 one while they are multiplied.
void spread(uint32_t* tile, num::Geometry shape) {
    uint32_t faces[num::tile_words];
    std::memcpy(faces, tile, shape.faces * num::face_words * sizeof(uint32_t));
    std::memset(tile, 0, sizeof faces);
    for (uint32_t face = 0; face < shape.faces; ++face) {
        const uint32_t place = face / shape.faces_across * 2 + face % shape.faces_across;
        std::memcpy(tile + place * num::face_words, faces + face * num::face_words, num::face_words * sizeof(uint32_t));
    }
}

void gather(uint32_t* tile, num::Geometry shape) {
    for (uint32_t face = 0; face < shape.faces; ++face) {
        const uint32_t place = face / shape.faces_across * 2 + face % shape.faces_across;
        std::memmove(tile + face * num::face_words, tile + place * num::face_words, num::face_words * sizeof(uint32_t));
    }
}

// The wider side of the block streams past one tile of the other, which stays in its register meanwhile.
uint64_t unpack_cycles(uint32_t rows, uint32_t cols, uint32_t bytes0, uint32_t bytes1) {
    const EngineTiming& timing = engine_timing();
    const double cycles = cols >= rows ? rows * (bytes0 + cols * bytes1) / timing.matmul_srca_rate
                                       : cols * (bytes1 + rows * bytes0) / timing.matmul_srcb_rate;
    return static_cast<uint64_t>(cycles);
}

num::TileSource source_of(const Engine& engine, const SrcBank& bank, uint32_t operand, uint32_t cb, bool transposed) {
    return {static_cast<uint8_t>(engine.cbs[cb].format), bank.as[operand], engine.fast, transposed};
}

// A fast product takes a seventh of the time of one of the chip's: handing over the tiles of a few costs what it wins.
constexpr uint32_t fast_worth_handing_over = 12;  // products of one instruction

bool can_defer(const Engine& engine, const SrcBank& bank, uint32_t rows, uint32_t cols) {
    if (engine.fast && rows * cols < fast_worth_handing_over) return false;
    return rows + cols <= dst_tiles + 1 && num::defers() && computes() && is_whole(bank.shape[0]) &&
           is_whole(bank.shape[1]) && bank.as[0] != num::Src::integer && bank.as[1] != num::Src::integer;
}

void fill_matmul(Engine& engine, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t cols,
                 uint32_t rows, uint32_t stride, const At& at) {
    check_operand(engine, srca, cb1, at);
    check_operand(engine, srcb, cb0, at);
    SrcBank& bank = begin_fill(engine, FpuOp::matmul, {.width = cols >= rows}, rows + cols, at);
    bank.first = rows;
    describe(engine, bank, 0, cb0, src_kind(engine, cb0, false));
    describe(engine, bank, 1, cb1, src_kind(engine, cb1, false));
    const uint32_t turn = engine.mine().unpack_variant.transpose;
    bank.deferred = can_defer(engine, bank, rows, cols);
    if (bank.deferred) {
        if (!bank.batch) bank.batch = new num::Batch;
        bank.batch->start(rows, cols, source_of(engine, bank, 0, cb0, false), source_of(engine, bank, 1, cb1, turn));
    }
    uint32_t bytes0 = 0, bytes1 = 0;  // of one tile
    for (uint32_t r = 0; r < rows; ++r) {
        bytes0 = read_operand(engine, bank, cb0, tile0 + r * stride, r, at);
        if (!is_whole(bank.shape[0]))
            move_tile(engine, bank.tile(r), [&](uint32_t* tile) { spread(tile, bank.shape[0]); });
    }
    for (uint32_t c = 0; c < cols; ++c) {
        uint32_t* words = bank.tile(rows + c);
        bytes1 = read_operand(engine, bank, cb1, tile1 + c, rows + c, at);
        if (!is_whole(bank.shape[1])) move_tile(engine, words, [&](uint32_t* tile) { spread(tile, bank.shape[1]); });
        if (turn && !bank.deferred) move_tile(engine, words, [](uint32_t* tile) { transpose(tile, 3, {}); });
    }
    spend(unpack_cycles(rows, cols, bytes0, bytes1), Work::unpack);
    end_fill(engine);
}

void multiply(const Engine& engine, num::Src as, const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols,
              uint32_t* const* dst) {
    if (as == num::Src::integer) num::matmul_integer(in0, in1, rows, cols, dst);
    else if (engine.fast) num::matmul_fast(in0, in1, rows, cols, dst);
    else num::matmul_chip(in0, in1, rows, cols, mode_for(engine, as), dst);
}

// All products of a block at once; one after the other where DST is too small for it and tiles fall together.
void multiply_block(Engine& engine, SrcBank& bank, uint32_t first_tile, uint32_t rows, uint32_t cols,
                    uint32_t* const* dst) {
    const num::Src as = bank.as[1];
    if (first_tile + rows * cols <= engine.capacity)
        return multiply(engine, as, bank.words, bank.second(), rows, cols, dst);
    for (uint32_t i = 0; i < rows * cols; ++i)
        multiply(engine, as, bank.tile(i / cols), bank.tile(rows + i % cols), 1, 1, dst + i);
}

// Where DST has room for the whole block and unpack delivered just that.
bool multiply_later(Engine& engine, SrcBank& bank, uint32_t dst, uint32_t rows, uint32_t cols, const At& at) {
    const bool fits = rows * cols > 0 && dst + rows * cols <= engine.capacity;
    if (!bank.deferred || bank.batch->operands.rows != rows || bank.batch->operands.cols != cols || !fits) {
        bank.unpack_batch();
        return false;
    }
    num::Destination to;
    for (uint32_t i = 0; i < rows * cols; ++i) {
        bool fresh;
        uint32_t* tile = dst_for_later(engine, dst + i, dst_kind(bank.as[1], engine), &fresh, at);
        if (i == 0) to.dst = tile;
        to.fresh |= uint32_t{fresh} << i;
    }
    to.place = static_cast<uint32_t>(to.dst - engine.dst) / num::tile_words;
    engine.pending.add(bank.batch, mode_for(engine, bank.as[1]), engine.fast, to);
    return true;
}

void multiply_now(Engine& engine, SrcBank& bank, uint32_t dst, uint32_t rows, uint32_t cols, const At& at) {
    const num::Geometry out{bank.shape[0].face_rows,
                            static_cast<uint16_t>(bank.shape[0].faces_down() * bank.shape[1].faces_across),
                            bank.shape[1].faces_across};
    const bool whole = is_whole(bank.shape[0]) && is_whole(bank.shape[1]);
    const DstKind kind = dst_kind(bank.as[1], engine);
    static thread_local std::vector<uint32_t*> tiles;
    tiles.resize(rows * cols);
    for (uint32_t i = 0; i < rows * cols; ++i) {
        bool fresh;
        tiles[i] = dst_for_accumulate(engine, dst + i, kind, &fresh, at);
        if (!whole) spread(tiles[i], out);
    }
    if (computes()) multiply_block(engine, bank, dst, rows, cols, tiles.data());  // otherwise time passes, that is all
    for (uint32_t i = 0; !whole && i < rows * cols; ++i) gather(tiles[i], out);
}

void drain_matmul(Engine& engine, uint32_t dst, uint32_t cols, uint32_t rows, const At& at) {
    SrcBank& bank = begin_drain(engine, FpuOp::matmul, {.width = cols >= rows}, at);
    if (!multiply_later(engine, bank, dst, rows, cols, at)) multiply_now(engine, bank, dst, rows, cols, at);
    mask_matmul(engine, bank, dst, rows, cols, is_whole(bank.shape[0]) && is_whole(bank.shape[1]));
    const uint64_t least = uint64_t{engine_timing().matmul_phase} * engine.mode.phases * rows * cols;
    const double overhead = engine_timing().matmul_overhead[engine.mode.phases] * rows * cols;
    spend(least + static_cast<uint64_t>(overhead), Work::matmul);
    count_products(rows * cols, least);
    end_drain(engine);
}

}  // namespace

extern "C" void ts_fpu_matmul(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t ct_dim,
                              uint32_t rt_dim, uint32_t kt_dim, At at) {
    if (on(Role::unpack)) fill_matmul(*engine(), cb0, cb1, tile0, tile1, ct_dim, rt_dim, kt_dim, at);
    else if (on(Role::math)) drain_matmul(*engine(), dst, ct_dim, rt_dim, at);
}

}  // namespace ts

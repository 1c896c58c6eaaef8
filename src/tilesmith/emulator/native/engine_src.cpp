// The way from a circular buffer's front to DST: reading tiles as the unpacker does, and handing Src banks to math.
#include "undefined.h"

namespace ts {

uint32_t page_address(uint32_t cb, uint32_t tile) {
    const CbInterface& fifo = *ts_cb_interface(cb);
    return (fifo.fifo_rd_ptr + fifo.fifo_page_size * tile) << 4;
}

DstKind dst_kind(num::Src as, const Engine& engine) {
    if (as == num::Src::integer) return DstKind::integer;
    return as == num::Src::five_bit && !engine.mode.wide ? DstKind::five_bit : DstKind::floating;
}

num::FpuMode mode_for(const Engine& engine, num::Src as) {
    num::FpuMode mode = engine.mode;
    mode.five_bit_exponent = as == num::Src::five_bit;
    return mode;
}

// A tile at a CB's front: where it is, how long, and which of its bytes nothing has written, if any.
struct TileInL1 {
    uint32_t address = 0, bytes = 0;
    std::vector<uint8_t> undefined;
};

static TileInL1 find_tile(const Engine& engine, uint32_t cb, uint32_t tile, num::Geometry shape, const At& at) {
    const auto format = static_cast<uint8_t>(engine.cbs[cb].format);
    TileInL1 found{page_address(cb, tile), num::tile_bytes(format, shape), {}};
    check_page(engine, cb, found.bytes, at);
    check_cb_end(cb, found.address, found.bytes, false, at);
    if (!l1_unpack(found.address, found.bytes, found.undefined, at)) found.undefined.clear();
    return found;
}

static void unpack_tile(Engine& engine, uint32_t cb, num::Src as, num::Geometry shape, const TileInL1& found,
                        uint32_t* out) {
    const auto unpack = [&](const uint8_t* from, uint32_t* words) {
        num::unpack(static_cast<uint8_t>(engine.cbs[cb].format), as, engine.fast, from, shape, words);
    };
    if (!found.undefined.empty())
        note_unpacked(engine, out, l1(found.address), found.undefined.data(), found.bytes, unpack);
    if (computes()) unpack(l1(found.address), out);
}

// One tile from a CB's front into `out`, as the unpacker converts it. Returns the bytes it read.
uint32_t read_tile(Engine& engine, uint32_t cb, uint32_t tile, num::Src as, num::Geometry shape, uint32_t* out,
                   const At& at) {
    const TileInL1 found = find_tile(engine, cb, tile, shape, at);
    unpack_tile(engine, cb, as, shape, found, out);
    return found.bytes;
}

uint32_t read_tile(Engine& engine, uint32_t cb, uint32_t tile, num::Src as, uint32_t* out, const At& at) {
    return read_tile(engine, cb, tile, as, shape_of(engine.cbs[cb]), out, at);
}

uint32_t read_operand(Engine& engine, SrcBank& bank, uint32_t cb, uint32_t tile, uint32_t place, const At& at) {
    const num::Geometry shape = shape_of(engine.cbs[cb]);
    const TileInL1 found = find_tile(engine, cb, tile, shape, at);
    if (!found.undefined.empty()) bank.unpack_batch();
    if (bank.deferred) bank.batch->copy(place, l1(found.address));
    else unpack_tile(engine, cb, bank.as[place >= bank.first], shape, found, bank.tile(place));
    return found.bytes;
}

void spend_unpack(uint32_t bytes, double rate) {
    spend(engine_timing().start + static_cast<uint64_t>(bytes / rate), Work::unpack);
}

void transpose(uint32_t* tile, uint32_t kinds, num::Geometry shape) {
    if (kinds & 2) num::transpose_within_faces(tile, shape.faces);
    if (kinds & 1 && shape.faces == 4) num::transpose_faces(tile);
}

void describe(Engine& engine, SrcBank& bank, uint32_t operand, uint32_t cb, num::Src as) {
    bank.as[operand] = as;
    bank.shape[operand] = shape_of(engine.cbs[cb]);
}

SrcBank& begin_fill(Engine& engine, FpuOp op, FpuVariant variant, uint32_t tiles, const At& at) {
    const bool fits = check_init(engine, op, variant, at);
    SrcBank& bank = engine.banks[engine.fill];
    const Wait why{Wait::On::src_free, engine.fill, 1, true, at};
    wait_until(engine.bank_free, why, [&] { return !bank.full; });
    bank.emptied.acquire(why);
    bank.reserve(tiles);
    bank.mask.clear();
    bank.deferred = false;
    bank.op = op;
    bank.reported = !fits;
    return bank;
}

void end_fill(Engine& engine) {
    SrcBank& bank = engine.banks[engine.fill];
    bank.full = true;
    bank.filled.release();
    engine.fill = (engine.fill + 1) % src_banks;
    if (!engine.bank_full.empty()) engine.bank_full.wake();
}

// Math expects what unpack delivered; kernels that call the halves apart can get this wrong.
SrcBank& begin_drain(Engine& engine, FpuOp op, FpuVariant variant, const At& at) {
    SrcBank& bank = engine.banks[engine.drain];
    const Wait why{Wait::On::src_data, engine.drain, 1, true, at};
    wait_until(engine.bank_full, why, [&] { return bank.full; });
    bank.filled.acquire(why);
    if (op != FpuOp::matmul) bank.unpack_batch();
    if (bank.op != op && checks_on()) {
        finding("setup.wrong-init", at, "math runs %s on tiles that unpack delivered for %s", op_name(op),
                op_name(bank.op));
    } else if (!bank.reported) {
        check_init(engine, op, variant, at);
    }
    return bank;
}

void end_drain(Engine& engine) {
    SrcBank& bank = engine.banks[engine.drain];
    bank.full = false;
    bank.emptied.release();
    engine.drain = (engine.drain + 1) % src_banks;
    if (!engine.bank_free.empty()) engine.bank_free.wake();
}

}  // namespace ts

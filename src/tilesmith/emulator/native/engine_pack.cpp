// Pack: DST tiles into the reserved pages of an output CB.
#include "undefined.h"

namespace ts {
namespace {

// What the packer reads DST as, chosen as the vendor's build chooses it.
uint8_t source_format(const Engine& engine, uint8_t out, DstKind kind) {
    const bool precise = engine.config.bfp8_pack_precise;
    if (num::is_integer(out)) return out;
    if (engine.mode.wide) {
        if (num::is_block(out))
            return precise ? num::fmt::float32 : num::has_small_exponent(out) ? num::fmt::bfp8 : num::fmt::bfp8_b;
        if (out == num::fmt::float16_b) return num::fmt::float16_b;
        return num::has_small_exponent(out) && engine.blackhole ? num::fmt::float16 : num::fmt::float32;
    }
    if (kind == DstKind::five_bit) return num::is_block(out) && !precise ? num::fmt::bfp8 : num::fmt::float16;
    return num::is_block(out) && !precise ? num::fmt::bfp8_b : num::fmt::float16_b;
}

num::PackMode pack_mode(const Engine& engine, const CbConfig& cb, DstKind kind) {
    num::PackMode mode;
    mode.format = static_cast<uint8_t>(cb.format);
    mode.source = source_format(engine, mode.format, kind);
    mode.wide = engine.mode.wide;
    mode.fast = engine.fast;
    mode.accumulate = engine.l1_accumulate;
    mode.relu = engine.relu;
    mode.threshold = engine.relu_threshold;
    mode.keep = static_cast<num::Dim>(engine.reduce_mask);
    return mode;
}

void spend_pack(const Engine& engine, uint32_t bytes, double rate) {
    const double cycles = bytes / rate * (engine.l1_accumulate ? engine_timing().accumulate_factor : 1);
    spend(engine_timing().pack_start + static_cast<uint64_t>(cycles), Work::pack);
}

uint32_t next_address(uint32_t cb, bool out_of_order, uint32_t index) {
    CbInterface& fifo = *ts_cb_interface(cb);
    if (out_of_order) return (fifo.fifo_wr_ptr + fifo.fifo_page_size * index) << 4;
    const uint32_t address = (fifo.fifo_wr_ptr + fifo.fifo_wr_tile_ptr) << 4;
    fifo.fifo_wr_tile_ptr += fifo.fifo_page_size;
    return address;
}

Target here(uint32_t address) {
    return {false, core().index, static_cast<uint64_t>(l1(address) - core().l1), nullptr, core().shadow};
}

// What the packer adds to must be there. Padding may be undefined in part; a page never written is so throughout.
void check_accumulated(uint32_t address, uint32_t bytes, const At& at) {
    std::vector<uint8_t> undefined;
    if (!l1_unpack(address, bytes, undefined, at)) return;
    for (const uint8_t byte : undefined)
        if (!byte) return;
    finding("mem.uninitialised", at, "pack adds to %u bytes at L1 offset 0x%llx that nothing has written", bytes,
            static_cast<unsigned long long>(here(address).offset));
}

// A mask left over from a reduction hides most of any other tile.
void check_mask(Engine& engine, uint32_t dst, const At& at) {
    if (engine.reduce_mask == FpuDim::none || !checks_on() || dst >= engine.capacity) return;
    const DstHalf& half = engine.halves[engine.pack_half];
    if (half.reduced >> dst & 1 || !(half.written >> dst & 1)) return;
    finding("setup.wrong-init", at,
            "pack_tile runs while the packer still masks for reduce_tile: reduce_uninit() is missing");
}

}  // namespace

extern "C" void ts_pack(uint32_t dst, uint32_t cb, bool out_of_order, uint32_t index, At at) {
    if (!on(Role::pack)) return;
    Engine& e = *engine();
    check_output(e, cb, at);
    check_mask(e, dst, at);
    const CbConfig& config = e.cbs[cb];
    const num::Geometry shape = shape_of(config);
    DstKind kind;
    const uint32_t* tile = dst_for_pack(e, dst, &kind, at);
    const uint32_t address = next_address(cb, out_of_order, index);
    const uint32_t bytes = num::tile_bytes(static_cast<uint8_t>(config.format), shape);
    check_page(e, cb, bytes, at);
    check_cb_end(cb, address, bytes, true, at);
    if (e.l1_accumulate) check_accumulated(address, bytes, at);
    l1_write(address, bytes, at);
    if (computes()) num::pack(tile, pack_mode(e, config, kind), l1(address), shape);
    if (const uint32_t* mask = dst_mask(e, e.pack_half, dst % e.capacity)) {
        num::PackMode mode = pack_mode(e, config, kind);
        mode.accumulate = false;
        std::vector<uint8_t> undefined(bytes);
        undefined_after_pack(tile, mask, num::tile_words, undefined.data(), bytes,
                             [&](const uint32_t* from, uint8_t* to) { num::pack(from, mode, to, shape); });
        store_undefined(here(address), bytes, undefined.data(), at);
    }
    const bool tilized = e.halves[e.pack_half].tilized >> (dst % dst_tiles) & 1;
    spend_pack(e, bytes, tilized ? engine_timing().pack_tilize_rate : engine_timing().pack_rate);
}

extern "C" void ts_pack_untilize(uint32_t cb, uint32_t dst, uint32_t rows, uint32_t block, uint32_t full,
                                 uint32_t column, uint32_t row_datums, At at) {
    if (!on(Role::pack)) return;
    Engine& e = *engine();
    check_output(e, cb, at);
    const CbConfig& config = e.cbs[cb];
    if (num::is_block(static_cast<uint8_t>(config.format))) gap(at, "packing rows of a block-float format (CB %u)", cb);
    const num::Geometry shape = shape_of(config);
    const uint32_t datum = num::datum_bytes(static_cast<uint8_t>(config.format));
    const uint32_t width = shape.faces_across * 16, kept = row_datums < width ? row_datums : width;
    const uint32_t line = (kept < width ? kept : full * width) * datum;
    const CbInterface& fifo = *ts_cb_interface(cb);
    for (uint32_t r = 0; r < rows; ++r) {
        const uint32_t start =
            ((fifo.fifo_wr_ptr + r * full * fifo.fifo_page_size) << 4) + column * block * width * datum;
        for (uint32_t c = 0; c < block; ++c) {
            DstKind kind;
            const uint32_t* tile = dst_for_pack(e, dst + r * block + c, &kind, at);
            const num::PackMode mode = pack_mode(e, config, kind);
            num::PackMode plain = mode;
            plain.accumulate = false;
            for (uint32_t y = 0; y < shape.faces_down() * shape.face_rows; ++y) {
                const uint32_t address = start + y * line + c * width * datum;
                check_cb_end(cb, address, kept * datum, true, at);
                if (e.l1_accumulate) check_accumulated(address, kept * datum, at);
                l1_write(address, kept * datum, at);
                for (uint32_t x = 0; x < kept; x += 16) {
                    const uint32_t face = y / shape.face_rows * shape.faces_across + x / 16;
                    const uint32_t count = kept - x < 16 ? kept - x : 16;
                    const uint32_t first = face * num::face_words + y % shape.face_rows * 16;
                    num::pack_row(tile + first, mode, l1(address + x * datum), count);
                    if (const uint32_t* mask = dst_mask(e, e.pack_half, (dst + r * block + c) % e.capacity)) {
                        uint8_t undefined[16 * 4] = {};
                        undefined_after_pack(
                            tile + first, mask + first, count, undefined, count * datum,
                            [&](const uint32_t* from, uint8_t* to) { num::pack_row(from, plain, to, count); });
                        store_undefined(here(address + x * datum), count * datum, undefined, at);
                    }
                }
            }
        }
    }
    spend_pack(e, rows * block * shape.datums() * datum, engine_timing().pack_untilize_rate);
}

extern "C" void ts_pack_relu(uint32_t mode, uint32_t threshold) {
    if (!on(Role::pack)) return;
    engine()->relu = static_cast<num::Relu>(mode & 3);
    engine()->relu_threshold = static_cast<uint16_t>(threshold);
}

extern "C" void ts_pack_l1_accumulate(bool enabled) {
    if (on(Role::pack)) engine()->l1_accumulate = enabled;
}

extern "C" void ts_pack_reduce_mask(FpuDim dim) {
    if (on(Role::pack)) engine()->reduce_mask = dim;
}

}  // namespace ts

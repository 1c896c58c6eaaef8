// Unpack and math of every FPU operation: tiles go from L1 into a Src bank, and from there into DST.
#include <algorithm>
#include <cstring>

#include "undefined.h"

namespace ts {
namespace {

num::Dim as_num(FpuDim dim) { return static_cast<num::Dim>(dim); }
num::Pool as_num(FpuPool pool) { return static_cast<num::Pool>(pool); }

num::Eltwise eltwise_of(FpuOp op) {
    switch (op) {
        case FpuOp::add:
        case FpuOp::add_reuse: return num::Eltwise::add;
        case FpuOp::sub:
        case FpuOp::sub_reuse: return num::Eltwise::sub;
        default: return num::Eltwise::mul;
    }
}

void run_eltwise(Engine& engine, num::Eltwise op, const uint32_t* a, const uint32_t* b, num::Src as, bool add_to_dst,
                 uint32_t* dst, uint32_t faces) {
    if (!computes()) std::memset(dst, 0, faces * num::face_words * sizeof(uint32_t));
    else if (as == num::Src::integer) num::eltwise_integer(op, a, b, add_to_dst, dst, faces);
    else num::eltwise(op, a, b, engine.fast, mode_for(engine, as), add_to_dst, dst, faces);
    const uint32_t phases = op == num::Eltwise::mul ? engine.mode.phases : 1;
    spend(engine_timing().latency + engine_timing().eltwise_phase * phases, Work::fpu);
}

// ---- reduce ----

void drain_reduce(Engine& engine, FpuOp op, FpuPool pool, FpuDim dim, uint32_t dst, const At& at) {
    SrcBank& bank = begin_drain(engine, op, {.dim = dim, .pool = pool}, at);
    bool fresh;
    uint32_t* tile = dst_for_accumulate(engine, dst, dst_kind(bank.as[0], engine), &fresh, at);
    if (computes())
        num::reduce(as_num(pool), as_num(dim), bank.tile(0), bank.second(), engine.fast, mode_for(engine, bank.as[0]),
                    bank.as[0], bank.shape[0], fresh, tile);
    mask_reduce(engine, bank, dim, dst, fresh);
    mark_reduced(engine, dst);
    spend(engine_timing().latency +
              uint64_t{engine_timing().reduce_phase} * (pool == FpuPool::max ? 1 : engine.mode.phases),
          Work::fpu);
    end_drain(engine);
}

// A tile whose rows lie `block` tiles apart, as tilize finds it.
uint32_t read_rows(Engine& engine, uint32_t cb, uint32_t tile, uint32_t block, num::Src as, uint32_t* out,
                   const At& at) {
    const CbConfig& config = engine.cbs[cb];
    const num::Geometry shape = shape_of(config);
    const uint32_t datum = num::datum_bytes(static_cast<uint8_t>(config.format)), width = shape.faces_across * 16,
                   rows = shape.faces_down() * shape.face_rows;
    const uint32_t line = block * width * datum;
    const uint32_t address = page_address(cb, 0) + tile / block * rows * line + tile % block * width * datum;
    check_cb_end(cb, address, (rows - 1) * line + width * datum, false, at);
    const auto unpack = [&](const uint8_t* from, uint32_t* words) {
        num::unpack_rows(static_cast<uint8_t>(config.format), as, engine.fast, from, line, shape, words);
    };
    std::vector<uint8_t> undefined, all;
    for (uint32_t row = 0; row < rows; ++row) {
        if (!l1_unpack(address + row * line, width * datum, undefined, at)) continue;
        all.resize((rows - 1) * line + width * datum);
        std::memcpy(all.data() + row * line, undefined.data(), width * datum);
    }
    if (!all.empty()) note_unpacked(engine, out, l1(address), all.data(), static_cast<uint32_t>(all.size()), unpack);
    unpack(l1(address), out);
    return rows * width * datum;
}

void drain_copy(Engine& engine, FpuOp op, FpuVariant variant, uint32_t dst, const At& at) {
    SrcBank& bank = begin_drain(engine, op, variant, at);
    uint32_t* tile = dst_for_overwrite(engine, dst, dst_kind(bank.as[0], engine), at);
    if (computes())
        num::copy(bank.tile(0), bank.as[0], engine.fast, mode_for(engine, bank.as[0]), tile, bank.shape[0].faces);
    const uint32_t words = bank.shape[0].faces * num::face_words;
    if (words < num::tile_words) std::memset(tile + words, 0, (num::tile_words - words) * sizeof(uint32_t));
    mask_copy(engine, bank, dst);
    if (op == FpuOp::tilize && dst < engine.capacity) engine.halves[engine.math_half].tilized |= 1u << dst;
    spend(engine_timing().latency + engine_timing().copy, Work::fpu);
    end_drain(engine);
}

}  // namespace

extern "C" void ts_fpu_copy(FpuOp op, FpuVariant variant, uint32_t cb, uint32_t tile, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, op, variant, dst, at);
    if (!on(Role::unpack)) return;
    check_operand(e, op == FpuOp::unary_bcast && variant.dim != FpuDim::none ? srcb : srca, cb, at);
    SrcBank& bank = begin_fill(e, op, variant, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    const uint32_t bytes = read_tile(e, cb, tile, bank.as[0], bank.tile(0), at);
    const uint32_t turn = op == FpuOp::transpose ? 3 : e.mine().unpack_variant.transpose;
    move_tile(e, bank.tile(0), [&](uint32_t* words) {
        if (variant.dim != FpuDim::none) num::broadcast(words, as_num(variant.dim), bank.shape[0], 0);
        transpose(words, turn, bank.shape[0]);
    });
    spend_unpack(bytes, engine_timing().unpack_rate);
    end_fill(e);
}

extern "C" void ts_fpu_eltwise(FpuOp op, FpuDim dim, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1,
                               uint32_t dst, uint32_t row, At at) {
    Engine& e = *engine();
    if (on(Role::unpack)) {
        check_operand(e, srca, cb0, at);
        check_operand(e, srcb, cb1, at);
        SrcBank& bank = begin_fill(e, op, {.dim = dim}, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb0, src_kind(e, cb0, false));
        describe(e, bank, 1, cb1, src_kind(e, cb1, false));
        uint32_t bytes = read_tile(e, cb0, tile0, bank.as[0], bank.tile(0), at);
        bytes += read_tile(e, cb1, tile1, bank.as[1], bank.tile(1), at);
        if (dim != FpuDim::none)
            move_tile(e, bank.tile(1),
                      [&](uint32_t* words) { num::broadcast(words, as_num(dim), bank.shape[0], row); });
        spend_unpack(bytes, engine_timing().unpack_rate);
        end_fill(e);
    } else if (on(Role::math)) {
        SrcBank& bank = begin_drain(e, op, {.dim = dim}, at);
        const DstKind kind = dst_kind(bank.as[0], e);
        const bool adds = op == FpuOp::mul || e.mine().math_variant.add_to_dst;  // the multiplier always accumulates
        bool fresh = false;
        uint32_t* tile = adds ? dst_for_accumulate(e, dst, kind, &fresh, at) : dst_for_overwrite(e, dst, kind, at);
        run_eltwise(e, eltwise_of(op), bank.tile(0), bank.tile(1), bank.as[0], adds && !fresh, tile,
                    bank.shape[0].faces);
        mask_eltwise(e, bank, dst, true, adds && !fresh);
        end_drain(e);
    }
}

extern "C" void ts_fpu_eltwise_reuse(FpuOp op, FpuReuse reuse, uint32_t cb, uint32_t tile, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::unpack)) {
        check_operand(e, reuse == FpuReuse::to_srcb ? srca : srcb, cb, at);
        SrcBank& bank = begin_fill(e, op, {.reuse = reuse}, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb, src_kind(e, cb, false));
        spend_unpack(read_tile(e, cb, tile, bank.as[0], bank.tile(0), at), engine_timing().unpack_rate);
        end_fill(e);
    } else if (on(Role::math)) {
        SrcBank& bank = begin_drain(e, op, {.reuse = reuse}, at);
        const uint32_t faces = bank.shape[0].faces;
        sfpu_ended(e);
        uint32_t* words = dst_for_modify(e, dst, at);
        num::dst_to_src(words, e.fast, bank.as[0], bank.tile(1), faces);
        const uint32_t *a = bank.tile(0), *b = bank.tile(1);
        if (reuse == FpuReuse::to_srca) std::swap(a, b);
        run_eltwise(e, eltwise_of(op), a, b, bank.as[0], false, words, faces);
        mask_eltwise(e, bank, dst, false, true);
        end_drain(e);
    }
}

extern "C" void ts_fpu_reduce(FpuPool pool, FpuDim dim, uint32_t cb, uint32_t scaler_cb, uint32_t tile,
                              uint32_t scaler_tile, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_reduce(e, FpuOp::reduce, pool, dim, dst, at);
    if (!on(Role::unpack)) return;
    // A row sum multiplies by the scaler from the other side, in some releases: either order of set-up will do.
    const bool exchanged = e.mine().srca_cb == scaler_cb && e.mine().srcb_cb == cb;
    check_operand(e, exchanged ? srcb : srca, cb, at);
    check_operand(e, exchanged ? srca : srcb, scaler_cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::reduce, {.dim = dim, .pool = pool}, 2, at);
    bank.first = 1;
    describe(e, bank, 0, cb, src_kind(e, cb, false));
    describe(e, bank, 1, scaler_cb, src_kind(e, scaler_cb, false));
    uint32_t bytes = read_tile(e, cb, tile, bank.as[0], bank.tile(0), at);
    bytes += read_tile(e, scaler_cb, scaler_tile, bank.as[1], bank.tile(1), at);
    spend_unpack(bytes, engine_timing().unpack_rate);
    end_fill(e);
}

extern "C" void ts_fpu_tilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, FpuOp::tilize, {}, dst, at);
    if (!on(Role::unpack)) return;
    check_operand(e, srca, cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::tilize, {.width = static_cast<uint16_t>(block)}, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    const uint32_t bytes = read_rows(e, cb, tile, block, bank.as[0], bank.tile(0), at);
    spend(engine_timing().tilize_start + static_cast<uint64_t>(bytes / engine_timing().tilize_rate), Work::unpack);
    end_fill(e);
}

// The unpack-side untilize: tile `tile` of the output is the next 1024 datums of the block's rows.
extern "C" void ts_fpu_untilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, FpuOp::untilize, {}, dst, at);
    if (!on(Role::unpack)) return;
    check_operand(e, srca, cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::untilize, {}, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    const num::Geometry shape = bank.shape[0];
    const uint32_t width = shape.faces_across * 16, datums = shape.datums();
    if (tile == 0) {
        e.scratch.resize(size_t{block} * num::tile_words);
        e.scratch_mask.clear();
        for (uint32_t i = 0; i < block; ++i)
            spend_unpack(read_tile(e, cb, i, bank.as[0], &e.scratch[i * num::tile_words], at),
                         engine_timing().untilize_rate);
    }
    std::memset(bank.tile(0), 0, num::tile_words * sizeof(uint32_t));
    for (uint32_t i = 0; i < datums; ++i) {
        const uint32_t position = tile * datums + i, row = position / (block * width), col = position % (block * width);
        const uint32_t face = row / shape.face_rows * shape.faces_across + col % width / 16;
        const uint32_t word = face * num::face_words + row % shape.face_rows * 16 + col % 16;
        const uint32_t place = i / (shape.face_rows * 16u) * num::face_words + i % (shape.face_rows * 16u);
        bank.tile(0)[place] = e.scratch[col / width * num::tile_words + word];
        if (!e.scratch_mask.empty())
            new_mask(e, bank.tile(0))[place] = e.scratch_mask[col / width * num::tile_words + word];
    }
    end_fill(e);
}

extern "C" void ts_fpu_transpose_dest(uint32_t dst, bool faces, At at) {
    if (!on(Role::math)) return;
    Engine& e = *engine();
    sfpu_ended(e);
    transpose(dst_for_modify(e, dst, at), faces ? 3 : 2, {});
    if (uint32_t* mask = dst_mask(e, e.math_half, dst % e.capacity)) transpose(mask, faces ? 3 : 2, {});
    spend(engine_timing().latency + engine_timing().transpose, Work::fpu);
}

// The rows of SrcA below a face that has fewer than sixteen: the unpacker clears the register first.
static void fill_below(uint32_t* tile, num::Geometry shape, uint32_t word) {
    for (uint32_t face = 0; face < shape.faces; ++face) {
        uint32_t* rows = tile + face * num::face_words;
        std::fill(rows + shape.face_rows * 16, rows + num::face_words, word);
    }
}

extern "C" void ts_unpack_tilized(uint32_t cb, uint32_t scaler_cb, uint32_t block, uint32_t scaler_tile, bool least,
                                  bool one_scaler_face, At at) {
    if (!on(Role::unpack)) return;
    Engine& e = *engine();
    check_operand(e, srca, cb, at);
    check_operand(e, srcb, scaler_cb, at);
    for (uint32_t i = 0; i < block; ++i) {
        SrcBank& bank = begin_fill(e, FpuOp::tilize_reduce, {}, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb, src_kind(e, cb, false));
        describe(e, bank, 1, scaler_cb, src_kind(e, scaler_cb, false));
        uint32_t bytes = read_rows(e, cb, i, block, bank.as[0], bank.tile(0), at);
        if (least) fill_below(bank.tile(0), bank.shape[0], 0xFF800000);
        if (one_scaler_face) bank.shape[1].faces = bank.shape[1].faces_across = 1;
        bytes += read_tile(e, scaler_cb, scaler_tile, bank.as[1], bank.shape[1], bank.tile(1), at);
        spend_unpack(bytes, engine_timing().tilize_rate);
        end_fill(e);
    }
}

extern "C" void ts_math_reduce(FpuPool pool, FpuDim dim, uint32_t dst, At at) {
    if (on(Role::math)) drain_reduce(*engine(), FpuOp::tilize_reduce, pool, dim, dst, at);
}

}  // namespace ts

// Unpack and math of every FPU operation: tiles go from L1 into a Src bank, and from there into DST.
#include <cstring>

#include "engine.h"

namespace ts {
namespace {

num::Dim as_num(FpuDim dim) { return static_cast<num::Dim>(dim); }
num::Pool as_num(FpuPool pool) { return static_cast<num::Pool>(pool); }

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

// One tile from a CB's front into `out`, as the unpacker converts it. Returns the bytes it read.
uint32_t read_tile(Engine& engine, uint32_t cb, uint32_t tile, num::Src as, uint32_t* out, const At& at) {
    const CbConfig& config = engine.cbs[cb];
    const num::Geometry shape = shape_of(config);
    const auto format = static_cast<uint8_t>(config.format);
    const uint32_t bytes = num::tile_bytes(format, shape);
    const uint32_t address = page_address(cb, tile);
    l1_read(address, bytes, at);
    num::unpack(format, as, engine.fast, l1(address), shape, out);
    return bytes;
}

void spend_unpack(uint32_t bytes) {
    const EngineTiming& timing = engine_timing();
    spend(timing.call + static_cast<uint64_t>(bytes / timing.unpack_bytes_per_cycle));
}

void transpose(uint32_t* tile, uint32_t kinds, num::Geometry shape) {
    if (kinds & 2) num::transpose_within_faces(tile, shape.faces);
    if (kinds & 1 && shape.faces == 4) num::transpose_faces(tile);
}

void describe(Engine& engine, SrcBank& bank, uint32_t operand, uint32_t cb, num::Src as) {
    bank.as[operand] = as;
    bank.shape[operand] = shape_of(engine.cbs[cb]);
}

// Math expects what unpack delivered; kernels that call the halves apart can get this wrong.
SrcBank& drain_for(Engine& engine, FpuOp op, const At& at) {
    SrcBank& bank = begin_drain(engine, at);
    if (bank.op != op && checks_on()) {
        finding("setup.wrong-init", at, "math runs %s on tiles that unpack delivered for %s", op_name(op), op_name(bank.op));
    }
    return bank;
}

num::Eltwise eltwise_of(FpuOp op) {
    switch (op) {
        case FpuOp::add: case FpuOp::add_reuse: return num::Eltwise::add;
        case FpuOp::sub: case FpuOp::sub_reuse: return num::Eltwise::sub;
        default: return num::Eltwise::mul;
    }
}

void run_eltwise(Engine& engine, num::Eltwise op, const uint32_t* a, const uint32_t* b, num::Src as, bool add_to_dst, uint32_t* dst,
                 uint32_t faces) {
    if (as == num::Src::integer) num::eltwise_integer(op, a, b, add_to_dst, dst, faces);
    else num::eltwise(op, a, b, engine.fast, mode_for(engine, as), add_to_dst, dst, faces);
    const uint32_t phases = op == num::Eltwise::mul ? engine.mode.phases : 1;
    spend(engine_timing().call + engine_timing().eltwise_phase * phases);
}

// ---- matmul ----

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

void fill_matmul(Engine& engine, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t cols, uint32_t rows,
                 uint32_t stride, const At& at) {
    check_init(engine, FpuOp::matmul, FpuVariant{.width = cols >= rows}, at);
    check_operand(engine, srca, cb1, at);
    check_operand(engine, srcb, cb0, at);
    SrcBank& bank = begin_fill(engine, FpuOp::matmul, rows + cols, at);
    bank.first = rows;
    describe(engine, bank, 0, cb0, src_kind(engine, cb0, false));
    describe(engine, bank, 1, cb1, src_kind(engine, cb1, false));
    uint32_t bytes = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        bytes += read_tile(engine, cb0, tile0 + r * stride, bank.as[0], bank.tile(r), at);
        if (!is_whole(bank.shape[0])) spread(bank.tile(r), bank.shape[0]);
    }
    const uint32_t turn = engine.mine().unpack_variant.transpose;
    for (uint32_t c = 0; c < cols; ++c) {
        uint32_t* words = bank.tile(rows + c);
        bytes += read_tile(engine, cb1, tile1 + c, bank.as[1], words, at);
        if (!is_whole(bank.shape[1])) spread(words, bank.shape[1]);
        if (turn) transpose(words, 3, {});
    }
    spend_unpack(bytes);
    end_fill(engine);
}

void multiply(Engine& engine, SrcBank& bank, const uint32_t* in0, const uint32_t* in1, uint32_t* dst) {
    if (bank.as[1] == num::Src::integer) num::matmul_integer(in0, in1, dst);
    else if (engine.fast) num::matmul_fast(in0, in1, 1, 1, &dst);
    else num::matmul_chip(in0, in1, mode_for(engine, bank.as[1]), dst);
}

void drain_matmul(Engine& engine, uint32_t dst, uint32_t cols, uint32_t rows, const At& at) {
    SrcBank& bank = drain_for(engine, FpuOp::matmul, at);
    const num::Geometry out{bank.shape[0].face_rows, static_cast<uint16_t>(bank.shape[0].faces_down() * bank.shape[1].faces_across),
                            bank.shape[1].faces_across};
    const bool whole = is_whole(bank.shape[0]) && is_whole(bank.shape[1]);
    const DstKind kind = dst_kind(bank.as[1], engine);
    uint32_t* tiles[dst_tiles];
    for (uint32_t i = 0; i < rows * cols; ++i) {
        bool fresh;
        tiles[i % dst_tiles] = dst_for_accumulate(engine, dst + i, kind, &fresh, at);
        if (!whole) spread(tiles[i % dst_tiles], out);
    }
    if (engine.fast && bank.as[1] != num::Src::integer && rows * cols <= dst_tiles) {
        num::matmul_fast(bank.words, bank.second(), rows, cols, tiles);
    } else {
        for (uint32_t r = 0; r < rows; ++r)
            for (uint32_t c = 0; c < cols; ++c)
                multiply(engine, bank, bank.tile(r), bank.tile(rows + c), tiles[(r * cols + c) % dst_tiles]);
    }
    for (uint32_t i = 0; !whole && i < rows * cols; ++i) gather(tiles[i % dst_tiles], out);
    spend(engine_timing().call + uint64_t{engine_timing().matmul_phase} * engine.mode.phases * rows * cols);
    end_drain(engine);
}

// ---- reduce ----

void drain_reduce(Engine& engine, FpuOp op, FpuPool pool, FpuDim dim, uint32_t dst, const At& at) {
    SrcBank& bank = drain_for(engine, op, at);
    bool fresh;
    uint32_t* tile = dst_for_accumulate(engine, dst, dst_kind(bank.as[0], engine), &fresh, at);
    num::reduce(as_num(pool), as_num(dim), bank.tile(0), bank.second(), engine.fast, mode_for(engine, bank.as[0]), bank.as[0], bank.shape[0],
                fresh, tile);
    mark_reduced(engine, dst);
    spend(engine_timing().call + uint64_t{engine_timing().reduce_phase} * (pool == FpuPool::max ? 1 : engine.mode.phases));
    end_drain(engine);
}

// A tile whose rows lie `block` tiles apart, as tilize finds it.
uint32_t read_rows(Engine& engine, uint32_t cb, uint32_t tile, uint32_t block, num::Src as, uint32_t* out, const At& at) {
    const CbConfig& config = engine.cbs[cb];
    const num::Geometry shape = shape_of(config);
    const uint32_t datum = num::datum_bytes(static_cast<uint8_t>(config.format)), width = shape.faces_across * 16, rows = shape.faces_down() * shape.face_rows;
    const uint32_t line = block * width * datum;
    const uint32_t address = page_address(cb, 0) + tile / block * rows * line + tile % block * width * datum;
    for (uint32_t row = 0; row < rows; ++row) l1_read(address + row * line, width * datum, at);
    num::unpack_rows(static_cast<uint8_t>(config.format), as, engine.fast, l1(address), line, shape, out);
    return rows * width * datum;
}

void drain_copy(Engine& engine, FpuOp op, uint32_t dst, const At& at) {
    SrcBank& bank = drain_for(engine, op, at);
    uint32_t* tile = dst_for_overwrite(engine, dst, dst_kind(bank.as[0], engine), at);
    num::copy(bank.tile(0), bank.as[0], engine.fast, mode_for(engine, bank.as[0]), tile, bank.shape[0].faces);
    const uint32_t words = bank.shape[0].faces * num::face_words;
    if (words < num::tile_words) std::memset(tile + words, 0, (num::tile_words - words) * sizeof(uint32_t));
    spend(engine_timing().call + engine_timing().copy);
    end_drain(engine);
}

}  // namespace

extern "C" void ts_fpu_copy(FpuOp op, FpuVariant variant, uint32_t cb, uint32_t tile, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, op, dst, at);
    if (!on(Role::unpack)) return;
    check_init(e, op, variant, at);
    check_operand(e, op == FpuOp::unary_bcast && variant.dim != FpuDim::none ? srcb : srca, cb, at);
    SrcBank& bank = begin_fill(e, op, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    const uint32_t bytes = read_tile(e, cb, tile, bank.as[0], bank.tile(0), at);
    if (variant.dim != FpuDim::none) num::broadcast(bank.tile(0), as_num(variant.dim), bank.shape[0], 0);
    transpose(bank.tile(0), op == FpuOp::transpose ? 3 : e.mine().unpack_variant.transpose, bank.shape[0]);
    spend_unpack(bytes);
    end_fill(e);
}

extern "C" void ts_fpu_eltwise(FpuOp op, FpuDim dim, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                               uint32_t row, At at) {
    Engine& e = *engine();
    if (on(Role::unpack)) {
        check_init(e, op, FpuVariant{.dim = dim}, at);
        check_operand(e, srca, cb0, at);
        check_operand(e, srcb, cb1, at);
        SrcBank& bank = begin_fill(e, op, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb0, src_kind(e, cb0, false));
        describe(e, bank, 1, cb1, src_kind(e, cb1, false));
        uint32_t bytes = read_tile(e, cb0, tile0, bank.as[0], bank.tile(0), at);
        bytes += read_tile(e, cb1, tile1, bank.as[1], bank.tile(1), at);
        if (dim != FpuDim::none) num::broadcast(bank.tile(1), as_num(dim), bank.shape[0], row);
        spend_unpack(bytes);
        end_fill(e);
    } else if (on(Role::math)) {
        SrcBank& bank = drain_for(e, op, at);
        const DstKind kind = dst_kind(bank.as[0], e);
        const bool adds = op == FpuOp::mul || e.mine().math_variant.add_to_dst;   // the multiplier always accumulates
        bool fresh = false;
        uint32_t* tile = adds ? dst_for_accumulate(e, dst, kind, &fresh, at) : dst_for_overwrite(e, dst, kind, at);
        run_eltwise(e, eltwise_of(op), bank.tile(0), bank.tile(1), bank.as[0], adds && !fresh, tile, bank.shape[0].faces);
        end_drain(e);
    }
}

extern "C" void ts_fpu_eltwise_reuse(FpuOp op, FpuReuse reuse, uint32_t cb, uint32_t tile, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::unpack)) {
        check_init(e, op, FpuVariant{.reuse = reuse}, at);
        check_operand(e, reuse == FpuReuse::to_srcb ? srca : srcb, cb, at);
        SrcBank& bank = begin_fill(e, op, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb, src_kind(e, cb, false));
        spend_unpack(read_tile(e, cb, tile, bank.as[0], bank.tile(0), at));
        end_fill(e);
    } else if (on(Role::math)) {
        SrcBank& bank = drain_for(e, op, at);
        const uint32_t faces = bank.shape[0].faces;
        uint32_t* words = dst_for_modify(e, dst, at);
        num::dst_to_src(words, e.fast, bank.as[0], bank.tile(1), faces);
        const uint32_t *a = bank.tile(0), *b = bank.tile(1);
        if (reuse == FpuReuse::to_srca) std::swap(a, b);
        run_eltwise(e, eltwise_of(op), a, b, bank.as[0], false, words, faces);
        end_drain(e);
    }
}

extern "C" void ts_fpu_matmul(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t ct_dim, uint32_t rt_dim,
                              uint32_t kt_dim, At at) {
    if (on(Role::unpack)) fill_matmul(*engine(), cb0, cb1, tile0, tile1, ct_dim, rt_dim, kt_dim, at);
    else if (on(Role::math)) drain_matmul(*engine(), dst, ct_dim, rt_dim, at);
}

extern "C" void ts_fpu_reduce(FpuPool pool, FpuDim dim, uint32_t cb, uint32_t scaler_cb, uint32_t tile, uint32_t scaler_tile, uint32_t dst,
                              At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_reduce(e, FpuOp::reduce, pool, dim, dst, at);
    if (!on(Role::unpack)) return;
    check_init(e, FpuOp::reduce, FpuVariant{.dim = dim, .pool = pool}, at);
    // A row sum multiplies by the scaler from the other side, in some releases: either order of set-up will do.
    const bool exchanged = e.mine().srca_cb == scaler_cb && e.mine().srcb_cb == cb;
    check_operand(e, exchanged ? srcb : srca, cb, at);
    check_operand(e, exchanged ? srca : srcb, scaler_cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::reduce, 2, at);
    bank.first = 1;
    describe(e, bank, 0, cb, src_kind(e, cb, false));
    describe(e, bank, 1, scaler_cb, src_kind(e, scaler_cb, false));
    uint32_t bytes = read_tile(e, cb, tile, bank.as[0], bank.tile(0), at);
    bytes += read_tile(e, scaler_cb, scaler_tile, bank.as[1], bank.tile(1), at);
    spend_unpack(bytes);
    end_fill(e);
}

extern "C" void ts_fpu_tilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, FpuOp::tilize, dst, at);
    if (!on(Role::unpack)) return;
    check_init(e, FpuOp::tilize, FpuVariant{.width = static_cast<uint16_t>(block)}, at);
    check_operand(e, srca, cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::tilize, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    spend_unpack(read_rows(e, cb, tile, block, bank.as[0], bank.tile(0), at));
    end_fill(e);
}

// The unpack-side untilize: tile `tile` of the output is the next 1024 datums of the block's rows.
extern "C" void ts_fpu_untilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, At at) {
    Engine& e = *engine();
    if (on(Role::math)) return drain_copy(e, FpuOp::untilize, dst, at);
    if (!on(Role::unpack)) return;
    check_init(e, FpuOp::untilize, {}, at);
    check_operand(e, srca, cb, at);
    SrcBank& bank = begin_fill(e, FpuOp::untilize, 1, at);
    describe(e, bank, 0, cb, src_kind(e, cb, true));
    const num::Geometry shape = bank.shape[0];
    const uint32_t width = shape.faces_across * 16, datums = shape.datums();
    if (tile == 0) {
        e.scratch.resize(size_t{block} * num::tile_words);
        for (uint32_t i = 0; i < block; ++i) spend_unpack(read_tile(e, cb, i, bank.as[0], &e.scratch[i * num::tile_words], at));
    }
    std::memset(bank.tile(0), 0, num::tile_words * sizeof(uint32_t));
    for (uint32_t i = 0; i < datums; ++i) {
        const uint32_t position = tile * datums + i, row = position / (block * width), col = position % (block * width);
        const uint32_t face = row / shape.face_rows * shape.faces_across + col % width / 16;
        const uint32_t word = face * num::face_words + row % shape.face_rows * 16 + col % 16;
        const uint32_t place = i / (shape.face_rows * 16u) * num::face_words + i % (shape.face_rows * 16u);
        bank.tile(0)[place] = e.scratch[col / width * num::tile_words + word];
    }
    end_fill(e);
}

extern "C" void ts_fpu_transpose_dest(uint32_t dst, bool faces, At at) {
    if (!on(Role::math)) return;
    Engine& e = *engine();
    transpose(dst_for_modify(e, dst, at), faces ? 3 : 2, {});
    spend(engine_timing().call + engine_timing().transpose);
}

extern "C" void ts_unpack_tilized(uint32_t cb, uint32_t scaler_cb, uint32_t block, uint32_t scaler_tile, At at) {
    if (!on(Role::unpack)) return;
    Engine& e = *engine();
    check_operand(e, srca, cb, at);
    check_operand(e, srcb, scaler_cb, at);
    for (uint32_t i = 0; i < block; ++i) {
        SrcBank& bank = begin_fill(e, FpuOp::tilize_reduce, 2, at);
        bank.first = 1;
        describe(e, bank, 0, cb, src_kind(e, cb, false));
        describe(e, bank, 1, scaler_cb, src_kind(e, scaler_cb, false));
        uint32_t bytes = read_rows(e, cb, i, block, bank.as[0], bank.tile(0), at);
        bytes += read_tile(e, scaler_cb, scaler_tile, bank.as[1], bank.tile(1), at);
        spend_unpack(bytes);
        end_fill(e);
    }
}

extern "C" void ts_math_reduce(FpuPool pool, FpuDim dim, uint32_t dst, At at) {
    if (on(Role::math)) drain_reduce(*engine(), FpuOp::tilize_reduce, pool, dim, dst, at);
}

}  // namespace ts

// DST: who holds which half, which tiles have been written, and what SFPU code may touch.
#include <cstring>

#include "undefined.h"

namespace ts {
namespace {

constexpr uint32_t poison = 0x7FC0DEAD;  // what an unwritten tile shows: a NaN in every float format

uint32_t checked_index(Engine& engine, uint32_t index, const At& at) {
    if (index < engine.capacity) return index;
    if (checks_on()) {
        finding("dst.index", at, "DST index %u: %s %s-sync DST has tiles 0 to %u", index,
                engine.mode.wide ? "a 32-bit" : "a 16-bit", engine.sections == 2 ? "half" : "full",
                engine.capacity - 1);
    }
    return index % engine.capacity;
}

void check_acquired(Engine& engine, const At& at) {
    if (engine.acquired || !checks_on()) return;
    finding("dst.math-outside-acquire", at,
            "math writes DST without holding it: no tile_regs_acquire() since the last commit");
}

void fill_tile(uint32_t* tile, uint32_t word) {
    for (uint32_t i = 0; i < num::tile_words; ++i) tile[i] = word;
}

uint32_t* claim_tile(Engine& engine, uint32_t& index, const At& at) {
    check_acquired(engine, at);
    index = checked_index(engine, index, at);
    return engine.tile(engine.math_half, index);
}

void note_written(Engine& engine, uint32_t index, DstKind kind) {
    DstHalf& half = engine.halves[engine.math_half];
    half.written |= 1u << index;
    half.reduced &= ~(1u << index);
    half.kind[index] = kind;
}

}  // namespace

uint32_t* dst_for_overwrite(Engine& engine, uint32_t index, DstKind kind, const At& at) {
    engine.pending.settle();
    uint32_t* tile = claim_tile(engine, index, at);
    sfpu_ended(engine);
    note_written(engine, index, kind);
    return tile;
}

uint32_t* dst_for_later(Engine& engine, uint32_t index, DstKind kind, bool* fresh, const At& at) {
    uint32_t* tile = claim_tile(engine, index, at);
    sfpu_ended(engine);
    *fresh = !(engine.halves[engine.math_half].written >> index & 1);
    note_written(engine, index, kind);
    return tile;
}

uint32_t* dst_for_accumulate(Engine& engine, uint32_t index, DstKind kind, bool* fresh, const At& at) {
    engine.pending.settle();
    uint32_t* tile = dst_for_later(engine, index, kind, fresh, at);
    if (*fresh) std::memset(tile, 0, num::tile_words * sizeof(uint32_t));  // pack leaves zeros behind
    return tile;
}

uint32_t* dst_for_modify(Engine& engine, uint32_t index, const At& at) {
    engine.pending.settle();
    uint32_t* tile = claim_tile(engine, index, at);
    if (engine.halves[engine.math_half].written >> index & 1) return tile;
    if (checks_on())
        finding("dst.unwritten", at,
                "DST tile %u is read, but nothing has been written to it since tile_regs_acquire()", index);
    fill_tile(tile, poison);
    note_written(engine, index, DstKind::floating);
    return tile;
}

uint32_t* dst_for_pack(Engine& engine, uint32_t index, DstKind* kind, const At& at) {
    if (!engine.held && checks_on()) {
        finding("dst.pack-outside-wait", at,
                "pack reads DST without holding it: no tile_regs_wait() since the last release");
    }
    engine.packed = true;
    engine.pending.settle();
    index = checked_index(engine, index, at);
    DstHalf& half = engine.halves[engine.pack_half];
    uint32_t* tile = engine.tile(engine.pack_half, index);
    *kind = half.kind[index];
    if (half.written >> index & 1) return tile;
    if (checks_on() && engine.held)
        finding("dst.unwritten", at, "DST tile %u is packed, but math has not written it", index);
    fill_tile(tile, poison);
    return tile;
}

void mark_reduced(Engine& engine, uint32_t index) {
    if (index < engine.capacity) engine.halves[engine.math_half].reduced |= 1u << index;
}

extern "C" void ts_dst_acquire(At at) {
    if (!on(Role::math)) return;
    Engine& e = *engine();
    if (e.acquired && checks_on()) finding("dst.unbalanced", at, "math acquires DST again before committing it");
    const Wait why{Wait::On::dst_free, e.math_half, 1, true, at};
    wait_until(e.dst_free, why, [&] { return e.committed < e.sections; });
    DstHalf& half = e.halves[e.math_half];
    half.released.acquire(why);
    half.written = half.reduced = half.tilized = half.undefined = 0;
    e.acquired = true;
    e.acquired_at = at;
}

extern "C" void ts_dst_commit(At at) {
    if (!on(Role::math)) return;
    Engine& e = *engine();
    if (!e.acquired && checks_on()) finding("dst.unbalanced", at, "math commits DST without having acquired it");
    sfpu_ended(e);
    e.halves[e.math_half].committed.release();
    e.acquired = false;
    ++e.committed;
    e.math_half = (e.math_half + 1) % e.sections;
    if (!e.dst_ready.empty()) e.dst_ready.wake();
}

extern "C" void ts_dst_wait(At at) {
    if (!on(Role::pack)) return;
    Engine& e = *engine();
    // To wait twice before packing takes nothing more than to wait once.
    if (e.held && e.packed && checks_on())
        finding("dst.unbalanced", at, "pack waits for DST again before releasing the half it holds");
    const Wait why{Wait::On::dst_data, e.pack_half, 1, true, at};
    wait_until(e.dst_ready, why, [&] { return e.committed > 0; });
    e.halves[e.pack_half].committed.acquire(why);
    e.held = true;
    e.held_at = at;
}

extern "C" void ts_dst_release(At at) {
    if (!on(Role::pack)) return;
    Engine& e = *engine();
    if (!e.held && checks_on()) finding("dst.unbalanced", at, "pack releases DST without having waited for it");
    spend(engine_timing().section);
    e.halves[e.pack_half].released.release();
    e.held = e.packed = false;
    if (e.committed > 0) --e.committed;
    e.pack_half = (e.pack_half + 1) % e.sections;
    if (!e.dst_free.empty()) e.dst_free.wake();
}

extern "C" uint32_t* ts_dst_modify(uint32_t tile, At at) {
    if (!on(Role::math)) return nullptr;
    uint32_t* words = dst_for_modify(*engine(), tile, at);
    sfpu_takes(*engine(), tile, false);
    return words;
}

extern "C" uint32_t* ts_dst_modify_held(uint32_t tile, At at) {
    DstKind kind;
    return on(Role::pack) ? dst_for_pack(*engine(), tile, &kind, at) : nullptr;
}

extern "C" uint32_t* ts_dst_write(uint32_t tile, At at) {
    if (!on(Role::math)) return nullptr;
    Engine& e = *engine();
    e.pending.settle();
    uint32_t index = tile;
    uint32_t* words = claim_tile(e, index, at);
    DstHalf& half = e.halves[e.math_half];
    if (!(half.written >> index & 1)) {  // a vector function may write part of a tile
        fill_tile(words, 0);
        half.undefined &= ~(1u << index);
    }
    sfpu_takes(e, index, true);
    half.written |= 1u << index;
    half.kind[index] = DstKind::floating;
    return words;
}

extern "C" bool ts_dst_is_32bit() { return engine()->mode.wide; }

}  // namespace ts

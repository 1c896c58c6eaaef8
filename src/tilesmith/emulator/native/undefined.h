// Bytes that nothing has written may be moved and computed with, as padding is. They are followed, byte by byte through
// memory and datum by datum through the engine, until they reach a tensor; the host then looks whether an element depends
// on them. A RISC that loads them itself is told at once.
#pragma once
#include "access.h"
#include "engine.h"

namespace ts {

// ---- memory (undefined.cpp) ----
// 0xff for every byte of a core's L1 that is undefined; says whether there is any.
bool undefined_bytes(ShadowMap& shadow, uint64_t offset, uint32_t size, uint8_t* out);
// What a transfer brings along; its target counts as written already. `maybe`: its source had some when it was issued.
void carry_undefined(const Target& from, const Target& to, uint32_t size, bool maybe, const At& at);
// Of bytes that a fiber has just written, those with 0xff in `undefined` are not defined by that.
void store_undefined(const Target& target, uint32_t size, const uint8_t* undefined, const At& at);
void define_dram(DramBank& bank, uint64_t offset, uint64_t size);

// ---- the engine (undefined_tiles.cpp) ----
// Beside the words of a tile there may stand its mask: all ones where the datum is undefined.
uint32_t* new_mask(Engine& engine, const uint32_t* tile);  // of a tile in the bank being filled, or in scratch
uint32_t* mask_beside(Engine& engine, const uint32_t* tile);  // null if nothing is undefined there

template <class Move>
void move_tile(Engine& engine, uint32_t* tile, Move move) {
    move(tile);
    if (uint32_t* mask = mask_beside(engine, tile)) move(mask);
}

// A datum depends on a byte if it changes with it: `unpack` is tried on the bytes, and on those with other values in them.
template <class Unpack>
void note_unpacked(Engine& engine, uint32_t* out, const uint8_t* bytes, const uint8_t* undefined, uint32_t size,
                   Unpack unpack) {
    std::vector<uint8_t> other(bytes, bytes + size);
    for (uint32_t i = 0; i < size; ++i) other[i] ^= undefined[i];
    uint32_t first[num::tile_words] = {}, second[num::tile_words] = {};
    unpack(bytes, first);
    unpack(other.data(), second);
    uint32_t* mask = new_mask(engine, out);
    for (uint32_t i = 0; i < num::tile_words; ++i) mask[i] = first[i] == second[i] ? 0 : ~0u;
}

// Likewise for the bytes that `pack` makes of a tile.
template <class Pack>
void undefined_after_pack(const uint32_t* tile, const uint32_t* mask, uint32_t words, uint8_t* undefined, uint32_t size,
                          Pack pack) {
    std::vector<uint8_t> first(size), second(size);
    std::vector<uint32_t> other(tile, tile + words);
    pack(tile, first.data());
    for (const uint32_t with : {~0u, 0x3f800000u}) {
        for (uint32_t i = 0; i < words; ++i) other[i] = mask[i] ? tile[i] ^ with : tile[i];
        pack(other.data(), second.data());
        for (uint32_t i = 0; i < size; ++i)
            if (first[i] != second[i]) undefined[i] = 0xff;
    }
}

uint32_t* dst_mask(Engine& engine, uint32_t half, uint32_t index);  // null if nothing in the tile is undefined
void mask_copy(Engine& engine, const SrcBank& bank, uint32_t dst);
void mask_eltwise(Engine& engine, const SrcBank& bank, uint32_t dst, bool with_second, bool with_dst);
void mask_reduce(Engine& engine, const SrcBank& bank, FpuDim dim, uint32_t dst, bool fresh);
void mask_matmul(Engine& engine, const SrcBank& bank, uint32_t dst, uint32_t rows, uint32_t cols, bool whole);
// Vector code takes tiles one by one; when the next operation begins it is known which of them it has changed.
void sfpu_begins(Engine& engine, const char* function);
void sfpu_takes(Engine& engine, uint32_t dst, bool to_write);
void sfpu_ended(Engine& engine);

}  // namespace ts

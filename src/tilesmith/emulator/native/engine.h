// The compute half of one core: two banks of Src registers between unpack and math, DST between math and pack.
#pragma once
#include <string>

#include "core.h"
#include "num/format_facts.h"
#include "num/pending.h"
#include "ts/abi_compute.h"

namespace ts {

// Cycles of each step and bytes per cycle, from the arch data; field for field ../engine_timing.py.
struct EngineTiming {
    double unpack_rate = 64, tilize_rate = 39, untilize_rate = 5;
    double pack_rate = 64, pack_tilize_rate = 64, pack_untilize_rate = 36, accumulate_factor = 2;
    double matmul_srca_rate = 49.5, matmul_srcb_rate = 61.1;  // bytes per cycle while in1 or in0 streams in
    double matmul_overhead[5] = {};                           // cycles per product, by phases
    uint32_t start = 2, tilize_start = 10, pack_start = 13, section = 16, latency = 5;  // section: handing DST over
    uint32_t matmul_phase = 16, eltwise_phase = 8, reduce_phase = 4, copy = 8, transpose = 4;
    uint32_t sfpu_default = 576;
};
const EngineTiming& engine_timing();  // of the running fiber's chip
uint32_t sfpu_cost(const Engine& engine, const char* function);

inline bool on(Role wanted) { return role() == wanted; }

inline constexpr uint32_t dst_tiles = 16;
inline constexpr uint32_t src_banks = 2;

// One hand-over from unpack to math.
struct SrcBank {
    bool full = false, reported = false;  // reported: unpack found the set-up wrong, once is enough
    FpuOp op = FpuOp::none;
    uint32_t* words = nullptr;  // first operand's tiles, then the second's
    uint32_t capacity = 0;      // in tiles
    uint32_t first = 1;         // tiles of the first operand
    num::Src as[2] = {num::Src::bf16, num::Src::bf16};
    num::Geometry shape[2];
    SyncPoint filled, emptied;
    std::vector<uint32_t> mask;  // empty, or all ones for the words that are undefined (undefined.h)
    num::Batch* batch = nullptr;
    bool deferred = false;  // the tiles are in the batch, as bytes, and not in `words`

    uint32_t* tile(uint32_t index) { return words + index * num::tile_words; }
    uint32_t* second() { return tile(first); }
    void reserve(uint32_t tiles);
    void unpack_batch();  // after all
};

enum class DstKind : uint8_t { floating, five_bit, integer };

struct DstHalf {
    uint32_t written = 0;  // bit per tile
    uint32_t reduced = 0;  // tiles a reduction wrote
    uint32_t tilized = 0;  // tiles that tilize brought
    uint32_t undefined = 0;  // tiles with a mask
    DstKind kind[dst_tiles] = {};
    SyncPoint committed, released;
};

// A tile that a vector function has taken from DST, as it was then.
struct Taken {
    uint32_t index;
    bool to_write;
    std::vector<uint32_t> before;
};

struct Engine {
    ComputeConfig config;
    CbConfig cbs[max_cbs];
    bool fast = false, blackhole = false, five_bit_kernel = false;
    num::FpuMode mode;

    // Src
    SrcBank banks[src_banks];
    uint32_t fill = 0, drain = 0;  // next bank of unpack and of math
    WaitQueue bank_free, bank_full;
    std::vector<uint32_t> scratch, scratch_mask;

    // DST
    uint32_t* dst = nullptr;
    num::Pending pending;  // products that DST does not show yet
    DstHalf halves[2];
    uint32_t capacity = 8, sections = 2;  // tiles per half, halves
    uint32_t committed = 0;               // halves waiting for or held by pack
    uint32_t math_half = 0, pack_half = 0;
    bool acquired = false, held = false;
    bool packed = false;  // pack has read the half that it holds
    WaitQueue dst_free, dst_ready;
    At acquired_at, held_at;
    std::vector<uint32_t> dst_mask;
    std::string vector_function;
    std::vector<Taken> taken;

    // set-up as each role has executed it, by role - unpack
    struct Setup {
        uint32_t srca_cb = no_cb, srcb_cb = no_cb, out_cb = no_cb;  // whose format and tile shape are configured
        FpuOp unpack_op = FpuOp::none, math_op = FpuOp::none;
        FpuVariant unpack_variant, math_variant;
    } setups[3];
    const char* sfpu = nullptr;
    num::Relu relu = num::Relu::none;
    uint16_t relu_threshold = 0;
    bool l1_accumulate = false;
    FpuDim reduce_mask = FpuDim::none;

    Setup& mine() { return setups[static_cast<uint32_t>(role()) - static_cast<uint32_t>(Role::unpack)]; }
    uint32_t* tile(uint32_t half, uint32_t index) { return dst + (half * capacity + index) * num::tile_words; }
};

// ---- engine_setup.cpp ----
const char* op_name(FpuOp op);
num::Geometry shape_of(const CbConfig& cb);
num::Src src_kind(const Engine& engine, uint32_t cb, bool can_bypass_src);
bool check_init(Engine& engine, FpuOp op, FpuVariant variant, const At& at);
void check_operand(Engine& engine, SrcRegister which, uint32_t cb, const At& at);
void check_output(Engine& engine, uint32_t cb, const At& at);
void check_page(const Engine& engine, uint32_t cb, uint32_t tile_bytes, const At& at);
const CbConfig& used_cb(Engine& engine, uint32_t cb, const At& at);

// ---- engine_dst.cpp ----
// The tile as math sees it; an accumulating operation gets zeros where nothing was written.
uint32_t* dst_for_overwrite(Engine& engine, uint32_t index, DstKind kind, const At& at);
uint32_t* dst_for_accumulate(Engine& engine, uint32_t index, DstKind kind, bool* fresh, const At& at);
// As the one above, for what is computed later: nobody looks at the tile or clears it now.
uint32_t* dst_for_later(Engine& engine, uint32_t index, DstKind kind, bool* fresh, const At& at);
uint32_t* dst_for_modify(Engine& engine, uint32_t index, const At& at);
uint32_t* dst_for_pack(Engine& engine, uint32_t index, DstKind* kind, const At& at);
void mark_reduced(Engine& engine, uint32_t index);

// ---- engine_src.cpp ----
uint32_t page_address(uint32_t cb, uint32_t tile);
DstKind dst_kind(num::Src as, const Engine& engine);
num::FpuMode mode_for(const Engine& engine, num::Src as);
uint32_t read_tile(Engine& engine, uint32_t cb, uint32_t tile, num::Src as, uint32_t* out, const At& at);
uint32_t read_tile(Engine& engine, uint32_t cb, uint32_t tile, num::Src as, num::Geometry shape, uint32_t* out,
                   const At& at);  // only so many of its faces
// As the first, into the bank that is being filled: as bytes where it is deferred and all of them are defined.
uint32_t read_operand(Engine& engine, SrcBank& bank, uint32_t cb, uint32_t tile, uint32_t place, const At& at);
void spend_unpack(uint32_t bytes, double rate);
void transpose(uint32_t* tile, uint32_t kinds, num::Geometry shape);
void describe(Engine& engine, SrcBank& bank, uint32_t operand, uint32_t cb, num::Src as);
SrcBank& begin_fill(Engine& engine, FpuOp op, FpuVariant variant, uint32_t tiles, const At& at);
void end_fill(Engine& engine);
SrcBank& begin_drain(Engine& engine, FpuOp op, FpuVariant variant, const At& at);
void end_drain(Engine& engine);

}  // namespace ts

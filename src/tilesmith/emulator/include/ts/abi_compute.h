// The compute half of the boundary. Every function is called by all three compute roles and does its role's part.
#pragma once
#include "ts/abi.h"

namespace ts {
// Operations that need an init of their own. What an init sets up is told apart by the operation and its variant.
enum class FpuOp : uint8_t {
    none,
    copy,
    transpose,
    unary_bcast,
    add,
    sub,
    mul,
    add_reuse,
    sub_reuse,
    mul_reuse,
    matmul,
    reduce,
    tilize,
    tilize_reduce,
    untilize,
    transpose_dest,
};
enum class FpuDim : uint8_t { none, row, col, scalar };  // of a broadcast or a reduction
enum class FpuPool : uint8_t { sum, avg, max };
enum class FpuReuse : uint8_t { none, to_srca, to_srcb };  // where the DST operand goes

struct FpuVariant {
    FpuDim dim = FpuDim::none;
    FpuPool pool = FpuPool::sum;
    FpuReuse reuse = FpuReuse::none;
    uint8_t transpose = 0;  // 1: faces among each other, 2: within faces
    bool add_to_dst = false;
    bool leaves_unpack = false;  // an init that programs only one of the two engines
    bool leaves_math = false;
    uint16_t width = 0;  // tiles in a row: tilize's block, or whether matmul holds in1 (ct_dim >= rt_dim)
};

enum SrcRegister : uint32_t { srca = 1, srcb = 2 };
inline constexpr uint32_t no_cb = ~0u;
}  // namespace ts

extern "C" {
// ---- set-up ----
void ts_engine_start(uint32_t srca_cb, uint32_t srcb_cb, uint32_t out_cb, bool blackhole, ts::At at);
void ts_engine_reconfigure(uint32_t registers, uint32_t srca_cb, uint32_t srcb_cb,
                           ts::At at);  // no_cb leaves one alone
void ts_engine_reconfigure_pack(uint32_t out_cb, ts::At at);
void ts_fpu_init(ts::FpuOp op, ts::FpuVariant variant, ts::At at);
uint32_t ts_fpu_width();  // the width the last init was given
void ts_copies_keep_small();  // until the formats are configured again: negative zero and denormals stay what they are

// ---- DST: 16 tiles of 1024 datums in face order, each a 32-bit pattern (fp32 bits, or an integer) ----
void ts_dst_acquire(ts::At at);  // math
void ts_dst_commit(ts::At at);  // math
void ts_dst_wait(ts::At at);  // pack
void ts_dst_release(ts::At at);  // pack
// For SFPU code, null on roles other than math. `ts_dst_modify` needs a written tile; `ts_dst_write` marks it written.
uint32_t* ts_dst_modify(uint32_t tile, ts::At at);
uint32_t* ts_dst_modify_held(uint32_t tile, ts::At at);  // for pack, on the half it holds; null on other roles
uint32_t* ts_dst_write(uint32_t tile, ts::At at);
bool ts_dst_is_32bit();
// Names the vector function for set-up checks (an op needs its init since the last other init) and adds its cost.
// Functions that share an init run as "family:function".
void ts_sfpu_init(const char* function, ts::At at);
void ts_sfpu_run(const char* function, ts::At at);
// The same for a function that the kernel brings itself: no init to check, and its own count of cycles.
void ts_sfpu_own_begin(ts::At at);
void ts_sfpu_own_end(uint32_t cycles);

// ---- unpack and math ----
void ts_fpu_copy(ts::FpuOp op, ts::FpuVariant variant, uint32_t cb, uint32_t tile, uint32_t dst, ts::At at);
void ts_fpu_eltwise(ts::FpuOp op, ts::FpuDim broadcast, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1,
                    uint32_t dst, uint32_t row, ts::At at);
void ts_fpu_eltwise_reuse(ts::FpuOp op, ts::FpuReuse reuse, uint32_t cb, uint32_t tile, uint32_t dst, ts::At at);
void ts_fpu_matmul(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t ct_dim,
                   uint32_t rt_dim, uint32_t kt_dim, ts::At at);
void ts_fpu_reduce(ts::FpuPool pool, ts::FpuDim dim, uint32_t cb, uint32_t scaler_cb, uint32_t tile,
                   uint32_t scaler_tile, uint32_t dst, ts::At at);
void ts_fpu_tilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, ts::At at);
void ts_fpu_untilize(uint32_t cb, uint32_t tile, uint32_t block, uint32_t dst, ts::At at);
void ts_fpu_transpose_dest(uint32_t dst, bool faces, ts::At at);
// Halves of an operation that kernels call apart: unpack fills Src with `block` tiles, math reduces one of them.
// Rows beyond a face's own are minus infinity or zero; the scaler's first face may serve all faces.
void ts_unpack_tilized(uint32_t cb, uint32_t scaler_cb, uint32_t block, uint32_t scaler_tile, bool least,
                       bool one_scaler_face, ts::At at);
void ts_math_reduce(ts::FpuPool pool, ts::FpuDim dim, uint32_t dst, ts::At at);

// ---- pack ----
void ts_pack(uint32_t dst, uint32_t cb, bool out_of_order, uint32_t index, ts::At at);
// `rows` of tiles, each `block` tiles wide, as row-major lines of `full` tiles; `row_datums` cuts lines short.
void ts_pack_untilize(uint32_t cb, uint32_t dst, uint32_t rows, uint32_t block, uint32_t full, uint32_t column,
                      uint32_t row_datums, ts::At at);
void ts_pack_relu(uint32_t mode, uint32_t threshold);
void ts_pack_l1_accumulate(bool on);
void ts_pack_reduce_mask(ts::FpuDim dim);  // none: everything is packed
}

// Instructions by which a Tensix thread waits for another, and the addresses of DST: declared, so that kernels with
// paths that use them compile. None is modelled: a kernel that comes to one is told so.
#pragma once
#include "ts/compute.h"

namespace ckernel {
struct p_stall {
    enum : uint32_t {
        NONE,
        STALL_TDMA,
        STALL_SYNC,
        STALL_PACK,
        STALL_UNPACK,
        STALL_THCON,
        STALL_MATH,
        STALL_CFG,
        STALL_SFPU,
        MATH,
        SFPU1,
        WAIT_SFPU,
        PACK,
        UNPACK,
        TRISC_CFG,
    };
};
struct p_setrwc {
    enum : uint32_t { CLR_NONE, CLR_A, CLR_B, CLR_AB, CR_D, SET_D };
};
struct semaphore {
    enum : uint32_t {
        FPU_SFPU,
        MATH_PACK,
        UNPACK_TO_DEST,
        UNPACK_OPERAND_SYNC,
        PACK_DONE,
        UNPACK_SYNC,
        UNPACK_MATH_DONE,
        MATH_DONE
    };
};

ALWI void t6_semaphore_init(uint32_t, uint32_t, uint32_t, TS_AT) { ts_gap("semaphores of Tensix threads", at); }
template <uint32_t stall = p_stall::NONE>
ALWI void t6_semaphore_post(uint32_t, TS_AT) {
    ts_gap("semaphores of Tensix threads", at);
}
template <uint32_t stall = p_stall::NONE>
ALWI void t6_semaphore_get(uint32_t, TS_AT) {
    ts_gap("semaphores of Tensix threads", at);
}
template <uint32_t stall = p_stall::NONE>
ALWI void t6_semaphore_wait_on_zero(uint32_t, TS_AT) {
    ts_gap("semaphores of Tensix threads", at);
}
template <uint32_t stall = p_stall::NONE>
ALWI void t6_semaphore_wait_on_max(uint32_t, TS_AT) {
    ts_gap("semaphores of Tensix threads", at);
}

enum class SfpuType : uint8_t { unused, exponential, reciprocal };
template <SfpuType type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void llk_math_eltwise_unary_sfpu_init(TS_AT) {
    ts_gap("llk_math_eltwise_unary_sfpu_init", at);
}

namespace math {
ALWI void set_addr_mod_base(TS_AT) { ts_gap("address modes of the matrix unit", at); }
ALWI void clear_addr_mod_base(TS_AT) { ts_gap("address modes of the matrix unit", at); }
}  // namespace math
}  // namespace ckernel

namespace ts {
ALWI void instruction(const char* name, TS_AT) { ts_gap(name, at); }
}  // namespace ts
#define TTI_STALLWAIT(...) ::ts::instruction("the instruction STALLWAIT")
#define TTI_SETRWC(...) ::ts::instruction("the instruction SETRWC")

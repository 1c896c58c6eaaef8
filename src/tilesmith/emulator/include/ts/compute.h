// What the compute headers share: who acts, the vendor's enumerations as the engine's, and the arch.
#pragma once
#include "ckernel.h"
#include "ts/abi_compute.h"

#ifndef DST_ACCUM_MODE
#define DST_ACCUM_MODE 0
#endif
#ifndef APPROX
#define APPROX 0
#endif
#ifdef DST_FULL_SYNC
#define DST_SYNC_MODE ckernel::DstSync::SyncFull
#else
#define DST_SYNC_MODE ckernel::DstSync::SyncHalf
#endif

// A kernel is compiled once and run by three fibers, so these choose at run time; a kernel that asks the preprocessor
// which role it is gets compiled for each of them.
#if defined(TRISC_UNPACK)
#define UNPACK(...) __VA_ARGS__
#define MATH(...)
#define PACK(...)
#elif defined(TRISC_MATH)
#define UNPACK(...)
#define MATH(...) __VA_ARGS__
#define PACK(...)
#elif defined(TRISC_PACK)
#define UNPACK(...)
#define MATH(...)
#define PACK(...) __VA_ARGS__
#else
#define TS_ON_ROLE(wanted, ...)          \
    if (ts_role() == ts::Role::wanted) { \
        __VA_ARGS__;                     \
    }
#define UNPACK(...) TS_ON_ROLE(unpack, __VA_ARGS__)
#define MATH(...) TS_ON_ROLE(math, __VA_ARGS__)
#define PACK(...) TS_ON_ROLE(pack, __VA_ARGS__)
#endif

namespace ts {
#ifdef ARCH_BLACKHOLE
inline constexpr bool on_blackhole = true;
#else
inline constexpr bool on_blackhole = false;
#endif

constexpr FpuDim dim_of(ckernel::BroadcastType type) {
    switch (type) {
        case ckernel::BroadcastType::ROW: return FpuDim::row;
        case ckernel::BroadcastType::COL: return FpuDim::col;
        case ckernel::BroadcastType::SCALAR: return FpuDim::scalar;
        default: return FpuDim::none;
    }
}

constexpr FpuDim dim_of(ckernel::ReduceDim dim) {
    switch (dim) {
        case ckernel::ReduceDim::REDUCE_ROW: return FpuDim::row;
        case ckernel::ReduceDim::REDUCE_COL: return FpuDim::col;
        default: return FpuDim::scalar;
    }
}

constexpr FpuPool pool_of(ckernel::PoolType type) {
    return type == ckernel::PoolType::MAX ? FpuPool::max : type == ckernel::PoolType::AVG ? FpuPool::avg : FpuPool::sum;
}

constexpr FpuOp op_of(ckernel::EltwiseBinaryType type) {
    switch (type) {
        case ckernel::EltwiseBinaryType::ELWADD: return FpuOp::add;
        case ckernel::EltwiseBinaryType::ELWSUB: return FpuOp::sub;
        default: return FpuOp::mul;
    }
}

constexpr FpuOp reuse_op_of(ckernel::EltwiseBinaryType type) {
    switch (type) {
        case ckernel::EltwiseBinaryType::ELWADD: return FpuOp::add_reuse;
        case ckernel::EltwiseBinaryType::ELWSUB: return FpuOp::sub_reuse;
        default: return FpuOp::mul_reuse;
    }
}

constexpr FpuReuse reuse_of(ckernel::EltwiseBinaryReuseDestType type) {
    switch (type) {
        case ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCA: return FpuReuse::to_srca;
        case ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCB: return FpuReuse::to_srcb;
        default: return FpuReuse::none;
    }
}
}  // namespace ts

using namespace ckernel;

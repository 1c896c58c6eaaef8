// What every kernel translation unit starts with: the vendor's attribute macros, circular buffers and arguments. The
// build defines the processor before this file; the kernel's own numbers follow it (ts/own_numbers.h).
#pragma once
#include "ts/standard.h"
#include "ts/abi.h"
#include "ts/arch_constants.h"

using uint = unsigned int;

#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
#define ATTR_PACK __attribute__((packed))
#define TT_ALWAYS_INLINE inline __attribute__((always_inline))

// For header code that works on the emulator's own memory, which the checked build must not instrument.
#define TS_NO_CHECK __attribute__((no_sanitize("thread")))

#ifndef KERNEL_BUILD
#define KERNEL_BUILD
#endif

// A kernel that tells its roles apart is compiled for each, and may do so by any of these names.
#if defined(TRISC_UNPACK)
#define UCK_CHLKC_UNPACK 1
#undef COMPILE_FOR_TRISC
#define COMPILE_FOR_TRISC 0
#elif defined(TRISC_MATH)
#define UCK_CHLKC_MATH 1
#undef COMPILE_FOR_TRISC
#define COMPILE_FOR_TRISC 1
#elif defined(TRISC_PACK)
#define UCK_CHLKC_PACK 1
#undef COMPILE_FOR_TRISC
#define COMPILE_FOR_TRISC 2
#endif

#ifdef COMPILE_FOR_TRISC
// How helpers that serve several processors ask for what a compute kernel is built with.
#define ENABLE_FP32_DEST_ACC DST_ACCUM_MODE
#ifdef DST_FULL_SYNC
#define DST_SYNC_MODE ckernel::DstSync::SyncFull
#else
#define DST_SYNC_MODE ckernel::DstSync::SyncHalf
#endif
#include "llk_defs.h"
using namespace ckernel;
#endif

#include "hostdevcommon/kernel_structs.h"
#include "ts/formats.h"
#include "ts/cb_tables.h"
#include "ts/arguments.h"
#include "api/compile_time_args.h"
#include "ts/cb.h"

// Kernel entry of the first name generation: `namespace NAMESPACE { void MAIN { ... } }`.
#define NAMESPACE ts_kernel
#define MAIN kernel_main()

// Visible in every kernel of the vendor, whatever it includes.
#include "api/debug/dprint.h"
#include "api/debug/waypoint.h"
#include "ts/dataflow/identity.h"

// Named arguments (Metal 2.0): what args::name is, and get_arg, which reads it wherever the host put it.
#pragma once
#include "ts/prologue.h"
#ifdef COMPILE_FOR_TRISC
#include "api/compute/common.h"
#endif

// Marks the entry whose parameters are the arguments; the build writes the kernel_main that calls it.
#define TT_KERNEL static FORCE_INLINE

namespace experimental {
template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
FORCE_INLINE T get_arg(RtaArg<T> arg, TS_AT) {
    return get_arg_val<T>(arg.byte_offset / sizeof(uint32_t), at);
}
template <typename T>
FORCE_INLINE T get_arg(CrtaArg<T> arg, TS_AT) {
    return get_common_arg_val<T>(arg.byte_offset / sizeof(uint32_t), at);
}
template <typename T>
FORCE_INLINE constexpr T get_arg(CtaVal<T> arg) {
    return arg.value;
}
}  // namespace experimental

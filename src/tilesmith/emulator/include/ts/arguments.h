// Runtime arguments: 32-bit words per core, and words shared by all cores of the kernel.
#pragma once
#include "ts/abi.h"

namespace ts {
template <class T>
constexpr T from_word(uint32_t word) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(static_cast<uintptr_t>(word));
    } else {
        static_assert(sizeof(T) == 4, "a kernel argument is one 32-bit word");
        return std::bit_cast<T>(word);
    }
}
}  // namespace ts

template <typename T>
FORCE_INLINE T get_arg_val(int arg_idx, TS_AT) {
    return ts::from_word<T>(ts_runtime_arg(arg_idx, at));
}

template <typename T>
FORCE_INLINE T get_common_arg_val(int arg_idx, TS_AT) {
    return ts::from_word<T>(ts_common_arg(arg_idx, at));
}

FORCE_INLINE uintptr_t get_arg_addr(int arg_idx) { return reinterpret_cast<uintptr_t>(ts_runtime_args() + arg_idx); }
FORCE_INLINE uintptr_t get_common_arg_addr(int arg_idx) {
    return reinterpret_cast<uintptr_t>(ts_common_args() + arg_idx);
}

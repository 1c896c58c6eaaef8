// The little of the engine-control header that kernels use directly.
#pragma once
#include "llk_defs.h"
#include "ts/prologue.h"

namespace ckernel {
// A load that later stores cannot overtake; loads are ordered here anyway.
template <typename T>
T load_blocking(const volatile T* pointer) {
    return *pointer;
}

// Waits until the engines are idle; here they never run ahead of their role.
inline void tensix_sync() {}

inline ts::Role role_of(ThreadId thread) {
    return static_cast<ts::Role>(static_cast<uint32_t>(ts::Role::unpack) + thread - UnpackThreadId);
}
inline void mailbox_write(ThreadId thread, uint32_t value, TS_AT) { ts_mailbox_write(role_of(thread), value, at); }
inline uint32_t mailbox_read(ThreadId thread, TS_AT) { return ts_mailbox_read(role_of(thread), at); }
}  // namespace ckernel

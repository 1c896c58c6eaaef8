// What scoped locks do to caches: nothing on Wormhole and Blackhole, whose data-movement cores have none of L2.
#pragma once
#include <cstdint>

inline void scoped_lock_acquire_cache_ops([[maybe_unused]] uintptr_t addr, [[maybe_unused]] uint32_t num_bytes) {}
inline void scoped_lock_release_cache_ops([[maybe_unused]] uintptr_t addr, [[maybe_unused]] uint32_t num_bytes) {}

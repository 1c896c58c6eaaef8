// Which core and NoC this kernel runs on.
#pragma once
#include "ts/prologue.h"

inline constexpr uint8_t noc_index = NOC_INDEX;
inline constexpr uint8_t noc_mode = NOC_MODE;

namespace ts {
// Read as arrays by kernels: my_x[noc].
struct NocX {
    FORCE_INLINE uint8_t operator[](uint32_t noc) const { return ts_noc_x(noc); }
};
struct NocY {
    FORCE_INLINE uint8_t operator[](uint32_t noc) const { return ts_noc_y(noc); }
};
}  // namespace ts
inline constexpr ts::NocX my_x;
inline constexpr ts::NocY my_y;

FORCE_INLINE uint8_t get_absolute_logical_x() { return ts_logical_x(); }
FORCE_INLINE uint8_t get_absolute_logical_y() { return ts_logical_y(); }
FORCE_INLINE uint8_t get_relative_logical_x() { return ts_relative_x(); }
FORCE_INLINE uint8_t get_relative_logical_y() { return ts_relative_y(); }
FORCE_INLINE uint32_t get_num_threads() { return 1; }
FORCE_INLINE uint32_t get_my_thread_id() { return 0; }
FORCE_INLINE void sync_threads() {}

enum class ProgrammableCoreType : uint8_t { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, DRAM = 3, COUNT = 4 };

// Both lose nothing here: L1 is read uncached. They are where a polling loop lets the others run.
FORCE_INLINE void invalidate_l1_cache() { ts_yield(); }
// A fence for the compiler alone.
FORCE_INLINE void clobber_all_memory() { __asm__ volatile("" ::: "memory"); }
FORCE_INLINE void riscv_wait(uint32_t cycles) {
    ts_spend(cycles);
    ts_yield();
}

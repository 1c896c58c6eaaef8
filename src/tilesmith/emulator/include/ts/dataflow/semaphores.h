// Semaphores: words in L1 that other cores set or add to.
#pragma once
#include "ts/dataflow/writes.h"

namespace ts {
FORCE_INLINE uint32_t l1_address_of(const volatile void* pointer) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer));
}
}  // namespace ts

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uintptr_t get_semaphore(uint32_t semaphore_id, TS_AT) {
    return ts_semaphore_address(semaphore_id, at);
}
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TS_AT) {
    ts_semaphore_wait(ts::l1_address_of(sem_addr), val, false, at);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TS_AT) {
    ts_semaphore_wait(ts::l1_address_of(sem_addr), val, true, at);
}
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TS_AT) {
    ts_semaphore_set(ts::l1_address_of(sem_addr), val, at);
}
FORCE_INLINE void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t noc = noc_index,
                                           TS_AT) {
    ts_noc_write(src_local_l1_addr, dst_noc_addr, 4, noc, NOC_UNICAST_WRITE_VC, ts_noc_state(noc)->write_trid,
                 ts::noc_signals, at);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t noc_id = noc_index,
                                    [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC, TS_AT) {
    ts_noc_atomic_inc(addr, incr, 31, noc_id, ts::posted_flag(posted), at);
}

// Waiting for NoC transfers: landed (barrier), left this core (flushed), or one transaction id of either.
#pragma once
#include "ts/dataflow/identity.h"

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index, TS_AT) { ts_noc_read_barrier(noc, ts::any_trid, at); }
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index, TS_AT) {
    ts_noc_write_barrier(noc, ts::any_trid, at);
}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index, TS_AT) {
    ts_noc_writes_flushed(noc, ts::any_trid, false, at);
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index, TS_AT) {
    ts_noc_writes_flushed(noc, ts::any_trid, true, at);
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc_idx = noc_index, TS_AT) { ts_noc_atomic_barrier(noc_idx, at); }
FORCE_INLINE void noc_async_full_barrier(uint8_t noc_idx = noc_index, TS_AT) {
    ts_noc_read_barrier(noc_idx, ts::any_trid, at);
    ts_noc_write_barrier(noc_idx, ts::any_trid, at);
    ts_noc_atomic_barrier(noc_idx, at);
    ts_noc_writes_flushed(noc_idx, ts::any_trid, true, at);
}

FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TS_AT) {
    ts_noc_read_barrier(noc, trid, at);
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TS_AT) {
    ts_noc_write_barrier(noc, trid, at);
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index, TS_AT) {
    ts_noc_writes_flushed(noc, trid, false, at);
}
// The emulator counts transfers itself; there is no register to clear.
FORCE_INLINE void reset_noc_trid_barrier_counter([[maybe_unused]] uint32_t id_mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                 [[maybe_unused]] uint32_t noc = noc_index) {}

// ---- polls ----
FORCE_INLINE bool ncrisc_noc_reads_flushed(uint32_t noc) { return ts_noc_reads_done(noc, ts::any_trid); }
FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return ts_noc_reads_done(noc, trid);
}
FORCE_INLINE bool ncrisc_noc_nonposted_writes_flushed(uint32_t noc) { return ts_noc_writes_done(noc, ts::any_trid); }
FORCE_INLINE bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return ts_noc_writes_done(noc, trid);
}

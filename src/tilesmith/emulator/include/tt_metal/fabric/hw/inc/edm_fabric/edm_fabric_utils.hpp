// The NoCs that fabric traffic uses, and writes of whole pages to another core.
#pragma once
#include "api/dataflow/dataflow_api.h"

namespace tt::tt_fabric {

inline constexpr uint8_t edm_to_local_chip_noc = 1;
constexpr uint8_t get_fabric_worker_noc() { return noc_index; }

enum class EDM_IO_BLOCKING_MODE { FLUSH_BLOCKING, BLOCKING, NON_BLOCKING };

template <EDM_IO_BLOCKING_MODE Blocking, bool Posted>
FORCE_INLINE void wait_for_chunk(uint8_t noc, TS_AT) {
    if constexpr (Blocking == EDM_IO_BLOCKING_MODE::NON_BLOCKING) return;
    if constexpr (Blocking == EDM_IO_BLOCKING_MODE::BLOCKING && !Posted) ts_noc_write_barrier(noc, ts::any_trid, at);
    else ts_noc_writes_flushed(noc, ts::any_trid, Posted, at);
}

template <EDM_IO_BLOCKING_MODE Blocking = EDM_IO_BLOCKING_MODE::BLOCKING, bool Posted = false>
FORCE_INLINE void send_chunk_from_address(uint32_t from, uint32_t num_pages, uint32_t page_size, uint64_t to,
                                          uint8_t noc = get_fabric_worker_noc(), TS_AT) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, Posted>(from, to, page_size * num_pages, noc, NOC_UNICAST_WRITE_VC,
                                                          at);
    wait_for_chunk<Blocking, Posted>(noc, at);
}

template <EDM_IO_BLOCKING_MODE Blocking = EDM_IO_BLOCKING_MODE::BLOCKING, bool Posted = false>
FORCE_INLINE void send_chunk(uint32_t cb, uint32_t num_pages, uint32_t page_size, uint64_t to,
                             uint8_t noc = get_fabric_worker_noc(), TS_AT) {
    cb_wait_front(cb, num_pages, at);
    send_chunk_from_address<Blocking, Posted>(get_read_ptr(cb), num_pages, page_size, to, noc, at);
    if constexpr (Blocking != EDM_IO_BLOCKING_MODE::NON_BLOCKING) cb_pop_front(cb, num_pages, at);
}

}  // namespace tt::tt_fabric

using tt::tt_fabric::edm_to_local_chip_noc;

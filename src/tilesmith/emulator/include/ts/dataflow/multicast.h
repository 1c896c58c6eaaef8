// Writes to a rectangle of cores.
#pragma once
#include "ts/dataflow/addresses.h"

namespace ts {
constexpr uint32_t linked_flag(bool linked) { return linked ? noc_linked : 0; }
}  // namespace ts

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size,
                                            uint32_t num_dests, bool linked = false, uint8_t noc = noc_index,
                                            [[maybe_unused]] uint8_t vc = NOC_MULTICAST_WRITE_VC, TS_AT) {
    ts_noc_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, noc,
                           ts::linked_flag(linked) | ts::packet_flag(max_page_size <= NOC_MAX_BURST_SIZE), at);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                       uint32_t size, uint32_t num_dests, bool linked = false,
                                                       uint8_t noc = noc_index, TS_AT) {
    ts_noc_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, noc,
                           ts::linked_flag(linked) | ts::noc_one_packet, at);
}
FORCE_INLINE void noc_async_write_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                         uint32_t size, uint32_t num_dests, bool linked = false,
                                                         uint8_t noc = noc_index, TS_AT) {
    const uint32_t flags = ts::linked_flag(linked) | ts::noc_include_self;
    ts_noc_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, noc, flags, at);
}

// The call below the API that all writes go through on the chip.
template <uint8_t noc_mode_value = DM_DEDICATED_NOC, bool use_trid = false, bool one_packet = false>
FORCE_INLINE void ncrisc_noc_fast_write_any_len(uint32_t noc, [[maybe_unused]] uint32_t cmd_buf, uint32_t src_addr,
                                                uint64_t dest_addr, uint32_t len_bytes, uint32_t vc, bool mcast,
                                                bool linked, uint32_t num_dests,
                                                [[maybe_unused]] bool multicast_path_reserve, bool posted = false,
                                                uint32_t trid = 0, TS_AT) {
    const uint32_t flags = ts::linked_flag(linked) | (posted ? ts::noc_posted : 0);
    if (mcast) {
        ts_noc_write_multicast(src_addr, dest_addr, len_bytes, num_dests, noc, flags, at);
    } else {
        ts_noc_write(src_addr, dest_addr, len_bytes, noc, vc, use_trid ? trid : ts_noc_state(noc)->write_trid, flags,
                     at);
    }
}

// ---- semaphores: the word at the source is copied to every destination ----
FORCE_INLINE void noc_semaphore_set_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                              uint32_t num_dests, bool linked = false, uint8_t noc = noc_index,
                                              [[maybe_unused]] uint8_t vc = NOC_MULTICAST_WRITE_VC, TS_AT) {
    ts_noc_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, noc,
                           ts::linked_flag(linked) | ts::noc_signals, at);
}
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                           uint32_t num_dests, bool linked = false,
                                                           uint8_t noc = noc_index, TS_AT) {
    const uint32_t flags = ts::linked_flag(linked) | ts::noc_include_self | ts::noc_signals;
    ts_noc_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, noc, flags, at);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t addr, uint32_t incr, uint32_t num_dests,
                                              uint8_t noc_id = noc_index,
                                              [[maybe_unused]] uint8_t vc = NOC_MULTICAST_WRITE_VC, TS_AT) {
    ts_noc_atomic_inc_multicast(addr, incr, num_dests, noc_id, at);
}

// NoC reads into this core's L1. They land at their barrier, not at the call.
#pragma once
#include "internal/dataflow/dataflow_api_addrgen.h"

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                 uint8_t noc = noc_index, [[maybe_unused]] uint32_t read_req_vc = NOC_UNICAST_WRITE_VC,
                                 TS_AT) {
    ts_noc_read(src_noc_addr, dst_local_l1_addr, size, noc, ts_noc_state(noc)->read_trid,
                ts::packet_flag(max_page_size <= NOC_MAX_BURST_SIZE), at);
}

template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index,
                                            [[maybe_unused]] uint32_t read_req_vc = NOC_UNICAST_WRITE_VC, TS_AT) {
    ts_noc_read(src_noc_addr, dst_local_l1_addr, size, noc, ts_noc_state(noc)->read_trid, ts::noc_one_packet, at);
}

FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    ts_noc_state(noc)->read_trid = trid;
}

// ---- the source is remembered, then only the local part of its address varies ----
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size,
                                                      [[maybe_unused]] uint32_t vc = 0, uint8_t noc = noc_index) {
    ts_noc_state(noc)->read_addr = src_noc_addr;
    ts_noc_state(noc)->read_size = size;
    ts_noc_state(noc)->read_state_set = true;
}
template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                       [[maybe_unused]] uint32_t vc = 0, uint8_t noc = noc_index,
                                                       TS_AT) {
    const ts::NocState& state = *ts_noc_state(noc);
    ts_noc_read(ts::with_local(state.read_addr, src_local_l1_addr), dst_local_l1_addr, state.read_size, noc,
                state.read_trid, ts::noc_by_state | ts::noc_one_packet, at);
}
FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
    ts_noc_state(noc)->read_addr = src_noc_addr;
    ts_noc_state(noc)->read_state_set = true;
}
template <bool inc_num_issued = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index, TS_AT) {
    const ts::NocState& state = *ts_noc_state(noc);
    ts_noc_read(ts::with_local(state.read_addr, src_local_l1_addr), dst_local_l1_addr, size, noc, state.read_trid,
                ts::noc_by_state, at);
}
// The two halves of the source's local address are added: a base that stays and an offset that moves.
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t src_base_addr, uint32_t src_addr,
                                                                 uint32_t dest_addr, uint32_t trid = 0,
                                                                 uint8_t noc = noc_index, TS_AT) {
    const ts::NocState& state = *ts_noc_state(noc);
    ts_noc_read(ts::with_local(state.read_addr, src_base_addr + src_addr), dest_addr, state.read_size, noc, trid,
                ts::noc_by_state | ts::noc_one_packet, at);
}
// Reads are counted by the emulator itself, so a correction of the count has nothing to do.
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t, uint8_t = noc_index) {}

// ---- pages of a tensor ----
template <ts::AddressGenerator AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index, TS_AT) {
    noc_async_read(addrgen.get_noc_addr(id, offset, noc), dst_local_l1_addr, ts::page_size_of(addrgen), noc,
                   NOC_UNICAST_WRITE_VC, at);
}
template <ts::AddressGenerator AddrGen>
FORCE_INLINE void noc_async_read_tile(uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index, TS_AT) {
    noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc, at);
}
template <typename Accessor>
FORCE_INLINE void noc_async_read_shard(uint32_t shard_id, const Accessor& accessor, uint32_t dst_local_l1_addr,
                                       uint8_t noc = noc_index, TS_AT) {
    const uint32_t bytes = accessor.get_aligned_page_size() * accessor.dspec().shard_volume();
    noc_async_read(accessor.get_shard_noc_addr(shard_id, 0, noc), dst_local_l1_addr, bytes, noc, NOC_UNICAST_WRITE_VC,
                   at);
}

// NoC writes from this core's L1 to one destination.
#pragma once
#include "internal/dataflow/dataflow_api_addrgen.h"

inline constexpr uint32_t read_cmd_buf = 0;
inline constexpr uint32_t write_cmd_buf = 1;
inline constexpr uint32_t write_reg_cmd_buf = 2;
inline constexpr uint32_t write_at_cmd_buf = 3;

enum class InlineWriteDst : uint8_t { DEFAULT = 0, L1 = 1, REG = 2 };

namespace ts {
constexpr uint32_t posted_flag(bool posted) { return posted ? noc_posted : 0; }
}  // namespace ts

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                  uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC, TS_AT) {
    const uint32_t flags = ts::posted_flag(posted) | ts::packet_flag(max_page_size <= NOC_MAX_BURST_SIZE);
    ts_noc_write(src_local_l1_addr, dst_noc_addr, size, noc, vc, ts_noc_state(noc)->write_trid, flags, at);
}
template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                             uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC, TS_AT) {
    const uint32_t trid = ts_noc_state(noc)->write_trid;
    ts_noc_write(src_local_l1_addr, dst_noc_addr, size, noc, vc, trid, ts::posted_flag(posted) | ts::noc_one_packet,
                 at);
}
FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    ts_noc_state(noc)->write_trid = trid;
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                                       uint32_t trid, [[maybe_unused]] uint8_t cmd_buf = write_cmd_buf,
                                                       uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC,
                                                       TS_AT) {
    ts_noc_write(src_local_l1_addr, dst_noc_addr, size, noc, vc, trid, ts::posted_flag(posted) | ts::noc_one_packet,
                 at);
}

// ---- the destination is remembered, then only the local part of its address varies ----
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index,
                                                       [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC) {
    ts_noc_state(noc)->write_addr = dst_noc_addr;
    ts_noc_state(noc)->write_state_set = true;
    ts_noc_state(noc)->write_size = size;
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                        uint8_t noc = noc_index, TS_AT) {
    const ts::NocState& state = *ts_noc_state(noc);
    ts_noc_write(src_local_l1_addr, ts::with_local(state.write_addr, dst_local_l1_addr), state.write_size, noc,
                 NOC_UNICAST_WRITE_VC, state.write_trid,
                 ts::posted_flag(posted) | ts::noc_by_state | ts::noc_one_packet, at);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_set_state(uint64_t dst_noc_addr, uint8_t noc = noc_index,
                                            [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC) {
    ts_noc_state(noc)->write_addr = dst_noc_addr;
    ts_noc_state(noc)->write_state_set = true;
}
template <bool posted = false, bool update_counter = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_write_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                             uint8_t noc = noc_index, TS_AT) {
    const ts::NocState& state = *ts_noc_state(noc);
    ts_noc_write(src_local_l1_addr, ts::with_local(state.write_addr, dst_local_l1_addr), size, noc,
                 NOC_UNICAST_WRITE_VC, state.write_trid, ts::posted_flag(posted) | ts::noc_by_state, at);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(uint64_t dst_noc_addr,
                                                                 [[maybe_unused]] uint8_t cmd_buf = write_cmd_buf,
                                                                 uint8_t noc = noc_index,
                                                                 [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC) {
    ts_noc_state(noc)->write_addr = dst_noc_addr;
    ts_noc_state(noc)->write_state_set = true;
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t src_local_l1_addr,
                                                                  uint32_t dst_local_l1_addr, uint32_t size,
                                                                  uint32_t trid,
                                                                  [[maybe_unused]] uint8_t cmd_buf = write_cmd_buf,
                                                                  uint8_t noc = noc_index, TS_AT) {
    const uint64_t destination = ts::with_local(ts_noc_state(noc)->write_addr, dst_local_l1_addr);
    ts_noc_write(src_local_l1_addr, destination, size, noc, NOC_UNICAST_WRITE_VC, trid,
                 ts::posted_flag(posted) | ts::noc_by_state, at);
}

// ---- one 32-bit word carried by the command itself ----
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xF, uint8_t noc = noc_index,
                                      [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC,
                                      [[maybe_unused]] uint32_t customized_src_addr = 0, TS_AT) {
    ts_noc_write_inline(addr, val, be, noc, ts::posted_flag(posted), at);
}
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_mcast_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xF, uint8_t noc = noc_index,
                                            [[maybe_unused]] uint8_t vc = NOC_MULTICAST_WRITE_VC,
                                            [[maybe_unused]] uint32_t customized_src_addr = 0, uint32_t num_dest = 1,
                                            TS_AT) {
    ts_noc_write_inline_multicast(addr, val, be, num_dest, noc, ts::posted_flag(posted), at);
}
template <bool posted = false, bool set_val = false>
FORCE_INLINE void noc_inline_dw_write_set_state(uint64_t addr, uint32_t val = 0, [[maybe_unused]] uint8_t be = 0xF,
                                                [[maybe_unused]] uint8_t cmd_buf = write_at_cmd_buf,
                                                uint8_t noc = noc_index,
                                                [[maybe_unused]] uint8_t vc = NOC_UNICAST_WRITE_VC) {
    ts_noc_state(noc)->inline_addr = addr;
    if constexpr (set_val) ts_noc_state(noc)->inline_value = val;
}
template <bool update_addr_lo = false, bool update_counter = true, bool posted = false, bool update_addr_hi = false,
          bool update_val = false, InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_with_state(uint32_t val, uint32_t addr = 0,
                                                 [[maybe_unused]] uint8_t cmd_buf = write_at_cmd_buf,
                                                 uint8_t noc = noc_index, TS_AT) {
    ts::NocState& state = *ts_noc_state(noc);
    if constexpr (update_addr_lo) state.inline_addr = ts::with_local(state.inline_addr, addr);
    if constexpr (update_addr_hi) {
        state.inline_addr = get_noc_addr_helper(addr, static_cast<uint32_t>(state.inline_addr));
    }
    if constexpr (update_val) state.inline_value = val;
    ts_noc_write_inline(state.inline_addr, state.inline_value, 0xF, noc, ts::posted_flag(posted), at);
}

// ---- pages of a tensor ----
template <ts::AddressGenerator AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint32_t size = 0, uint32_t offset = 0, uint8_t noc = noc_index, TS_AT) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, enable_noc_tracing, posted>(
        src_local_l1_addr, addrgen.get_noc_addr(id, offset, noc), size ? size : ts::page_size_of(addrgen), noc,
        NOC_UNICAST_WRITE_VC, at);
}
template <ts::AddressGenerator AddrGen>
FORCE_INLINE void noc_async_write_tile(uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint8_t noc = noc_index, TS_AT) {
    noc_async_write_page(id, addrgen, src_local_l1_addr, 0, 0, noc, at);
}
template <typename Accessor, bool posted = false>
FORCE_INLINE void noc_async_write_shard(uint32_t shard_id, const Accessor& accessor, uint32_t src_local_l1_addr,
                                        uint8_t noc = noc_index, TS_AT) {
    const uint32_t bytes = accessor.get_aligned_page_size() * accessor.dspec().shard_volume();
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        src_local_l1_addr, accessor.get_shard_noc_addr(shard_id, 0, noc), bytes, noc, NOC_UNICAST_WRITE_VC, at);
}

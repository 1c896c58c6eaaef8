// What kernels on Ethernet cores call. They compile; no Ethernet core is modelled, so calling one is a gap.
#pragma once
#include "api/dataflow/dataflow_api.h"

struct eth_channel_sync_t {
    volatile uint32_t bytes_sent;
    volatile uint32_t receiver_ack;
    volatile uint32_t src_id;
    volatile uint32_t reserved_2;
};
struct erisc_info_t {
    eth_channel_sync_t channels[8];
};
inline erisc_info_t* erisc_info = nullptr;

// clang-format off
#define TS_ETHERNET(RESULT, NAME, ...) \
    [[noreturn]] FORCE_INLINE RESULT NAME(__VA_ARGS__ __VA_OPT__(,) TS_AT) { ts_gap("Ethernet cores (" #NAME ")", at); }
namespace internal_ {
TS_ETHERNET(bool, eth_txq_is_busy, uint32_t)
TS_ETHERNET(void, eth_send_packet, uint32_t, uint32_t, uint32_t, uint32_t)
TS_ETHERNET(void, eth_send_packet_unsafe, uint32_t, uint32_t, uint32_t, uint32_t)
TS_ETHERNET(void, eth_send_packet_bytes_unsafe, uint32_t, uint32_t, uint32_t, uint32_t)
TS_ETHERNET(void, eth_write_remote_reg, uint32_t, uint32_t, uint32_t)
}  // namespace internal_
TS_ETHERNET(void, run_routing)
TS_ETHERNET(bool, eth_txq_is_busy)
TS_ETHERNET(void, wait_for_eth_txq_cmd_space, uint32_t = 0)
TS_ETHERNET(void, eth_noc_semaphore_wait, volatile uint32_t*, uint32_t, uint32_t = 0)
TS_ETHERNET(void, eth_noc_semaphore_wait_min, volatile uint32_t*, uint32_t, uint32_t = 0)
TS_ETHERNET(void, eth_noc_async_read_barrier)
TS_ETHERNET(void, eth_noc_async_write_barrier)
TS_ETHERNET(void, eth_send_bytes, uint32_t, uint32_t, uint32_t, uint32_t = 16, uint32_t = 1)
TS_ETHERNET(void, eth_send_bytes_over_channel_payload_only, uint32_t, uint32_t, uint32_t, uint32_t = 16, uint32_t = 1)
TS_ETHERNET(void, eth_send_bytes_over_channel_payload_only_unsafe, uint32_t, uint32_t, uint32_t, uint32_t = 16, uint32_t = 1)
TS_ETHERNET(void, eth_send_bytes_over_channel_payload_only_unsafe_one_packet, uint32_t, uint32_t, uint32_t)
TS_ETHERNET(void, eth_send_payload_complete_signal_over_channel, uint32_t, uint32_t)
TS_ETHERNET(void, eth_send_bytes_over_channel, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t = 16, uint32_t = 1)
TS_ETHERNET(void, eth_write_remote_reg, uint32_t, uint32_t)
TS_ETHERNET(void, eth_wait_for_receiver_done, uint32_t = 0)
TS_ETHERNET(bool, eth_is_receiver_channel_send_acked, uint32_t)
TS_ETHERNET(bool, eth_is_receiver_channel_send_done, uint32_t)
TS_ETHERNET(void, eth_wait_for_receiver_channel_done, uint32_t)
TS_ETHERNET(void, eth_wait_receiver_done, uint32_t = 0)
TS_ETHERNET(void, eth_wait_for_bytes, uint32_t, uint32_t = 0)
TS_ETHERNET(bool, eth_bytes_are_available_on_channel, uint8_t)
TS_ETHERNET(void, eth_wait_for_bytes_on_channel_sync_addr, uint32_t, volatile eth_channel_sync_t*, uint32_t = 0)
TS_ETHERNET(void, eth_wait_for_bytes_on_channel, uint32_t, uint8_t, uint32_t = 0)
TS_ETHERNET(void, eth_clear_sender_channel_ack, uint32_t)
TS_ETHERNET(void, eth_receiver_channel_ack, uint32_t, uint32_t = 0)
TS_ETHERNET(void, eth_receiver_channel_done, uint32_t, uint32_t = 0)
TS_ETHERNET(void, eth_receiver_done, uint32_t = 0)
#undef TS_ETHERNET
// clang-format on

// What workers and routers agree on when a connection is opened and closed.
#pragma once
#include <cstdint>

namespace tt::tt_fabric::connection_interface {
inline constexpr uint8_t edm_fabric_write_noc_index = 0;
inline constexpr uint32_t unused_connection_value = 0;
inline constexpr uint32_t open_connection_value = 1;
inline constexpr uint32_t close_connection_request_value = 2;
inline constexpr uint32_t sender_channel_0_free_slots_stream_id = 22;
inline constexpr uint32_t vc2_sender_free_slots_stream_id = 30;
}  // namespace tt::tt_fabric::connection_interface

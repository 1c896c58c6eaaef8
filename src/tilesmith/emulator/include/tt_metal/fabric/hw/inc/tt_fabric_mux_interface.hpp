// What workers call to send by way of a multiplexer. They compile; building such a connection is a gap.
#pragma once
#include "tt_metal/fabric/hw/inc/tt_fabric_mux.hpp"

namespace tt::tt_fabric {

template <uint8_t Slots = 0>
WorkerToFabricMuxSender<Slots> build_connection_to_fabric_endpoint(uint8_t, uint8_t, uint8_t, uint8_t, size_t, size_t,
                                                                   size_t, size_t, size_t, size_t, uint32_t, uint32_t,
                                                                   uint32_t, uint32_t = 0, TS_AT) {
    ts_gap("multiplexers of fabric connections (build_connection_to_fabric_endpoint)", at);
}
FORCE_INLINE void wait_for_fabric_endpoint_ready(uint8_t, uint8_t, size_t, uint32_t, TS_AT) {
    ts_gap("multiplexers of fabric connections (wait_for_fabric_endpoint_ready)", at);
}
FORCE_INLINE void fabric_endpoint_terminate(uint8_t, uint8_t, size_t, bool = true, TS_AT) {
    ts_gap("multiplexers of fabric connections (fabric_endpoint_terminate)", at);
}

template <uint8_t Slots = 0>
FORCE_INLINE void fabric_client_connect(WorkerToFabricMuxSender<Slots>& connection, TS_AT) {
    connection.open(at);
}
template <uint8_t Slots = 0>
FORCE_INLINE void fabric_client_connect_start(WorkerToFabricMuxSender<Slots>& connection, TS_AT) {
    connection.open(at);
}
template <uint8_t Slots = 0>
FORCE_INLINE void fabric_client_connect_finish(WorkerToFabricMuxSender<Slots>&) {}
template <uint8_t Slots = 0>
FORCE_INLINE void fabric_client_disconnect(WorkerToFabricMuxSender<Slots>& connection, TS_AT) {
    connection.close(at);
}

template <uint8_t Slots = 0>
FORCE_INLINE void fabric_async_write(WorkerToFabricMuxSender<Slots>& connection, volatile PACKET_HEADER_TYPE* header,
                                     uint32_t payload, uint32_t size, TS_AT) {
    connection.wait_for_empty_write_slot(at);
    connection.send_payload_without_header_non_blocking_from_address(payload, size, get_fabric_worker_noc(), at);
    connection.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE),
                                                        get_fabric_worker_noc(), at);
}
template <uint8_t Slots = 0>
FORCE_INLINE void fabric_atomic_inc(WorkerToFabricMuxSender<Slots>& connection, volatile PACKET_HEADER_TYPE* header,
                                    TS_AT) {
    connection.wait_for_empty_write_slot(at);
    connection.send_payload_flush_non_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE),
                                                            get_fabric_worker_noc(), at);
}

}  // namespace tt::tt_fabric

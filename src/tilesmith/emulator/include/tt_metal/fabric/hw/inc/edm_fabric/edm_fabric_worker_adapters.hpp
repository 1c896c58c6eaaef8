// A worker's connection to the router at the end of an Ethernet link: open, wait for a slot, send, close.
#pragma once
#include "core_config.h"
#include "fabric/fabric_edm_packet_header.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_utils.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_interface.hpp"

namespace tt::tt_fabric {

template <bool UsesStreamRegisters, uint8_t Slots>
class WorkerToFabricEdmSenderImpl {
public:
    // As many as a router has where nobody says (boards.toml).
    static constexpr uint8_t num_buffers_per_channel = Slots ? Slots : 8;

    WorkerToFabricEdmSenderImpl() = default;

    // The channel, and two semaphores that the vendor's handshake needs.
    template <ProgrammableCoreType CoreType>
    static WorkerToFabricEdmSenderImpl build_from_args(std::size_t& arg_idx) {
        WorkerToFabricEdmSenderImpl sender;
        sender.channel_ = get_arg_val<uint32_t>(arg_idx);
        arg_idx += 3;
        return sender;
    }
    static WorkerToFabricEdmSenderImpl on_channel(uint32_t channel) {
        WorkerToFabricEdmSenderImpl sender;
        sender.channel_ = channel;
        return sender;
    }

    template <bool SendCreditAddress = false, bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void open_start(TS_AT) {
        ts_fabric_open(channel_, at);
    }
    template <bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void open_finish() {}
    template <bool SendCreditAddress = false, bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void open(TS_AT) {
        ts_fabric_open(channel_, at);
    }
    template <bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void close_start() {}
    template <bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void close_finish(TS_AT) {
        ts_fabric_close(channel_, Noc, at);
    }
    template <bool Posted = false, uint8_t Noc = get_fabric_worker_noc()>
    void close(TS_AT) {
        ts_fabric_close(channel_, Noc, at);
    }

    uint32_t get_num_free_write_slots(TS_AT) const { return ts_fabric_free_slots(channel_, at); }
    template <size_t Wanted = 1>
    bool edm_has_space_for_packet(TS_AT) const {
        const bool has = ts_fabric_free_slots(channel_, at) >= Wanted;
        if (!has) ts_yield();
        return has;
    }
    void wait_for_empty_write_slot(TS_AT) const { ts_fabric_wait_slot(channel_, at); }

    template <bool Posted = false>
    void send_payload_without_header_non_blocking_from_address(uint32_t source_address, size_t size_bytes,
                                                               uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        ts_fabric_payload(channel_, source_address, 0, static_cast<uint32_t>(size_bytes), noc, at);
    }

    // A header, and the payload that follows it in memory where there is more.
    template <bool Posted = false>
    void send_payload_non_blocking_from_address(uint32_t source_address, size_t size_bytes,
                                                uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        const auto rest = static_cast<uint32_t>(size_bytes - sizeof(PacketHeader));
        if (rest) ts_fabric_payload(channel_, source_address + sizeof(PacketHeader), 0, rest, noc, at);
        ts_fabric_header(channel_, source_address, noc, at);
    }
    template <bool Posted = false>
    void send_payload_flush_non_blocking_from_address(uint32_t source_address, size_t size_bytes,
                                                      uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        send_payload_non_blocking_from_address(source_address, size_bytes, noc, at);
    }
    template <bool Posted = false>
    void send_payload_flush_blocking_from_address(uint32_t source_address, size_t size_bytes,
                                                  uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        send_payload_non_blocking_from_address(source_address, size_bytes, noc, at);
        ts_noc_writes_flushed(noc, ts::any_trid, false, at);
    }
    template <bool Posted = false>
    void send_payload_blocking_from_address(uint32_t source_address, size_t size_bytes,
                                            uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        send_payload_non_blocking_from_address(source_address, size_bytes, noc, at);
        ts_noc_write_barrier(noc, ts::any_trid, at);
    }

    template <bool Posted = false>
    void setup_stateful_send_cmd_bufs(uint8_t = get_fabric_worker_noc()) const {}
    template <bool Posted = false>
    void send_current_slot_non_blocking(uint32_t payload, size_t size, uint32_t header,
                                        uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        if (size) ts_fabric_payload(channel_, payload, 0, static_cast<uint32_t>(size), noc, at);
        ts_fabric_header(channel_, header, noc, at);
    }
    template <bool Posted = false>
    void send_current_slot_stateful_non_blocking(uint32_t payload, uint32_t size, uint32_t header,
                                                 uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        send_current_slot_non_blocking(payload, size, header, noc, at);
    }
    template <bool Posted = false>
    void send_current_slot_stateful_non_blocking_from_address(uint32_t packet, uint32_t size,
                                                              uint8_t noc = get_fabric_worker_noc(), TS_AT) {
        send_payload_non_blocking_from_address(packet, size, noc, at);
    }

    uint32_t channel() const { return channel_; }

private:
    uint32_t channel_ = 0;
};

using WorkerToFabricEdmSender = WorkerToFabricEdmSenderImpl<false, 0>;

}  // namespace tt::tt_fabric

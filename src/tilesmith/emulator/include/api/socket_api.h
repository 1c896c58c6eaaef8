// Sockets: a fifo in the L1 of one core that another core fills, on the same chip or across the fabric. Both ends count
// the bytes they sent or took, and tell each other. Sockets to and from the host are a gap.
#pragma once
#include <cstddef>
#include <type_traits>

#include "api/alignment.h"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
#include "hostdev/socket.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/tt_fabric_api.h"

namespace ts {

// Words of a socket's config stand on lines of their own.
constexpr uint32_t socket_line(uint32_t bytes) { return (bytes + L1_ALIGNMENT - 1) / L1_ALIGNMENT * L1_ALIGNMENT; }
// Counters are signals: what was written before one was raised can be read after it was seen.
inline uint32_t socket_counter(uint32_t address, At at) { return ts_semaphore_get(address, at); }
template <class Config>
Config* socket_config(uint32_t address) {
    return reinterpret_cast<Config*>(static_cast<uintptr_t>(address));
}
constexpr uint32_t next_page(uint32_t offset, uint32_t page) { return (offset + page - 1) / page * page; }

}  // namespace ts

constexpr uint32_t sender_socket_md_size_bytes = ts::socket_line(sizeof(sender_socket_md));
constexpr uint32_t bytes_acked_size_bytes = ts::socket_line(sizeof(uint32_t));
constexpr uint32_t downstream_encoding_size_bytes = ts::socket_line(sizeof(sender_downstream_encoding));

// ---- routes ----

// The peer's chip on a mesh; how many hops away it is on a line.
inline void fabric_set_socket_route(volatile PACKET_HEADER_TYPE* header, uint32_t chip,
                                    [[maybe_unused]] uint32_t mesh) {
#if defined(FABRIC_2D)
    fabric_set_unicast_route(header, static_cast<uint16_t>(chip), static_cast<uint16_t>(mesh));
#else
    fabric_set_unicast_route<false>(header, static_cast<uint16_t>(chip));
#endif
}
inline void fabric_set_unicast_route(volatile PACKET_HEADER_TYPE* header, const sender_downstream_encoding& to) {
    fabric_set_socket_route(header, to.d2d.downstream_chip_id, to.d2d.downstream_mesh_id);
}
inline void fabric_set_unicast_route(volatile PACKET_HEADER_TYPE* header, const SocketReceiverInterface& socket) {
    ASSERT(!socket.is_h2d);
    fabric_set_socket_route(header, socket.d2d.upstream_chip_id, socket.d2d.upstream_mesh_id);
}
// A counter of the other end takes a new value.
inline void fabric_socket_tell(tt::tt_fabric::WorkerToFabricEdmSender& connection, volatile PACKET_HEADER_TYPE* header,
                               uint64_t counter, uint32_t value, TS_AT) {
    header->to_noc_unicast_inline_write(tt::tt_fabric::NocUnicastInlineWriteCommandHeader{counter, value});
    connection.wait_for_empty_write_slot(at);
    connection.send_payload_flush_blocking_from_address(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(header)),
                                                        sizeof(PACKET_HEADER_TYPE),
                                                        tt::tt_fabric::get_fabric_worker_noc(), at);
}

// ---- the end that sends ----

inline SocketSenderInterface create_sender_socket_interface(uint32_t config_addr) {
    const auto* config = ts::socket_config<sender_socket_md>(config_addr);
    SocketSenderInterface socket{};
    socket.config_addr = config_addr;
    socket.write_ptr = config->write_ptr;
    socket.bytes_sent = config->bytes_sent;
    socket.bytes_acked_base_addr = config_addr + sender_socket_md_size_bytes;
    socket.num_downstreams = config->num_downstreams;
    socket.downstream_fifo_total_size = config->downstream_fifo_total_size;
    socket.downstream_fifo_addr = config->downstream_fifo_addr;
    socket.downstream_bytes_sent_addr = config->downstream_bytes_sent_addr;
    socket.is_d2h = config->is_d2h;
    const uint32_t behind = socket.bytes_acked_base_addr + config->num_downstreams * bytes_acked_size_bytes;
    if (socket.is_d2h)
        socket.d2h = *ts::socket_config<d2h_sender_socket_md>(socket.bytes_acked_base_addr + bytes_acked_size_bytes);
    else socket.d2d.downstream_enc_base_addr = behind;
    return socket;
}

inline sender_downstream_encoding get_downstream_encoding(const SocketSenderInterface& socket, uint32_t downstream) {
    if (socket.is_d2h) return {.d2h = socket.d2h};
    const uint32_t at = socket.d2d.downstream_enc_base_addr + downstream * downstream_encoding_size_bytes;
    return {.d2d = *ts::socket_config<d2d_sender_socket_md>(at)};
}

// Pages lie at multiples of their size; what is left at the fifo's end counts as sent.
inline void set_sender_socket_page_size(SocketSenderInterface& socket, uint32_t page_size) {
    ASSERT(page_size % L1_ALIGNMENT == 0 && page_size <= socket.downstream_fifo_total_size);
    const uint32_t total = socket.downstream_fifo_total_size, usable = total - total % page_size;
    uint32_t next = ts::next_page(socket.write_ptr, page_size);
    if (next >= usable) {
        socket.bytes_sent += total - next;
        next = 0;
    }
    socket.write_ptr = next;
    socket.page_size = page_size;
    socket.downstream_fifo_curr_size = usable;
}

inline void socket_reserve_pages(const SocketSenderInterface& socket, uint32_t num_pages, TS_AT) {
    const uint32_t wanted = num_pages * socket.page_size, room = socket.downstream_fifo_total_size;
    for (uint32_t i = 0; i < socket.num_downstreams; ++i) {
        const uint32_t acked = socket.bytes_acked_base_addr + i * bytes_acked_size_bytes;
        while (room - (socket.bytes_sent - ts::socket_counter(acked, at)) < wanted) invalidate_l1_cache();
    }
}

inline void socket_push_pages(SocketSenderInterface& socket, uint32_t num_pages) {
    const uint32_t bytes = num_pages * socket.page_size, usable = socket.downstream_fifo_curr_size;
    ASSERT(bytes <= usable);
    const bool wraps = socket.write_ptr + bytes >= usable;
    socket.write_ptr += wraps ? bytes - usable : bytes;
    socket.bytes_sent += bytes + (wraps ? socket.downstream_fifo_total_size - usable : 0);
}

inline void socket_notify_receiver(const SocketSenderInterface& socket, uint8_t noc = noc_index, TS_AT) {
    if (socket.is_d2h) ts_gap("sockets to the host (socket_notify_receiver)", at);
    for (uint32_t i = 0; i < socket.num_downstreams; ++i) {
        const auto to = get_downstream_encoding(socket, i).d2d;
        const uint64_t counter =
            get_noc_addr(to.downstream_noc_x, to.downstream_noc_y, socket.downstream_bytes_sent_addr, noc);
        noc_inline_dw_write(counter, socket.bytes_sent, 0xF, noc);
    }
}

inline void fabric_socket_notify_receiver(const SocketSenderInterface& socket,
                                          tt::tt_fabric::WorkerToFabricEdmSender& connection,
                                          volatile PACKET_HEADER_TYPE* header, TS_AT) {
    for (uint32_t i = 0; i < socket.num_downstreams; ++i) {
        const auto to = get_downstream_encoding(socket, i);
        fabric_set_unicast_route(header, to);
        const uint64_t counter =
            get_noc_addr(to.d2d.downstream_noc_x, to.d2d.downstream_noc_y, socket.downstream_bytes_sent_addr);
        fabric_socket_tell(connection, header, counter, socket.bytes_sent, at);
    }
}

inline void socket_barrier(const SocketSenderInterface& socket, TS_AT) {
    for (uint32_t i = 0; i < socket.num_downstreams; ++i) {
        const uint32_t acked = socket.bytes_acked_base_addr + i * bytes_acked_size_bytes;
        while (ts::socket_counter(acked, at) != socket.bytes_sent) invalidate_l1_cache();
    }
}

inline void update_socket_config(const SocketSenderInterface& socket) {
    auto* config = ts::socket_config<sender_socket_md>(socket.config_addr);
    config->bytes_sent = socket.bytes_sent;
    config->write_ptr = socket.write_ptr;
}

// ---- the end that receives ----

inline SocketReceiverInterface create_receiver_socket_interface(uint32_t config_addr) {
    const auto* config = ts::socket_config<receiver_socket_md>(config_addr);
    SocketReceiverInterface socket{};
    socket.config_addr = config_addr;
    socket.read_ptr = config->read_ptr;
    socket.bytes_acked = config->bytes_acked;
    socket.bytes_sent_addr = config_addr + static_cast<uint32_t>(offsetof(receiver_socket_md, bytes_sent));
    socket.fifo_addr = config->fifo_addr;
    socket.fifo_total_size = config->fifo_total_size;
    socket.is_h2d = config->is_h2d;
    if (socket.is_h2d) socket.h2d = config->h2d;
    else socket.d2d = config->d2d;
    return socket;
}

inline void set_receiver_socket_page_size(SocketReceiverInterface& socket, uint32_t page_size, TS_AT) {
    ASSERT(page_size <= socket.fifo_total_size);
    const uint32_t total = socket.fifo_total_size, usable = total - total % page_size;
    uint32_t next = ts::next_page(socket.read_ptr - socket.fifo_addr, page_size);
    if (next >= usable) {
        const uint32_t skipped = total - next;
        while (ts::socket_counter(socket.bytes_sent_addr, at) - socket.bytes_acked < skipped) invalidate_l1_cache();
        socket.bytes_acked += skipped;
        next = 0;
    }
    socket.read_ptr = socket.fifo_addr + next;
    socket.page_size = page_size;
    socket.fifo_curr_size = usable;
}

// False where the pages did not come after so many looks; 0 waits as long as it takes.
inline bool socket_wait_for_pages(const SocketReceiverInterface& socket, uint32_t num_pages,
                                  uint32_t early_exit_iter_count = 0, TS_AT) {
    uint32_t wanted = num_pages * socket.page_size;
    ASSERT(wanted <= socket.fifo_curr_size);
    if (socket.read_ptr + wanted >= socket.fifo_curr_size + socket.fifo_addr)
        wanted += socket.fifo_total_size - socket.fifo_curr_size;
    for (uint32_t looks = 1; ts::socket_counter(socket.bytes_sent_addr, at) - socket.bytes_acked < wanted; ++looks) {
        if (early_exit_iter_count && looks > early_exit_iter_count) return false;
        invalidate_l1_cache();
    }
    return true;
}

inline void socket_pop_pages(SocketReceiverInterface& socket, uint32_t num_pages) {
    const uint32_t bytes = num_pages * socket.page_size, usable = socket.fifo_curr_size;
    ASSERT(bytes <= usable);
    const bool wraps = socket.read_ptr + bytes >= usable + socket.fifo_addr;
    socket.read_ptr += wraps ? bytes - usable : bytes;
    socket.bytes_acked += bytes + (wraps ? socket.fifo_total_size - usable : 0);
}

inline void assign_local_cb_to_socket(const SocketReceiverInterface&, uint32_t, TS_AT) {
    ts_gap("circular buffers in the memory of a socket (assign_local_cb_to_socket)", at);
}

inline void socket_notify_sender(const SocketReceiverInterface& socket, uint8_t noc = noc_index, TS_AT) {
    if (socket.is_h2d) ts_gap("sockets from the host (socket_notify_sender)", at);
    const uint64_t counter =
        get_noc_addr(socket.d2d.upstream_noc_x, socket.d2d.upstream_noc_y, socket.d2d.upstream_bytes_acked_addr, noc);
    noc_inline_dw_write(counter, socket.bytes_acked, 0xF, noc);
}

inline void fabric_socket_notify_sender_stateful(const SocketReceiverInterface& socket,
                                                 tt::tt_fabric::WorkerToFabricEdmSender& connection,
                                                 volatile PACKET_HEADER_TYPE* header, uint64_t counter, TS_AT) {
    fabric_socket_tell(connection, header, counter, socket.bytes_acked, at);
}
inline void fabric_socket_notify_sender(const SocketReceiverInterface& socket,
                                        tt::tt_fabric::WorkerToFabricEdmSender& connection,
                                        volatile PACKET_HEADER_TYPE* header, TS_AT) {
    fabric_set_unicast_route(header, socket);
    const uint64_t counter =
        get_noc_addr(socket.d2d.upstream_noc_x, socket.d2d.upstream_noc_y, socket.d2d.upstream_bytes_acked_addr);
    fabric_socket_tell(connection, header, counter, socket.bytes_acked, at);
}

inline void update_socket_config(const SocketReceiverInterface& socket) {
    auto* config = ts::socket_config<receiver_socket_md>(socket.config_addr);
    config->bytes_acked = socket.bytes_acked;
    config->read_ptr = socket.read_ptr;
}

// The fabric's API on a line of chips: for each kind of packet a call that sends one, one that prepares a header, and
// one that sends again with what the header holds; over one connection, or over all of a connection manager.
#pragma once
#include "tt_metal/fabric/hw/inc/api_common.h"
#include "tt_metal/fabric/hw/inc/noc_addr.h"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"
#include "tt_metal/fabric/hw/inc/tt_fabric_api.h"

using namespace tt::tt_fabric::common::experimental;

namespace tt::tt_fabric::linear::experimental {

using Header = volatile PACKET_HEADER_TYPE;
using Manager = tt::tt_fabric::RoutingPlaneConnectionManager;

template <class Sender>
FORCE_INLINE void send_header(Sender* sender, Header* header, TS_AT) {
    sender->wait_for_empty_write_slot(at);
    sender->send_payload_flush_non_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE),
                                                         get_fabric_worker_noc(), at);
}

template <class Sender>
FORCE_INLINE void send_packet(Sender* sender, Header* header, uint32_t from, uint32_t size, TS_AT) {
    sender->wait_for_empty_write_slot(at);
    sender->send_payload_without_header_non_blocking_from_address(from, size, get_fabric_worker_noc(), at);
    sender->send_payload_flush_non_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE),
                                                         get_fabric_worker_noc(), at);
}

// The route of a multicast over connection `i` on a mesh; on a line the call that sends says how far it goes.
FORCE_INLINE void fabric_set_mcast_route([[maybe_unused]] Manager& manager, [[maybe_unused]] Header* header,
                                         [[maybe_unused]] uint8_t* range, [[maybe_unused]] uint8_t i) {
#if defined(FABRIC_2D)
    const auto& slot = manager.get(i);
    uint16_t hops[4] = {};
    hops[slot.tag] = range[i];
    if (range[i])
        tt::tt_fabric::fabric_set_mcast_route(header, slot.dst_dev_id, slot.dst_mesh_id, hops[EAST], hops[WEST],
                                              hops[NORTH], hops[SOUTH]);
#endif
}

// clang-format off
// NAME of the calls, the command they take, its mask, what fills in a header's fields, what makes the whole header.
#define TS_FABRIC_WITH_PAYLOAD(NAME, COMMAND, MASK, FILL, WHOLE, TYPE)                                                 \
    template <class Sender>                                                                                            \
    FORCE_INLINE void fabric_unicast_##NAME(Sender* sender, Header* header, uint32_t src_addr, uint32_t size,          \
                                            COMMAND command, uint8_t num_hops, TS_AT) {                                \
        header->to_chip_unicast(num_hops);                                                                             \
        header->WHOLE(command, size);                                                                                  \
        send_packet(sender, header, src_addr, size, at);                                                               \
    }                                                                                                                  \
    template <class Sender>                                                                                            \
    FORCE_INLINE void fabric_multicast_##NAME(Sender* sender, Header* header, uint32_t src_addr, uint32_t size,        \
                                              COMMAND command, uint8_t start, uint8_t range, TS_AT) {                  \
        header->to_chip_multicast(MulticastRoutingCommandHeader{start, range});                                        \
        header->WHOLE(command, size);                                                                                  \
        send_packet(sender, header, src_addr, size, at);                                                               \
    }                                                                                                                  \
    FORCE_INLINE void fabric_unicast_##NAME(Manager& manager, uint8_t route_id, uint32_t src_addr, uint32_t size,      \
                                            COMMAND command, uint8_t* num_hops, TS_AT) {                               \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_unicast_##NAME(&manager.get(i).sender, header, src_addr, size, command, num_hops[i], at);           \
        });                                                                                                            \
    }                                                                                                                  \
    FORCE_INLINE void fabric_multicast_##NAME(Manager& manager, uint8_t route_id, uint32_t src_addr, uint32_t size,    \
                                              COMMAND command, uint8_t* start, uint8_t* range, TS_AT) {                \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_multicast_##NAME(&manager.get(i).sender, header, src_addr, size, command, start[i], range[i], at);  \
        });                                                                                                            \
    }                                                                                                                  \
    TS_FABRIC_STATES(unicast, NAME, MASK, FILL, TYPE)                                                                  \
    TS_FABRIC_STATES(multicast, NAME, MASK, FILL, TYPE)                                                                \
    TS_FABRIC_SET_STATES(NAME, MASK, FILL, TYPE)

#define TS_FABRIC_STATES(CAST, NAME, MASK, FILL, TYPE)                                                                 \
    template <MASK Changes = MASK::None, class Sender, class Command = std::nullptr_t>                                 \
    FORCE_INLINE void fabric_##CAST##_##NAME##_with_state(Sender* sender, Header* header, uint32_t src_addr,           \
                                                          Command command = nullptr, uint16_t size = 0, TS_AT) {       \
        FILL<Changes>(header, size, command);                                                                          \
        send_packet(sender, header, src_addr, header->payload_size_bytes, at);                                         \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_##CAST##_##NAME##_with_state(Manager& manager, uint8_t route_id, uint32_t src_addr,       \
                                                          Command command = nullptr, uint16_t size = 0, TS_AT) {       \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            FILL<Changes>(header, size, command);                                                                      \
            send_packet(&manager.get(i).sender, header, src_addr, header->payload_size_bytes, at);                     \
        });                                                                                                            \
    }

#define TS_FABRIC_SET_STATES(NAME, MASK, FILL, TYPE)                                                                   \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_unicast_##NAME##_set_state(Header* header, uint8_t num_hops, Command command = nullptr,   \
                                                        uint16_t size = 0) {                                           \
        header->to_chip_unicast(num_hops);                                                                             \
        header->noc_send_type = TYPE;                                                                                  \
        FILL<Changes>(header, size, command);                                                                          \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_multicast_##NAME##_set_state(Header* header, uint8_t start, uint8_t range,                \
                                                          Command command = nullptr, uint16_t size = 0) {              \
        header->to_chip_multicast(MulticastRoutingCommandHeader{start, range});                                        \
        header->noc_send_type = TYPE;                                                                                  \
        FILL<Changes>(header, size, command);                                                                          \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_unicast_##NAME##_set_state(Manager&, uint8_t route_id, uint8_t* num_hops,                 \
                                                        Command command = nullptr, uint16_t size = 0) {                \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_unicast_##NAME##_set_state<Changes>(header, num_hops[i], command, size);                            \
        });                                                                                                            \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_multicast_##NAME##_set_state(Manager&, uint8_t route_id, uint8_t* start, uint8_t* range,  \
                                                          Command command = nullptr, uint16_t size = 0) {              \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_multicast_##NAME##_set_state<Changes>(header, start[i], range[i], command, size);                   \
        });                                                                                                            \
    }

#define TS_FABRIC_HEADER_ONLY(NAME, COMMAND, MASK, FILL, WHOLE, TYPE)                                                  \
    template <class Sender>                                                                                            \
    FORCE_INLINE void fabric_unicast_##NAME(Sender* sender, Header* header, COMMAND command, uint8_t num_hops, TS_AT) {\
        header->to_chip_unicast(num_hops);                                                                             \
        header->WHOLE(command);                                                                                        \
        send_header(sender, header, at);                                                                               \
    }                                                                                                                  \
    template <class Sender>                                                                                            \
    FORCE_INLINE void fabric_multicast_##NAME(Sender* sender, Header* header, COMMAND command, uint8_t start,          \
                                              uint8_t range, TS_AT) {                                                  \
        header->to_chip_multicast(MulticastRoutingCommandHeader{start, range});                                        \
        header->WHOLE(command);                                                                                        \
        send_header(sender, header, at);                                                                               \
    }                                                                                                                  \
    FORCE_INLINE void fabric_unicast_##NAME(Manager& manager, uint8_t route_id, COMMAND command, uint8_t* num_hops,    \
                                            TS_AT) {                                                                   \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_unicast_##NAME(&manager.get(i).sender, header, command, num_hops[i], at);                           \
        });                                                                                                            \
    }                                                                                                                  \
    FORCE_INLINE void fabric_multicast_##NAME(Manager& manager, uint8_t route_id, COMMAND command, uint8_t* start,     \
                                              uint8_t* range, TS_AT) {                                                 \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            fabric_multicast_##NAME(&manager.get(i).sender, header, command, start[i], range[i], at);                  \
        });                                                                                                            \
    }                                                                                                                  \
    TS_FABRIC_HEADER_STATES(unicast, NAME, MASK, FILL)                                                                 \
    TS_FABRIC_HEADER_STATES(multicast, NAME, MASK, FILL)                                                               \
    template <MASK Changes, class Command>                                                                             \
    FORCE_INLINE void fill_##NAME(Header* header, uint16_t, const Command& command) {                                  \
        FILL<Changes>(header, command);                                                                                \
    }                                                                                                                  \
    TS_FABRIC_SET_STATES(NAME, MASK, fill_##NAME, TYPE)

#define TS_FABRIC_HEADER_STATES(CAST, NAME, MASK, FILL)                                                                \
    template <MASK Changes = MASK::None, class Sender, class Command = std::nullptr_t>                                 \
    FORCE_INLINE void fabric_##CAST##_##NAME##_with_state(Sender* sender, Header* header, Command command = nullptr,   \
                                                          TS_AT) {                                                     \
        FILL<Changes>(header, command);                                                                                \
        send_header(sender, header, at);                                                                               \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_##CAST##_##NAME##_with_state(Manager& manager, uint8_t route_id,                          \
                                                          Command command = nullptr, TS_AT) {                          \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            FILL<Changes>(header, command);                                                                            \
            send_header(&manager.get(i).sender, header, at);                                                           \
        });                                                                                                            \
    }

TS_FABRIC_WITH_PAYLOAD(noc_unicast_write, NocUnicastCommandHeader, UnicastWriteUpdateMask,
                       populate_unicast_write_fields, to_noc_unicast_write, NOC_UNICAST_WRITE)
TS_FABRIC_WITH_PAYLOAD(noc_scatter_write, NocUnicastScatterCommandHeader, UnicastScatterWriteUpdateMask,
                       populate_unicast_scatter_write_fields, to_noc_unicast_scatter_write, NOC_UNICAST_SCATTER_WRITE)
TS_FABRIC_WITH_PAYLOAD(noc_fused_unicast_with_atomic_inc, NocUnicastAtomicIncFusedCommandHeader,
                       UnicastFusedAtomicIncUpdateMask, populate_unicast_fused_atomic_inc_fields,
                       to_noc_fused_unicast_write_atomic_inc, NOC_FUSED_UNICAST_ATOMIC_INC)
TS_FABRIC_WITH_PAYLOAD(noc_fused_scatter_write_atomic_inc, NocUnicastScatterAtomicIncFusedCommandHeader,
                       UnicastFusedScatterWriteAtomicIncUpdateMask,
                       populate_unicast_fused_scatter_write_atomic_inc_fields,
                       to_noc_fused_unicast_scatter_write_atomic_inc, NOC_UNICAST_SCATTER_WRITE)
TS_FABRIC_HEADER_ONLY(noc_unicast_atomic_inc, NocUnicastAtomicIncCommandHeader, UnicastAtomicIncUpdateMask,
                      populate_unicast_atomic_inc_fields, to_noc_unicast_atomic_inc, NOC_UNICAST_ATOMIC_INC)
TS_FABRIC_HEADER_ONLY(noc_unicast_inline_write, NocUnicastInlineWriteCommandHeader, UnicastInlineWriteUpdateMask,
                      populate_unicast_inline_fields, to_noc_unicast_inline_write, NOC_UNICAST_INLINE_WRITE)
#undef TS_FABRIC_WITH_PAYLOAD
#undef TS_FABRIC_HEADER_ONLY
#undef TS_FABRIC_HEADER_STATES
#undef TS_FABRIC_STATES
#undef TS_FABRIC_SET_STATES
// clang-format on

template <class Sender>
FORCE_INLINE void fabric_sparse_multicast_noc_unicast_write(Sender* sender, Header* header, uint32_t src_addr,
                                                            uint32_t size, NocUnicastCommandHeader command,
                                                            uint16_t hops, TS_AT) {
    header->to_chip_sparse_multicast({hops});
    header->to_noc_unicast_write(command, size);
    send_packet(sender, header, src_addr, size, at);
}

}  // namespace tt::tt_fabric::linear::experimental

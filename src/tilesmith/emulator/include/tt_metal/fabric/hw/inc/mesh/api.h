// The fabric's API on a mesh of rows and columns: the calls of linear/api.h, with a chip or an area for a route.
#pragma once
#include "tt_metal/fabric/hw/inc/linear/api.h"
#include "tt_metal/fabric/hw/inc/mesh/addrgen_api.h"

namespace tt::tt_fabric::mesh::experimental {

using linear::experimental::Header;
using linear::experimental::Manager;
using linear::experimental::send_header;
using linear::experimental::send_packet;

// So many hops to the east, west, north and south.
struct MeshMcastRange {
    uint8_t e, w, n, s;
};

FORCE_INLINE void set_route(Header* header, uint16_t dst_dev_id, uint16_t dst_mesh_id) {
    fabric_set_unicast_route(header, dst_dev_id, dst_mesh_id);
}
FORCE_INLINE void set_route(Header* header, uint16_t dst_dev_id, uint16_t dst_mesh_id, const MeshMcastRange& range) {
    fabric_set_mcast_route(header, dst_dev_id, dst_mesh_id, range.e, range.w, range.n, range.s);
}

// clang-format off
// A call that sends over one connection or over all of a manager, and one that prepares headers. AREA, AREAS and EACH
// are the range of a multicast as parameter, as parameters of all connections, and as argument; empty for unicasts.
#define TS_MESH_CALLS(CAST, NAME, COMMAND, MASK, AREA, AREAS, RANGE, EACH, PAYLOAD, SOURCE, PREPARE, SEND, FILL, TYPE) \
    template <class Sender, bool SetRoute = true>                                                                      \
    FORCE_INLINE void fabric_##CAST##_##NAME(Sender* sender, Header* header, uint8_t dst_dev_id,                       \
                                             uint16_t dst_mesh_id, AREA PAYLOAD COMMAND command, TS_AT) {              \
        if constexpr (SetRoute) set_route(header, dst_dev_id, dst_mesh_id RANGE);                                      \
        PREPARE;                                                                                                       \
        SEND;                                                                                                          \
    }                                                                                                                  \
    template <bool SetRoute = true>                                                                                    \
    FORCE_INLINE void fabric_##CAST##_##NAME(Manager& manager, uint8_t route_id, AREAS PAYLOAD COMMAND command,        \
                                             TS_AT) {                                                                  \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            auto& slot = manager.get(i);                                                                               \
            fabric_##CAST##_##NAME<decltype(slot.sender), SetRoute>(&slot.sender, header, slot.dst_dev_id,             \
                                                                    slot.dst_mesh_id, EACH SOURCE command, at);        \
        });                                                                                                            \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_##CAST##_##NAME##_set_state(Header* header, uint8_t dst_dev_id, uint16_t dst_mesh_id,     \
                                                         AREA Command command = nullptr, uint16_t size = 0) {          \
        set_route(header, dst_dev_id, dst_mesh_id RANGE);                                                              \
        header->noc_send_type = TYPE;                                                                                  \
        FILL;                                                                                                          \
    }                                                                                                                  \
    template <MASK Changes = MASK::None, class Command = std::nullptr_t>                                               \
    FORCE_INLINE void fabric_##CAST##_##NAME##_set_state(Manager& manager, uint8_t route_id, AREAS                     \
                                                         Command command = nullptr, uint16_t size = 0) {               \
        PacketHeaderPool::for_each_header(route_id, [&](Header* header, uint8_t i) {                                   \
            auto& slot = manager.get(i);                                                                               \
            fabric_##CAST##_##NAME##_set_state<Changes>(header, slot.dst_dev_id, slot.dst_mesh_id, EACH command,       \
                                                        size);                                                         \
        });                                                                                                            \
    }                                                                                                                  \
    using linear::experimental::fabric_##CAST##_##NAME##_with_state;

#define TS_COMMA ,
#define TS_MESH_BOTH(NAME, COMMAND, MASK, PAYLOAD, SOURCE, PREPARE, SEND, FILL, TYPE)                                  \
    TS_MESH_CALLS(unicast, NAME, COMMAND, MASK, , , , , PAYLOAD, SOURCE, PREPARE, SEND, FILL, TYPE)                    \
    TS_MESH_CALLS(multicast, NAME, COMMAND, MASK, const MeshMcastRange& range TS_COMMA,                                \
                  const MeshMcastRange* ranges TS_COMMA, TS_COMMA range, ranges[i] TS_COMMA, PAYLOAD, SOURCE, PREPARE, \
                  SEND, FILL, TYPE)

#define TS_MESH_WITH_PAYLOAD(NAME, COMMAND, MASK, FILLED, WHOLE, TYPE)                                                 \
    TS_MESH_BOTH(NAME, COMMAND, MASK, uint32_t src_addr TS_COMMA uint32_t bytes TS_COMMA,                              \
                 src_addr TS_COMMA bytes TS_COMMA, header->WHOLE(command TS_COMMA bytes),                              \
                 send_packet(sender TS_COMMA header TS_COMMA src_addr TS_COMMA bytes TS_COMMA at),                     \
                 FILLED<Changes>(header TS_COMMA size TS_COMMA command), TYPE)

#define TS_MESH_HEADER_ONLY(NAME, COMMAND, MASK, FILLED, WHOLE, TYPE)                                                  \
    TS_MESH_BOTH(NAME, COMMAND, MASK, , , header->WHOLE(command), send_header(sender TS_COMMA header TS_COMMA at),     \
                 (void)size; FILLED<Changes>(header TS_COMMA command), TYPE)

TS_MESH_WITH_PAYLOAD(noc_unicast_write, NocUnicastCommandHeader, UnicastWriteUpdateMask,
                     populate_unicast_write_fields, to_noc_unicast_write, NOC_UNICAST_WRITE)
TS_MESH_WITH_PAYLOAD(noc_scatter_write, NocUnicastScatterCommandHeader, UnicastScatterWriteUpdateMask,
                     populate_unicast_scatter_write_fields, to_noc_unicast_scatter_write, NOC_UNICAST_SCATTER_WRITE)
TS_MESH_WITH_PAYLOAD(noc_fused_unicast_with_atomic_inc, NocUnicastAtomicIncFusedCommandHeader,
                     UnicastFusedAtomicIncUpdateMask, populate_unicast_fused_atomic_inc_fields,
                     to_noc_fused_unicast_write_atomic_inc, NOC_FUSED_UNICAST_ATOMIC_INC)
TS_MESH_WITH_PAYLOAD(noc_fused_scatter_write_atomic_inc, NocUnicastScatterAtomicIncFusedCommandHeader,
                     UnicastFusedScatterWriteAtomicIncUpdateMask,
                     populate_unicast_fused_scatter_write_atomic_inc_fields,
                     to_noc_fused_unicast_scatter_write_atomic_inc, NOC_UNICAST_SCATTER_WRITE)
TS_MESH_HEADER_ONLY(noc_unicast_atomic_inc, NocUnicastAtomicIncCommandHeader, UnicastAtomicIncUpdateMask,
                    populate_unicast_atomic_inc_fields, to_noc_unicast_atomic_inc, NOC_UNICAST_ATOMIC_INC)
TS_MESH_HEADER_ONLY(noc_unicast_inline_write, NocUnicastInlineWriteCommandHeader, UnicastInlineWriteUpdateMask,
                    populate_unicast_inline_fields, to_noc_unicast_inline_write, NOC_UNICAST_INLINE_WRITE)
#undef TS_MESH_HEADER_ONLY
#undef TS_MESH_WITH_PAYLOAD
#undef TS_MESH_BOTH
#undef TS_MESH_CALLS
#undef TS_COMMA
// clang-format on

}  // namespace tt::tt_fabric::mesh::experimental

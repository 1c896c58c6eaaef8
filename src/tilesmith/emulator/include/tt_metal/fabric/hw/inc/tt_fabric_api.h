// Routes of packets by the chip they go to, and how large a packet may be.
#pragma once
#include "fabric/fabric_edm_packet_header.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/fabric_config.h"

namespace tt::tt_fabric {

// Where the next router on the way to a chip stands: first along the row, then along the column.
FORCE_INLINE eth_chan_directions get_next_hop_router_direction(uint32_t, uint32_t dst_dev_id) {
    const uint32_t columns = ts_fabric_columns(), here = ts_fabric_chip();
    if (dst_dev_id % columns != here % columns) return dst_dev_id % columns > here % columns ? EAST : WEST;
    return dst_dev_id > here ? SOUTH : NORTH;
}

// A chip of the mesh, by its number.
template <bool FromRouter = false, eth_chan_directions Direction = eth_chan_directions::COUNT>
FORCE_INLINE bool fabric_set_unicast_route(volatile PacketHeader* header, uint16_t dst_dev_id, uint16_t dst_mesh_id) {
    header->route = ts::FabricRoute::chip;
    header->dst_start_chip_id = dst_dev_id;
    header->dst_start_mesh_id = dst_mesh_id;
    return true;
}

// So many hops in the connection's direction, or a chip of the mesh.
template <bool TargetIsChip = true, bool Compressed = true>
FORCE_INLINE bool fabric_set_unicast_route(volatile PacketHeader* header, uint16_t target) {
    if constexpr (TargetIsChip) return fabric_set_unicast_route<false, eth_chan_directions::COUNT>(header, target, 0);
    header->to_chip_unicast(static_cast<uint8_t>(target));
    return true;
}

template <bool FromRouter = false>
FORCE_INLINE void fabric_set_mcast_route(volatile PacketHeader* header, uint16_t dst_dev_id, uint16_t dst_mesh_id,
                                         uint16_t east, uint16_t west, uint16_t north, uint16_t south) {
    header->route = ts::FabricRoute::area;
    header->dst_start_chip_id = dst_dev_id;
    header->dst_start_mesh_id = dst_mesh_id;
    const uint16_t hops[4] = {east, west, north, south};
    for (uint32_t i = 0; i < 4; ++i) header->area[i] = static_cast<uint8_t>(hops[i]);
}

template <class HopMask>
FORCE_INLINE void fabric_set_sparse_multicast_route(volatile PacketHeader* header, HopMask hop_mask) {
    header->to_chip_sparse_multicast({static_cast<uint32_t>(hop_mask)});
}

}  // namespace tt::tt_fabric

using namespace tt::tt_fabric;

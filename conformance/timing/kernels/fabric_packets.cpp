// Packets from one place in L1 to the chips of a line, as fast as the router takes them.
#include "api/dataflow/dataflow_api.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

void kernel_main() {
    const uint32_t from = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1),
                   packets = get_arg_val<uint32_t>(2);
    const auto first = static_cast<uint8_t>(get_arg_val<uint32_t>(3)),
               range = static_cast<uint8_t>(get_arg_val<uint32_t>(4));
    size_t next = 5;
    auto fabric = FabricConnectionManager::build_from_args(next);
    auto* header = PacketHeaderPool::allocate_header();
    fabric.open();
    auto& sender = fabric.get_forward_connection();
    header->to_chip_multicast(tt::tt_fabric::MulticastRoutingCommandHeader{first, range});
    header->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{get_noc_addr(from)}, bytes);
    for (uint32_t i = 0; i < packets; ++i) {
        sender.wait_for_empty_write_slot();
        sender.send_payload_without_header_non_blocking_from_address(from, bytes);
        sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
    }
    fabric.close();
}

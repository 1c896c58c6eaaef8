// The pages of a tensor to the next chip, and a semaphore raised there behind them.
#include "api/dataflow/dataflow_api.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

void kernel_main() {
    constexpr uint32_t cb = 0, bytes = 2048;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    size_t next = 2;
    auto fabric = FabricConnectionManager::build_from_args(next);
    auto* header = PacketHeaderPool::allocate_header();
    fabric.open();
    auto& sender = fabric.get_forward_connection();
    header->to_chip_unicast(1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(cb, 1);
        header->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{target.get_noc_addr(page)}, bytes);
        sender.wait_for_empty_write_slot();
        sender.send_payload_without_header_non_blocking_from_address(get_read_ptr(cb), bytes);
        sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
        cb_pop_front(cb, 1);
    }
    header->to_noc_unicast_atomic_inc(
        tt::tt_fabric::NocUnicastAtomicIncCommandHeader{get_noc_addr(get_semaphore(0)), 1});
    sender.wait_for_empty_write_slot();
    sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
    fabric.close();
}

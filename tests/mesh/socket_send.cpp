// Pages of a circular buffer through a socket to another chip.
#include "api/dataflow/dataflow_api.h"
#include "api/socket_api.h"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

void kernel_main() {
    const uint32_t pages = get_arg_val<uint32_t>(1);
    size_t next = 2;
    auto fabric = tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    auto* data = PacketHeaderPool::allocate_header();
    auto* told = PacketHeaderPool::allocate_header();
    SocketSenderInterface socket = create_sender_socket_interface(get_arg_val<uint32_t>(0));
    set_sender_socket_page_size(socket, 2048);
    const auto to = get_downstream_encoding(socket, 0);
    fabric.open();
    fabric_set_unicast_route(data, to);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(0, 1);
        socket_reserve_pages(socket, 1);
        const uint64_t address = get_noc_addr(to.d2d.downstream_noc_x, to.d2d.downstream_noc_y,
                                              socket.downstream_fifo_addr + socket.write_ptr);
        data->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{address}, 2048);
        fabric.wait_for_empty_write_slot();
        fabric.send_payload_without_header_non_blocking_from_address(get_read_ptr(0), 2048);
        fabric.send_payload_flush_blocking_from_address((uint32_t)data, sizeof(PACKET_HEADER_TYPE));
        cb_pop_front(0, 1);
        socket_push_pages(socket, 1);
        fabric_socket_notify_receiver(socket, fabric, told);
    }
    socket_barrier(socket);
    update_socket_config(socket);
    fabric.close();
}

// What arrives in a socket, to the pages of a tensor.
#include "api/dataflow/dataflow_api.h"
#include "api/socket_api.h"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

void kernel_main() {
    const uint32_t pages = get_arg_val<uint32_t>(1);
    size_t next = 2;
    auto fabric = tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(next), 2048);
    auto* told = PacketHeaderPool::allocate_header();
    SocketReceiverInterface socket = create_receiver_socket_interface(get_arg_val<uint32_t>(0));
    set_receiver_socket_page_size(socket, 2048);
    fabric.open();
    for (uint32_t page = 0; page < pages; ++page) {
        socket_wait_for_pages(socket, 1);
        noc_async_write(socket.read_ptr, target.get_noc_addr(page), 2048);
        noc_async_write_barrier();
        socket_pop_pages(socket, 1);
        fabric_socket_notify_sender(socket, fabric, told);
    }
    update_socket_config(socket);
    fabric.close();
}

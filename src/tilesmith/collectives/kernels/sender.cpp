// Sends each page to the chips that want it, raises their semaphores behind each message, and writes what was summed.
#include "messages.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

inline constexpr uint32_t sent_cb = 0, result_cb = 2;
using Header = volatile PACKET_HEADER_TYPE;
using Sender = tt::tt_fabric::WorkerToFabricEdmSender;

void set_route(Header* header, Reach reach) {
    header->to_chip_multicast(tt::tt_fabric::MulticastRoutingCommandHeader{reach.start, reach.range});
}

void send(Sender& sender, Header* header, uint32_t from, uint64_t to, uint32_t bytes) {
    header->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{to}, bytes);
    sender.wait_for_empty_write_slot();
    sender.send_payload_without_header_non_blocking_from_address(from, bytes);
    sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
}

void raise(Sender& sender, Header* header, uint32_t semaphore) {
    header->to_noc_unicast_atomic_inc(tt::tt_fabric::NocUnicastAtomicIncCommandHeader{get_noc_addr(semaphore), 1});
    sender.wait_for_empty_write_slot();
    sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
}

void kernel_main() {
    constexpr uint32_t bytes = get_compile_time_arg_val(0), packet = get_compile_time_arg_val(1);
    constexpr bool sums = get_compile_time_arg_val(2);
    constexpr auto gathered_args = TensorAccessorArgs<3>();
    constexpr auto result_args = TensorAccessorArgs<gathered_args.next_compile_time_args_offset()>();
    const auto gathered = TensorAccessor(gathered_args, get_arg_val<uint32_t>(0));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(1));
    const uint32_t arrived = get_arg_val<uint32_t>(2), expected = get_arg_val<uint32_t>(3);
    const uint32_t first = get_arg_val<uint32_t>(4), count = get_arg_val<uint32_t>(5);
    const uint32_t messages = get_arg_val<uint32_t>(6);
    size_t next = 7 + messages * words_of_message;
    auto fabric = FabricConnectionManager::build_from_args(next);
    Header* header = PacketHeaderPool::allocate_header();
    if (messages) fabric.open();

    for (uint32_t m = 0; m < messages; ++m) {
        const Message what = message(7 + m * words_of_message);
        for (uint32_t i = what.first; i < what.first + what.pages; ++i) {
            cb_wait_front(sent_cb, 1);
            const uint32_t from = get_read_ptr(sent_cb), page = what.to.page(i);
            if (what.here) noc_async_write(from, gathered.get_noc_addr(page, what.to.offset), bytes);
            for (uint32_t done = 0; done < bytes; done += packet) {
                const uint64_t to = gathered.get_noc_addr(page, what.to.offset + done);
                const uint32_t size = bytes - done < packet ? bytes - done : packet;
                if (what.forward.range) {
                    set_route(header, what.forward);
                    send(fabric.get_forward_connection(), header, from + done, to, size);
                }
                if (what.backward.range) {
                    set_route(header, what.backward);
                    send(fabric.get_backward_connection(), header, from + done, to, size);
                }
            }
            noc_async_writes_flushed();
            cb_pop_front(sent_cb, 1);
        }
        noc_async_write_barrier();
        if (what.forward.range) {
            set_route(header, what.forward);
            raise(fabric.get_forward_connection(), header, arrived);
        }
        if (what.backward.range) {
            set_route(header, what.backward);
            raise(fabric.get_backward_connection(), header, arrived);
        }
        if (what.here) {
            noc_semaphore_inc(get_noc_addr(arrived), 1);
            noc_async_atomic_barrier();
        }
    }
    if (messages) fabric.close();
    if constexpr (sums) {
        for (uint32_t i = first; i < first + count; ++i) {
            cb_wait_front(result_cb, 1);
            noc_async_write(get_read_ptr(result_cb), result.get_noc_addr(i), bytes);
            noc_async_writes_flushed();
            cb_pop_front(result_cb, 1);
        }
        noc_async_write_barrier();
    }
    noc_semaphore_wait_min(word_at(arrived), expected);
}

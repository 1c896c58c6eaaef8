// Sends pages to the chips that want them, and raises their semaphores behind each message. When all that this chip
// expects over its link has arrived, it says so to the cores that sum.
#include "messages.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

using Header = volatile PACKET_HEADER_TYPE;
using Sender = tt::tt_fabric::WorkerToFabricEdmSender;

// One way of a message: its connection, which not every chip has, and a header with the route.
struct Way {
    FabricConnectionManager& fabric;
    bool ahead;
    Header* header;

    Sender& connection() const { return ahead ? fabric.get_forward_connection() : fabric.get_backward_connection(); }

    void set_route(Reach reach) const {
        header->to_chip_multicast(tt::tt_fabric::MulticastRoutingCommandHeader{reach.start, reach.range});
    }

    void send(uint32_t from, uint32_t bytes) const {
        Sender& sender = connection();
        sender.wait_for_empty_write_slot();
        sender.send_payload_without_header_non_blocking_from_address(from, bytes);
        sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
    }

    void send_part(uint32_t from, uint64_t to, uint32_t bytes) const {
        header->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{to}, bytes);
        send(from, bytes);
    }

    void send_pages(uint32_t from, const uint64_t* to, const uint16_t* sizes, uint32_t pages) const {
        const tt::tt_fabric::NocUnicastScatterCommandHeader command(to, sizes, pages);
        header->to_noc_unicast_scatter_write(command, pages * sizes[0]);
        send(from, pages * sizes[0]);
    }

    void raise(uint32_t semaphore) const {
        Sender& sender = connection();
        header->to_noc_unicast_atomic_inc(tt::tt_fabric::NocUnicastAtomicIncCommandHeader{get_noc_addr(semaphore), 1});
        sender.wait_for_empty_write_slot();
        sender.send_payload_flush_blocking_from_address((uint32_t)header, sizeof(PACKET_HEADER_TYPE));
    }
};

// A packet takes several pages that lie one behind the other in L1, or a part of one.
template <uint32_t bytes, uint32_t packet>
void send_group(const Way& way, uint32_t from, const uint64_t* to, uint32_t pages) {
    if (pages > 1) {
        constexpr uint16_t page = bytes < packet ? bytes : packet;
        constexpr uint16_t sizes[NOC_SCATTER_WRITE_MAX_CHUNKS] = {page, page, page, page};
        return way.send_pages(from, to, sizes, pages);
    }
    for (uint32_t done = 0; done < bytes; done += packet)
        way.send_part(from + done, to[0] + done, bytes - done < packet ? bytes - done : packet);
}

void kernel_main() {
    constexpr uint32_t bytes = get_compile_time_arg_val(0), stride = get_compile_time_arg_val(1);
    constexpr uint32_t packet = get_compile_time_arg_val(2), together = get_compile_time_arg_val(3);
    constexpr bool sums = get_compile_time_arg_val(4);
    constexpr auto gathered_args = TensorAccessorArgs<5>();
    const auto gathered = TensorAccessor(gathered_args, get_arg_val<uint32_t>(0));
    const uint32_t arrived = get_arg_val<uint32_t>(1), expected = get_arg_val<uint32_t>(2);
    const uint32_t batch = get_arg_val<uint32_t>(3), messages = get_arg_val<uint32_t>(4);
    const uint32_t ready = sums ? get_semaphore(0) : 0;
    size_t next = 5 + messages * words_of_message;
    auto fabric = FabricConnectionManager::build_from_args(next);
    const Way forward{fabric, true, PacketHeaderPool::allocate_header()};
    const Way backward{fabric, false, PacketHeaderPool::allocate_header()};
    if (messages) fabric.open();

    for (uint32_t m = 0; m < messages; ++m) {
        const Message what = message(5 + m * words_of_message);
        if (what.forward.range) forward.set_route(what.forward);
        if (what.backward.range) backward.set_route(what.backward);
        for (uint32_t done = 0; done < what.pages; done += batch) {
            cb_wait_front(sent_cb, batch);
            uint32_t from = get_read_ptr(sent_cb);
            const uint32_t end = what.pages < done + batch ? what.pages : done + batch;
            for (uint32_t i = done; i < end; i += together, from += together * stride) {
                const uint32_t pages = end - i < together ? end - i : together;
                uint64_t to[together];
                for (uint32_t j = 0; j < pages; ++j) {
                    to[j] = gathered.get_noc_addr(what.to.page(what.first + i + j), what.to.offset);
                    if (what.here) noc_async_write(from + j * stride, to[j], bytes);
                }
                if (what.forward.range) send_group<bytes, packet>(forward, from, to, pages);
                if (what.backward.range) send_group<bytes, packet>(backward, from, to, pages);
            }
            noc_async_writes_flushed();
            cb_pop_front(sent_cb, batch);
        }
        if (what.forward.range) forward.raise(arrived);  // it comes behind the packets of the same connection
        if (what.backward.range) backward.raise(arrived);
    }
    noc_async_write_barrier();
    if (messages) fabric.close();
    noc_semaphore_wait_min(word_at(arrived), expected);

    if constexpr (sums) {
        const uint32_t cores = get_arg_val<uint32_t>(next++);
        for (uint32_t i = 0; i < cores; ++i) {
            const uint32_t core = get_arg_val<uint32_t>(next++);
            noc_semaphore_inc(get_noc_addr(core >> 16, core & 0xffff, ready), 1);
        }
        noc_async_atomic_barrier();
    }
}

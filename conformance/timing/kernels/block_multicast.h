// How one core hands a block to a row or column of cores, as the vendor's matmul kernels do.
#pragma once
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

struct Group {  // the others, as the corners of a rectangle
    uint32_t x0, y0, x1, y1, count;
};

inline volatile uint32_t* word(uint32_t address) { return reinterpret_cast<volatile uint32_t*>(address); }

// Blackhole's data and signals leave from different command buffers.
inline void keep_order() {
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();
#endif
}

template <bool to_self>
inline void send(uint32_t from, uint32_t to, uint32_t bytes, const Group& group, uint32_t waiting, uint32_t ready,
                 uint32_t arrived) {
    noc_semaphore_wait(word(ready), waiting);
    noc_semaphore_set(word(ready), 0);
    const uint64_t there = get_noc_multicast_addr(group.x0, group.y0, group.x1, group.y1, to);
    const uint64_t signal = get_noc_multicast_addr(group.x0, group.y0, group.x1, group.y1, arrived);
    noc_semaphore_set(word(arrived), 1);
    if constexpr (to_self) {
        noc_async_write_multicast_loopback_src(from, there, bytes, group.count, true);
        keep_order();
        noc_semaphore_set_multicast_loopback_src(arrived, signal, group.count);
        noc_async_write_barrier();
    } else {
        noc_async_write_multicast(from, there, bytes, group.count, true);
        keep_order();
        noc_semaphore_set_multicast(arrived, signal, group.count);
        noc_async_writes_flushed();
    }
}

inline void receive(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(word(arrived), 0);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
    noc_semaphore_wait(word(arrived), 1);
}

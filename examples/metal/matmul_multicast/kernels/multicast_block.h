// One core reads a block and gives it to every core of its row or column. Two semaphores keep the sides in step:
// `ready` counts, on the sender, the receivers that have room; `arrived` tells a receiver that its block is there.
#pragma once
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

struct Rectangle {
    uint32_t x_start, y_start, x_end, y_end;  // in the order in which this kernel's NoC runs through it
};

inline constexpr uint32_t block_absent = 0;
inline constexpr uint32_t block_arrived = 1;

inline volatile tt_l1_ptr uint32_t* semaphore_word(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

inline uint64_t address_on(const Rectangle& cores, uint32_t address) {
    return get_noc_multicast_addr(cores.x_start, cores.y_start, cores.x_end, cores.y_end, address);
}

// Sends `bytes` at `block` to the same address on `receivers` cores. Afterwards the block may be reused here.
inline void send_block(
    uint32_t block, uint32_t bytes, const Rectangle& cores, uint32_t receivers, uint32_t ready, uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(ready), receivers);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast(block, address_on(cores, block), bytes, receivers);
    noc_semaphore_set(semaphore_word(arrived), block_arrived);
    noc_semaphore_set_multicast(arrived, address_on(cores, arrived), receivers);
    noc_async_writes_flushed();
}

// Tells the sender that this core has room, and waits for the block.
inline void receive_block(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(semaphore_word(arrived), block_absent);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
    noc_semaphore_wait(semaphore_word(arrived), block_arrived);
}

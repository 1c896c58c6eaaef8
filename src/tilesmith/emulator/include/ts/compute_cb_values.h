// What unpack finds in a circular buffer, told to math and pack through their mailboxes.
#pragma once
#include "ts/prologue.h"

namespace ts {
// `find` runs on unpack only; all three roles get its result.
template <class Find>
uint32_t shared_by_unpack(Find find, At at) {
    if (ts_role() != Role::unpack) return ts_mailbox_read(Role::unpack, at);
    const uint32_t value = find();
    ts_mailbox_write(Role::math, value, at);
    ts_mailbox_write(Role::pack, value, at);
    return value;
}

inline uint32_t front_tile_address(uint32_t cb, uint32_t tile_index, At at) {
    return shared_by_unpack(
        [=] {
            const CbInterface& fifo = *ts_cb_interface(cb);
            return (fifo.fifo_rd_ptr + fifo.fifo_page_size * tile_index) << cb_addr_shift;
        },
        at);
}

template <class T>
T front_tile_value(uint32_t cb, uint32_t tile_index, uint32_t element_offset, At at) {
    return static_cast<T>(shared_by_unpack(
        [=] {
            const CbInterface& fifo = *ts_cb_interface(cb);
            const uint32_t tile = (fifo.fifo_rd_ptr + fifo.fifo_page_size * tile_index) << cb_addr_shift;
            const uint32_t address = tile + element_offset * static_cast<uint32_t>(sizeof(T));
            ts_l1_touch_read(address, sizeof(T), at);
            T value;
            std::memcpy(&value, reinterpret_cast<const void*>(static_cast<uintptr_t>(address)), sizeof(T));
            return static_cast<uint32_t>(value);
        },
        at));
}
}  // namespace ts

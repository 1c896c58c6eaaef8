// Circular buffers. A data-movement RISC does all four calls; of the compute roles unpack consumes and pack produces.
#pragma once
#include "ts/abi.h"

using LocalCBInterface = ts::CbInterface;

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t cb_id) { return *ts_cb_interface(cb_id); }

#ifdef COMPILE_FOR_TRISC
inline constexpr uint32_t cb_addr_shift = 4;
#define TS_CB_PRODUCER() (ts_role() == ts::Role::pack)
#define TS_CB_CONSUMER() (ts_role() == ts::Role::unpack)
#else
inline constexpr uint32_t cb_addr_shift = 0;
#define TS_CB_PRODUCER() true
#define TS_CB_CONSUMER() true
#endif

// Objects call these, for a kernel may put macros in the place of the functions below.
namespace ts {
FORCE_INLINE void reserve_back(uint32_t cb, uint32_t pages, At at) {
    if (TS_CB_PRODUCER()) ts_cb_reserve_back(cb, pages, at);
}
FORCE_INLINE void push_back(uint32_t cb, uint32_t pages, At at) {
    if (TS_CB_PRODUCER()) ts_cb_push_back(cb, pages, at);
}
FORCE_INLINE void wait_front(uint32_t cb, uint32_t pages, At at) {
    if (TS_CB_CONSUMER()) ts_cb_wait_front(cb, pages, at);
}
FORCE_INLINE void pop_front(uint32_t cb, uint32_t pages, At at) {
    if (TS_CB_CONSUMER()) ts_cb_pop_front(cb, pages, at);
}
}  // namespace ts

FORCE_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages, TS_AT) { ts::reserve_back(cb, pages, at); }
FORCE_INLINE void cb_push_back(uint32_t cb, uint32_t pages, TS_AT) { ts::push_back(cb, pages, at); }
FORCE_INLINE void cb_wait_front(uint32_t cb, uint32_t pages, TS_AT) { ts::wait_front(cb, pages, at); }
FORCE_INLINE void cb_pop_front(uint32_t cb, uint32_t pages, TS_AT) { ts::pop_front(cb, pages, at); }

FORCE_INLINE bool cb_access_within_bounds(uint32_t cb, uint32_t first_page, uint32_t pages) {
    const LocalCBInterface& fifo = get_local_cb_interface(cb);
    return fifo.fifo_rd_ptr + (first_page + pages) * fifo.fifo_page_size <= fifo.fifo_limit;
}

#ifndef COMPILE_FOR_TRISC
FORCE_INLINE bool cb_pages_available_at_front(int32_t cb, int32_t pages, TS_AT) {
    return ts_cb_pages_available_at_front(cb, pages, at);
}
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t cb, int32_t pages, TS_AT) {
    return ts_cb_pages_reservable_at_back(cb, pages, at);
}
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb, TS_AT) { return ts_cb_read_ptr(cb, at); }
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb, TS_AT) { return ts_cb_write_ptr(cb, at); }
#endif

// Printing whole pages and circular buffers.
#pragma once
#include "api/debug/dprint.h"

inline void print_cb_details(uint32_t cb_id) {
    const LocalCBInterface& fifo = get_local_cb_interface(cb_id);
    DPRINT(
        "cb_id {}: {{ size: {}, limit: {}, page_size: {}, num_pages: {}, rd_ptr: {}, wr_ptr: {}, wr_tile_ptr: {} }}\n",
        cb_id, fifo.fifo_size, fifo.fifo_limit, fifo.fifo_page_size, fifo.fifo_num_pages, fifo.fifo_rd_ptr,
        fifo.fifo_wr_ptr, fifo.fifo_wr_tile_ptr);
}

namespace ts {
template <class Element, class Text>
void print_pages(uint32_t address, uint32_t per_page, uint32_t pages, uint32_t first, Text text) {
    const auto* data = reinterpret_cast<const volatile Element*>(static_cast<uintptr_t>(address)) + first * per_page;
    for (uint32_t page = 0; page < pages; ++page) {
        PrintBuffer buffer(At::current());
        PrintItem(first + page).print(buffer);
        buffer.add(':');
        for (uint32_t i = 0; i < per_page; ++i) {
            buffer.add(' ');
            PrintItem(text(*data++)).print(buffer);
        }
        buffer.add('\n');
    }
}
}  // namespace ts

namespace tt::data_movement::common {
inline void print_bf16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    ts::print_pages<uint16_t>(l1_addr, elts_per_page, npages, start, [](uint16_t bits) { return BF16(bits); });
}
inline void print_f32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    ts::print_pages<float>(l1_addr, elts_per_page, npages, start, [](float value) { return value; });
}
inline void print_u8_pages(uint32_t l1_addr, uint32_t bytes_per_page, uint32_t npages, uint32_t start = 0) {
    ts::print_pages<uint8_t>(l1_addr, bytes_per_page, npages, start, [](uint8_t value) { return uint32_t{value}; });
}
inline void print_u16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    ts::print_pages<uint16_t>(l1_addr, elts_per_page, npages, start, [](uint16_t value) { return value; });
}
inline void print_u32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    ts::print_pages<uint32_t>(l1_addr, elts_per_page, npages, start, [](uint32_t value) { return value; });
}
}  // namespace tt::data_movement::common

#ifdef COMPILE_FOR_TRISC
namespace tt::compute::common {
inline void print_full_tile(uint32_t cb_id, uint32_t tile_id = 0, bool untilize = false) {
    DPRINT("{}", TileSlice<64>(cb_id, tile_id, {0, 32, 1, 0, 32, 1}, true, untilize));
}
inline void print_tile_rows(uint32_t cb_idx, uint32_t tile_idx, bool untilize = false, uint16_t start_row = 0,
                            uint16_t end_row = 32, uint8_t start_col = 0, uint8_t end_col = 32) {
    const SliceRange rows{static_cast<uint8_t>(start_row), static_cast<uint8_t>(end_row), 1, start_col, end_col, 1};
    DPRINT("cb_idx: {} tile_idx: {}\n{}", cb_idx, tile_idx, TileSlice<64>(cb_idx, tile_idx, rows, true, untilize));
}
}  // namespace tt::compute::common
#endif

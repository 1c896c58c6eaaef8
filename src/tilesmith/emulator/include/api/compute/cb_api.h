// Circular buffers from compute: unpack consumes, pack produces. The four calls themselves come with the prologue.
#pragma once
#include "api/compute/common_globals.h"
#include "ts/compute_cb_values.h"

namespace ckernel {
using ::cb_pop_front;
using ::cb_push_back;
using ::cb_reserve_back;
using ::cb_wait_front;

ALWI uint32_t get_tile_l1_byte_address(uint32_t operand_id, uint32_t tile_index) {
    const LocalCBInterface& fifo = get_local_cb_interface(operand_id);
    return (fifo.fifo_rd_ptr + fifo.fifo_page_size * tile_index) << 4;
}

ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index, TS_AT) {
    return ts::front_tile_address(cb_id, tile_index, at);
}

ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset, TS_AT) {
    return ts::front_tile_value<uint32_t>(cb_id, tile_index, element_offset, at);
}
}  // namespace ckernel

// Writes a core's output block, which compute leaves sub-block by sub-block, to the tensor.
#pragma once
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// Where an output block lies in the tensor, in tiles. Tiles at or beyond `rows` and `columns` are padding.
struct OutputBlock {
    uint32_t first_row, first_column, rows, columns;
};

template <uint32_t cb, uint32_t block_m, uint32_t block_n, uint32_t sub_m, uint32_t sub_n, typename Accessor>
void write_block(const Accessor& tensor, const OutputBlock& out) {
    const uint32_t bytes = get_tile_size(cb);
    for (uint32_t top = 0; top < block_m; top += sub_m) {
        for (uint32_t left = 0; left < block_n; left += sub_n) {
            cb_wait_front(cb, sub_m * sub_n);
            uint32_t tile = get_read_ptr(cb);
            for (uint32_t row = out.first_row + top; row < out.first_row + top + sub_m; ++row) {
                for (uint32_t column = out.first_column + left; column < out.first_column + left + sub_n; ++column) {
                    if (row < out.rows && column < out.columns) {
                        noc_async_write_page(row * out.columns + column, tensor, tile);
                    }
                    tile += bytes;
                }
            }
            noc_async_writes_flushed();
            cb_pop_front(cb, sub_m * sub_n);
        }
    }
    noc_async_write_barrier();
}

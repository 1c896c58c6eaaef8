// Reads the tiles that go into each tile of the output, and fills their padding with what does not change the result.
// Compile time: tensor. Per core: first tile of the output, number of tiles.
// Common: tiles of the output that are neighbours in the input, distance of their groups, tiles that go into one,
// their distance; tiles down and across a matrix, rows and columns in the last of them; fill, bytes per element; tensor.
#include <cstdint>

#include "../../kernels/tensor.hpp"
#include "../../kernels/tile_fill.hpp"

constexpr uint32_t cb = 0;

inline uint32_t arg(uint32_t index) { return get_common_arg_val<uint32_t>(index); }

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t neighbours = arg(0), group = arg(1), members = arg(2), step = arg(3);
    const uint32_t down = arg(4), across = arg(5), rows = arg(6), cols = arg(7), fill = arg(8), bytes = arg(9);
    uint32_t common = 10;
    const auto source = tensor_at<0>(common);

    for (uint32_t out = first; out < first + count; ++out) {
        uint32_t page = out / neighbours * group + out % neighbours;
        for (uint32_t i = 0; i < members; ++i, page += step) {
            cb_reserve_back(cb, 1);
            noc_async_read(source.get_noc_addr(page), get_write_ptr(cb), get_tile_size(cb));
            noc_async_read_barrier();
            const bool bottom = page / across % down == down - 1, right = page % across == across - 1;
            tile::fill_outside(get_write_ptr(cb), bottom ? rows : tile::ROWS, right ? cols : tile::ROWS, bytes, 0,
                               fill);
            cb_push_back(cb, 1);
        }
    }
}

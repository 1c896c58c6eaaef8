// Writes consecutive tiles of a tensor from a circular buffer, with zeros where a tile reaches past the tensor.
// Compile time: circular buffer, tensor. Per core: first tile, number of tiles.
// Common: tiles down and across a matrix, rows and columns in the last of them, bytes per element (0: leave padding
// as it is), tensor.
#include <cstdint>

#include "tensor.hpp"
#include "tile_fill.hpp"

inline uint32_t arg(uint32_t index) { return get_common_arg_val<uint32_t>(index); }

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t down = arg(0), across = arg(1), rows = arg(2), cols = arg(3), bytes = arg(4);
    uint32_t common = 5;
    const auto target = tensor_at<1>(common);
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t size = get_tile_size(cb);

    for (uint32_t page = first; page < first + count; ++page) {
        cb_wait_front(cb, 1);
        const bool bottom = page / across % down == down - 1, right = page % across == across - 1;
        if (bytes && (bottom || right)) {
            tile::fill_outside(get_read_ptr(cb), bottom ? rows : tile::ROWS, right ? cols : tile::ROWS, bytes, 0, 0);
        }
        noc_async_write(get_read_ptr(cb), target.get_noc_addr(page), size);
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}

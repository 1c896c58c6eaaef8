// The weights once, then the rows of A: all tiles of a block are on their way before the one barrier.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

template <class Tensor>
void read_block(const Tensor& tensor, uint32_t cb, uint32_t first, uint32_t tiles) {
    cb_reserve_back(cb, tiles);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t page = first; page < first + tiles; ++page, to += get_tile_size(cb)) {
        noc_async_read_page(page, tensor, to);
    }
    noc_async_read_barrier();
    cb_push_back(cb, tiles);
}

void kernel_main() {
    const uint32_t address_a = get_arg_val<uint32_t>(0);
    const uint32_t address_b = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t b_tiles = get_arg_val<uint32_t>(4);
    const uint32_t block = get_arg_val<uint32_t>(5);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<2>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();

    const auto a = TensorAccessor(args_a, address_a);
    const auto b = TensorAccessor(args_b, address_b);
    read_block(b, cb_b, 0, b_tiles);
    for (uint32_t page = first; page < first + count; page += block) {
        read_block(a, cb_a, page, block);
    }
}

// For this core's share of the output tiles, reads the row of A and the column of B in blocks of k_block tiles, so that
// one barrier covers 2 * k_block reads.
#include <cstdint>

#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t address_a = get_arg_val<uint32_t>(0);
    const uint32_t address_b = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t k_tiles = get_arg_val<uint32_t>(4);
    const uint32_t n_tiles = get_arg_val<uint32_t>(5);
    constexpr uint32_t cb_a_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b_id = get_compile_time_arg_val(1);
    constexpr uint32_t k_block = get_compile_time_arg_val(2);
    constexpr auto args_a = TensorAccessorArgs<3>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    constexpr uint32_t a_bytes = get_tile_size(cb_a_id);
    constexpr uint32_t b_bytes = get_tile_size(cb_b_id);

    const auto a = TensorAccessor(args_a, address_a);
    const auto b = TensorAccessor(args_b, address_b);
    CircularBuffer cb_a(cb_a_id);
    CircularBuffer cb_b(cb_b_id);
    Noc noc;
    for (uint32_t out = first; out < first + count; ++out) {
        const uint32_t m = out / n_tiles;
        const uint32_t n = out % n_tiles;
        for (uint32_t k = 0; k < k_tiles; k += k_block) {
            cb_a.reserve_back(k_block);
            cb_b.reserve_back(k_block);
            for (uint32_t i = 0; i < k_block; ++i) {
                noc.async_read(a, cb_a, a_bytes, {.page_id = m * k_tiles + k + i}, {.offset_bytes = i * a_bytes});
                noc.async_read(b, cb_b, b_bytes, {.page_id = (k + i) * n_tiles + n}, {.offset_bytes = i * b_bytes});
            }
            noc.async_read_barrier();
            cb_a.push_back(k_block);
            cb_b.push_back(k_block);
        }
    }
}

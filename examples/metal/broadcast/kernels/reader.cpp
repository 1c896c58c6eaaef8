// Reads tiles of A together with the tile of the smaller B that is broadcast over each of them.
#include <cstdint>

#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

enum Broadcast : uint32_t { rows = 0, columns = 1, scalar = 2 };

void kernel_main() {
    const uint32_t address_a = get_arg_val<uint32_t>(0);
    const uint32_t address_b = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t height = get_common_arg_val<uint32_t>(0);
    const uint32_t width = get_common_arg_val<uint32_t>(1);
    constexpr uint32_t cb_a_id = get_named_compile_time_arg_val("cb_a");
    constexpr uint32_t cb_b_id = get_named_compile_time_arg_val("cb_b");
    constexpr uint32_t kind = get_named_compile_time_arg_val("broadcast");
    constexpr auto args_a = TensorAccessorArgs<0>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();

    const auto a = TensorAccessor(args_a, address_a);
    const auto b = TensorAccessor(args_b, address_b);
    CircularBuffer cb_a(cb_a_id);
    CircularBuffer cb_b(cb_b_id);
    Noc noc;
    for (uint32_t page = first; page < first + count; ++page) {
        const uint32_t image = page / (height * width);
        const uint32_t row = page / width;
        uint32_t page_b = image;
        if constexpr (kind == Broadcast::rows) {
            page_b = image * width + page % width;
        } else if constexpr (kind == Broadcast::columns) {
            page_b = row;
        }
        cb_a.reserve_back(1);
        cb_b.reserve_back(1);
        noc.async_read(a, cb_a, get_tile_size(cb_a_id), {.page_id = page}, {.offset_bytes = 0});
        noc.async_read(b, cb_b, get_tile_size(cb_b_id), {.page_id = page_b}, {.offset_bytes = 0});
        noc.async_read_barrier();
        cb_a.push_back(1);
        cb_b.push_back(1);
    }
}

// Rows of every head with their sines and cosines: read with each row, or, where few rows are a core's, once for all heads.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), cos_address = get_arg_val<uint32_t>(1);
    const uint32_t sin_address = get_arg_val<uint32_t>(2), turn_address = get_arg_val<uint32_t>(3);
    const uint32_t heads = get_arg_val<uint32_t>(4), height = get_arg_val<uint32_t>(5);
    const uint32_t first = get_arg_val<uint32_t>(6), last = get_arg_val<uint32_t>(7);
    constexpr uint32_t width = get_compile_time_arg_val(0);
    constexpr bool reload = get_compile_time_arg_val(1);
    constexpr uint32_t in = 0, cosine = 1, sine = 2, turn = 3;
    constexpr auto args = TensorAccessorArgs<2>();
    const auto source = TensorAccessor(args, address);
    const auto cosines = TensorAccessor(args, cos_address);
    const auto sines = TensorAccessor(args, sin_address);
    const auto turns = TensorAccessor(args, turn_address);
    const uint32_t tile = get_tile_size(in);

    cb_reserve_back(turn, 1);
    noc_async_read_page(0, turns, get_write_ptr(turn));
    noc_async_read_barrier();
    cb_push_back(turn, 1);
    for (uint32_t head = 0; head < heads; ++head)
        for (uint32_t row = first; row < last; ++row) {
            const bool with_angles = reload || head == 0;
            if (with_angles) cb_reserve_back(sine, width);
            if (with_angles) cb_reserve_back(cosine, width);
            cb_reserve_back(in, width);
            uint32_t to = get_write_ptr(in), to_sine = get_write_ptr(sine), to_cosine = get_write_ptr(cosine);
            for (uint32_t i = 0; i < width; ++i, to += tile, to_sine += tile, to_cosine += tile) {
                noc_async_read_page((head * height + row) * width + i, source, to);
                if (with_angles) noc_async_read_page(row * width + i, sines, to_sine);
                if (with_angles) noc_async_read_page(row * width + i, cosines, to_cosine);
            }
            noc_async_read_barrier();
            cb_push_back(in, width);
            if (with_angles) cb_push_back(sine, width);
            if (with_angles) cb_push_back(cosine, width);
        }
}

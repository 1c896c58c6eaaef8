// masked_sum, reader: a tile of ones as reduce scaler, then rows of tiles of input and mask.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

constexpr uint32_t two_bf16_ones = 0x3f803f80;

void push_ones(uint32_t cb) {
    cb_reserve_back(cb, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < get_tile_size(cb) / sizeof(uint32_t); ++i) {
        words[i] = two_bf16_ones;
    }
    cb_push_back(cb, 1);
}

template <typename Accessor>
void read_row(const Accessor& tensor, uint32_t cb, uint32_t row, uint32_t Wt) {
    cb_reserve_back(cb, Wt);
    const uint32_t target = get_write_ptr(cb);
    const uint32_t bytes = get_tile_size(cb);
    for (uint32_t column = 0; column < Wt; ++column) {
        noc_async_read_page(row * Wt + column, tensor, target + column * bytes);
    }
    noc_async_read_barrier();
    cb_push_back(cb, Wt);
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_mask = get_compile_time_arg_val(1);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(2);
    constexpr auto input_args = TensorAccessorArgs<3>();
    constexpr auto mask_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto mask = TensorAccessor(mask_args, get_arg_val<uint32_t>(1));
    const uint32_t start_row = get_arg_val<uint32_t>(2);
    const uint32_t num_rows = get_arg_val<uint32_t>(3);
    const uint32_t Wt = get_arg_val<uint32_t>(4);

    push_ones(cb_scaler);
    for (uint32_t row = start_row; row < start_row + num_rows; ++row) {
        read_row(input, cb_in, row, Wt);
        read_row(mask, cb_mask, row, Wt);
    }
}

// Other cores of a column: take the blocks of B that the first core multicasts, then write their output.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "multicast_block.h"
#include "write_block.h"

void kernel_main() {
    const uint32_t sender_x = get_arg_val<uint32_t>(0);
    const uint32_t sender_y = get_arg_val<uint32_t>(1);
    const uint32_t blocks = get_arg_val<uint32_t>(2);
    const uint32_t out_address = get_arg_val<uint32_t>(3);
    const OutputBlock out = {
        get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7)};
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t block_m = get_compile_time_arg_val(2);
    constexpr uint32_t block_n = get_compile_time_arg_val(3);
    constexpr uint32_t k_block = get_compile_time_arg_val(4);
    constexpr uint32_t sub_m = get_compile_time_arg_val(5);
    constexpr uint32_t sub_n = get_compile_time_arg_val(6);
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(7));
    const uint32_t arrived = get_semaphore(get_compile_time_arg_val(8));
    constexpr auto args_out = TensorAccessorArgs<9>();
    constexpr uint32_t block_tiles = k_block * block_n;

    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(cb, block_tiles);
        receive_block(sender_x, sender_y, ready, arrived);
        cb_push_back(cb, block_tiles);
    }
    write_block<cb_out, block_m, block_n, sub_m, sub_n>(TensorAccessor(args_out, out_address), out);
    noc_async_atomic_barrier();
}

// Reads what all chips have sent, page by page in the order of the chips, when it has arrived over all links.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t summed_cb = 1;
    constexpr uint32_t bytes = get_compile_time_arg_val(0);
    constexpr auto gathered_args = TensorAccessorArgs<1>();
    const auto gathered = TensorAccessor(gathered_args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2), block = get_arg_val<uint32_t>(3);
    const uint32_t summands = get_arg_val<uint32_t>(4), links = get_arg_val<uint32_t>(5);
    const uint32_t stride = get_tile_size(summed_cb);

    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), links);
    for (uint32_t i = first; i < first + count; ++i) {
        cb_reserve_back(summed_cb, summands);
        const uint32_t to = get_write_ptr(summed_cb);
        for (uint32_t chip = 0; chip < summands; ++chip)
            noc_async_read(gathered.get_noc_addr(chip * block + i), to + chip * stride, bytes);
        noc_async_read_barrier();
        cb_push_back(summed_cb, summands);
    }
}

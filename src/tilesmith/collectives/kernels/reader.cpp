// Reads what this core sends, several pages at a time, and so hides the latency of DRAM.
#include "messages.hpp"

void kernel_main() {
    constexpr uint32_t bytes = get_compile_time_arg_val(0), stride = get_compile_time_arg_val(1);
    constexpr auto source_args = TensorAccessorArgs<2>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const uint32_t batch = get_arg_val<uint32_t>(1), messages = get_arg_val<uint32_t>(2);

    for (uint32_t m = 0; m < messages; ++m) {
        const Message what = message(3 + m * words_of_message);
        for (uint32_t done = 0; done < what.pages; done += batch) {
            cb_reserve_back(sent_cb, batch);
            uint32_t to = get_write_ptr(sent_cb);
            for (uint32_t i = done; i < what.pages && i < done + batch; ++i, to += stride)
                noc_async_read(source.get_noc_addr(what.from.page(what.first + i), what.from.offset), to, bytes);
            noc_async_read_barrier();
            cb_push_back(sent_cb, batch);
        }
    }
}

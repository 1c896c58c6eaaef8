// Reads what this core sends; then, where the collective sums, what all chips have sent, page by page in their order.
#include "messages.hpp"

inline constexpr uint32_t sent_cb = 0, summed_cb = 1;

template <class Accessor>
void read(uint32_t cb, const Accessor& tensor, uint32_t page, uint32_t offset, uint32_t bytes) {
    cb_reserve_back(cb, 1);
    noc_async_read(tensor.get_noc_addr(page, offset), get_write_ptr(cb), bytes);
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

void kernel_main() {
    constexpr uint32_t bytes = get_compile_time_arg_val(0), summands = get_compile_time_arg_val(1);
    constexpr auto source_args = TensorAccessorArgs<2>();
    constexpr auto gathered_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto gathered = TensorAccessor(gathered_args, get_arg_val<uint32_t>(1));
    const uint32_t arrived = get_arg_val<uint32_t>(2), expected = get_arg_val<uint32_t>(3);
    const uint32_t first = get_arg_val<uint32_t>(4), count = get_arg_val<uint32_t>(5), block = get_arg_val<uint32_t>(6);
    const uint32_t messages = get_arg_val<uint32_t>(7);

    for (uint32_t m = 0; m < messages; ++m) {
        const Message what = message(8 + m * words_of_message);
        for (uint32_t i = what.first; i < what.first + what.pages; ++i)
            read(sent_cb, source, what.from.page(i), what.from.offset, bytes);
    }
    if constexpr (summands > 0) {
        noc_semaphore_wait_min(word_at(arrived), expected);
        const uint32_t stride = get_tile_size(summed_cb);
        for (uint32_t i = first; i < first + count; ++i) {
            cb_reserve_back(summed_cb, summands);
            const uint32_t to = get_write_ptr(summed_cb);
            for (uint32_t chip = 0; chip < summands; ++chip)
                noc_async_read(gathered.get_noc_addr(chip * block + i), to + chip * stride, bytes);
            noc_async_read_barrier();
            cb_push_back(summed_cb, summands);
        }
    }
}

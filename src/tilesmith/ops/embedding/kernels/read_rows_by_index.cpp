// Reads the rows of a table that an index names, in pieces of at most PIECE bytes.
// Compile time: circular buffer of pieces, PIECE, circular buffer for a page of the index, tensors index and table.
// Per core: first row of the output, number of rows. Common: bytes of a row, numbers in a page of the index; tensors.
#include <cstdint>

#include "../../kernels/tensor.hpp"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0), piece = get_compile_time_arg_val(1);
    constexpr uint32_t cb_index = get_compile_time_arg_val(2), LINE = 2048, PER_LINE = LINE / sizeof(uint32_t);
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t row_bytes = get_common_arg_val<uint32_t>(0), page_numbers = get_common_arg_val<uint32_t>(1);
    uint32_t common = 2;
    const auto index = tensor_at<3>(common);
    const auto table = tensor_at<after_tensor<3>>(common);

    cb_reserve_back(cb_index, 1);
    const volatile uint32_t* numbers = reinterpret_cast<volatile uint32_t*>(get_write_ptr(cb_index));
    uint32_t held = ~0u;
    for (uint32_t row = first; row < first + count; ++row) {
        const uint32_t page = row / page_numbers, at = row % page_numbers, line = at / PER_LINE;
        const uint32_t wanted = page * ((page_numbers + PER_LINE - 1) / PER_LINE) + line;
        if (wanted != held) {
            const uint32_t left = (page_numbers - line * PER_LINE) * sizeof(uint32_t);
            noc_async_read(index.get_noc_addr(page, line * LINE), get_write_ptr(cb_index), left < LINE ? left : LINE);
            noc_async_read_barrier();
            held = wanted;
        }
        const uint32_t entry = numbers[at % PER_LINE];
        for (uint32_t done = 0; done < row_bytes; done += piece) {
            const uint32_t left = row_bytes - done;
            cb_reserve_back(cb, 1);
            noc_async_read(table.get_noc_addr(entry, done), get_write_ptr(cb), left < piece ? left : piece);
            noc_async_read_barrier();
            cb_push_back(cb, 1);
        }
    }
    cb_push_back(cb_index, 1);
    cb_wait_front(cb_index, 1);
    cb_pop_front(cb_index, 1);
}

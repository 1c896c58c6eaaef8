// move_writer: takes results from the core to DRAM.
#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

struct Int32 {
    using Word = int32_t;
    static int32_t value(Word word) { return static_cast<int32_t>(word); }
    static Word word(int32_t value) { return static_cast<Word>(value); }
};

// Element `index` of an array in L1.
template <typename Storage>
inline auto l1_load(uint32_t address, uint32_t index) {
    return Storage::value(reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index]);
}

template <typename Storage, typename Value>
inline void l1_store(uint32_t address, uint32_t index, Value value) {
    reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index] = Storage::word(value);
}

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;
    constexpr uint32_t cb_scratch_writer = tt::CBIndex::c_1;

    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 2;
        const int32_t by = block / 2;
        const int32_t offset = by * 32;
        const int32_t count = std::min<int32_t>(32, 50 - offset);
        const int32_t count_2 = std::min<int32_t>(32, 60 - bx * 32);
        const int32_t offset_2 = bx * 128;

        // max X into C
        cb_wait_front(cb_X, 1);
        const int32_t X_at = get_read_ptr(cb_X);
        cb_reserve_back(cb_scratch_writer, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)
        const int32_t scratch = get_write_ptr(cb_scratch_writer);
        if (0 < count_2) {
            for (int32_t first_line = 0; first_line < count; first_line += 32) {
                const int32_t last_line = std::min<int32_t>(first_line + 32, count);
                for (int32_t line = first_line; line < last_line; ++line) {
                    const int32_t page = offset + line;
                    const int32_t run = scratch + (line - first_line) * 160;
                    noc_async_read(C.get_noc_addr(page, offset_2), run, count_2 * 4);
                }
                noc_async_read_barrier();
                for (int32_t line = first_line; line < last_line; ++line) {
                    const int32_t page = offset + line;
                    const int32_t run = scratch + (line - first_line) * 160;
                    for (int32_t i = 0; i < count_2; ++i) {
                        const int32_t element = l1_load<Int32>(X_at, line * 32 + i);
                        const int32_t element_2 = l1_load<Int32>(run, i);
                        l1_store<Int32>(run, i, std::max<int32_t>(element_2, element));
                    }
                    noc_async_write(run, C.get_noc_addr(page, offset_2), count_2 * 4);
                }
                noc_async_write_barrier();
            }
        }
        cb_pop_front(cb_X, 1);
    }
}

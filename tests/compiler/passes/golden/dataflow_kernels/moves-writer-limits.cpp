// move_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// The upper half of a float, rounded to nearest even.
struct Bfloat16 {
    using Word = uint16_t;
    static float value(Word word) { return __builtin_bit_cast(float, static_cast<uint32_t>(word) << 16); }
    static Word word(float value) {
        const uint32_t bits = __builtin_bit_cast(uint32_t, value);
        if (value != value) return (bits >> 16) | 0x40;
        return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    }
};

// Element `index` of an array in L1.
template <typename Storage>
inline auto l1_load(uint32_t address, uint32_t index) {
    return Storage::value(reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index]);
}

// Where an element lies in a grid of tiles, each of which has four faces of 16x16.
inline uint32_t datum(uint32_t row, uint32_t col, uint32_t tiles_across) {
    const uint32_t tile = row / 32 * tiles_across + col / 32;
    const uint32_t face = row / 16 % 2 * 2 + col / 16 % 2;
    return tile * 1024 + face * 256 + row % 16 * 16 + col % 16;
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
        // store X to C
        cb_wait_front(cb_X, 1);
        const int32_t X_at = get_read_ptr(cb_X);
        cb_reserve_back(cb_scratch_writer, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)
        const int32_t scratch = get_write_ptr(cb_scratch_writer);
        for (int32_t line = 0; line < 30; ++line) {
            const int32_t page = 8 + line;
            const int32_t run = scratch + line * 96 + 8;
            for (int32_t i = 0; i < 31; ++i) {
                const float element = l1_load<Bfloat16>(X_at, datum(line, i, 1));
                l1_store<Bfloat16>(run, i, element);
            }
            noc_async_write(run, C.get_noc_addr(page, 8), 62);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_X, 1);
    }
}

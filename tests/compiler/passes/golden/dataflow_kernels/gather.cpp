// gather_reader: brings data from DRAM to the core.
#include <cmath>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// Zeros, copied from the core's own block of them: as with any read, a barrier must follow.
inline void zero_bytes(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}

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

template <typename Storage, typename Value>
inline void l1_store(uint32_t address, uint32_t index, Value value) {
    reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index] = Storage::word(value);
}

// Single elements of a row-major tensor that nobody writes. The last line read is kept in scratch memory.
template <typename Storage, typename Accessor>
struct Lines {
    static constexpr uint32_t line_bytes = 256;
    const Accessor& tensor;
    const int32_t scratch;
    const int32_t page_bytes;
    uint32_t page = 0;
    uint32_t start = ~0u;

    auto read(uint32_t wanted_page, uint32_t index) {
        const uint32_t offset = index * sizeof(typename Storage::Word);
        const uint32_t wanted_start = offset / line_bytes * line_bytes;
        if (wanted_page != page || wanted_start != start) {
            page = wanted_page;
            start = wanted_start;
            const uint32_t rest = page_bytes - start;
            noc_async_read(tensor.get_noc_addr(page, start), scratch, rest < line_bytes ? rest : line_bytes);
            noc_async_read_barrier();
        }
        return l1_load<Storage>(scratch + offset - start, 0);
    }
};

struct Int32 {
    using Word = int32_t;
    static int32_t value(Word word) { return static_cast<int32_t>(word); }
    static Word word(int32_t value) { return static_cast<Word>(value); }
};

void kernel_main() {
    constexpr uint32_t cb_S = tt::CBIndex::c_0;
    constexpr uint32_t cb_scratch_reader = tt::CBIndex::c_1;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    constexpr auto rows_args = TensorAccessorArgs<A_args.next_compile_time_args_offset()>();
    const auto rows = TensorAccessor(rows_args, get_common_arg_val<uint32_t>(1));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t bx = first_block; bx < end_block; ++bx) {
        const int32_t first = bx * 16;

        // compute S element by element
        cb_reserve_back(cb_S, 2);
        const int32_t S_at = get_write_ptr(cb_S);
        zero_bytes(get_write_ptr(cb_S), 2 * get_tile_size(cb_S));
        noc_async_read_barrier();
        cb_reserve_back(cb_scratch_reader, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)
        const int32_t scratch = get_write_ptr(cb_scratch_reader);
        Lines<Bfloat16, decltype(A)> A_elements{A, scratch, 140};
        Lines<Int32, decltype(rows)> rows_elements{rows, scratch + 256, 256};
        for (int32_t i = 0; i < 16; ++i) {
            const int32_t at = first + i;
            const int32_t row = rows_elements.read(0, at);
            for (int32_t j = 0; j < 70; ++j) {
                const float v = A_elements.read(row, j);
                const float twice = v * 2.0f;
                const float size = std::abs(twice);
                l1_store<Bfloat16>(S_at, i * 70 + j, size);
            }
        }
        cb_push_back(cb_S, 2);
    }
}

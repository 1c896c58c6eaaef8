// scatter_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

struct Float32 {
    using Word = uint32_t;
    static float value(Word word) { return __builtin_bit_cast(float, word); }
    static Word word(float value) { return __builtin_bit_cast(uint32_t, value); }
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

// Single elements of a row-major tensor that others write to as well: no byte beside them is touched.
// Elements that are written one after the other leave together.
template <typename Storage, typename Accessor>
struct Exact {
    static constexpr uint32_t bytes = sizeof(typename Storage::Word);
    static constexpr uint32_t line_bytes = 256;
    const Accessor& tensor;
    const int32_t scratch;
    const int32_t page_bytes;
    uint32_t page = 0;
    uint32_t start = 0;
    uint32_t stop = 0;

    auto read(uint32_t wanted_page, uint32_t index) {
        flush();
        const uint32_t offset = index * bytes;
        const uint32_t target = scratch + offset % line_bytes;
        noc_async_read(tensor.get_noc_addr(wanted_page, offset), target, bytes);
        noc_async_read_barrier();
        return l1_load<Storage>(target, 0);
    }

    template <typename Value>
    void write(uint32_t wanted_page, uint32_t index, Value value) {
        const uint32_t offset = index * bytes;
        if (wanted_page != page || offset != stop || offset % line_bytes == 0) {
            flush();
            page = wanted_page;
            start = offset;
        }
        l1_store<Storage>(scratch + offset % line_bytes, 0, value);
        stop = offset + bytes;
    }

    void flush() {
        if (start < stop) {
            noc_async_write(scratch + start % line_bytes, tensor.get_noc_addr(page, start), stop - start);
            noc_async_write_barrier();
        }
        start = stop = 0;
    }
};

void kernel_main() {
    constexpr uint32_t cb_scratch_writer = tt::CBIndex::c_0;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    constexpr auto bins_args = TensorAccessorArgs<A_args.next_compile_time_args_offset()>();
    const auto bins = TensorAccessor(bins_args, get_common_arg_val<uint32_t>(1));
    constexpr auto C_args = TensorAccessorArgs<bins_args.next_compile_time_args_offset()>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(2));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        // compute C element by element
        cb_reserve_back(cb_scratch_writer, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)
        const int32_t scratch = get_write_ptr(cb_scratch_writer);
        Lines<Float32, decltype(A)> A_elements{A, scratch, 256};
        Lines<Int32, decltype(bins)> bins_elements{bins, scratch + 256, 256};
        Exact<Float32, decltype(C)> C_elements{C, scratch + 512, 40};
        for (int32_t i = 0; i < 64; ++i) {
            const int32_t bin = bins_elements.read(0, i);
            const float v = A_elements.read(0, i);
            const float there = C_elements.read(0, bin);
            C_elements.write(0, bin, there + v);
        }
        C_elements.flush();
    }
}

// Reads or writes DRAM: the same bytes of one bank, or pages of an interleaved buffer from `first` on.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr bool reads = get_compile_time_arg_val(0), pages = get_compile_time_arg_val(1);
    const uint32_t transactions = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const uint32_t local = get_arg_val<uint32_t>(2), first = get_arg_val<uint32_t>(3);
    const uint32_t address = get_arg_val<uint32_t>(4);
    const InterleavedAddrGen<true> buffer{.bank_base_address = address, .page_size = bytes};
    const uint64_t fixed = buffer.get_noc_addr(first);
    DeviceZoneScopedN("transfers");
    for (uint32_t i = 0; i < transactions; ++i) {
        uint64_t there = fixed;
        if constexpr (pages) there = buffer.get_noc_addr(first + i);
        if constexpr (reads) noc_async_read(there, local, bytes);
        else noc_async_write(local, there, bytes);
    }
    if constexpr (reads) noc_async_read_barrier();
    else noc_async_write_barrier();
}

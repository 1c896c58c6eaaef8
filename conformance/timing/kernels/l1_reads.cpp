// Reads `transactions` times `bytes` from each of a list of cores, one barrier at the end.
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"

void kernel_main() {
    constexpr bool by_state = get_compile_time_arg_val(0);
    const uint32_t transactions = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const uint32_t address = get_arg_val<uint32_t>(2), cores = get_arg_val<uint32_t>(3);
    const Noc noc;
    const UnicastEndpoint end;
    DeviceZoneScopedN("transfers");
    for (uint32_t core = 0; core < cores; ++core) {
        const uint32_t x = get_arg_val<uint32_t>(4 + 2 * core), y = get_arg_val<uint32_t>(5 + 2 * core);
        const noc_traits_t<UnicastEndpoint>::src_args_type there{x, y, address};
        if constexpr (by_state) noc.set_async_read_state(end, bytes, there);
        for (uint32_t i = 0; i < transactions; ++i) {
            if constexpr (by_state) noc.async_read_with_state(end, end, bytes, there, {.addr = address});
            else noc.async_read(end, end, bytes, there, {.addr = address});
        }
    }
    noc.async_read_barrier();
}

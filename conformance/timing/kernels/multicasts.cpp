// Multicasts `bytes` to a rectangle `transactions` times; with `linked` all but the last keep the path reserved.
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"

void kernel_main() {
    const uint32_t transactions = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const uint32_t address = get_arg_val<uint32_t>(2), cores = get_arg_val<uint32_t>(3);
    const bool linked = get_arg_val<uint32_t>(4);
    const noc_traits_t<MulticastEndpoint>::dst_args_mcast_type there{
        get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7), get_arg_val<uint32_t>(8), address};
    const Noc noc;
    const UnicastEndpoint here;
    const MulticastEndpoint rectangle;
    DeviceZoneScopedN("transfers");
    for (uint32_t i = 0; i < transactions; ++i) {
        const bool keeps_path = linked && i + 1 < transactions;
        noc.async_write_multicast(here, rectangle, bytes, cores, {.addr = address}, there, keeps_path);
    }
    noc.async_write_barrier();
}

// What all endpoints in this core's L1 share: an offset from an address that the endpoint knows.
#pragma once
#include <cstdint>

namespace ts {
struct OffsetArgs {
    uint32_t offset_bytes = 0;
};
struct RectangleArgs {
    uint32_t noc_x_start{};
    uint32_t noc_y_start{};
    uint32_t noc_x_end{};
    uint32_t noc_y_end{};
    uint32_t offset_bytes{};
};
}  // namespace ts

// After the structs: noc.h ends with endpoints that need them.
#include "api/dataflow/noc.h"

namespace ts {
// `Derived` has source(endpoint) and destination(endpoint), the L1 addresses in each direction.
template <typename T, typename Derived>
struct LocalEndpoint {
    using src_args_type = OffsetArgs;
    using dst_args_type = OffsetArgs;
    using dst_args_mcast_type = RectangleArgs;

    template <Noc::AddressType type>
    static uint32_t src_addr(const T& endpoint, const Noc&, const OffsetArgs& args) {
        static_assert(type == Noc::AddressType::LOCAL_L1, "this endpoint is in local L1, not across the NoC");
        return Derived::source(endpoint) + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const T& endpoint, const Noc&, const OffsetArgs& args) {
        static_assert(type == Noc::AddressType::LOCAL_L1, "this endpoint is in local L1, not across the NoC");
        return Derived::destination(endpoint) + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint64_t dst_addr_mcast(const T& endpoint, const Noc& noc, const RectangleArgs& args) {
        static_assert(type == Noc::AddressType::NOC, "a multicast goes across the NoC");
        return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end,
                                        Derived::destination(endpoint) + args.offset_bytes, noc.get_noc_id());
    }
};
}  // namespace ts

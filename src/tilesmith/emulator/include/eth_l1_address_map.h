// The L1 of an Ethernet core. No such core is modelled.
#pragma once
#include <cstdint>

namespace eth_l1_mem {
struct address_map {
    static constexpr uint32_t MAX_NUM_CONCURRENT_TRANSACTIONS = 8;
    static constexpr uint32_t ERISC_L1_UNRESERVED_BASE = 104 * 1024;
};
}  // namespace eth_l1_mem

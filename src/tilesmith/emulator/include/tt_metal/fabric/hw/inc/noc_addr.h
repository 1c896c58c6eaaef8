// Addresses on this chip, as kernels that also talk to other chips compose them. The fabric itself is not modelled.
#pragma once
#include "api/dataflow/dataflow_api.h"

namespace tt::tt_fabric {
struct WorkerXY {
    uint16_t x;
    uint16_t y;
    constexpr WorkerXY(uint16_t x = 0, uint16_t y = 0) : x(x), y(y) {}
    constexpr bool operator==(const WorkerXY&) const = default;
    constexpr uint32_t to_uint32() const { return static_cast<uint32_t>(y) << 16 | x; }
    static constexpr WorkerXY from_uint32(uint32_t packed) {
        return {static_cast<uint16_t>(packed), static_cast<uint16_t>(packed >> 16)};
    }
};
}  // namespace tt::tt_fabric

FORCE_INLINE uint64_t safe_get_noc_addr(
    uint8_t dest_noc_x, uint8_t dest_noc_y, uint32_t dest_bank_addr, uint8_t noc_id = noc_index) {
    return get_noc_addr(dest_noc_x, dest_noc_y, dest_bank_addr, noc_id);
}
FORCE_INLINE std::pair<tt::tt_fabric::WorkerXY, uint32_t> get_noc_address_components(uint64_t noc_addr) {
    const tt::tt_fabric::WorkerXY core(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr));
    return {core, static_cast<uint32_t>(noc_addr)};
}

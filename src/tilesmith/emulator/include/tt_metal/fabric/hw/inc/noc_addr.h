// Addresses on this chip, as kernels that also talk to other chips compose them. The fabric itself is not modelled.
#pragma once
#include "api/dataflow/dataflow_api.h"
#include "tt-metalium/experimental/fabric/fabric_edm_types.hpp"

FORCE_INLINE uint64_t safe_get_noc_addr(uint8_t dest_noc_x, uint8_t dest_noc_y, uint32_t dest_bank_addr,
                                        uint8_t noc_id = noc_index) {
    return get_noc_addr(dest_noc_x, dest_noc_y, dest_bank_addr, noc_id);
}
FORCE_INLINE std::pair<tt::tt_fabric::WorkerXY, uint32_t> get_noc_address_components(uint64_t noc_addr) {
    const tt::tt_fabric::WorkerXY core(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr));
    return {core, static_cast<uint32_t>(noc_addr)};
}

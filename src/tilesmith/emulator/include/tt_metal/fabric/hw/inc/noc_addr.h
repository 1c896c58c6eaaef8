// NoC addresses as fabric packets carry them.
#pragma once
#include <utility>

#include "api/dataflow/dataflow_api.h"
#include "tt-metalium/experimental/fabric/fabric_edm_types.hpp"

FORCE_INLINE uint64_t safe_get_noc_addr(uint8_t dest_noc_x, uint8_t dest_noc_y, uint32_t dest_bank_addr,
                                        uint8_t noc_id = noc_index) {
    return get_noc_addr(dest_noc_x, dest_noc_y, dest_bank_addr, noc_id);
}

FORCE_INLINE std::pair<tt::tt_fabric::WorkerXY, uint32_t> get_noc_address_components(uint64_t noc_addr) {
    return {tt::tt_fabric::WorkerXY(noc_addr >> 36 & 63, noc_addr >> 42 & 63), static_cast<uint32_t>(noc_addr)};
}

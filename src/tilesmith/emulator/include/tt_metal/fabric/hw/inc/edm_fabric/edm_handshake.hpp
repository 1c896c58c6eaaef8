// How the two Ethernet cores of a link find each other. No such core is modelled: calling these is a gap.
#pragma once
#include "internal/ethernet/dataflow_api.h"

namespace erisc::datamover::handshake {

inline constexpr uint32_t A_LONG_TIMEOUT_BEFORE_CONTEXT_SWITCH = 1000000000;

FORCE_INLINE void sender_side_handshake(uint32_t, uint16_t, uint8_t, size_t = 0) { run_routing(); }
FORCE_INLINE void receiver_side_handshake(uint32_t, uint16_t, uint8_t, size_t = 0) { run_routing(); }

namespace deprecated {
FORCE_INLINE void sender_side_start(uint32_t, size_t = 0) { run_routing(); }
FORCE_INLINE void sender_side_finish(uint32_t, size_t = 0) { run_routing(); }
FORCE_INLINE void receiver_side_start(uint32_t) { run_routing(); }
FORCE_INLINE bool receiver_side_can_finish() { run_routing(); }
FORCE_INLINE void receiver_side_finish(uint32_t, size_t = 0) { run_routing(); }
}  // namespace deprecated

}  // namespace erisc::datamover::handshake

// Transfers over PCIe by the command buffers' kept state, as the vendor's dispatch kernels write them: no host is modelled.
#pragma once
#include "ts/dataflow/identity.h"

enum CQNocFlags : uint32_t {
    CQ_NOC_sndl,
    CQ_NOC_Sndl,
    CQ_NOC_sNdl,
    CQ_NOC_SNdl,
    CQ_NOC_snDl,
    CQ_NOC_SnDl,
    CQ_NOC_sNDl,
    CQ_NOC_SNDl,
    CQ_NOC_sndL,
    CQ_NOC_SndL,
    CQ_NOC_sNdL,
    CQ_NOC_SNdL,
    CQ_NOC_snDL,
    CQ_NOC_SnDL,
    CQ_NOC_sNDL,
    CQ_NOC_SNDL,
};  // clang-format off
enum CQNocWait { CQ_NOC_wait = 0, CQ_NOC_WAIT = 1 };
enum CQNocSend { CQ_NOC_send = 0, CQ_NOC_SEND = 1 };
// clang-format on

template <uint32_t CommandBuffer>
FORCE_INLINE void noc_write_init_state(uint32_t, uint32_t, TS_AT) {
    ts_gap("transfers to the host (noc_write_init_state)", at);
}
template <uint8_t NocMode = DM_DEDICATED_NOC, uint32_t CommandBuffer, CQNocFlags Flags, CQNocSend Send = CQ_NOC_SEND,
          CQNocWait Wait = CQ_NOC_WAIT, bool UpdateCounter = true, bool Posted = false>
FORCE_INLINE void noc_wwrite_with_state(uint32_t, uint32_t, uint32_t, uint64_t, uint32_t = 0, uint32_t = 1, TS_AT) {
    ts_gap("transfers to the host (noc_wwrite_with_state)", at);
}
template <uint8_t NocMode = DM_DEDICATED_NOC, uint32_t CommandBuffer, CQNocFlags Flags, CQNocSend Send = CQ_NOC_SEND,
          CQNocWait Wait = CQ_NOC_WAIT>
FORCE_INLINE void noc_read_with_state(uint32_t, uint32_t, uint64_t, uint32_t, uint32_t, TS_AT) {
    ts_gap("transfers from the host (noc_read_with_state)", at);
}
FORCE_INLINE void noc_async_read_clear_pcie_state(uint32_t, uint32_t, TS_AT) {
    ts_gap("transfers from the host (noc_async_read_clear_pcie_state)", at);
}

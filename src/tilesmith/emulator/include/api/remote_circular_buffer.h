// Circular buffers whose producer is another core (global circular buffers). They compile; calling them is a gap.
#pragma once
#include "api/dataflow/dataflow_api.h"

namespace experimental {
template <bool update_remote_over_noc = false>
FORCE_INLINE void resize_remote_sender_cb_interface(uint32_t, uint32_t, uint8_t = noc_index, TS_AT) {
    ts_gap("global circular buffers (resize_remote_sender_cb_interface)", at);
}
template <bool update_remote_over_noc = false>
FORCE_INLINE void resize_remote_receiver_cb_interface(uint32_t, uint32_t, uint8_t = noc_index, TS_AT) {
    ts_gap("global circular buffers (resize_remote_receiver_cb_interface)", at);
}
FORCE_INLINE void remote_cb_wait_front(uint32_t, uint32_t, TS_AT) {
    ts_gap("global circular buffers (remote_cb_wait_front)", at);
}
FORCE_INLINE void remote_cb_pop_front(uint32_t, uint32_t, uint8_t = noc_index, TS_AT) {
    ts_gap("global circular buffers (remote_cb_pop_front)", at);
}
FORCE_INLINE void remote_cb_reserve_back(uint32_t, uint32_t, TS_AT) {
    ts_gap("global circular buffers (remote_cb_reserve_back)", at);
}
template <bool skip_ptr_update = true>
FORCE_INLINE void remote_cb_push_back_and_write_pages(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                                      uint8_t = noc_index, TS_AT) {
    ts_gap("global circular buffers (remote_cb_push_back_and_write_pages)", at);
}
FORCE_INLINE void remote_cb_sender_barrier(uint32_t, TS_AT) {
    ts_gap("global circular buffers (remote_cb_sender_barrier)", at);
}
FORCE_INLINE void update_remote_cb_config_in_l1(uint32_t, TS_AT) {
    ts_gap("global circular buffers (update_remote_cb_config_in_l1)", at);
}
template <uint32_t num_local_cbs>
FORCE_INLINE void align_local_cbs_to_remote_cb(uint32_t, const uint32_t (&)[num_local_cbs], TS_AT) {
    ts_gap("global circular buffers (align_local_cbs_to_remote_cb)", at);
}
}  // namespace experimental

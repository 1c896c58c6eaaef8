// Where things end in L1: accesses that run from one circular buffer into its neighbour, and memory that nobody has.
#include "access.h"

namespace ts {

static bool holds(const CbConfig& cb, uint64_t offset) {
    return cb.used && offset >= cb.offset && offset < uint64_t{cb.offset} + cb.size;
}

bool check_cb_crossing(const Core& target, uint32_t offset, uint32_t size, bool writing, const At& at) {
    int left = -1;
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const CbConfig& cb = target.cbs[i].config;
        if (!holds(cb, offset)) continue;
        if (cb.globally_allocated || offset + size <= cb.offset + cb.size) return false;
        left = static_cast<int>(i);
    }
    if (left < 0) return false;
    const CbConfig& cb = target.cbs[left].config;
    finding(writing ? "cb.write-past-reserve" : "cb.read-past-wait", at,
            "%s %s %u bytes from offset 0x%x of core (%u, %u) on, and CB %d there ends after %u", role_name(role()),
            writing ? "writes" : "reads", size, offset, target.x, target.y, left, cb.offset + cb.size - offset);
    return true;
}

static bool allocated(const Core* target, uint64_t offset) {
    const Run& run = *current_run;
    if (offset < run.machine->config.l1_unreserved_base) return true;
    if (target)
        for (const CbState& cb : target->cbs)
            if (holds(cb.config, offset)) return true;
    for (const Allocation& buffer : run.l1_buffers)
        if (offset >= buffer.address && offset < buffer.address + buffer.size) return true;
    return false;
}

void check_unallocated(const Core* target, uint64_t offset, uint32_t size, const char* what, const At& at) {
    if (size == 0) return;
    const bool begins = allocated(target, offset);
    const uint64_t first = begins ? offset + size - 1 : offset;
    if (begins && allocated(target, first)) return;
    finding("mem.unallocated", at,
            "%s writes %u bytes at L1 offset 0x%llx, and no circular buffer and no tensor has offset 0x%llx", what, size,
            static_cast<unsigned long long>(offset), static_cast<unsigned long long>(first));
}

}  // namespace ts

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
    for (const Allocation& buffer : *run.l1_buffers)
        if (offset >= buffer.address && offset < buffer.address + buffer.size) return true;
    return false;
}

void check_unallocated(const Core* target, uint64_t offset, uint32_t size, const char* what, const At& at) {
    if (size == 0) return;
    const bool begins = allocated(target, offset);
    const uint64_t first = begins ? offset + size - 1 : offset;
    if (begins && allocated(target, first)) return;
    finding("mem.unallocated", at,
            "%s writes %u bytes at L1 offset 0x%llx, and no circular buffer and no tensor has offset 0x%llx", what,
            size, static_cast<unsigned long long>(offset), static_cast<unsigned long long>(first));
}

static bool points_into(const Allocation& buffer, const uint32_t* values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (values[i] >= buffer.address && values[i] < buffer.address + buffer.size) return true;
    return false;
}

// Whether an argument of some kernel names the tensor, or a circular buffer stands on it.
static bool is_named(const Allocation& buffer) {
    for (auto& fiber : current_run->program->fibers)
        if (points_into(buffer, fiber->args, fiber->arg_count) ||
            points_into(buffer, fiber->common, fiber->common_count))
            return true;
    for (auto& core : current_run->program->cores)
        for (const CbState& cb : core->cbs)
            if (cb.config.used && points_into(buffer, &cb.config.offset, 1)) return true;
    return false;
}

void check_tensor(uint32_t offset, const At& at) {
    for (Allocation& buffer : *current_run->l1_buffers) {
        if (offset < buffer.address || offset >= buffer.address + buffer.size) continue;
        if (!buffer.named) buffer.named = is_named(buffer);
        if (!buffer.named)
            finding(
                "mem.wrong-tensor", at,
                "the kernel stores to L1 offset 0x%x, in the tensor at 0x%llx to 0x%llx; no argument of the program "
                "names it",
                offset, static_cast<unsigned long long>(buffer.address),
                static_cast<unsigned long long>(buffer.address + buffer.size));
        return;
    }
}

}  // namespace ts

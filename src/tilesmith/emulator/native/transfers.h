// NoC transfers, as the files that issue, deliver and end them share them.
#pragma once
#include "access.h"

namespace ts {

inline constexpr uint32_t multicast_vc = 4;

inline NocApi api_of(uint32_t flags) {
    return flags & noc_by_state ? noc_stateful : flags & noc_by_object ? noc_object : noc_plain;
}

// ---- noc_reads.cpp ----
uint32_t remote_id(const Target& target);  // as traces name it
uint32_t remote_id(const Transfer& transfer);
void check_alignment(const Target& target, uint32_t local, bool reading, const At& at);
void check_allocated(const Target& target, uint32_t size, const At& at);
const Core* core_of(const Target& target);

// ---- noc_writes.cpp ----
void signal_words(Core* target, uint32_t offset, uint32_t size, uint64_t arrives, Behind behind, const At& at);
void store(const Target& target, const uint8_t* data, uint32_t size, uint64_t arrives, Behind behind, const At& at,
           const char* what);
void deliver(Fiber& fiber, Transfer& transfer);
void check_destinations(uint64_t dst, uint32_t cores, uint32_t num_dests, uint32_t flags, const At& at);
bool is_write(const Transfer& transfer, uint32_t noc, uint32_t trid);
void release_source(Fiber& fiber, const Transfer& transfer);

struct Rectangle {
    uint32_t x0, y0, x1, y1;
    uint64_t local;
};
Rectangle rectangle(uint64_t address);

template <class Visit>
uint32_t for_each_worker(uint64_t address, bool include_self, Visit visit) {
    const Rectangle area = rectangle(address);
    const Machine& machine = *current_run->machine;
    uint32_t count = 0;
    for (uint32_t y = area.y0; y <= area.y1; ++y) {
        for (uint32_t x = area.x0; x <= area.x1; ++x) {
            const uint16_t index = machine.worker_at[x][y];
            if (index == 0xffff || (index == core().index && !include_self)) continue;
            ++count;
            visit(uint64_t{y} << 42 | uint64_t{x} << 36 | area.local);
        }
    }
    return count;
}

// Finishes the transfers that match, and keeps the others in order.
template <class Matches, class Finish>
void complete(Fiber& fiber, Wait::On barrier, const At& at, Matches matches, Finish finish) {
    size_t kept = 0;
    uint64_t latest = 0;
    uint32_t last_remote = 0;
    for (size_t i = 0; i < fiber.transfers.size(); ++i) {
        Transfer& transfer = fiber.transfers[i];
        if (matches(transfer)) {
            finish(transfer);
            if (latest < transfer.times.done) {
                latest = transfer.times.done;
                if (current_run->trace) last_remote = remote_id(transfer);
            }
        } else {
            if (kept != i) fiber.transfers[kept] = transfer;
            ++kept;
        }
    }
    fiber.transfers.resize(kept, Transfer{});
    join_time(latest, {barrier, last_remote, 0, true, at});
}

}  // namespace ts

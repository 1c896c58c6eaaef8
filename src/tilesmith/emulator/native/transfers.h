// NoC transfers, as the files that issue, deliver and end them share them.
#pragma once
#include "access.h"
#include "word_history.h"

namespace ts {

inline constexpr uint32_t multicast_vc = 4;
inline constexpr uint32_t atomic_vc = 0xff;  // a lane of their own: increments are not ordered with writes

inline NocApi api_of(uint32_t flags) {
    return flags & noc_by_state ? noc_stateful : flags & noc_by_object ? noc_object : noc_plain;
}

// ---- noc_reads.cpp ----
uint32_t remote_id(const Target& target);  // as traces name it
uint32_t remote_id(const Transfer& transfer);
void check_alignment(const Target& target, uint32_t local, bool reading, const At& at);
void check_allocated(const Target& target, uint32_t size, bool reading, const At& at);
const Core* core_of(const Target& target);

// ---- noc_writes.cpp ----
void signal_words(Core* target, uint32_t offset, uint32_t size, uint64_t arrives, Behind behind, Changed how,
                  const At& at);
void store(const Target& target, const uint8_t* data, uint32_t size, uint64_t arrives, Behind behind, const At& at,
           const char* what);
void deliver(Fiber& fiber, Transfer& transfer);
bool is_write(const Transfer& transfer, uint32_t noc, uint32_t trid);
void release_source(Fiber& fiber, const Transfer& transfer);

// ---- fabric.cpp ----
void deliver_to_router(Fiber& fiber, const Transfer& transfer);
void atomic_add(uint64_t destination, uint32_t increment, uint64_t arrives, Behind behind, const At& at);
void store_inline(uint64_t destination, uint32_t value, uint32_t byte_enable, uint64_t arrives, Behind behind,
                  const At& at);
void check_fabric_at_end(const Fiber& fiber);
void note_flushed(Fiber& fiber, const Transfer& transfer);
void note_acknowledged(Fiber& fiber, uint32_t noc);
void check_acknowledged(const Target& target, const At& at);

// ---- pages.cpp ----
void check_page(uint64_t address, const char* what, const At& at);
void note_dram_use(const Allocation& buffer, const Target& target, uint32_t size, bool reading, const At& at);

// ---- noc_rules.cpp ----
void check_packet(uint32_t size, uint32_t flags, const At& at);
void check_state(uint64_t address, uint32_t size, uint32_t noc, bool reading, uint32_t flags, const At& at);
void note_multicast(uint32_t noc, uint32_t flags, const At& at);
void check_not_linked(uint32_t noc, const char* what, const At& at);
void check_linked_at_end(const Fiber& fiber);
bool in_range(uint32_t at, uint32_t start, uint32_t end, uint32_t noc);
void check_destinations(uint64_t dst, uint32_t cores, uint32_t num_dests, uint32_t noc, uint32_t flags, const At& at);

struct Corners {  // as a multicast address names them: where it starts and where it ends
    uint32_t x0, y0, x1, y1;
    uint64_t local;
};
Corners corners_of(uint64_t address);
struct Rectangle {
    uint32_t x0, y0, x1, y1;
};
Rectangle rectangle(uint64_t address);  // the low corner first

template <class Visit>
uint32_t for_each_worker(uint64_t address, uint32_t noc, bool include_self, Visit visit) {
    const Corners area = corners_of(address);
    const Machine& machine = *current_run->machine;
    uint32_t count = 0;
    for (uint32_t index = 0; index < machine.core_count; ++index) {
        const uint32_t x = machine.worker_noc_xy[2 * index], y = machine.worker_noc_xy[2 * index + 1];
        if (!in_range(x, area.x0, area.x1, noc) || !in_range(y, area.y0, area.y1, noc)) continue;
        if (index == core().index && !include_self) continue;
        ++count;
        visit(uint64_t{y} << 42 | uint64_t{x} << 36 | area.local);
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

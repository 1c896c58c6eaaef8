// What signals others: inline writes and atomics; and what is left in flight when a kernel ends.
#include <cstring>

#include "arrivals.h"
#include "transfers.h"

namespace ts {

inline constexpr uint8_t inline_vc = 1;
inline constexpr uint32_t many_cores = 0xffffffff;

static Behind next_behind(uint32_t noc, uint32_t vc) {
    return {++self().issued, static_cast<uint8_t>(noc), static_cast<uint8_t>(vc)};
}

void store_inline(uint64_t destination, uint32_t value, uint32_t byte_enable, uint64_t arrives, Behind behind,
                  const At& at) {
    const Target target = resolve(destination & ~uint64_t{3}, 4, at);
    if (target.dram && current_run->checks) check_allocated(target, 4, false, at);
    uint32_t word;
    memcpy(&word, target.memory, 4);
    for (int i = 0; i < 4; ++i)
        if (byte_enable >> i & 1) word = (word & ~(0xffu << 8 * i)) | (value & (0xffu << 8 * i));
    store(target, reinterpret_cast<const uint8_t*>(&word), 4, arrives, behind, at, "an inline write");
}

// An inline write carries its value: it arrives behind the writes before it, and only its acknowledgement is
// outstanding.
static void expect_acknowledgement(Fiber& fiber, uint64_t destination, uint32_t noc, uint32_t flags, Journey times,
                                   const At& at) {
    if (flags & noc_posted) return;
    Transfer transfer{.kind = Transfer::Kind::write,
                      .delivered = true,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = inline_vc,
                      .remote = destination,
                      .at = at};
    transfer.times = times;
    fiber.transfers.push_back(transfer);
}

extern "C" void ts_noc_write_inline(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t noc, uint32_t flags,
                                    At at) {
    step(at);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    check_not_linked(noc, "an inline write", at);
    deliver_pending(self(), static_cast<int>(noc), -1, false);
    const Target target = resolve(dst & ~uint64_t{3}, 4, at);
    const Journey times = write_journey(core(), target, 4, noc);
    store_inline(dst, value, byte_enable, times.arrives, next_behind(noc, inline_vc), at);
    expect_acknowledgement(self(), dst, noc, flags, times, at);
}

extern "C" void ts_noc_write_inline_multicast(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t num_dests,
                                              uint32_t noc, uint32_t flags, At at) {
    step(at);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    deliver_pending(self(), static_cast<int>(noc), multicast_vc, true);
    const Journey times = multicast_journey(core(), dst, num_dests, 4, noc, flags & noc_linked);
    const Behind behind = next_behind(noc, multicast_vc);
    const uint32_t cores = for_each_worker(dst, noc, flags & noc_include_self, [&](uint64_t one) {
        store_inline(one, value, byte_enable, times.arrives, behind, at);
    });
    check_destinations(dst, cores, num_dests, noc, flags, at);
    note_multicast(noc, flags, at);
    expect_acknowledgement(self(), dst, noc, flags, times, at);
}

// ---- atomics ----

void atomic_add(uint64_t destination, uint32_t increment, uint64_t arrives, Behind behind, const At& at) {
    const Target target = resolve(destination, 4, at);
    if (target.dram) fatal("noc.wrong-target", at, "an atomic increment cannot address DRAM");
    check_semaphore(target.index, target.offset, at);
    uint32_t word;
    memcpy(&word, target.memory, 4);
    word += increment;
    memcpy(target.memory, &word, 4);
    if (current_run->checks) mark_initialised(*target.shadow, target.offset, 4);
    signal_words(current_run->core_by_index(target.index), static_cast<uint32_t>(target.offset), 4, arrives, behind,
                 Changed::added, at);
}

static void count_atomic(Fiber& fiber, uint32_t noc, uint64_t done) {
    ++fiber.kernel->counters.atomics;
    if (fiber.atomics_done_at[noc] < done) fiber.atomics_done_at[noc] = done;
}

// Of several to one core on one NoC the newest arrives last.
static void note_unacknowledged(Fiber& fiber, Fiber::Atomic newest) {
    if (!current_run->checks) return;
    for (Fiber::Atomic& known : fiber.atomics)
        if (known.core == newest.core && known.behind.noc == newest.behind.noc) {
            known = newest;
            return;
        }
    fiber.atomics.push_back(newest);
}

extern "C" void ts_noc_atomic_inc(uint64_t dst, uint32_t increment, uint32_t, uint32_t noc, uint32_t flags, At at) {
    step(at);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    check_not_linked(noc, "an atomic increment", at);
    const Target target = resolve(dst, 4, at);
    const Journey times = atomic_journey(core(), target, noc);
    const Behind behind = next_behind(noc, atomic_vc);
    atomic_add(dst, increment, times.arrives, behind, at);
    if (flags & noc_posted) return;
    count_atomic(self(), noc, times.done);
    note_unacknowledged(self(), {target.index, behind, at});
}

extern "C" void ts_noc_atomic_inc_multicast(uint64_t dst, uint32_t increment, uint32_t num_dests, uint32_t noc, At at) {
    step(at);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    deliver_pending(self(), static_cast<int>(noc), multicast_vc, true);
    const Journey times = multicast_journey(core(), dst, num_dests, 4, noc, false);
    const Behind behind = next_behind(noc, multicast_vc);
    const uint32_t cores = for_each_worker(
        dst, noc, false, [&](uint64_t destination) { atomic_add(destination, increment, times.arrives, behind, at); });
    check_destinations(dst, cores, num_dests, noc, 0, at);
    note_multicast(noc, 0, at);
    count_atomic(self(), noc, times.done);
    note_unacknowledged(self(), {many_cores, {0, static_cast<uint8_t>(noc), atomic_vc}, at});
}

extern "C" void ts_noc_atomic_barrier(uint32_t noc, At at) {
    step(at);
    std::erase_if(self().atomics, [&](const Fiber::Atomic& one) { return one.behind.noc == noc; });
    join_time(self().atomics_done_at[noc], {Wait::On::atomic_barrier, noc, 0, true, at});
}

// ---- polls and the end ----

extern "C" bool ts_noc_reads_done(uint32_t noc, uint32_t trid) {
    for (const Transfer& t : self().transfers) {
        if (t.kind != Transfer::Kind::read || t.noc != noc || (trid != any_trid && t.trid != trid)) continue;
        ts_noc_read_barrier(noc, trid, t.at);
        return true;
    }
    return true;
}

extern "C" bool ts_noc_writes_done(uint32_t noc, uint32_t trid) {
    for (const Transfer& t : self().transfers) {
        if (!is_write(t, noc, trid)) continue;
        ts_noc_write_barrier(noc, trid, t.at);
        return true;
    }
    return true;
}

extern "C" NocState* ts_noc_state(uint32_t noc) { return &self().noc_state[noc]; }

static const char* kind_name(const Transfer& transfer) {
    switch (transfer.kind) {
        case Transfer::Kind::read: return "NoC read";
        case Transfer::Kind::write: return "NoC write";
        case Transfer::Kind::fabric_payload:
        case Transfer::Kind::fabric_header: return "fabric packet";
        default: return "multicast";
    }
}

void check_transfers_at_end(Fiber& fiber) {
    for (Transfer& transfer : fiber.transfers) {
        if (current_run->checks && !(transfer.posted && transfer.size == 0))
            finding("noc.inflight-at-end", transfer.at, "the kernel ends while this %s %s", kind_name(transfer),
                    transfer.size == 0 ? "is not acknowledged" : "is in flight");
        if (transfer.kind != Transfer::Kind::read) deliver(fiber, transfer);
        release_source(fiber, transfer);
    }
    fiber.transfers.clear();
    check_linked_at_end(fiber);
    check_fabric_at_end(fiber);
    // One that was seen where it went, by a fiber that this one has heard of since, can surprise nobody.
    for (const Fiber::Atomic& atomic : fiber.atomics)
        if (atomic.core == many_cores || !known_at(fiber, atomic.behind, atomic.core))
            finding("noc.inflight-at-end", atomic.at,
                    "the kernel ends while this atomic increment is not acknowledged");
}

}  // namespace ts

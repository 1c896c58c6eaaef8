// Writes and multicasts: delivered when they are flushed, or when an ordered one overtakes nobody.
#include <cstring>

#include "arrivals.h"
#include "transfers.h"
#include "undefined.h"

namespace ts {

// ---- writes ----

// The words of a core that others wait on learn of every write that covers them.
void signal_words(Core* target, uint32_t offset, uint32_t size, uint64_t arrives, Behind behind, Changed how,
                  const At& at) {
    if (!target) return;
    if (size == 4 && (offset & 3) == 0) target->word(offset);
    for (auto& word : target->words) {
        if (word->offset < offset || word->offset >= offset + size) continue;
        uint32_t value;
        memcpy(&value, target->l1 + word->offset, 4);
        const bool increment = behind.vc == atomic_vc;
        note_change(*word, value, true, how, at, increment ? behind : Behind{});
        word->sync.release_at(arrives);
        if (!increment) note_signal(*word, behind);
        word->last_writer = at;
        word->written = true;
        word->waiters.wake();
    }
}

void store(const Target& target, const uint8_t* data, uint32_t size, uint64_t arrives, Behind behind, const At& at,
           const char* what) {
    Core* owner = target.dram ? nullptr : current_run->core_by_index(target.index);
    const bool signal = !target.dram && size == 4;
    if (current_run->checks) {
        if (signal) {
            check_semaphore(target.index, target.offset, at);
            mark_initialised(*target.shadow, target.offset, size);
        } else {
            if (owner) check_cb_remote_write(*owner, static_cast<uint32_t>(target.offset), size, at);
            if (!target.dram) check_unallocated(owner, target.offset, size, what, at);
            check_write({target.shadow, target.offset, size, owner, what, true}, at);
        }
    }
    memmove(target.memory, data, size);
    signal_words(owner, static_cast<uint32_t>(target.offset), size, arrives, behind, Changed::stored, at);
}

Corners corners_of(uint64_t address) {
    const auto field = [&](int shift) { return static_cast<uint32_t>(address >> shift & 63); };
    return {field(48), field(54), field(36), field(42), address & ((uint64_t{1} << 36) - 1)};
}

Rectangle rectangle(uint64_t address) {
    const auto [x0, y0, x1, y1, local] = corners_of(address);
    return {x0 < x1 ? x0 : x1, y0 < y1 ? y0 : y1, x0 < x1 ? x1 : x0, y0 < y1 ? y1 : y0};
}

void deliver(Fiber& fiber, Transfer& transfer) {
    if (transfer.delivered) return;
    transfer.delivered = true;
    if (transfer.kind >= Transfer::Kind::fabric_payload) return deliver_to_router(fiber, transfer);
    const uint8_t* data = fiber.core->l1 + transfer.local;
    // One word is there or is not; of a longer transfer a word may come before the rest.
    const Behind behind{transfer.size == 4 ? transfer.issue : transfer.issue - 1, transfer.noc, transfer.vc};
    const Target source{false, fiber.core->index, transfer.local, nullptr, fiber.core->shadow};
    const auto bring = [&](const Target& target, const char* what) {
        store(target, data, transfer.size, transfer.times.arrives, behind, transfer.at, what);
        if (current_run->checks) carry_undefined(source, target, transfer.size, transfer.undefined, transfer.at);
    };
    if (transfer.kind == Transfer::Kind::write) {
        bring(resolve(transfer.remote, transfer.size, transfer.at), "a NoC write");
        return;
    }
    for_each_worker(transfer.remote, transfer.noc, transfer.flags & noc_include_self, [&](uint64_t destination) {
        const Target target = resolve(destination, transfer.size, transfer.at);
        if (target.memory != data) bring(target, "a multicast");
    });
}

// Writes of one core on one NoC and virtual channel arrive in the order they were issued.
void deliver_pending(Fiber& fiber, int noc, int vc, bool only_multicast) {
    for (Transfer& transfer : fiber.transfers) {
        if (transfer.kind == Transfer::Kind::read || transfer.kind >= Transfer::Kind::fabric_payload) continue;
        if (transfer.noc != noc || (vc >= 0 && transfer.vc != vc)) continue;
        if (only_multicast && transfer.kind != Transfer::Kind::multicast) continue;
        deliver(fiber, transfer);
    }
}

bool deliver_something(Run& run) {
    bool any = false;
    for (Fiber* fiber : run.fibers) {
        for (size_t i = 0; i < fiber->transfers.size(); ++i) {
            Transfer& transfer = fiber->transfers[i];
            if (transfer.kind == Transfer::Kind::read || transfer.delivered) continue;
            run.current = fiber;
            if (fiber->chip != run.chip) enter_chip(run, fiber->chip);
            deliver(*fiber, transfer);
            run.current = nullptr;
            any = true;
        }
    }
    return any && !run.ready.empty();
}

static bool check_source(uint32_t local, uint32_t size, const char* what, const At& at) {
    Fiber& fiber = self();
    check_cb_read(local, size, at);
    if (size == 4 && fiber.core->find_word(local)) return false;  // a semaphore being passed on
    return check_read({fiber.core->shadow, local, size, fiber.core, what, false, true}, at);
}

extern "C" void ts_noc_write(uint32_t src, uint64_t dst, uint32_t size, uint32_t noc, uint32_t vc, uint32_t trid,
                             uint32_t flags, At at) {
    step(at);
    Fiber& fiber = self();
    const Target target = resolve(dst, size, at);
    const uint32_t local = local_offset(src, size, at);
    bool undefined = false;
    spend(current_run->machine->config.timing.issue_write[api_of(flags)], Work::noc);
    if (current_run->checks) {
        check_packet(size, flags, at);
        check_not_linked(noc, "a NoC write", at);
        check_page(dst, "a write", at);
        check_state(dst, size, noc, false, flags, at);
        check_alignment(target, local, false, at);
        check_allocated(target, size, false, at);
        undefined = check_source(local, size, "a NoC write", at);
        mark_leaving(*fiber.core->shadow, local, size);
    }
    Transfer transfer{.kind = Transfer::Kind::write,
                      .posted = (flags & noc_posted) != 0,
                      .undefined = undefined,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = static_cast<uint8_t>(vc),
                      .trid = trid,
                      .size = size,
                      .local = local,
                      .flags = flags,
                      .remote = dst,
                      .issue = ++fiber.issued,
                      .at = at};
    transfer.times = write_journey(*fiber.core, target, size, noc);
    if (current_run->trace)
        note_transfer(Moved::write, {remote_id(target), target.offset}, size, noc, transfer.times.done, at);
    fiber.transfers.push_back(transfer);
    KernelCounters& counters = fiber.kernel->counters;
    ++counters.noc_writes;
    counters.written_bytes += size;
    if (target.dram) counters.dram_written_bytes += size;
}

extern "C" void ts_noc_write_multicast(uint32_t src, uint64_t dst, uint32_t size, uint32_t num_dests, uint32_t noc,
                                       uint32_t flags, At at) {
    step(at);
    Fiber& fiber = self();
    const uint32_t local = local_offset(src, size, at);
    bool undefined = false;
    spend(current_run->machine->config.timing.issue_write[api_of(flags)], Work::noc);
    const uint32_t cores = for_each_worker(dst, noc, flags & noc_include_self, [](uint64_t) {});
    check_destinations(dst, cores, num_dests, noc, flags, at);
    check_packet(size, flags, at);
    check_state(dst, size, noc, false, flags, at);
    note_multicast(noc, flags, at);
    if (current_run->checks) {
        undefined = check_source(local, size, "a multicast", at);
        mark_leaving(*fiber.core->shadow, local, size);
    }
    Transfer transfer{.kind = Transfer::Kind::multicast,
                      .posted = (flags & noc_posted) != 0,
                      .undefined = undefined,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = multicast_vc,
                      .size = size,
                      .local = local,
                      .flags = flags,
                      .remote = dst,
                      .issue = ++fiber.issued,
                      .at = at};
    transfer.times = multicast_journey(*fiber.core, dst, cores, size, noc, flags & noc_linked);
    if (current_run->trace)
        note_transfer(Moved::multicast, {remote_many + cores, dst}, size, noc, transfer.times.done, at);
    fiber.transfers.push_back(transfer);
    // A multicast word is a signal: it goes out at once, behind the multicasts issued before it.
    if (size == 4) deliver_pending(fiber, static_cast<int>(noc), multicast_vc, true);
    ++fiber.kernel->counters.multicasts;
    fiber.kernel->counters.multicast_bytes += size;
}

bool is_write(const Transfer& transfer, uint32_t noc, uint32_t trid) {
    return transfer.kind != Transfer::Kind::read && transfer.noc == noc && (trid == any_trid || transfer.trid == trid);
}

void release_source(Fiber& fiber, const Transfer& transfer) {
    if (current_run->checks) clear_leaving(*fiber.core->shadow, transfer.local, transfer.size);
}

// Two writes may leave from the same bytes, of two RISCs even: what is still in flight is marked again.
static void remark_leaving(Core& core) {
    if (!current_run->checks) return;
    for (const Fiber* fiber : core.fibers) {
        if (!fiber) continue;
        for (const Transfer& transfer : fiber->transfers)
            if (transfer.kind != Transfer::Kind::read && transfer.size != 0)
                mark_leaving(*core.shadow, transfer.local, transfer.size);
    }
}

extern "C" void ts_noc_write_barrier(uint32_t noc, uint32_t trid, At at) {
    step(at);
    Fiber& fiber = self();
    complete(
        fiber, Wait::On::write_barrier, at, [&](const Transfer& t) { return is_write(t, noc, trid); },
        [&](Transfer& t) {
            deliver(fiber, t);
            release_source(fiber, t);
        });
    note_acknowledged(fiber, noc);
    remark_leaving(*fiber.core);
}

extern "C" void ts_noc_writes_flushed(uint32_t noc, uint32_t trid, bool posted, At at) {
    step(at);
    Fiber& fiber = self();
    uint64_t left_at = 0;
    uint32_t last_remote = 0;
    complete(
        fiber, Wait::On::write_barrier, at,
        [&](const Transfer& t) { return is_write(t, noc, trid) && t.posted && posted; },
        [&](Transfer& t) {
            deliver(fiber, t);
            release_source(fiber, t);
        });
    for (Transfer& transfer : fiber.transfers) {
        if (!is_write(transfer, noc, trid) || transfer.posted != posted) continue;
        note_flushed(fiber, transfer);
        deliver(fiber, transfer);
        release_source(fiber, transfer);
        transfer.size = 0;  // it has left: only its acknowledgement is outstanding
        if (left_at >= transfer.times.leaves) continue;
        left_at = transfer.times.leaves;
        if (current_run->trace) last_remote = remote_id(transfer);
    }
    // Only the newest acknowledgement matters: keep one per NoC so that long loops stay short.
    complete(
        fiber, Wait::On::write_barrier, at,
        [&](const Transfer& t) {
            return trid == any_trid && is_write(t, noc, trid) && t.size == 0 && t.delivered &&
                   &t != &fiber.transfers.back();
        },
        [&](Transfer& t) { t.times.done = 0; });
    join_time(left_at, {Wait::On::write_barrier, last_remote, 0, true, at});
    remark_leaving(*fiber.core);
}

}  // namespace ts

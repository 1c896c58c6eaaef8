// NoC transfers. A read lands at its barrier; a write is delivered when it is flushed, or when an ordered one overtakes
// nobody.
#include <cstring>

#include "access.h"

namespace ts {

inline constexpr uint32_t multicast_vc = 4;

// ---- time ----

uint64_t Occupancy::take(uint64_t from, uint64_t cycles) {
    size_t span = from >> shift_;
    if (span < first_free_) span = first_free_;
    uint64_t end = 0;
    for (uint64_t left = cycles; left > 0; ++span) {
        if (span >= used_.size()) used_.resize(2 * span + 64);
        const uint64_t free = span_ - used_[span], taken = free < left ? free : left;
        if (taken == 0) continue;
        used_[span] = static_cast<uint16_t>(used_[span] + taken);
        left -= taken;
        end = (uint64_t{span} << shift_) + used_[span];
    }
    while (first_free_ < used_.size() && used_[first_free_] == span_) ++first_free_;
    return end < from + cycles ? from + cycles : end;
}

void Occupancy::reset() {
    used_.clear();
    first_free_ = 0;
}

static uint64_t arrival(const Target& target, uint32_t size, uint32_t noc, bool reading) {
    Machine& machine = *current_run->machine;
    const Timing& timing = machine.config.timing;
    Core& here = core();
    const auto on_link = static_cast<uint64_t>(size / timing.noc_bytes_per_cycle);
    uint64_t start = now() > here.niu_busy_until[noc] ? now() : here.niu_busy_until[noc];
    here.niu_busy_until[noc] = start + on_link;
    if (!target.dram) return start + on_link + (reading ? timing.noc_read_latency : timing.noc_write_latency);
    DramBank& bank = machine.dram[target.index];
    const auto in_bank = static_cast<uint64_t>(size / timing.dram_bytes_per_cycle);
    return bank.occupancy.take(start, in_bank) + (reading ? timing.dram_read_latency : timing.dram_write_latency);
}

// ---- what can be wrong with an address ----

static void check_alignment(const Target& target, uint32_t local, bool reading, const At& at) {
    const MachineConfig& config = current_run->machine->config;
    const uint32_t alignment = !target.dram ? config.l1_alignment
                               : reading    ? config.dram_read_alignment
                                            : config.dram_write_alignment;
    if ((target.offset & (alignment - 1)) == (local & (alignment - 1))) return;
    finding("noc.unaligned", at,
            "%s offset 0x%llx and L1 offset 0x%x differ in their low bits; a %s needs them equal modulo %u bytes",
            target.dram ? "DRAM" : "remote L1", static_cast<unsigned long long>(target.offset), local,
            reading ? "read" : "write", alignment);
}

static void check_allocated(const Target& target, uint32_t size, const At& at) {
    const RunOptions& options = current_run->options;
    if (!target.dram || options.allocation_count == 0) return;
    for (uint32_t i = 0; i < options.allocation_count; ++i) {
        const Allocation& buffer = options.allocations[i];
        if (!buffer.dram || target.offset < buffer.address || target.offset >= buffer.address + buffer.size) continue;
        if (target.offset + size <= buffer.address + buffer.size) return;
        finding("noc.too-long", at,
                "%u bytes at 0x%llx of DRAM bank %u run past the end of the buffer there (0x%llx to 0x%llx)", size,
                static_cast<unsigned long long>(target.offset), target.index,
                static_cast<unsigned long long>(buffer.address),
                static_cast<unsigned long long>(buffer.address + buffer.size));
        return;
    }
    finding("noc.out-of-bounds", at, "0x%llx of DRAM bank %u lies in no allocated buffer",
            static_cast<unsigned long long>(target.offset), target.index);
}

static const Core* core_of(const Target& target) {
    return target.dram ? nullptr : current_run->core_by_index(target.index);
}

// ---- reads ----

extern "C" void ts_noc_read(uint64_t src, uint32_t dst, uint32_t size, uint32_t noc, uint32_t trid, At at) {
    step(at);
    Fiber& fiber = self();
    const Target target = resolve(src, size, at);
    const uint32_t local = local_offset(dst, size, at);
    spend(current_run->machine->config.timing.noc_read_issue);
    if (current_run->checks) {
        check_alignment(target, local, true, at);
        check_allocated(target, size, at);
        check_cb_write(local, size, at);
        check_before_write({fiber.core->shadow, local, size, fiber.core, "a NoC read", true}, at);
        check_read({target.shadow, target.offset, size, core_of(target), "a NoC read"}, at);
        mark_landing(*fiber.core->shadow, local, size, at);
    }
    Transfer transfer{.kind = Transfer::Kind::read,
                      .noc = static_cast<uint8_t>(noc),
                      .trid = trid,
                      .size = size,
                      .local = local,
                      .remote = src,
                      .at = at};
    transfer.done_at = arrival(target, size, noc, true);
    fiber.transfers.push_back(transfer);
    KernelCounters& counters = fiber.kernel->counters;
    ++counters.noc_reads;
    counters.read_bytes += size;
    if (target.dram) counters.dram_read_bytes += size;
}

static void land(Fiber& fiber, const Transfer& transfer) {
    const Target target = resolve(transfer.remote, transfer.size, transfer.at);
    if (current_run->checks) {
        check_read({target.shadow, target.offset, transfer.size, core_of(target), "a NoC read", true}, transfer.at);
        check_write({fiber.core->shadow, transfer.local, transfer.size, fiber.core, "a NoC read", true}, transfer.at);
    }
    memmove(fiber.core->l1 + transfer.local, target.memory, transfer.size);
}

template <class Matches, class Finish>
static void complete(Fiber& fiber, Matches matches, Finish finish) {
    size_t kept = 0;
    uint64_t latest = 0;
    for (size_t i = 0; i < fiber.transfers.size(); ++i) {
        Transfer& transfer = fiber.transfers[i];
        if (matches(transfer)) {
            finish(transfer);
            if (latest < transfer.done_at) latest = transfer.done_at;
        } else {
            if (kept != i) fiber.transfers[kept] = transfer;
            ++kept;
        }
    }
    fiber.transfers.resize(kept, Transfer{});
    join_time(latest);
}

extern "C" void ts_noc_read_barrier(uint32_t noc, uint32_t trid, At at) {
    step(at);
    complete(
        self(),
        [&](const Transfer& t) {
            return t.kind == Transfer::Kind::read && t.noc == noc && (trid == any_trid || t.trid == trid);
        },
        [&](const Transfer& t) { land(self(), t); });
}

// ---- writes ----

// The words of a core that others wait on learn of every write that covers them.
static void signal_words(Core* target, uint32_t offset, uint32_t size, const At& at) {
    if (!target) return;
    if (size == 4 && (offset & 3) == 0) target->word(offset);
    for (auto& word : target->words) {
        if (word->offset < offset || word->offset >= offset + size) continue;
        word->sync.release();
        word->last_writer = at;
        word->written = true;
        word->waiters.wake();
    }
}

static void store(const Target& target, const uint8_t* data, uint32_t size, const At& at, const char* what) {
    Core* owner = target.dram ? nullptr : current_run->core_by_index(target.index);
    const bool signal = !target.dram && size == 4;
    if (current_run->checks) {
        if (signal) {
            mark_initialised(*target.shadow, target.offset, size);
        } else {
            if (owner) check_cb_remote_write(*owner, static_cast<uint32_t>(target.offset), size, at);
            check_write({target.shadow, target.offset, size, owner, what, true}, at);
        }
    }
    memmove(target.memory, data, size);
    signal_words(owner, static_cast<uint32_t>(target.offset), size, at);
}

struct Rectangle {
    uint32_t x0, y0, x1, y1;
    uint64_t local;
};

static Rectangle rectangle(uint64_t address) {
    uint32_t x1 = (address >> 36) & 63, y1 = (address >> 42) & 63, x0 = (address >> 48) & 63, y0 = (address >> 54) & 63;
    if (x0 > x1) {
        const uint32_t t = x0;
        x0 = x1;
        x1 = t;
    }  // NoC 1 names the corners the other way round
    if (y0 > y1) {
        const uint32_t t = y0;
        y0 = y1;
        y1 = t;
    }
    return {x0, y0, x1, y1, address & ((uint64_t{1} << 36) - 1)};
}

template <class Visit>
static uint32_t for_each_worker(uint64_t address, bool include_self, Visit visit) {
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

static void deliver(Fiber& fiber, Transfer& transfer) {
    if (transfer.delivered) return;
    transfer.delivered = true;
    const uint8_t* data = fiber.core->l1 + transfer.local;
    if (transfer.kind == Transfer::Kind::write) {
        store(resolve(transfer.remote, transfer.size, transfer.at), data, transfer.size, transfer.at, "a NoC write");
        return;
    }
    for_each_worker(transfer.remote, transfer.flags & noc_include_self, [&](uint64_t destination) {
        const Target target = resolve(destination, transfer.size, transfer.at);
        if (target.memory != data) store(target, data, transfer.size, transfer.at, "a multicast");
    });
}

// Writes of one core on one NoC and virtual channel arrive in the order they were issued.
void deliver_pending(Fiber& fiber, int noc, int vc, bool only_multicast) {
    for (Transfer& transfer : fiber.transfers) {
        if (transfer.kind == Transfer::Kind::read || transfer.noc != noc || (vc >= 0 && transfer.vc != vc)) continue;
        if (only_multicast && transfer.kind != Transfer::Kind::multicast) continue;
        deliver(fiber, transfer);
    }
}

bool deliver_something(Run& run) {
    bool any = false;
    for (auto& fiber : run.program->fibers) {
        for (size_t i = 0; i < fiber->transfers.size(); ++i) {
            Transfer& transfer = fiber->transfers[i];
            if (transfer.kind == Transfer::Kind::read || transfer.delivered) continue;
            run.current = fiber.get();
            deliver(*fiber, transfer);
            run.current = nullptr;
            any = true;
        }
    }
    return any && !run.ready.empty();
}

static void check_source(uint32_t local, uint32_t size, const char* what, const At& at) {
    Fiber& fiber = self();
    check_cb_read(local, size, at);
    if (size == 4 && fiber.core->find_word(local)) return;  // a semaphore being passed on
    check_read({fiber.core->shadow, local, size, fiber.core, what}, at);
}

extern "C" void ts_noc_write(uint32_t src, uint64_t dst, uint32_t size, uint32_t noc, uint32_t vc, uint32_t trid,
                             uint32_t flags, At at) {
    step(at);
    Fiber& fiber = self();
    const Target target = resolve(dst, size, at);
    const uint32_t local = local_offset(src, size, at);
    spend(current_run->machine->config.timing.noc_write_issue);
    if (current_run->checks) {
        check_alignment(target, local, false, at);
        check_allocated(target, size, at);
        check_source(local, size, "a NoC write", at);
        mark_leaving(*fiber.core->shadow, local, size);
    }
    Transfer transfer{.kind = Transfer::Kind::write,
                      .posted = (flags & noc_posted) != 0,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = static_cast<uint8_t>(vc),
                      .trid = trid,
                      .size = size,
                      .local = local,
                      .flags = flags,
                      .remote = dst,
                      .at = at};
    transfer.done_at = arrival(target, size, noc, false);
    fiber.transfers.push_back(transfer);
    KernelCounters& counters = fiber.kernel->counters;
    ++counters.noc_writes;
    counters.written_bytes += size;
    if (target.dram) counters.dram_written_bytes += size;
}

static void check_destinations(uint64_t dst, uint32_t cores, uint32_t num_dests, uint32_t flags, const At& at) {
    if (cores == num_dests || !current_run->checks) return;
    const Rectangle area = rectangle(dst);
    finding("noc.wrong-target", at,
            "the multicast names %u destinations, but the rectangle (%u, %u) to (%u, %u) holds %u worker cores%s: its "
            "barrier would never end",
            num_dests, area.x0, area.y0, area.x1, area.y1, cores,
            flags & noc_include_self ? " with the sender" : " besides the sender");
}

extern "C" void ts_noc_write_multicast(uint32_t src, uint64_t dst, uint32_t size, uint32_t num_dests, uint32_t noc,
                                       uint32_t flags, At at) {
    step(at);
    Fiber& fiber = self();
    const uint32_t local = local_offset(src, size, at);
    const Timing& timing = current_run->machine->config.timing;
    spend(timing.noc_write_issue);
    const uint32_t cores = for_each_worker(dst, flags & noc_include_self, [](uint64_t) {});
    check_destinations(dst, cores, num_dests, flags, at);
    if (current_run->checks) {
        check_source(local, size, "a multicast", at);
        mark_leaving(*fiber.core->shadow, local, size);
    }
    Transfer transfer{.kind = Transfer::Kind::multicast,
                      .posted = (flags & noc_posted) != 0,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = multicast_vc,
                      .size = size,
                      .local = local,
                      .flags = flags,
                      .destinations = num_dests,
                      .remote = dst,
                      .at = at};
    transfer.done_at = now() + timing.multicast_latency + static_cast<uint64_t>(size / timing.noc_bytes_per_cycle);
    fiber.transfers.push_back(transfer);
    // A multicast word is a signal: it goes out at once, behind the multicasts issued before it.
    if (size == 4) deliver_pending(fiber, static_cast<int>(noc), multicast_vc, true);
    ++fiber.kernel->counters.multicasts;
    fiber.kernel->counters.multicast_bytes += size;
}

static void store_inline(uint64_t destination, uint32_t value, uint32_t byte_enable, const At& at) {
    const Target target = resolve(destination & ~uint64_t{3}, 4, at);
    uint32_t word;
    memcpy(&word, target.memory, 4);
    for (int i = 0; i < 4; ++i)
        if (byte_enable >> i & 1) word = (word & ~(0xffu << 8 * i)) | (value & (0xffu << 8 * i));
    store(target, reinterpret_cast<const uint8_t*>(&word), 4, at, "an inline write");
}

// An inline write carries its value: it arrives behind the writes before it, and only its acknowledgement is
// outstanding.
static void expect_acknowledgement(Fiber& fiber, uint64_t destination, uint32_t noc, uint32_t flags, uint32_t latency,
                                   const At& at) {
    if (flags & noc_posted) return;
    Transfer transfer{.kind = Transfer::Kind::write,
                      .delivered = true,
                      .noc = static_cast<uint8_t>(noc),
                      .vc = 1,
                      .remote = destination,
                      .at = at};
    transfer.done_at = now() + latency;
    fiber.transfers.push_back(transfer);
}

extern "C" void ts_noc_write_inline(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t noc, uint32_t flags,
                                    At at) {
    step(at);
    const Timing& timing = current_run->machine->config.timing;
    spend(timing.noc_write_issue);
    deliver_pending(self(), static_cast<int>(noc), -1, false);
    store_inline(dst, value, byte_enable, at);
    expect_acknowledgement(self(), dst, noc, flags, timing.noc_write_latency, at);
}

extern "C" void ts_noc_write_inline_multicast(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t num_dests,
                                              uint32_t noc, uint32_t flags, At at) {
    step(at);
    const Timing& timing = current_run->machine->config.timing;
    spend(timing.noc_write_issue);
    deliver_pending(self(), static_cast<int>(noc), multicast_vc, true);
    const uint32_t cores = for_each_worker(dst, flags & noc_include_self,
                                           [&](uint64_t one) { store_inline(one, value, byte_enable, at); });
    check_destinations(dst, cores, num_dests, flags, at);
    expect_acknowledgement(self(), dst, noc, flags, timing.multicast_latency, at);
}

static bool is_write(const Transfer& transfer, uint32_t noc, uint32_t trid) {
    return transfer.kind != Transfer::Kind::read && transfer.noc == noc && (trid == any_trid || transfer.trid == trid);
}

static void release_source(Fiber& fiber, const Transfer& transfer) {
    if (current_run->checks) clear_leaving(*fiber.core->shadow, transfer.local, transfer.size);
}

// Two writes may leave from the same bytes: what is still in flight is marked again.
static void remark_leaving(Fiber& fiber) {
    if (!current_run->checks) return;
    for (const Transfer& transfer : fiber.transfers)
        if (transfer.kind != Transfer::Kind::read && !(transfer.delivered && transfer.size == 0))
            mark_leaving(*fiber.core->shadow, transfer.local, transfer.size);
}

extern "C" void ts_noc_write_barrier(uint32_t noc, uint32_t trid, At at) {
    step(at);
    Fiber& fiber = self();
    complete(
        fiber, [&](const Transfer& t) { return is_write(t, noc, trid); },
        [&](Transfer& t) {
            deliver(fiber, t);
            release_source(fiber, t);
        });
    remark_leaving(fiber);
}

extern "C" void ts_noc_writes_flushed(uint32_t noc, uint32_t trid, bool posted, At at) {
    step(at);
    Fiber& fiber = self();
    const Timing& timing = current_run->machine->config.timing;
    uint64_t left_at = 0;
    complete(
        fiber, [&](const Transfer& t) { return is_write(t, noc, trid) && t.posted && posted; },
        [&](Transfer& t) {
            deliver(fiber, t);
            release_source(fiber, t);
        });
    for (Transfer& transfer : fiber.transfers) {
        if (!is_write(transfer, noc, trid) || transfer.posted != posted) continue;
        deliver(fiber, transfer);
        release_source(fiber, transfer);
        transfer.size = 0;  // it has left: only its acknowledgement is outstanding
        const uint64_t leaves = transfer.done_at - timing.noc_write_latency;
        if (left_at < leaves && transfer.done_at > timing.noc_write_latency) left_at = leaves;
    }
    // Only the newest acknowledgement matters: keep one per NoC so that long loops stay short.
    complete(
        fiber,
        [&](const Transfer& t) {
            return trid == any_trid && is_write(t, noc, trid) && t.size == 0 && t.delivered &&
                   &t != &fiber.transfers.back();
        },
        [&](Transfer& t) { t.done_at = 0; });
    join_time(left_at);
    remark_leaving(fiber);
}

// ---- atomics ----

static void atomic_add(uint64_t destination, uint32_t increment, const At& at) {
    const Target target = resolve(destination, 4, at);
    if (target.dram) fatal("noc.wrong-target", at, "an atomic increment cannot address DRAM");
    uint32_t word;
    memcpy(&word, target.memory, 4);
    word += increment;
    memcpy(target.memory, &word, 4);
    if (current_run->checks) mark_initialised(*target.shadow, target.offset, 4);
    signal_words(current_run->core_by_index(target.index), static_cast<uint32_t>(target.offset), 4, at);
}

static void count_atomic(Fiber& fiber, uint32_t noc, const At& at) {
    ++fiber.atomics_in_flight[noc];
    ++fiber.kernel->counters.atomics;
    fiber.atomic_at = at;
    fiber.atomics_done_at[noc] = now() + current_run->machine->config.timing.atomic_latency;
}

extern "C" void ts_noc_atomic_inc(uint64_t dst, uint32_t increment, uint32_t, uint32_t noc, uint32_t flags, At at) {
    step(at);
    spend(current_run->machine->config.timing.noc_write_issue);
    atomic_add(dst, increment, at);
    if (!(flags & noc_posted)) count_atomic(self(), noc, at);
}

extern "C" void ts_noc_atomic_inc_multicast(uint64_t dst, uint32_t increment, uint32_t num_dests, uint32_t noc, At at) {
    step(at);
    spend(current_run->machine->config.timing.noc_write_issue);
    deliver_pending(self(), static_cast<int>(noc), multicast_vc, true);
    const uint32_t cores =
        for_each_worker(dst, false, [&](uint64_t destination) { atomic_add(destination, increment, at); });
    check_destinations(dst, cores, num_dests, 0, at);
    count_atomic(self(), noc, at);
}

extern "C" void ts_noc_atomic_barrier(uint32_t noc, At at) {
    step(at);
    self().atomics_in_flight[noc] = 0;
    join_time(self().atomics_done_at[noc]);
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
        case Transfer::Kind::read:
            return "NoC read";
        case Transfer::Kind::write:
            return "NoC write";
        default:
            return "multicast";
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
    if (current_run->checks && (fiber.atomics_in_flight[0] || fiber.atomics_in_flight[1]))
        finding("noc.inflight-at-end", fiber.atomic_at,
                "the kernel ends while this atomic increment is not acknowledged");
}

}  // namespace ts

// Reads, which land at their barrier; and what can be wrong with the addresses of transfers.
#include <algorithm>
#include <cstring>

#include "transfers.h"
#include "undefined.h"

namespace ts {

uint32_t remote_id(const Target& target) { return target.dram ? target.index : remote_core + target.index; }

uint32_t remote_id(const Transfer& transfer) {
    if (transfer.kind >= Transfer::Kind::multicast) return remote_many;
    return remote_id(resolve(transfer.remote, transfer.size, transfer.at));
}

// ---- what can be wrong with an address ----

void check_alignment(const Target& target, uint32_t local, bool reading, const At& at) {
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

void check_allocated(const Target& target, uint32_t size, bool reading, const At& at) {
    const RunOptions& options = current_run->options;
    if (!target.dram || options.allocation_count == 0) return;
    for (uint32_t i = 0; i < options.allocation_count; ++i) {
        const Allocation& buffer = options.allocations[i];
        if (!buffer.dram || target.offset < buffer.address || target.offset >= buffer.address + buffer.size) continue;
        if (target.offset + size <= buffer.address + buffer.size) {
            note_dram_use(buffer, target, size, reading, at);
            return;
        }
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

const Core* core_of(const Target& target) { return target.dram ? nullptr : current_run->core_by_index(target.index); }

// ---- reads ----

// The host's memory is slow: what a barrier is about to copy comes nearer while the clock looks at links.
static void prefetch(const uint8_t* memory, uint32_t size) {
    constexpr uint32_t line = 64, most = 4096;
    for (uint32_t byte = 0; byte < std::min(size, most); byte += line) __builtin_prefetch(memory + byte);
}

extern "C" void ts_noc_read(uint64_t src, uint32_t dst, uint32_t size, uint32_t noc, uint32_t trid, uint32_t flags,
                            At at) {
    step(at);
    Fiber& fiber = self();
    const Target target = resolve(src, size, at);
    const uint32_t local = local_offset(dst, size, at);
    spend(current_run->machine->config.timing.issue_read[api_of(flags)], Work::noc);
    if (current_run->checks) {
        check_packet(size, flags, at);
        check_not_linked(noc, "a NoC read", at);
        check_page(src, "a read", at);
        check_state(src, size, noc, true, flags, at);
        check_alignment(target, local, true, at);
        check_allocated(target, size, true, at);
        check_cb_write(local, size, at);
        check_before_write({fiber.core->shadow, local, size, fiber.core, "a NoC read", true}, at);
        check_read({target.shadow, target.offset, size, core_of(target), "a NoC read", false, true}, at);
        check_acknowledged(target, at);
        mark_landing(*fiber.core->shadow, local, size, at);
    }
    Transfer transfer{.kind = Transfer::Kind::read,
                      .noc = static_cast<uint8_t>(noc),
                      .trid = trid,
                      .size = size,
                      .local = local,
                      .remote = src,
                      .at = at,
                      .source = target.memory};
    prefetch(target.memory, size);
    transfer.times = read_journey(*fiber.core, target, size, noc);
    if (current_run->trace)
        note_transfer(Moved::read, {remote_id(target), target.offset}, size, noc, transfer.times.done, at);
    fiber.transfers.push_back(transfer);
    KernelCounters& counters = fiber.kernel->counters;
    ++counters.noc_reads;
    counters.read_bytes += size;
    if (target.dram) counters.dram_read_bytes += size;
}

static void land(Fiber& fiber, const Transfer& transfer) {
    if (current_run->checks) {
        const Target target = resolve(transfer.remote, transfer.size, transfer.at);
        const bool undefined = check_read(
            {target.shadow, target.offset, transfer.size, core_of(target), "a NoC read", true, true}, transfer.at);
        check_write({fiber.core->shadow, transfer.local, transfer.size, fiber.core, "a NoC read", true}, transfer.at);
        const Target here{false, fiber.core->index, transfer.local, nullptr, fiber.core->shadow};
        carry_undefined(target, here, transfer.size, undefined, transfer.at);
    }
    memmove(fiber.core->l1 + transfer.local, transfer.source, transfer.size);
}

extern "C" void ts_noc_read_barrier(uint32_t noc, uint32_t trid, At at) {
    step(at);
    complete(
        self(), Wait::On::read_barrier, at,
        [&](const Transfer& t) {
            return t.kind == Transfer::Kind::read && t.noc == noc && (trid == any_trid || t.trid == trid);
        },
        [&](const Transfer& t) { land(self(), t); });
}

}  // namespace ts

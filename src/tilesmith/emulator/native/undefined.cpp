#include "undefined.h"

#include "transfers.h"

namespace ts {

inline constexpr size_t most_ranges = 1u << 20;

// ---- DRAM: intervals, in order, since there are hardly ever any ----

void define_dram(DramBank& bank, uint64_t offset, uint64_t size) {
    std::vector<Interval> kept;
    for (const Interval& old : bank.undefined) {
        if (old.begin < offset) kept.push_back({old.begin, old.end < offset ? old.end : offset});
        if (old.end > offset + size) kept.push_back({old.begin > offset + size ? old.begin : offset + size, old.end});
    }
    bank.undefined = std::move(kept);
}

static void undefine_dram(DramBank& bank, uint64_t begin, uint64_t end) {
    auto& intervals = bank.undefined;
    size_t at = intervals.size();
    while (at > 0 && intervals[at - 1].begin > begin) --at;
    intervals.insert(intervals.begin() + static_cast<ptrdiff_t>(at), Interval{begin, end});
}

static bool undefined_dram(const DramBank& bank, uint64_t offset, uint32_t size, uint8_t* out) {
    bool any = false;
    for (const Interval& one : bank.undefined) {
        const uint64_t begin = one.begin > offset ? one.begin : offset;
        const uint64_t end = one.end < offset + size ? one.end : offset + size;
        for (uint64_t i = begin; i < end; ++i) out[i - offset] = 0xff, any = true;
    }
    return any;
}

// ---- stores ----

// The host looks at what reached a tensor: all of DRAM, and shards in L1.
static bool in_tensor(const Target& target) {
    if (target.dram) return true;
    const RunOptions& options = current_run->options;
    for (uint32_t i = 0; i < options.allocation_count; ++i) {
        const Allocation& buffer = options.allocations[i];
        if (!buffer.dram && target.offset >= buffer.address && target.offset < buffer.address + buffer.size)
            return true;
    }
    return false;
}

template <class Visit>
static void for_each_run(const uint8_t* undefined, uint32_t size, Visit visit) {
    for (uint32_t begin = 0; begin < size;) {
        uint32_t end = begin;
        while (end < size && (undefined[end] != 0) == (undefined[begin] != 0)) ++end;
        if (undefined[begin]) visit(begin, end);
        begin = end;
    }
}

void store_undefined(const Target& target, uint32_t size, const uint8_t* undefined, const At& at) {
    LoadedProgram& program = *current_run->program;
    const bool told = in_tensor(target);
    const uint32_t place = told ? undefined_place(at) : 0;
    for_each_run(undefined, size, [&](uint32_t begin, uint32_t end) {
        if (target.dram)
            undefine_dram(current_run->machine->dram[target.index], target.offset + begin, target.offset + end);
        else mark_undefined(*target.shadow, target.offset + begin, end - begin);
        if (told && program.undefined.size() < most_ranges)
            program.undefined.push_back({target.dram, target.index, target.offset + begin, end - begin, place});
    });
}

void carry_undefined(const Target& from, const Target& to, uint32_t size, bool maybe, const At& at) {
    Machine& machine = *current_run->machine;
    if (to.dram && !machine.dram[to.index].undefined.empty()) define_dram(machine.dram[to.index], to.offset, size);
    if (from.dram ? machine.dram[from.index].undefined.empty() : !maybe) return;
    std::vector<uint8_t> undefined(size);
    const bool any = from.dram ? undefined_dram(machine.dram[from.index], from.offset, size, undefined.data())
                               : undefined_bytes(*from.shadow, from.offset, size, undefined.data());
    if (any) store_undefined(to, size, undefined.data(), at);
}

}  // namespace ts

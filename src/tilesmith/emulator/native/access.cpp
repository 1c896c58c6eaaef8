#include "access.h"

#include <cstdio>

namespace ts {

// ---- races: FastTrack-style epochs against the running fiber's vector clock ----

static uint64_t my_epoch() {
    const Fiber& fiber = self();
    return fiber.clock.at[fiber.id] | uint64_t{fiber.id} << fiber_shift;
}

static bool happened_before(uint64_t epoch) {
    const uint32_t clock = static_cast<uint32_t>(epoch & clock_mask);
    if (clock < current_run->machine->first_clock) return true;  // an earlier run, or the host
    const auto fiber = static_cast<uint32_t>(epoch >> fiber_shift & fiber_mask);
    return self().clock.at[fiber] >= clock;
}

static uint64_t place_of(const At& at) {
    auto& places = current_run->places;
    static thread_local size_t last = 0;
    if (last < places.size() && places[last].line() == at.line() && places[last].file_name() == at.file_name()) return last;
    for (size_t i = 0; i < places.size(); ++i)
        if (places[i].line() == at.line() && places[i].file_name() == at.file_name()) return last = i;
    if (places.size() >= (1u << 14) - 1) return last = places.size() - 1;
    places.push_back(at);
    return last = places.size() - 1;
}

static std::string whose(uint64_t word) {
    const auto id = static_cast<uint32_t>(word >> fiber_shift & fiber_mask);
    const Run& run = *current_run;
    if (id >= run.program->fibers.size()) return "an earlier program";
    const Fiber& fiber = *run.program->fibers[id];
    const uint64_t at = word >> place_shift;
    char text[512];
    snprintf(text, sizeof text, "%s of core (%u, %u) at %s", role_name(fiber.role), fiber.core->x, fiber.core->y,
             at < run.places.size() ? place(run.places[at]).c_str() : "an unknown line");
    return text;
}

static const char* memory_name(const Access& access) { return access.l1_of ? "L1" : "memory"; }

static void report_race(const Access& access, uint64_t other, const char* mine, const char* theirs, const At& at) {
    finding("mem.race", at, "%s %s %s offset 0x%llx that %s %s, and nothing orders the two", access.what, mine, memory_name(access),
            static_cast<unsigned long long>(access.offset), whose(other).c_str(), theirs);
}

static uint64_t byte_mask(uint64_t granule_start, const Access& access) {
    if (access.shadow->shift != 2) return 15;
    uint64_t mask = 0;
    for (uint64_t i = 0; i < 4; ++i)
        if (granule_start + i >= access.offset && granule_start + i < access.offset + access.size) mask |= uint64_t{1} << i;
    return mask;
}

struct Granules {
    Shadow *first, *last;  // inclusive
    uint64_t head_mask, tail_mask;  // bytes touched in the first and last granule
};

static Granules granules(const Access& access) {
    const uint32_t shift = access.shadow->shift;
    const uint64_t first = access.offset >> shift, last = (access.offset + access.size - 1) >> shift;
    return {access.shadow->records + first, access.shadow->records + last, byte_mask(first << shift, access),
            byte_mask(last << shift, access)};
}

static bool covers_whole_granules(const Access& access) {
    const uint64_t mask = (uint64_t{1} << access.shadow->shift) - 1;
    return ((access.offset | access.size) & mask) == 0;
}

// Everything that can be wrong with one granule that is about to be read.
static void examine_read(const Access& access, const Shadow& record, uint64_t bytes, const At& at, bool* reported) {
    if (*reported) return;
    const bool l1 = access.shadow->shift == 2;
    if (record.write & landing_bit && !access.in_transfer) {
        finding("noc.use-before-barrier", at, "%s reads L1 offset 0x%llx while a NoC read issued by %s is still in flight to it",
                access.what, static_cast<unsigned long long>(access.offset), whose(record.write).c_str());
        *reported = true;
    } else if (l1 && (record.write >> initialised_shift & bytes) != bytes) {
        const auto granule = static_cast<uint64_t>(&record - access.shadow->records) << 2;
        finding("mem.uninitialised", at, "%s reads L1 offset 0x%llx, which nothing has written", access.what,
                static_cast<unsigned long long>(granule));
        *reported = true;
    } else if (!happened_before(record.write & epoch_mask)) {
        report_race(access, record.write, "reads", "wrote", at);
        *reported = true;
    }
}

void check_read(const Access& access, const At& at) {
    if (access.size == 0) return;
    const Granules range = granules(access);
    const bool exact = access.shadow->shift == 2 || covers_whole_granules(access);
    const uint64_t mine = my_epoch() | place_of(at) << place_shift;
    bool reported = false;
    uint64_t good_write = ~uint64_t{0}, good_read = 0;
    for (Shadow* record = range.first; record <= range.last; ++record) {
        uint64_t bytes = 15;
        if (record == range.first) bytes &= range.head_mask;
        if (record == range.last) bytes &= range.tail_mask;
        if (record->write != good_write || bytes != 15) {
            if (exact || access.shadow->shift == 2) examine_read(access, *record, bytes, at, &reported);
            if (bytes == 15) good_write = record->write;
        }
        if (record->read != good_read) {
            good_read = record->read;
            if (record->read != 0 && !happened_before(record->read & epoch_mask)) {
                record->read = mine | more_readers_bit;
                continue;
            }
        }
        record->read = mine;
    }
}

static void examine_write(const Access& access, const Shadow& record, const At& at, bool* reported) {
    if (*reported) return;
    if (record.write & landing_bit && !access.in_transfer) {
        finding("noc.use-before-barrier", at, "%s writes L1 offset 0x%llx while a NoC read issued by %s is still in flight to it",
                access.what, static_cast<unsigned long long>(access.offset), whose(record.write).c_str());
        *reported = true;
    } else if (record.write & leaving_bit) {
        finding("noc.source-reused", at,
                "%s writes L1 offset 0x%llx while a NoC write may still be reading it; the data last came from %s", access.what,
                static_cast<unsigned long long>(access.offset), whose(record.write).c_str());
        *reported = true;
    } else if (!happened_before(record.write & epoch_mask)) {
        report_race(access, record.write, "writes", "also wrote", at);
        *reported = true;
    } else if (record.read != 0 && !happened_before(record.read & epoch_mask)) {
        report_race(access, record.read, "writes", "read", at);
        *reported = true;
    }
}

void check_write(const Access& access, const At& at) {
    if (access.size == 0) return;
    const Granules range = granules(access);
    const bool exact = access.shadow->shift == 2 || covers_whole_granules(access);
    const uint64_t mine = my_epoch() | place_of(at) << place_shift;
    bool reported = false;
    Shadow good{~uint64_t{0}, ~uint64_t{0}};
    for (Shadow* record = range.first; record <= range.last; ++record) {
        uint64_t bytes = 15;
        if (record == range.first) bytes &= range.head_mask;
        if (record == range.last) bytes &= range.tail_mask;
        if (record->write != good.write || record->read != good.read) {
            if (exact) examine_write(access, *record, at, &reported);
            good = *record;
        }
        const uint64_t kept = (record->write >> initialised_shift & 15) | bytes;
        record->write = mine | kept << initialised_shift;
        record->read = 0;
    }
}

void check_before_write(const Access& access, const At& at) {
    if (access.size == 0 || !(access.shadow->shift == 2 || covers_whole_granules(access))) return;
    const Granules range = granules(access);
    bool reported = false;
    Shadow good{~uint64_t{0}, ~uint64_t{0}};
    for (Shadow* record = range.first; record <= range.last; ++record) {
        if (record->write == good.write && record->read == good.read) continue;
        examine_write(access, *record, at, &reported);
        good = *record;
    }
}

void mark_landing(ShadowMap& shadow, uint64_t offset, uint32_t size, const At& at) {
    if (size == 0) return;
    const uint64_t mine = my_epoch() | place_of(at) << place_shift | landing_bit;
    const uint64_t last = (offset + size - 1) >> shadow.shift;
    for (uint64_t i = offset >> shadow.shift; i <= last; ++i)
        shadow.records[i].write = (shadow.records[i].write & (initialised_mask | leaving_bit)) | mine;
}

void mark_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size) {
    if (size == 0) return;
    const uint64_t last = (offset + size - 1) >> shadow.shift;
    for (uint64_t i = offset >> shadow.shift; i <= last; ++i) shadow.records[i].write |= leaving_bit;
}

void clear_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size) {
    if (size == 0) return;
    const uint64_t last = (offset + size - 1) >> shadow.shift;
    for (uint64_t i = offset >> shadow.shift; i <= last; ++i) shadow.records[i].write &= ~leaving_bit;
}

// ---- L1 accesses of the running fiber ----

static const char* doing() {
    switch (self().role) {
        case Role::unpack: return "unpack";
        case Role::math: return "math";
        case Role::pack: return "pack";
        default: return "the kernel";
    }
}

void l1_read(uint32_t address, uint32_t size, const At& at) {
    const uint32_t offset = local_offset(address, size, at);
    if (!current_run->checks || size == 0) return;
    check_cb_read(offset, size, at);
    check_read({core().shadow, offset, size, &core(), doing()}, at);
}

void l1_write(uint32_t address, uint32_t size, const At& at) {
    const uint32_t offset = local_offset(address, size, at);
    if (!current_run->checks || size == 0) return;
    check_cb_write(offset, size, at);
    check_write({core().shadow, offset, size, &core(), doing()}, at);
}

}  // namespace ts

#include "access.h"

#include "arrivals.h"
#include "shadow_walk.h"
#include "undefined.h"

#include <cstdio>

namespace ts {

// ---- races: FastTrack-style epochs against the running fiber's vector clock ----

static uint64_t my_epoch() {
    const Fiber& fiber = self();
    return fiber.clock[fiber.id] | uint64_t{fiber.id} << fiber_shift;
}

static bool happened_before(uint64_t epoch) {
    const uint32_t clock = static_cast<uint32_t>(epoch & clock_mask);
    if (clock < current_run->machine->first_clock) return true;  // an earlier run, or the host
    const auto fiber = static_cast<uint32_t>(epoch >> fiber_shift & fiber_mask);
    return self().clock[fiber] >= clock;
}

static uint64_t place_of(const At& at) {
    auto& places = current_run->places;
    static thread_local size_t last = 0;
    if (last < places.size() && places[last].line() == at.line() && places[last].file_name() == at.file_name())
        return last;
    for (size_t i = 0; i < places.size(); ++i)
        if (places[i].line() == at.line() && places[i].file_name() == at.file_name()) return last = i;
    if (places.size() >= (1u << 14) - 1) return last = places.size() - 1;
    places.push_back(at);
    return last = places.size() - 1;
}

static std::string whose(uint64_t word) {
    const auto id = static_cast<uint32_t>(word >> fiber_shift & fiber_mask);
    const Run& run = *current_run;
    if (id >= run.by_id.size()) return "an earlier program";
    const Fiber& fiber = *run.by_id[id];
    const uint64_t at = word >> place_shift;
    char text[512];
    snprintf(text, sizeof text, "%s of %s at %s", role_name(fiber.role), core_name(fiber).c_str(),
             at < run.places.size() ? place(run.places[at]).c_str() : "an unknown line");
    return text;
}

static const char* memory_name(const Access& access) { return access.l1_of ? "L1" : "memory"; }

static void report_race(const Access& access, uint64_t other, const char* mine, const char* theirs, const At& at) {
    finding("mem.race", at, "%s %s %s offset 0x%llx that %s %s, and nothing orders the two", access.what, mine,
            memory_name(access), static_cast<unsigned long long>(access.offset), whose(other).c_str(), theirs);
}

// ---- ranges of records ----

// A granule of DRAM is 16 bytes: parts of one may belong to different cores, so those are not judged.
static bool judged(const Access& access) {
    const uint64_t mask = (uint64_t{1} << access.shadow->shift) - 1;
    return access.shadow->shift == 2 || ((access.offset | access.size) & mask) == 0;
}

// Bulk transfers leave long runs of equal records. One that looks like its neighbour has the same things wrong with it.
struct Neighbour {
    Shadow record{~uint64_t{0}, {0, 0}};
    uint64_t bytes = 0;

    bool differs(const Shadow& next, uint64_t next_bytes) {
        if (next.write == record.write && next.reads[0] == record.reads[0] && next.reads[1] == record.reads[1] &&
            next_bytes == bytes)
            return false;
        record = next;
        bytes = next_bytes;
        return true;
    }
};

// ---- reading ----

// Everything that can be wrong with bytes that are about to be read.
static bool examine_read(const Access& access, const Shadow& record, uint64_t bytes, const At& at) {
    if (record.write & landing_bit && !access.in_transfer) {
        finding("noc.use-before-barrier", at,
                "%s reads L1 offset 0x%llx while a NoC read issued by %s is still in flight to it", access.what,
                static_cast<unsigned long long>(access.offset), whose(record.write).c_str());
    } else if (!access.moves && access.shadow->shift == 2 && (record.write >> initialised_shift & bytes) != bytes) {
        finding("mem.uninitialised", at, "%s reads %u bytes at L1 offset 0x%llx, some of which nothing has written",
                access.what, access.size, static_cast<unsigned long long>(access.offset));
    } else if (!happened_before(record.write & epoch_mask)) {
        report_race(access, record.write, "reads", "wrote", at);
    } else {
        return false;
    }
    return true;
}

// Which of the two remembered readers the running fiber takes the place of.
static int reader_slot(const Shadow& record, uint64_t mine) {
    const uint64_t first = record.reads[0];
    const bool replaces_first =
        first == 0 || ((first ^ mine) >> fiber_shift & fiber_mask) == 0 || happened_before(first & epoch_mask);
    return replaces_first ? 0 : 1;
}

bool check_read(const Access& access, const At& at) {
    const uint64_t mine = my_epoch() | place_of(at) << place_shift;
    const bool judge = judged(access);
    const bool moves = access.moves && access.shadow->shift == 2;
    bool reported = false, undefined = false;
    int slot = 0;
    Neighbour neighbour;
    visit(*access.shadow, access.offset, access.size, false, [&](Shadow& record, uint64_t bytes) {
        if (neighbour.differs(record, bytes)) {
            if (judge && !reported) reported = examine_read(access, record, bytes, at);
            slot = reader_slot(record, mine);
            undefined = undefined || (moves && (record.write >> initialised_shift & bytes) != bytes);
        }
        record.reads[slot] = mine;
    });
    if (undefined && current_run->undefined_read.line() == 0) current_run->undefined_read = at;
    return undefined;
}

// ---- writing ----

static bool examine_write(const Access& access, const Shadow& record, const At& at) {
    if (record.write & landing_bit && !access.in_transfer) {
        finding("noc.use-before-barrier", at,
                "%s writes L1 offset 0x%llx while a NoC read issued by %s is still in flight to it", access.what,
                static_cast<unsigned long long>(access.offset), whose(record.write).c_str());
        return true;
    }
    if (record.write & leaving_bit && access.l1_of) {
        if (const Transfer* leaving = write_leaving(*access.l1_of, access.offset, access.size)) {
            finding("noc.source-reused", at,
                    "%s writes L1 offset 0x%llx while the NoC write issued at %s may still be reading it; the data "
                    "last came from %s",
                    access.what, static_cast<unsigned long long>(access.offset), place(leaving->at).c_str(),
                    whose(record.write).c_str());
            return true;
        }
    }
    if (!happened_before(record.write & epoch_mask)) {
        report_race(access, record.write, "writes", "also wrote", at);
        return true;
    }
    for (const uint64_t read : record.reads) {
        if (read == 0 || happened_before(read & epoch_mask)) continue;
        report_race(access, read, "writes", "read", at);
        return true;
    }
    return false;
}

void check_write(const Access& access, const At& at) {
    const uint64_t mine = my_epoch() | place_of(at) << place_shift;
    const bool judge = judged(access);
    bool reported = false;
    Neighbour neighbour;
    visit(*access.shadow, access.offset, access.size, true, [&](Shadow& record, uint64_t bytes) {
        if (judge && !reported && neighbour.differs(record, bytes)) reported = examine_write(access, record, at);
        record = {mine | (record.write & initialised_mask) | bytes << initialised_shift, {0, 0}};
    });
}

void check_before_write(const Access& access, const At& at) {
    if (!judged(access)) return;
    bool reported = false;
    Neighbour neighbour;
    visit(*access.shadow, access.offset, access.size, false, [&](Shadow& record, uint64_t bytes) {
        if (!reported && neighbour.differs(record, bytes)) reported = examine_write(access, record, at);
    });
}

// ---- marks ----

void mark_landing(ShadowMap& shadow, uint64_t offset, uint32_t size, const At& at) {
    const uint64_t mine = my_epoch() | place_of(at) << place_shift | landing_bit;
    visit(shadow, offset, size, false,
          [&](Shadow& record, uint64_t) { record.write = (record.write & (initialised_mask | leaving_bit)) | mine; });
}

void mark_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size) {
    visit(shadow, offset, size, false, [](Shadow& record, uint64_t) { record.write |= leaving_bit; });
}

void clear_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size) {
    visit(shadow, offset, size, false, [](Shadow& record, uint64_t) { record.write &= ~leaving_bit; });
}

void mark_initialised(ShadowMap& shadow, uint64_t offset, uint64_t size) {
    visit(shadow, offset, size, true, [](Shadow& record, uint64_t bytes) {
        record = {(record.write & initialised_mask) | bytes << initialised_shift, {0, 0}};
    });
}

static constexpr uint64_t flags_mask = initialised_mask | landing_bit | leaving_bit;

// Of so many equal records: (...(sum * m + write) * m + write...), which does not depend on how many were visited at once.
struct Powers {
    uint64_t of_sum[ShadowMap::longest_run + 1]{1}, of_write[ShadowMap::longest_run + 1]{0};

    constexpr Powers() {
        for (uint64_t i = 0; i < ShadowMap::longest_run; ++i) {
            of_sum[i + 1] = of_sum[i] * 0x9E3779B97F4A7C15ULL;
            of_write[i + 1] = of_write[i] * 0x9E3779B97F4A7C15ULL + 1;
        }
    }
};

uint64_t writes_of(ShadowMap& shadow, uint64_t offset, uint32_t size) {
    static constexpr Powers powers;
    uint64_t sum = 0;
    visit(shadow, offset, size, false, [&](Shadow& record, uint64_t, uint64_t count) {
        sum = sum * powers.of_sum[count] + (record.write & ~flags_mask) * powers.of_write[count];
    });
    return sum;
}

uint64_t last_writer(ShadowMap& shadow, uint64_t offset) {
    return (shadow.record(offset).write & ~(flags_mask | clock_mask)) |
           1;  // never 0: the first fiber is 0, and so is the first place
}

void mark_undefined(ShadowMap& shadow, uint64_t offset, uint64_t size) {
    visit(shadow, offset, size, false,
          [](Shadow& record, uint64_t bytes) { record.write &= ~(bytes << initialised_shift); });
}

bool undefined_bytes(ShadowMap& shadow, uint64_t offset, uint32_t size, uint8_t* out) {
    bool any = false;
    for (uint64_t at = offset; at < offset + size; ++at) {
        if (shadow.record(at).write >> (initialised_shift + (at & 3)) & 1) continue;
        out[at - offset] = 0xff;
        any = true;
    }
    return any;
}

void mark_uninitialised(ShadowMap& shadow, uint64_t offset, uint64_t size) {
    visit(shadow, offset, size, true, [](Shadow& record, uint64_t) { record = {}; });
}

bool is_touched(ShadowMap& shadow, uint64_t offset, uint64_t size) {
    bool touched = false;
    visit(shadow, offset, size, false,
          [&](Shadow& record, uint64_t) { touched = touched || record.write || record.reads[0] || record.reads[1]; });
    return touched;
}

bool is_read(ShadowMap& shadow, uint64_t offset, uint64_t size) {
    bool read = false;
    visit(shadow, offset, size, false,
          [&](Shadow& record, uint64_t) { read = read || record.reads[0] || record.reads[1]; });
    return read;
}

void check_word_source(uint32_t offset, uint32_t size, const char* verb, const At& at) {
    bool marked = false;
    visit(*core().shadow, offset, size, false,
          [&](Shadow& record, uint64_t) { marked = marked || record.write & leaving_bit; });
    const Transfer* leaving = marked ? write_leaving(core(), offset, size) : nullptr;
    if (leaving)
        finding("noc.source-reused", at,
                "semaphore word 0x%x is %s while the NoC write issued at %s may still be reading it", offset, verb,
                place(leaving->at).c_str());
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

bool l1_unpack(uint32_t address, uint32_t size, std::vector<uint8_t>& undefined, const At& at) {
    const uint32_t offset = local_offset(address, size, at);
    if (!current_run->checks || size == 0) return false;
    check_cb_read(offset, size, at);
    if (!check_read({core().shadow, offset, size, &core(), doing(), false, true}, at)) return false;
    undefined.assign(size, 0);
    return undefined_bytes(*core().shadow, offset, size, undefined.data());
}

void l1_write(uint32_t address, uint32_t size, const At& at) {
    const uint32_t offset = local_offset(address, size, at);
    if (!current_run->checks || size == 0) return;
    check_cb_write(offset, size, at);
    check_write({core().shadow, offset, size, &core(), doing()}, at);
}

}  // namespace ts

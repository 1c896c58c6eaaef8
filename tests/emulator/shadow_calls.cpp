// The shadow of a memory beside one that keeps a record for every four bytes: test_shadow.py walks both.
#include "shadow_walk.h"

using namespace ts;

struct Both {
    ShadowMap shadow;
    Shadow* plain = nullptr;
};

extern "C" {

Both* shadow_new(uint64_t bytes) {
    auto* both = new Both;
    both->shadow.map(bytes, 2);
    both->plain = new Shadow[bytes / 4]{};
    return both;
}

void shadow_free(Both* both) {
    both->shadow.unmap();
    delete[] both->plain;
    delete both;
}

// Every granule of the range, and how often the walk came to one, must be what they are granule by granule.
static bool agree(Both* both, uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i)
        if (!(both->shadow.record(i * 4) == both->plain[i])) return false;
    return true;
}

bool shadow_write(Both* both, uint64_t begin, uint64_t size, uint64_t writer, uint64_t bytes) {
    visit(both->shadow, begin, size, true, [&](Shadow& record, uint64_t) { record = {writer, {0, 0}}; });
    for (uint64_t i = begin / 4; i < (begin + size) / 4; ++i) both->plain[i] = {writer, {0, 0}};
    return agree(both, 0, bytes / 4);
}

bool shadow_read(Both* both, uint64_t begin, uint64_t size, uint64_t reader, uint64_t bytes) {
    const auto note = [&](Shadow& record, uint64_t) { record.reads[record.reads[0] != 0] = reader; };
    visit(both->shadow, begin, size, false, note);
    for (uint64_t i = begin / 4; i < (begin + size) / 4; ++i) note(both->plain[i], 15);
    return agree(both, 0, bytes / 4);
}

// How often a walk calls for a range: 1 where all of it is alike and stands in one run.
uint32_t shadow_calls(Both* both, uint64_t begin, uint64_t size) {
    uint32_t calls = 0;
    visit(both->shadow, begin, size, false, [&](Shadow&, uint64_t) { ++calls; });
    return calls;
}

}  // extern "C"

// Words in L1 through which cores and roles signal each other.
#include <cstring>

#include "access.h"
#include "arrivals.h"
#include "word_history.h"

namespace ts {

SyncWord* Core::find_word(uint32_t offset) {
    for (auto& word : words)
        if (word->offset == offset) return word.get();
    return nullptr;
}

SyncWord& Core::word(uint32_t offset) {
    if (SyncWord* known = find_word(offset)) return *known;
    words.push_back(Owned<SyncWord>::make());
    words.back()->offset = offset;
    return *words.back();
}

void check_semaphore(uint32_t core_index, uint64_t offset, const At& at) {
    const Run& run = *current_run;
    const uint64_t begin = run.machine->config.semaphore_base;
    if (!run.checks || offset < begin || offset >= begin + 16 * max_semaphores) return;
    const auto id = static_cast<uint32_t>((offset - begin) / 16);
    if (run.program->semaphores_of[core_index] >> id & 1) return;
    const uint32_t width = run.machine->config.grid_x;
    finding("sync.no-semaphore", at, "the program has no semaphore %u on core (%u, %u)", id, core_index % width,
            core_index / width);
}

extern "C" uint32_t ts_semaphore_address(uint32_t id, At at) {
    if (id >= max_semaphores)
        fatal("sync.no-semaphore", at, "semaphore %u does not exist: a core has %u", id, max_semaphores);
    if (current_run->checks && !(current_run->program->semaphores_anywhere >> id & 1))
        finding("sync.no-semaphore", at, "the program has no semaphore %u", id);
    const uint32_t offset = current_run->machine->config.semaphore_base + id * 16;
    core().word(offset);
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(core().l1)) + offset;
}

static uint32_t load(uint32_t offset) {
    uint32_t value;
    memcpy(&value, core().l1 + offset, 4);
    return value;
}

extern "C" void ts_semaphore_set(uint32_t address, uint32_t value, At at) {
    step(at);
    const uint32_t offset = local_offset(address, 4, at);
    spend(current_run->machine->config.timing.semaphore_operation);
    check_semaphore(core().index, offset, at);
    if (current_run->checks) {
        check_word_source(offset, 4, "set", at);
        mark_initialised(*core().shadow, offset, 4);
    }
    memcpy(core().l1 + offset, &value, 4);
    SyncWord& word = core().word(offset);
    note_change(word, value, true, Changed::stored, at);
    word.sync.release();
    word.last_writer = at;
    word.written = true;
    word.waiters.wake();
}

extern "C" uint32_t ts_semaphore_get(uint32_t address, At at) {
    step(at);
    const uint32_t offset = local_offset(address, 4, at);
    acquire_word(core().word(offset), {Wait::On::semaphore, offset, 0, true, at});
    return load(offset);
}

extern "C" void ts_semaphore_wait(uint32_t address, uint32_t value, bool at_least, At at) {
    step(at);
    const uint32_t offset = local_offset(address, 4, at);
    spend(current_run->machine->config.timing.semaphore_operation);
    check_semaphore(core().index, offset, at);
    SyncWord& word = core().word(offset);
    const Wait why{Wait::On::semaphore, offset, value, at_least, at};
    wait_until(word.waiters, why, [&] {
        const uint32_t seen = load(offset);
        return at_least ? seen >= value : seen == value;
    });
    acquire_wait(word, why);
}

}  // namespace ts

// With checks on, kernels are compiled with -fsanitize=thread, and these are the functions the compiler calls at every
// load and store. They see the raw pointer accesses that no API call announces.
#include "access.h"
#include "arrivals.h"
#include "word_history.h"

namespace ts {

static bool l1_access(const void* pointer, uint32_t* offset) {
    if (!current_run || !current_run->current) return false;
    const auto address = reinterpret_cast<uint64_t>(pointer);
    if (address >> 32) return false;
    return address >= low_window && to_l1_offset(*current_run->machine, address, offset);
}

// A poll of a signalled word: let others run once the kernel spins on it, then acquire what was released. The kernel's
// load comes behind this, and sees what they have done meanwhile.
static void poll(Fiber& fiber, SyncWord& word, uint32_t offset) {
    fiber.polls = fiber.polled_offset == offset ? fiber.polls + 1 : 0;
    fiber.polled_offset = offset;
    if (fiber.polls > 1) ts_yield();
    acquire_word(word, {Wait::On::semaphore, offset, 0, true, fiber.last_at});
    fiber.cached_word = &word;
    fiber.cached_changes = changes_of(word);
}

// A cache gives a loop the word as it first was, until the line is dropped.
static void check_cached(const Fiber& fiber, const SyncWord& word, uint32_t since) {
    if (!current_run->machine->config.l1_cached || !changed_by_others(word, since)) return;
    finding(
        "sync.stale-cache", fiber.last_at,
        "the kernel polls the word at L1 offset 0x%x that was changed at %s, and its cache still holds the old value",
        word.offset, place(word.last_writer).c_str());
}

// A RISC loads and stores words and half-words only where they are aligned; the compiler splits accesses to packed types.
static void check_natural(uint32_t offset, uint32_t size, const char* verb, const At& at) {
    const uint32_t alignment = size < 4 ? size : 4;
    if ((offset & (alignment - 1)) == 0) return;
    finding("mem.unaligned", at, "the kernel %s %u bytes at L1 offset 0x%x, which is no multiple of %u", verb, size,
            offset, alignment);
}

// Sixty entry points call these two: inlined into each, they would be most of the runtime.
__attribute__((noinline)) static void raw_read(const void* pointer, uint32_t size, const void* caller,
                                               bool natural = false) {
    uint32_t offset;
    if (!l1_access(pointer, &offset)) return;
    Fiber& fiber = self();
    fiber.raw_address = caller;
    const At at = fiber.last_at;
    if (natural) check_natural(offset, size, "loads", at);
    if (SyncWord* word = fiber.core->find_word(offset & ~3u)) {
        const bool again = fiber.cached_word == word;
        const uint32_t since = fiber.cached_changes;
        step(at);
        poll(fiber, *word, offset);
        if (again) check_cached(fiber, *word, since);
    } else {
        l1_read(offset, size, at);
        if (fiber.polled_offset == offset && ++fiber.polls > 64) {  // spinning on a word nobody has signalled yet
            fiber.core->word(offset & ~3u);
            step(at);
            ts_yield();
        } else if (fiber.polled_offset != offset) {
            fiber.polled_offset = offset;
            fiber.polls = 0;
        }
    }
    fiber.raw_address = nullptr;
}

__attribute__((noinline)) static void raw_write(const void* pointer, uint32_t size, const void* caller,
                                                bool natural = false) {
    uint32_t offset;
    if (!l1_access(pointer, &offset)) return;
    Fiber& fiber = self();
    fiber.raw_address = caller;
    const At at = fiber.last_at;
    if (natural) check_natural(offset, size, "stores", at);
    if (SyncWord* word = fiber.core->find_word(offset & ~3u)) {
        step(at);
        check_word_source(offset, size, "stored to", at);
        mark_initialised(*fiber.core->shadow, offset, size);
        note_change(*word, 0, false, Changed::stored, at);  // what it will be is not told
        word->sync.release();
        word->last_writer = at;
        word->written = true;
        word->waiters.wake();
    } else {
        check_semaphore(fiber.core->index, offset, at);
        check_tensor(offset, at);
        l1_write(offset, size, at);
    }
    fiber.raw_address = nullptr;
}

}  // namespace ts

#define TS_CALLER __builtin_return_address(0)
#define TS_HOOKS(size)                                                                                    \
    extern "C" void __tsan_read##size(void* p) { ts::raw_read(p, size, TS_CALLER, true); }                \
    extern "C" void __tsan_write##size(void* p) { ts::raw_write(p, size, TS_CALLER, true); }              \
    extern "C" void __tsan_volatile_read##size(void* p) { ts::raw_read(p, size, TS_CALLER, true); }       \
    extern "C" void __tsan_volatile_write##size(void* p) { ts::raw_write(p, size, TS_CALLER, true); }     \
    extern "C" void __tsan_unaligned_read##size(void* p) { ts::raw_read(p, size, TS_CALLER); }            \
    extern "C" void __tsan_unaligned_write##size(void* p) { ts::raw_write(p, size, TS_CALLER); }          \
    extern "C" void __tsan_unaligned_volatile_read##size(void* p) { ts::raw_read(p, size, TS_CALLER); }   \
    extern "C" void __tsan_unaligned_volatile_write##size(void* p) { ts::raw_write(p, size, TS_CALLER); } \
    extern "C" void __tsan_read##size##_pc(void* p, void* pc) { ts::raw_read(p, size, pc); }              \
    extern "C" void __tsan_write##size##_pc(void* p, void* pc) { ts::raw_write(p, size, pc); }            \
    extern "C" void __tsan_read_write##size(void* p) {                                                    \
        ts::raw_read(p, size, TS_CALLER);                                                                 \
        ts::raw_write(p, size, TS_CALLER);                                                                \
    }                                                                                                     \
    extern "C" void __tsan_unaligned_read_write##size(void* p) {                                          \
        ts::raw_read(p, size, TS_CALLER);                                                                 \
        ts::raw_write(p, size, TS_CALLER);                                                                \
    }
TS_HOOKS(1)
TS_HOOKS(2)
TS_HOOKS(4)
TS_HOOKS(8)
TS_HOOKS(16)

extern "C" void __tsan_read_range(void* p, unsigned long size) {
    ts::raw_read(p, static_cast<uint32_t>(size), TS_CALLER);
}
extern "C" void __tsan_write_range(void* p, unsigned long size) {
    ts::raw_write(p, static_cast<uint32_t>(size), TS_CALLER);
}
extern "C" void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
    ts::raw_read(from, static_cast<uint32_t>(size), TS_CALLER);
    ts::raw_write(to, static_cast<uint32_t>(size), TS_CALLER);
    return __builtin_memcpy(to, from, size);
}
extern "C" void* __tsan_memmove(void* to, const void* from, unsigned long size) {
    ts::raw_read(from, static_cast<uint32_t>(size), TS_CALLER);
    ts::raw_write(to, static_cast<uint32_t>(size), TS_CALLER);
    return __builtin_memmove(to, from, size);
}
extern "C" void* __tsan_memset(void* to, int value, unsigned long size) {
    ts::raw_write(to, static_cast<uint32_t>(size), TS_CALLER);
    return __builtin_memset(to, value, size);
}
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_read(void**) {}
extern "C" void __tsan_vptr_update(void**, void*) {}
extern "C" void __tsan_ignore_thread_begin() {}
extern "C" void __tsan_ignore_thread_end() {}

// Nothing can run and something has not ended: say who waits, on what, and who should have acted.
#include <cstdarg>
#include <cstdio>

#include "access.h"

namespace ts {

static std::string format(const char* text, ...) __attribute__((format(printf, 1, 2)));
static std::string format(const char* text, ...) {
    char out[1024];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(out, sizeof out, text, arguments);
    va_end(arguments);
    return out;
}

static std::string state_of(const Fiber* fiber) {
    if (!fiber) return "no kernel runs there";
    if (fiber->state == Fiber::State::done) return format("its kernel '%s' has ended", fiber->kernel->name.c_str());
    return format("it is itself waiting at %s", place(fiber->wait.at).c_str());
}

static std::string cb_counters(const Core& core, uint32_t index) {
    const CbState& cb = core.cbs[index];
    return format("CB %u: %u pages of %u bytes, %u pushed, %u popped, %u full, %u free", index, cb.config.pages(),
                  cb.config.page_size, cb.received, cb.acked, cb.received - cb.acked,
                  cb.config.pages() - (cb.received - cb.acked));
}

static std::string partner(const Core& core, int role, const char* act) {
    if (role < 0) return format("no role of this core ever %s it", act);
    return format("%s should have %s: %s", role_name(static_cast<Role>(role)), act,
                  state_of(core.fibers[role]).c_str());
}

static std::string describe_wait(const Fiber& fiber) {
    const Core& core = *fiber.core;
    const Wait& wait = fiber.wait;
    switch (wait.on) {
        case Wait::On::cb_pages:
            return format("waits for %u pages of ", wait.wanted) + cb_counters(core, wait.object) + "; " +
                   partner(core, core.cbs[wait.object].producer, "pushed");
        case Wait::On::cb_space:
            return format("waits for room for %u pages in ", wait.wanted) + cb_counters(core, wait.object) + "; " +
                   partner(core, core.cbs[wait.object].consumer, "popped");
        case Wait::On::semaphore: {
            uint32_t value;
            __builtin_memcpy(&value, core.l1 + wait.object, 4);
            const uint32_t base = core.machine->config.semaphore_base;
            const bool numbered = wait.object >= base && wait.object < base + 16 * max_semaphores;
            std::string name = numbered ? format("semaphore %u", (wait.object - base) / 16)
                                        : format("the semaphore at L1 offset 0x%x", wait.object);
            const SyncWord* word = const_cast<Core&>(core).find_word(wait.object);
            std::string who =
                word && word->written ? "last written at " + place(word->last_writer) : "nobody ever wrote it";
            return format("waits for %s to be %s%u; it is %u, ", name.c_str(), wait.at_least ? "at least " : "",
                          wait.wanted, value) +
                   who;
        }
        case Wait::On::src_free: return "waits for math to consume a source register bank";
        case Wait::On::src_data: return "waits for unpack to fill a source register bank";
        case Wait::On::dst_free: return "waits for pack to release DST (tile_regs_release)";
        case Wait::On::dst_data: return "waits for math to commit DST (tile_regs_commit)";
        case Wait::On::mailbox: return "waits for a value from another compute role";
        default: return "waits";
    }
}

static bool same_stop(const Fiber& a, const Fiber& b) {
    return a.role == b.role && a.kernel == b.kernel && a.wait.on == b.wait.on && a.wait.at.line() == b.wait.at.line() &&
           a.wait.at.file_name() == b.wait.at.file_name();
}

// The wait that explains the others: a semaphore or a CB whose partner has ended, rather than one in a chain.
static int blame(const Fiber& fiber) {
    const Core& core = *fiber.core;
    const Wait& wait = fiber.wait;
    if (wait.on == Wait::On::semaphore) return 2;
    if (wait.on != Wait::On::cb_pages && wait.on != Wait::On::cb_space) return 0;
    const CbState& cb = core.cbs[wait.object];
    const int role = wait.on == Wait::On::cb_pages ? cb.producer : cb.consumer;
    const Fiber* other = role < 0 ? nullptr : core.fibers[role];
    return !other || other->state == Fiber::State::done ? 3 : 1;
}

void report_deadlock(Run& run) {
    std::vector<const Fiber*> blocked, groups;
    for (const Fiber* fiber : run.fibers)
        if (fiber->state == Fiber::State::waiting) blocked.push_back(fiber);
    std::string text = format("no role can go on; %zu are blocked:", blocked.size());
    for (const Fiber* fiber : blocked) {
        bool known = false;
        for (const Fiber* group : groups) known = known || same_stop(*group, *fiber);
        if (known) continue;
        groups.push_back(fiber);
        uint32_t alike = 0;
        for (const Fiber* other : blocked) alike += same_stop(*fiber, *other);
        text += format("\n  %s%s %s at %s %s", core_name(*fiber).c_str(),
                       alike > 1 ? format(" and %u more,", alike - 1).c_str() : "", role_name(fiber->role),
                       place(fiber->wait.at).c_str(), describe_wait(*fiber).c_str());
    }
    const Fiber* guilty = blocked[0];
    for (const Fiber* fiber : blocked)
        if (blame(*fiber) > blame(*guilty)) guilty = fiber;
    if (guilty->core->engine) text += "\n  " + engine_describe(guilty->core->engine);
    run.current = const_cast<Fiber*>(guilty);
    enter_chip(run, guilty->chip);
    const bool semaphore = blame(*guilty) == 2;
    finding(semaphore ? "sync.semaphore-never" : "sync.deadlock", guilty->wait.at, "%s", text.c_str());
    run.program->findings.back().fatal = true;
    run.program->findings.back().message = text;
    run.current = nullptr;
}

}  // namespace ts

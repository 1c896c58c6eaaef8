#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ts {

thread_local Run* current_run __attribute__((tls_model("initial-exec"))) = nullptr;

Fiber& self() { return *current_run->current; }
Role role() { return self().role; }
Core& core() { return *self().core; }
Engine*& engine() { return self().core->engine; }
const CbConfig& cb_config(uint32_t cb) { return self().core->cbs[cb].config; }
const ComputeConfig& compute_config() { return *self().core->compute; }
bool checks_on() { return current_run->checks; }
bool fast_numbers() { return current_run->fast; }
bool computes() { return current_run->computes; }
uint64_t now() { return self().time; }

void spend(uint64_t cycles, Work kind) {
    if (!current_run->clock) return;
    Fiber& fiber = self();
    fiber.work[static_cast<int>(kind)] += cycles;
    fiber.time += cycles;
    if (current_run->trace && kind != Work::control) note_work(fiber, fiber.time - cycles, fiber.time, kind);
}

void join_time(uint64_t cycles, const Wait& why) {
    Fiber& fiber = self();
    if (cycles <= fiber.time) return;
    const uint64_t begin = fiber.time;
    fiber.waited += cycles - begin;
    fiber.time = cycles;
    if (current_run->trace) note_wait(fiber, begin, why);
}

// ---- the ready queue: a binary heap ----

// Cores take turns in slices of virtual time, and inside a slice the role with the least time goes first. Going from
// core to core at every step would be a little closer to the chip's order, and leave the host's caches cold.
inline constexpr uint32_t slice_shift = 18;

static bool goes_before(const Ready& a, const Ready& b) {
    if (a.shuffle != b.shuffle) return a.shuffle < b.shuffle;
    if (a.turn != b.turn) return a.turn < b.turn;
    if (a.core != b.core) return a.core < b.core;
    if (a.time != b.time) return a.time < b.time;
    return a.fiber->chip != b.fiber->chip ? a.fiber->chip < b.fiber->chip : a.fiber->slot < b.fiber->slot;
}

static uint64_t next_random(Run& run) {  // xorshift64*
    run.random ^= run.random >> 12;
    run.random ^= run.random << 25;
    run.random ^= run.random >> 27;
    return run.random * 0x2545F4914F6CDD1DULL;
}

static void enqueue(Fiber* fiber, bool after_others) {
    Run& run = *current_run;
    fiber->state = Fiber::State::ready;
    const uint64_t turn = (fiber->time >> slice_shift) << 1 | (after_others ? 1 : 0);
    const auto shuffle = run.options.seeded ? static_cast<uint32_t>(next_random(run) >> 32) : 0;
    const Ready ready{shuffle, fiber->core->index, turn, fiber->time, fiber};
    auto& heap = run.ready;
    size_t i = heap.size();
    heap.push_back(ready);
    for (size_t parent; i > 0 && goes_before(ready, heap[parent = (i - 1) / 2]); i = parent) heap[i] = heap[parent];
    heap[i] = ready;
}

void make_ready(Fiber* fiber) { enqueue(fiber, false); }

static Fiber* take_ready(Run& run) {
    auto& heap = run.ready;
    Fiber* first = heap[0].fiber;
    const Ready last = heap.back();
    heap.pop_back();
    const size_t count = heap.size();
    size_t i = 0;
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && goes_before(heap[child + 1], heap[child])) ++child;
        if (!goes_before(heap[child], last)) break;
        heap[i] = heap[child];
        i = child;
    }
    if (count) heap[i] = last;
    return first;
}

void WaitQueue::wake() {
    for (Fiber* fiber : waiting_)
        if (fiber->state == Fiber::State::waiting) make_ready(fiber);
    waiting_.clear();
}

// ---- switching ----

static void to_scheduler() { ts_switch_stack(&self().stack_pointer, current_run->scheduler_stack_pointer); }

void leave_run() {
    current_run->aborted = true;
    to_scheduler();
    __builtin_unreachable();
}

void block(WaitQueue& queue, const Wait& wait) {
    Fiber& fiber = self();
    fiber.state = Fiber::State::waiting;
    fiber.wait = wait;
    queue.add(&fiber);
    to_scheduler();
    fiber.wait.on = Wait::On::nothing;
}

void yield_now() {
    enqueue(&self(), true);  // whom it polls for may be on another core
    to_scheduler();
}

void step(const At& at) {
    Run& run = *current_run;
    Fiber& fiber = *run.current;
    fiber.last_at = at;
    fiber.cached_word = nullptr;  // as good as a call that drops the cache: few loops poll and call
    if (++run.steps > run.options.step_limit)
        fatal("sync.step-limit", at, "the program made %llu API calls without ending",
              static_cast<unsigned long long>(run.options.step_limit));
    if (run.interrupted) leave_run();
    if (run.options.seeded && (next_random(run) >> 60) == 0) yield_now();
}

// Each fiber sees its own static data of the kernel, as each RISC has its own memory on the chip.
static void place_static_data(Fiber& fiber) {
    KernelImage& image = *fiber.image->first;
    if (image.data_size == 0 || image.owner == &fiber) return;
    if (image.owner) memcpy(image.owner->data.data(), image.data, image.data_size);
    memcpy(image.data, fiber.data.data(), image.data_size);
    image.owner = &fiber;
}

static void finish(Fiber& fiber) {
    check_transfers_at_end(fiber);
    check_reserved_at_end(fiber);
    if (fiber.on_compute() && --fiber.core->compute_roles_left == 0) engine_finish(fiber.core->engine, fiber.last_at);
    fiber.state = Fiber::State::done;
    --current_run->live;
}

static void fiber_main() {
    self().image->entry();
    finish(self());
    to_scheduler();
    __builtin_unreachable();
}

static bool prepare(Run& run, Fiber& fiber) {
    Machine& machine = *run.machine;
    if (!fiber.stack.base) {
        if (!machine.free_stacks.empty()) {
            fiber.stack = machine.free_stacks.back();
            machine.free_stacks.pop_back();
        } else if (!fiber.stack.map(256 << 10)) {
            return false;
        }
    }
    fiber.stack_pointer = prepare_stack(fiber.stack, fiber_main);
    if (fiber.image->data_size) fiber.data = fiber.image->pristine;
    return true;
}

void enter_chip(Run& run, uint32_t index) {
    Chip& chip = run.chips[index];
    run.chip = index;
    run.program = chip.program;
    run.machine = chip.program->machine;
    run.l1_buffers = &chip.l1_buffers;
    run.options.allocations = chip.allocations;
    run.options.allocation_count = chip.allocation_count;
    run.trace = chip.trace;
}

// Raw stores to a polled word wake nobody when checks are off, so look at the words themselves before giving up.
static bool recheck_semaphores(Run& run) {
    bool found = false;
    for (Fiber* fiber : run.fibers) {
        if (fiber->state != Fiber::State::waiting || fiber->wait.on != Wait::On::semaphore) continue;
        uint32_t value;
        memcpy(&value, fiber->core->l1 + fiber->wait.object, 4);
        if (fiber->wait.at_least ? value < fiber->wait.wanted : value != fiber->wait.wanted) continue;
        fiber->core->word(fiber->wait.object).waiters.wake();
        found = true;
    }
    return found;
}

void number_fibers(Run& run) {
    run.by_id = run.fibers;
    std::stable_sort(run.by_id.begin(), run.by_id.end(), [](const Fiber* a, const Fiber* b) {
        return a->chip != b->chip ? a->chip < b->chip : a->core->index < b->core->index;
    });
    for (size_t i = 0; i < run.by_id.size(); ++i) run.by_id[i]->id = static_cast<uint32_t>(i);
}

bool run_program(Run& run) {
    for (Fiber* fiber : run.fibers)
        if (!prepare(run, *fiber)) return false;
    for (Fiber* fiber : run.fibers) make_ready(fiber);
    run.live = static_cast<uint32_t>(run.fibers.size());
    while (run.live > 0 && !run.aborted) {
        if (run.ready.empty()) {
            if (deliver_something(run) || recheck_semaphores(run)) continue;
            report_deadlock(run);
            run.aborted = true;
            break;
        }
        Fiber* fiber = take_ready(run);
        run.current = fiber;
        ++run.switches;
        if (fiber->chip != run.chip) enter_chip(run, fiber->chip);
        hide_window(run, fiber->core);
        place_static_data(*fiber);
        ts_switch_stack(&run.scheduler_stack_pointer, fiber->stack_pointer);
        run.current = nullptr;
    }
    for (uint32_t chip = 0; chip < run.chips.size() && !run.aborted; ++chip) {
        enter_chip(run, chip);
        check_cbs_at_end(run);
    }
    return true;
}

// ---- synchronisation ----

void SyncPoint::release() { release_at(self().time); }

void SyncPoint::release_at(uint64_t moment) {
    Fiber& fiber = self();
    if (time_ < moment) time_ = moment;
    if (!current_run->checks) return;
    clock_.join(fiber.clock);
    fiber.clock.tick(fiber.id);
}

void SyncPoint::acquire(const Wait& why) const {
    join_time(time_, why);
    if (current_run->checks) self().clock.join(clock_);
}

}  // namespace ts

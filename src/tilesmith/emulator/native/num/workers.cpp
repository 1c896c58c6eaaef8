#include "workers.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>

namespace ts::num {
namespace {

constexpr uint32_t most_threads = 64;
constexpr uint32_t most_shares = 0xFFFF;
constexpr int spins = 4000;  // of a worker that looks for work before it sleeps: some tens of microseconds

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}

// One job at a time. `state` is its number, how many shares it has and how many are taken; whoever takes a share may
// read the job, which stays until all of its shares are done.
struct Pool {
    std::atomic<uint64_t> state{0};  // number:32 | shares:16 | taken:16
    std::atomic<uint32_t> number{0};  // what sleepers wait on
    std::atomic<uint32_t> done{0}, sleeping{0};
    std::atomic<bool> busy{false};
    void (*run)(const void*, uint32_t) = nullptr;
    const void* context = nullptr;
    uint32_t started = 0;  // workers
};

Pool pool;
std::atomic<uint32_t> wanted{1};

// Take and compute one share, if there is one left.
bool help() {
    uint64_t state = pool.state.load(std::memory_order_acquire);
    do {
        if ((state & 0xFFFF) >= (state >> 16 & 0xFFFF)) return false;
    } while (!pool.state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
    pool.run(pool.context, static_cast<uint32_t>(state & 0xFFFF));
    pool.done.fetch_add(1, std::memory_order_release);
    return true;
}

void* work(void* argument) {
    const auto index = reinterpret_cast<uintptr_t>(argument);
    for (;;) {
        const uint32_t seen = pool.number.load(std::memory_order_acquire);
        for (int spin = 0; spin < spins && index < wanted; ++spin) {
            if (help()) spin = 0;
            else pause();
        }
        pool.sleeping.fetch_add(1);
        if (pool.number.load() == seen) pool.number.wait(seen);
        pool.sleeping.fetch_sub(1);
    }
    return nullptr;
}

// A process that was forked has none of the threads.
void after_fork() {
    pool.started = 0;
    pool.sleeping = 0;
    pool.busy = false;
}

void start_workers() {
    static const bool registered = pthread_atfork(nullptr, nullptr, after_fork) == 0;
    while (registered && pool.started + 1 < wanted) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        const bool ok =
            pthread_create(&thread, &attributes, work, reinterpret_cast<void*>(uintptr_t{pool.started} + 1)) == 0;
        pthread_attr_destroy(&attributes);
        if (!ok) return;  // fewer are slower, nothing else
        ++pool.started;
    }
}

}  // namespace

void use_threads(uint32_t count) { wanted = count < 1 ? 1 : count > most_threads ? most_threads : count; }

void share(uint32_t count, void (*run)(const void* context, uint32_t index), const void* context) {
    // A second program that runs at the same time computes its own.
    if (wanted == 1 || count < 2 || count > most_shares || pool.busy.exchange(true, std::memory_order_acquire)) {
        for (uint32_t index = 0; index < count; ++index) run(context, index);
        return;
    }
    start_workers();
    pool.run = run;
    pool.context = context;
    pool.done.store(0, std::memory_order_relaxed);
    const uint32_t number = pool.number.load(std::memory_order_relaxed) + 1;
    pool.state.store(uint64_t{number} << 32 | uint64_t{count} << 16, std::memory_order_release);
    pool.number.store(number);
    if (pool.sleeping.load() > 0) pool.number.notify_all();
    while (help()) {
    }
    for (int spin = 0; pool.done.load(std::memory_order_acquire) < count; ++spin) {
        if (spin < spins) pause();
        else sched_yield();
    }
    pool.busy.store(false, std::memory_order_release);
}

}  // namespace ts::num

#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "pending.h"

namespace ts::num {
namespace {

constexpr uint32_t most_threads = 64;
constexpr int spins = 4000;  // of a worker that looks for work before it sleeps: some tens of microseconds

constexpr uint64_t long_wait = 500'000, shortest_rest = 50'000'000, longest_rest = 1'600'000'000;  // nanoseconds

std::atomic<uint32_t> wanted{1}, started{0};
std::atomic<uint64_t> rest_until{0}, last_rest{shortest_rest}, rested_at{0};
std::atomic<uint32_t> calls{0}, sleeping{0};  // sleepers wait for the next call

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}

uint64_t nanoseconds() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Longer each time, while the last one is not long ago.
void begin_rest(uint64_t now) {
    if (rest_until.load(std::memory_order_relaxed) > now) return;
    const uint64_t last = last_rest.load(std::memory_order_relaxed);
    const bool again = now < rested_at.load(std::memory_order_relaxed) + 2 * last;
    const uint64_t rest = !again ? shortest_rest : last < longest_rest ? 2 * last : longest_rest;
    last_rest.store(rest, std::memory_order_relaxed);
    rested_at.store(now + rest, std::memory_order_relaxed);
    rest_until.store(now + rest, std::memory_order_relaxed);
}

void* work(void* argument) {
    const auto index = reinterpret_cast<uintptr_t>(argument);
    for (;;) {
        const uint32_t seen = calls.load(std::memory_order_acquire);
        for (int spin = 0; spin < spins && index < wanted.load(std::memory_order_relaxed); ++spin) {
            if (help_anyone()) spin = 0;
            else pause();
        }
        sleeping.fetch_add(1);
        if (calls.load() == seen) calls.wait(seen);
        sleeping.fetch_sub(1);
    }
    return nullptr;
}

// A process that was forked has none of the threads.
void after_fork() {
    started = 0;
    sleeping = 0;
    forget_pending();
}

bool start_worker(uint32_t index) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the threads of the user
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const bool ok = pthread_create(&thread, &attributes, work, reinterpret_cast<void*>(uintptr_t{index})) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return ok;
}

}  // namespace

void use_threads(uint32_t count) { wanted = count < 1 ? 1 : count > most_threads ? most_threads : count; }

uint32_t used_threads() { return wanted.load(std::memory_order_relaxed); }

void start_workers() {
    if (started.load(std::memory_order_relaxed) + 1 >= used_threads()) return;
    static const bool registered = pthread_atfork(nullptr, nullptr, after_fork) == 0;
    uint32_t index = started.load();
    while (registered && index + 1 < used_threads()) {
        if (!started.compare_exchange_weak(index, index + 1)) continue;
        if (!start_worker(index + 1)) return;  // fewer are slower, nothing else
        ++index;
    }
}

void wake_worker() {
    if (sleeping.load(std::memory_order_relaxed) == 0) return;
    calls.fetch_add(1);
    calls.notify_one();
}

void Waiting::briefly() {
    if (++turns_ < spins) return pause();
    const uint64_t now = nanoseconds();
    if (since_ == 0) since_ = now;
    if (now - since_ > long_wait) begin_rest(now);
    sched_yield();
}

bool workers_rest() {
    const uint64_t until = rest_until.load(std::memory_order_relaxed);
    if (until == 0) return false;
    if (nanoseconds() < until) return true;
    rest_until.store(0, std::memory_order_relaxed);
    return false;
}

}  // namespace ts::num

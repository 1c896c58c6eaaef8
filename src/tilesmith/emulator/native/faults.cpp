#include "faults.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "access.h"

namespace ts {

// ---- the low window ----
// A kernel may cast an L1 address it was given as an argument to a pointer. Such addresses lie in [64 KiB, L1 size),
// which is unmapped until somebody touches it; then this core's L1 appears there. The window belongs to one run of the
// process at a time.

static std::atomic<Run*> window_owner{nullptr};
static const Core* window_core = nullptr;

static bool in_window(const Run& run, uintptr_t address) {
    return address >= low_window && address < run.machine->config.l1_size;
}

static bool map_window(Run& run) {
    Run* nobody = nullptr;
    while (!window_owner.compare_exchange_strong(nobody, &run)) {
        if (nobody == &run) break;
        nobody = nullptr;
        sched_yield();
    }
    const Core& core = *run.current->core;
    const size_t size = run.machine->config.l1_size - low_window;
    void* wanted = reinterpret_cast<void*>(uintptr_t{low_window});
    void* mapped = mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, run.machine->l1_file,
                        static_cast<off_t>(size_t{core.index} * l1_stride + low_window));
    window_core = &core;
    return mapped == wanted;
}

void hide_window(Run& run, const Core* next) {
    if (window_owner.load(std::memory_order_relaxed) != &run || window_core == next) return;
    munmap(reinterpret_cast<void*>(uintptr_t{low_window}), run.machine->config.l1_size - low_window);
    window_core = nullptr;
}

static void give_window_back(Run& run) {
    if (window_owner.load() != &run) return;
    hide_window(run, nullptr);
    window_owner.store(nullptr);
}

// ---- signals ----

static constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction previous[65];
static bool ticking = false;
static std::atomic<int> guards{0};
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static int tick_signal() { return SIGRTMIN + 5; }

static void chain(int signal, siginfo_t* info, void* context) {
    const struct sigaction& old = previous[signal];
    if (old.sa_flags & SA_SIGINFO) {
        old.sa_sigaction(signal, info, context);
    } else if (old.sa_handler != SIG_IGN && old.sa_handler != SIG_DFL) {
        old.sa_handler(signal);
    } else if (old.sa_handler == SIG_DFL) {
        ::signal(signal, SIG_DFL);
        raise(signal);
    }
}

static void unblock(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

static const char* code_address(void* context) {
    auto* user = static_cast<ucontext_t*>(context);
#if defined(__x86_64__)
    return reinterpret_cast<const char*>(user->uc_mcontext.gregs[REG_RIP]);
#else
    return reinterpret_cast<const char*>(user->uc_mcontext.pc);
#endif
}

static bool in_kernel(const Fiber& fiber, const char* code) {
    return code >= fiber.image->text && code < fiber.image->text + fiber.image->text_size;
}

static void on_fault(int signal, siginfo_t* info, void* context) {
    Run* run = current_run;
    if (!run || !run->current) return chain(signal, info, context);
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (signal == SIGSEGV && in_window(*run, address) && map_window(*run)) return;
    Fiber& fiber = *run->current;
    const char* code = code_address(context);
    fiber.raw_address = in_kernel(fiber, code) ? code + 1 : nullptr;  // others name the instruction after theirs
    unblock(signal);
    const bool overflow = address >= reinterpret_cast<uintptr_t>(fiber.stack.base) - 65536 &&
                          address < reinterpret_cast<uintptr_t>(fiber.stack.base) + 8192;
    if (overflow) fatal("kernel.fault", fiber.last_at, "the kernel overflows its stack");
    if (signal == SIGFPE) fatal("kernel.fault", fiber.last_at, "the kernel divides by zero");
    fatal("kernel.fault", fiber.last_at, "the kernel touches address 0x%llx, which is no memory of this core",
          static_cast<unsigned long long>(address));
}

// A kernel that polls a word without calling anything would never let the others run: take the processor from it.
static void on_tick(int signal, siginfo_t*, void* context) {
    Run* run = current_run;
    if (!run || !run->current) return;
    static thread_local uint64_t last_steps = ~uint64_t{0};
    static thread_local Run* last_run = nullptr;
    static thread_local uint32_t quiet = 0;  // ticks since the last call
    quiet = last_run == run && last_steps == run->steps ? quiet + 1 : 0;
    last_run = run;
    last_steps = run->steps;
    Fiber& fiber = *run->current;
    // A kernel may compute for long between two calls; and a guest that shares its processor is charged for time that
    // others had. Only a run that has polled before is believed at once.
    const uint32_t patience = run->stuck_ticks ? 1 : 5;
    if (quiet < patience || !in_kernel(fiber, code_address(context))) return;
    unblock(signal);
    if (++run->stuck_ticks * 0.02 > run->options.stuck_seconds) {
        fiber.raw_address = code_address(context) + 1;
        fatal("sync.step-limit", fiber.last_at, "the kernel ran for %.1f s without calling anything and without ending",
              run->options.stuck_seconds);
    }
    spend(1000);
    yield_now();
}

static void on_interrupt(int signal, siginfo_t* info, void* context) {
    if (current_run) current_run->interrupted = 1;
    chain(signal, info, context);
}

static void install(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, &previous[signal]);
}

static void give_signal_stack() {
    static thread_local char* stack = nullptr;
    if (stack) return;
    constexpr size_t size = 128 << 10;
    stack = new char[size];
    stack_t alternative;
    memset(&alternative, 0, sizeof alternative);
    alternative.ss_sp = stack;
    alternative.ss_size = size;
    sigaltstack(&alternative, nullptr);
}

FaultGuard::FaultGuard(Run& run) : run_(run) {
    give_signal_stack();
    pthread_mutex_lock(&installing);
    if (guards++ == 0) {
        for (const int signal : faults) install(signal, on_fault, SA_ONSTACK | SA_NODEFER);
        // Stays installed: a tick still queued when the timer goes must not meet the default action, which ends the
        // process.
        if (!ticking) install(tick_signal(), on_tick, SA_RESTART);
        ticking = true;
        install(SIGINT, on_interrupt, SA_RESTART);
    }
    pthread_mutex_unlock(&installing);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = tick_signal();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    timer_t timer;
    // The time of this thread, not of the clock on the wall: on a busy computer a kernel that only waits for its turn
    // would seem to poll, and the run would take other cycles.
    timing_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    if (!timing_) return;
    timer_ = timer;
    const struct itimerspec period = {{0, 20000000}, {0, 20000000}};
    timer_settime(timer, 0, &period, nullptr);
}

FaultGuard::~FaultGuard() {
    if (timing_) timer_delete(static_cast<timer_t>(timer_));
    give_window_back(run_);
    pthread_mutex_lock(&installing);
    if (--guards == 0) {
        for (const int signal : faults) sigaction(signal, &previous[signal], nullptr);
        sigaction(SIGINT, &previous[SIGINT], nullptr);
    }
    pthread_mutex_unlock(&installing);
}

}  // namespace ts

// What the runtime needs of the C++ library, for the compiler of the ziglang wheel: that one would build all of
// libc++ first, which takes five times as long as the runtime itself. Where the names of libc++ are others, this does
// not compile or link, and libc++ is built after all.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <new>
#include <string>
#include <unordered_map>

namespace {

void* allocate(size_t bytes) {
    void* found = std::malloc(bytes != 0 ? bytes : 1);
    if (found == nullptr) std::abort();
    return found;
}

void* allocate(size_t bytes, std::align_val_t alignment) {
    const auto step = static_cast<size_t>(alignment);
    void* found = std::aligned_alloc(step, (bytes + step - 1) / step * step);
    if (found == nullptr) std::abort();
    return found;
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) { return allocate(bytes, alignment); }
void* operator new[](size_t bytes, std::align_val_t alignment) { return allocate(bytes, alignment); }
void operator delete(void* what) noexcept { std::free(what); }
void operator delete[](void* what) noexcept { std::free(what); }
void operator delete(void* what, size_t) noexcept { std::free(what); }
void operator delete[](void* what, size_t) noexcept { std::free(what); }
void operator delete(void* what, std::align_val_t) noexcept { std::free(what); }
void operator delete(void* what, size_t, std::align_val_t) noexcept { std::free(what); }
void operator delete[](void* what, size_t, std::align_val_t) noexcept { std::free(what); }

extern "C" {

extern char __dso_handle __attribute__((visibility("hidden")));
int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
int __register_atfork(void (*)(), void (*)(), void (*)(), void*);

int __cxa_thread_atexit(void (*destroy)(void*), void* what, void* library) noexcept {
    return __cxa_thread_atexit_impl(destroy, what, library);
}

int pthread_atfork(void (*before)(), void (*parent)(), void (*child)()) noexcept {
    return __register_atfork(before, parent, child, &__dso_handle);
}

// The first byte of a guard says that its variable is ready; the second that somebody makes it.
int __cxa_guard_acquire(uint64_t* guard) {
    auto* bytes = reinterpret_cast<char*>(guard);
    while (__atomic_load_n(&bytes[0], __ATOMIC_ACQUIRE) == 0) {
        if (__atomic_exchange_n(&bytes[1], char{1}, __ATOMIC_ACQ_REL) == 0) {
            if (__atomic_load_n(&bytes[0], __ATOMIC_ACQUIRE) == 0) return 1;
            __atomic_store_n(&bytes[1], char{0}, __ATOMIC_RELEASE);
            return 0;
        }
        sched_yield();
    }
    return 0;
}

void __cxa_guard_release(uint64_t* guard) {
    auto* bytes = reinterpret_cast<char*>(guard);
    __atomic_store_n(&bytes[0], char{1}, __ATOMIC_RELEASE);
    __atomic_store_n(&bytes[1], char{0}, __ATOMIC_RELEASE);
}

void __cxa_guard_abort(uint64_t* guard) {
    __atomic_store_n(&reinterpret_cast<char*>(guard)[1], char{0}, __ATOMIC_RELEASE);
}

void __cxa_pure_virtual() { std::abort(); }

}  // extern "C"

template class std::basic_string<char>;

std::string std::to_string(unsigned value) { return to_string(static_cast<unsigned long>(value)); }

std::string std::to_string(unsigned long value) {
    char text[24];
    return {text, static_cast<size_t>(std::snprintf(text, sizeof text, "%lu", value))};
}

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return time_point(seconds(now.tv_sec) + nanoseconds(now.tv_nsec));
}

void std::__libcpp_verbose_abort(const char* format, ...) noexcept {
    va_list values;
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    std::abort();
}

// How many buckets a table has: any odd number without small factors spreads well enough.
size_t std::__next_prime(size_t least) {
    if (least <= 2) return least;
    for (size_t prime = least | 1;; prime += 2) {
        size_t factor = 3;
        while (factor * factor <= prime && prime % factor != 0) factor += 2;
        if (factor * factor > prime) return prime;
    }
}

// FNV-1a.
size_t std::__hash_memory(_LIBCPP_NOESCAPE const void* data, size_t bytes) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t at = 0; at < bytes; ++at) hash = (hash ^ static_cast<const uint8_t*>(data)[at]) * 0x100000001b3;
    return hash;
}

// Waiting for an atomic: all of them share one number, which every notification raises.
namespace {
std::atomic<uint32_t> notified{0};
}

std::__cxx_contention_t std::__atomic_monitor_global(const void*) noexcept {
    return static_cast<std::__cxx_contention_t>(notified.load());
}

void std::__atomic_wait_global_table(const void*, std::__cxx_contention_t seen) noexcept {
    syscall(SYS_futex, &notified, FUTEX_WAIT_PRIVATE, static_cast<uint32_t>(seen), nullptr, nullptr, 0);
}

void std::__atomic_notify_all_global_table(const void*) noexcept {
    ++notified;
    syscall(SYS_futex, &notified, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void std::__atomic_notify_one_global_table(const void*) noexcept { std::__atomic_notify_all_global_table(nullptr); }

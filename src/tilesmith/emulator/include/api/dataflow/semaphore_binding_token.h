// What sem::name is: a semaphore's id and who may act on it.
#pragma once
#include <cstdint>

// Who may act on a semaphore; on these chips there is one kind.
enum class SemScope : uint8_t { LOCAL_NONATOMIC = 0, DM_LOCAL_CACHED = 1, EXTERNAL = 2, COMPUTE_ATOMIC = 3 };
struct SemaphoreBindingToken {
    std::uint32_t id;
    SemScope scope;
};

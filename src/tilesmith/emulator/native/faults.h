// Faults of kernel code become findings; nothing kills the process.
#pragma once
#include "machine.h"

namespace ts {

// While one lives on a thread, wild accesses, spinning loops and Ctrl-C inside kernels end the run instead of the
// process.
class FaultGuard {
public:
    explicit FaultGuard(Run& run);
    ~FaultGuard();
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;

private:
    Run& run_;
    void* timer_ = nullptr;
    bool timing_ = false;
};

}  // namespace ts

// Threads that compute what is pending (pending.h), besides the one that runs the program.
#pragma once
#include <cstdint>

namespace ts::num {

// The calling thread and so many others; 1 uses no thread. Kept for the calls that follow.
void use_threads(uint32_t count);
uint32_t used_threads();

void start_workers();  // as many as are wanted and not yet there
void wake_worker();    // one, if one sleeps

// For another thread that computes something. Where that takes long, the computer is busy with other work and keeps
// threads waiting in the middle of theirs: for a while none is asked for help.
class Waiting {
public:
    void briefly();

private:
    int turns_ = 0;
    uint64_t since_ = 0;
};
bool workers_rest();

}  // namespace ts::num

// Stackful fibers: a saved stack pointer each, switched by a few instructions.
#pragma once
#include <cstddef>

namespace ts {

// Saves the running context's stack pointer in *save and continues the context whose stack pointer is `load`.
extern "C" void ts_switch_stack(void** save, void* load);

// A mapped stack with a guard page below it, so that an overflow faults instead of corrupting a neighbour.
struct Stack {
    char* base = nullptr;
    size_t size = 0;
    bool map(size_t bytes);
    void unmap();
};

// A stack pointer that, when first switched to, calls `entry` on the stack. `entry` must never return.
void* prepare_stack(const Stack& stack, void (*entry)());

}  // namespace ts

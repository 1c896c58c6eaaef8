// Threads that share out arithmetic. What happens when is decided by the thread that runs the program alone, so that
// values, cycles and findings are the same with any number of them.
#pragma once
#include <cstdint>

namespace ts::num {

// The calling thread and so many others; 1 uses no thread. Kept for the calls that follow.
void use_threads(uint32_t count);

// run(context, 0) to run(context, count - 1), in any order, on any thread; returns when all are done.
void share(uint32_t count, void (*run)(const void* context, uint32_t index), const void* context);

template <class Function>
void share(uint32_t count, const Function& function) {
    share(
        count, [](const void* context, uint32_t index) { (*static_cast<const Function*>(context))(index); }, &function);
}

}  // namespace ts::num

#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#if defined(__x86_64__)
asm(R"(
.text
.globl ts_switch_stack
.type ts_switch_stack,@function
ts_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size ts_switch_stack,.-ts_switch_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl ts_switch_stack
.type ts_switch_stack,%function
ts_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size ts_switch_stack,.-ts_switch_stack
)");
#else
#error "the emulator's fibers are written for x86-64 and AArch64"
#endif

namespace ts {

bool Stack::map(size_t bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* memory =
        mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    mprotect(memory, page, PROT_NONE);
    base = static_cast<char*>(memory);
    size = bytes + page;
    return true;
}

void Stack::unmap() {
    if (base) munmap(base, size);
    base = nullptr;
}

void* prepare_stack(const Stack& stack, void (*entry)()) {
    auto top = reinterpret_cast<uintptr_t>(stack.base + stack.size) & ~uintptr_t{63};
#if defined(__x86_64__)
    // After six pops and the return, the stack pointer must be 8 below a 16-byte boundary, as after a call.
    auto* slot = reinterpret_cast<void**>(top) - 2;
    *slot = reinterpret_cast<void*>(entry);
    for (int i = 1; i <= 6; ++i) slot[-i] = nullptr;
    return slot - 6;
#else
    auto* slot = reinterpret_cast<void**>(top - 160);
    for (int i = 0; i < 20; ++i) slot[i] = nullptr;
    slot[11] = reinterpret_cast<void*>(entry);
    return slot;
#endif
}

}  // namespace ts

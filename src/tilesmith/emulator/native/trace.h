// What a traced run leaves behind: who waited for what, which unit worked, and every transfer. ../trace.py reads it.
#pragma once
#include "core.h"

namespace ts {

struct TraceEvent {
    uint64_t begin, end;  // cycles
    uint64_t address;     // of a transfer: where in the bank or L1 it reached; of a multicast, with its corners
    uint32_t fiber;
    uint16_t kind;  // a Wait::On, trace_work + a Work, or trace_transfer + a Moved
    uint16_t noc;
    uint32_t object;  // CB, L1 offset of a semaphore, or where a transfer went (remote_id)
    uint32_t bytes;
    uint32_t line, file;  // file: index into Trace::files
};

inline constexpr uint16_t trace_work = 32, trace_transfer = 48;
enum class Moved : uint8_t { read, write, multicast, atomic };

inline constexpr uint32_t remote_core = 0x10000, remote_many = 0x20000;  // added to a core's index, or to a count

struct Trace {
    std::vector<TraceEvent> events;
    std::vector<const char*> files;
    std::vector<uint32_t> last_work;  // per fiber: its newest work event + 1
    uint64_t dropped = 0;
};

void note_wait(Fiber& fiber, uint64_t begin, const Wait& why);  // until now
void note_work(Fiber& fiber, uint64_t begin, uint64_t end, Work kind);
struct Reached {
    uint32_t remote;  // remote_id
    uint64_t address;
};
void note_transfer(Moved kind, Reached where, uint32_t bytes, uint32_t noc, uint64_t done_at, const At& at);

}  // namespace ts

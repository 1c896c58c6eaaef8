// Recording what a traced run does.
#include "trace.h"

#include <cstring>

#include "machine.h"

namespace ts {
namespace {

inline constexpr size_t most_events = 4u << 20;
inline constexpr uint64_t small_gap = 16;  // cycles between two works of one kind that are shown as one

uint32_t file_index(Trace& trace, const char* name) {
    for (size_t i = trace.files.size(); i-- > 0;)
        if (trace.files[i] == name || strcmp(trace.files[i], name) == 0) return static_cast<uint32_t>(i);
    trace.files.push_back(name);
    return static_cast<uint32_t>(trace.files.size() - 1);
}

void add(Trace& trace, TraceEvent event, const At& at) {
    if (trace.events.size() == most_events) {
        ++trace.dropped;
        return;
    }
    event.line = at.line();
    event.file = file_index(trace, at.file_name());
    trace.events.push_back(event);
}

}  // namespace

__attribute__((noinline)) void note_wait(Fiber& fiber, uint64_t begin, const Wait& why) {
    add(*current_run->trace,
        {.begin = begin,
         .end = fiber.time,
         .fiber = fiber.slot,
         .kind = static_cast<uint16_t>(why.on),
         .object = why.object},
        why.at);
}

// Tile after tile of one kind is one stretch of work: a record each would say no more.
__attribute__((noinline)) void note_work(Fiber& fiber, uint64_t begin, uint64_t end, Work kind) {
    Trace& trace = *current_run->trace;
    if (trace.last_work.size() <= fiber.slot) trace.last_work.resize(fiber.slot + 1);
    const uint16_t wanted = trace_work + static_cast<uint16_t>(kind);
    uint32_t& newest = trace.last_work[fiber.slot];
    if (newest) {
        TraceEvent& last = trace.events[newest - 1];
        if (last.kind == wanted && begin >= last.end && begin - last.end <= small_gap) {
            last.end = end;
            return;
        }
    }
    add(trace, {.begin = begin, .end = end, .fiber = fiber.slot, .kind = wanted}, fiber.last_at);
    newest = static_cast<uint32_t>(trace.events.size());
}

__attribute__((noinline)) void note_transfer(Moved kind, Reached where, uint32_t bytes, uint32_t noc, uint64_t done_at,
                                             const At& at) {
    add(*current_run->trace,
        {.begin = now(),
         .end = done_at,
         .address = where.address,
         .fiber = self().slot,
         .kind = static_cast<uint16_t>(trace_transfer + static_cast<uint16_t>(kind)),
         .noc = static_cast<uint16_t>(noc),
         .object = where.remote,
         .bytes = bytes},
        at);
}

void count_products(uint32_t products, uint64_t least_cycles) {
    KernelCounters& counters = self().kernel->counters;
    counters.tile_products += products;
    counters.matmul_cycles += least_cycles;
}

extern "C" void tsh_trace_size(const LoadedProgram* program, uint64_t* events, uint64_t* files, uint64_t* dropped) {
    *events = program->trace.events.size();
    *files = program->trace.files.size();
    *dropped = program->trace.dropped;
}

// Copies the events and names, and gives their memory back. The names belong to the kernels' libraries, which stay.
extern "C" void tsh_trace_take(LoadedProgram* program, TraceEvent* events, const char** files) {
    Trace trace;
    std::swap(trace, program->trace);
    if (!trace.events.empty()) memcpy(events, trace.events.data(), trace.events.size() * sizeof(TraceEvent));
    for (size_t i = 0; i < trace.files.size(); ++i) files[i] = trace.files[i];
}

}  // namespace ts

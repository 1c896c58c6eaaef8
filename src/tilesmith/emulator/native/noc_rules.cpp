// Rules between one NoC call and the next: what command buffers remember, linked multicasts, and packets.
#include "transfers.h"

namespace ts {

void check_packet(uint32_t size, uint32_t flags, const At& at) {
    const uint32_t most = current_run->machine->config.timing.max_packet;
    if (!(flags & noc_one_packet) || size <= most || !current_run->checks) return;
    finding("noc.packet-size", at, "%u bytes in one packet, and a packet of this chip holds %u", size, most);
}

// ---- set_state and with_state ----

// Calls without state write the registers that *_set_state has written: who comes back to them finds another target.
static void overwrite_state(LostState& lost, bool& set, uint64_t kept, uint64_t address, bool other_size,
                            const At& at) {
    if (!set && !lost.by.line()) return;
    if (set) lost = {};
    set = false;
    const bool other_target = (kept ^ address) >> 36 != 0;
    if (!other_target && !other_size) {
        set = !lost.by.line();
        return;
    }
    lost.target = lost.target || other_target;
    lost.size = lost.size || other_size;
    lost.by = at;
}

void check_state(uint64_t address, uint32_t size, uint32_t noc, bool reading, uint32_t flags, const At& at) {
    if (!current_run->checks || flags & noc_signals) return;
    Fiber& fiber = self();
    NocState& state = fiber.noc_state[noc];
    LostState& lost = fiber.lost_state[noc][reading];
    bool& set = reading ? state.read_state_set : state.write_state_set;
    if (!(flags & noc_by_state)) {
        overwrite_state(lost, set, reading ? state.read_addr : state.write_addr, address,
                        size != (reading ? state.read_size : state.write_size), at);
        return;
    }
    if (set || !(lost.target || (lost.size && flags & noc_one_packet))) return;
    finding("noc.state-lost", at, "the call without state at %s has overwritten the %s that set_state left",
            place(lost.by).c_str(), lost.target ? "target" : "size");
}

// ---- linked multicasts ----

void note_multicast(uint32_t noc, uint32_t flags, const At& at) {
    self().linked[noc] = (flags & noc_linked) != 0;
    if (flags & noc_linked) self().linked_at[noc] = at;
}

void check_not_linked(uint32_t noc, const char* what, const At& at) {
    Fiber& fiber = self();
    if (!fiber.linked[noc] || !current_run->checks) return;
    fiber.linked[noc] = false;  // once is enough
    finding("noc.linked", at, "%s on NoC %u while the linked multicast at %s still holds its path: both wait for ever",
            what, noc, place(fiber.linked_at[noc]).c_str());
}

void check_linked_at_end(const Fiber& fiber) {
    if (!current_run->checks) return;
    for (uint32_t noc = 0; noc < 2; ++noc)
        if (fiber.linked[noc])
            finding("noc.linked", fiber.linked_at[noc],
                    "the kernel ends and no unlinked multicast has followed this one");
}

// ---- rectangles ----

// A NoC runs one way only: between corners in the other order a multicast goes round the whole ring.
bool in_range(uint32_t at, uint32_t start, uint32_t end, uint32_t noc) {
    if (noc == 1) {
        const uint32_t first = start;
        start = end;
        end = first;
    }
    return start <= end ? start <= at && at <= end : at >= start || at <= end;
}

void check_destinations(uint64_t dst, uint32_t cores, uint32_t num_dests, uint32_t noc, uint32_t flags, const At& at) {
    if (cores == num_dests || !current_run->checks) return;
    const Corners corners = corners_of(dst);
    const bool ordered = noc == 0 ? corners.x0 <= corners.x1 && corners.y0 <= corners.y1
                                  : corners.x0 >= corners.x1 && corners.y0 >= corners.y1;
    const char* self = flags & noc_include_self ? " with the sender" : " besides the sender";
    if (ordered)
        finding("noc.wrong-target", at,
                "the multicast names %u destinations, but the rectangle (%u, %u) to (%u, %u) holds %u worker cores%s: "
                "its barrier would never end",
                num_dests, corners.x0, corners.y0, corners.x1, corners.y1, cores, self);
    else
        finding(
            "noc.wrong-target", at,
            "from (%u, %u) to (%u, %u) NoC %u goes round the chip and meets %u worker cores%s, not %u: NoC 0 starts "
            "at the low corner, NoC 1 at the high one",
            corners.x0, corners.y0, corners.x1, corners.y1, noc, cores, self, num_dests);
}

}  // namespace ts

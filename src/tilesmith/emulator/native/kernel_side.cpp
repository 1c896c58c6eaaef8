// The small calls: identity, arguments, printing, time.
#include <cstring>

#include "access.h"

namespace ts {

extern "C" Role ts_role() { return self().role; }
extern "C" uint32_t ts_noc_x(uint32_t) { return current_run->machine->worker_noc_xy[2 * core().index]; }
extern "C" uint32_t ts_noc_y(uint32_t) { return current_run->machine->worker_noc_xy[2 * core().index + 1]; }
extern "C" uint32_t ts_logical_x() { return core().x; }
extern "C" uint32_t ts_logical_y() { return core().y; }
extern "C" uint32_t ts_relative_x() { return core().x - self().kernel->origin_x; }
extern "C" uint32_t ts_relative_y() { return core().y - self().kernel->origin_y; }
extern "C" const uint32_t* ts_runtime_args() { return self().args; }
extern "C" const uint32_t* ts_common_args() { return self().common; }

static uint32_t argument(const uint32_t* values, uint32_t count, uint32_t index, const char* kind, const At& at) {
    self().last_at = at;
    spend(current_run->machine->config.timing.semaphore_operation);  // they stand in L1
    if (index >= count)
        fatal("kernel.argument", at, "%s argument %u is read, but the host gave %u to this kernel on core (%u, %u)",
              kind, index, count, core().x, core().y);
    return values[index];
}

extern "C" uint32_t ts_runtime_arg(uint32_t index, At at) {
    return argument(self().args, self().arg_count, index, "run-time", at);
}
extern "C" uint32_t ts_common_arg(uint32_t index, At at) {
    return argument(self().common, self().common_count, index, "common run-time", at);
}

extern "C" uint32_t ts_l1_base() { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(core().l1)); }
extern "C" uint32_t ts_l1_address(uint32_t address) { return ts_l1_base() + local_offset(address, 1, self().last_at); }
extern "C" void ts_l1_touch_read(uint32_t address, uint32_t size, At at) { l1_read(address, size, at); }
extern "C" void ts_l1_touch_write(uint32_t address, uint32_t size, At at) { l1_write(address, size, at); }

extern "C" uint32_t ts_num_banks(bool dram) {
    const Machine& machine = *current_run->machine;
    return dram ? machine.config.num_dram_banks : machine.core_count;
}

extern "C" uint64_t ts_bank_noc_addr(bool dram, uint32_t bank, uint32_t address, uint32_t noc) {
    const Machine& machine = *current_run->machine;
    spend(machine.config.timing.bank_address, Work::noc);
    if (bank >= ts_num_banks(dram))
        fatal("noc.wrong-target", self().last_at, "%s bank %u does not exist: there are %u", dram ? "DRAM" : "L1", bank,
              ts_num_banks(dram));
    const uint32_t x = dram ? machine.banks[bank].noc_x[noc & 1] : machine.worker_noc_xy[2 * bank];
    const uint32_t y = dram ? machine.banks[bank].noc_y[noc & 1] : machine.worker_noc_xy[2 * bank + 1];
    const uint64_t local = dram ? machine.banks[bank].address_offset + address : address;
    return uint64_t{y} << 42 | uint64_t{x} << 36 | local;
}

extern "C" void ts_mailbox_write(Role to, uint32_t value, At at) {
    step(at);
    Mailbox& box = core().mailboxes[static_cast<int>(role())][static_cast<int>(to)];
    box.words.push_back(value);
    box.sent.release();
    box.readers.wake();
}

extern "C" uint32_t ts_mailbox_read(Role from, At at) {
    step(at);
    Mailbox& box = core().mailboxes[static_cast<int>(from)][static_cast<int>(role())];
    const Wait why{Wait::On::mailbox, static_cast<uint32_t>(from), 1, true, at};
    wait_until(box.readers, why, [&] { return !box.words.empty(); });
    box.sent.acquire(why);
    const uint32_t value = box.words.front();
    box.words.erase(box.words.begin());
    return value;
}

extern "C" void ts_yield() {
    spend(20);
    step(self().last_at);
    yield_now();
}

extern "C" void ts_print(const char* text, At) {
    current_run->program->prints.push_back({text, core().x, core().y, static_cast<uint32_t>(role())});
}

extern "C" void ts_assert_failed(const char* expression, At at) {
    fatal("kernel.assert", at, "assertion failed: %s", expression);
}

extern "C" [[noreturn]] void ts_gap(const char* what, At at) { gap(at, "%s", what); }

extern "C" void ts_zone_begin(const char* name, At) { current_run->open_zones.push_back({&self(), name, now()}); }

extern "C" void ts_zone_end(At) {
    auto& open = current_run->open_zones;
    for (size_t i = open.size(); i-- > 0;) {
        if (open[i].fiber != &self()) continue;
        current_run->program->zones.push_back({open[i].name, self().slot, open[i].begin, now()});
        open.erase(open.begin() + static_cast<ptrdiff_t>(i));
        return;
    }
}

extern "C" uint64_t ts_clock() { return now(); }
extern "C" void ts_spend(uint64_t cycles) { spend(cycles); }
extern "C" bool ts_checks_on() { return current_run->checks; }

}  // namespace ts

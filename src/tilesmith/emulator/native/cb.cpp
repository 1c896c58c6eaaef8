// Circular buffers: counters shared by the core, pointers private to each role, credits that carry time and clocks.
#include "access.h"
#include "arrivals.h"

namespace ts {

// ---- credits ----

void CreditRing::reset(uint32_t capacity) {
    if (ring_.size() < capacity) ring_.resize(capacity);
    head_ = size_ = 0;
}

void CreditRing::drop_oldest() {
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --size_;
}

Credit& CreditRing::give(uint32_t upto) {
    if (size_ == ring_.size()) drop_oldest();  // only when nobody collects
    const size_t next = head_ + size_++;
    Credit& credit = ring_[next < ring_.size() ? next : next - ring_.size()];
    credit.upto = upto;
    return credit;
}

const Credit* CreditRing::covering(uint32_t upto) {
    while (size_ > 1 && static_cast<int32_t>(ring_[head_].upto - upto) < 0) drop_oldest();
    return size_ ? &ring_[head_] : nullptr;
}

static void give_credit(CreditRing& ring, uint32_t upto) {
    Fiber& fiber = self();
    Credit& credit = ring.give(upto);
    credit.time = fiber.time;
    if (!current_run->checks) return;
    credit.clock = fiber.clock;
    fiber.clock.tick(fiber.id);
}

static void take_credit(CreditRing& ring, uint32_t upto, const Wait& why) {
    const Credit* credit = ring.covering(upto);
    if (!credit) return;
    join_time(credit->time, why);
    if (current_run->checks) self().clock.join(credit->clock);
}

// ---- set-up and end ----

void cb_setup(Core& core, Fiber& fiber) {
    const uint32_t unit = fiber.on_compute() ? 4 : 0;
    const auto base = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(core.l1));
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const CbConfig& config = core.cbs[i].config;
        fiber.cbs[i] = {};
        if (!config.used) continue;
        CbInterface& cb = fiber.cbs[i].interface;
        cb.fifo_size = config.size >> unit;
        cb.fifo_page_size = config.page_size >> unit;
        cb.fifo_num_pages = config.pages();
        cb.fifo_rd_ptr = cb.fifo_wr_ptr = (base + config.offset) >> unit;
        cb.fifo_limit = (base + config.offset + config.size) >> unit;
    }
}

static bool all_read(const Core& core, const CbState& cb) {
    for (uint32_t page = cb.acked; page != cb.received; ++page)
        if (!is_read(*core.shadow, cb.config.offset + page % cb.config.pages() * cb.config.page_size,
                     cb.config.page_size))
            return false;
    return true;
}

// Constants are waited for, used, and never popped; what nobody waits for is memory that a RISC fills for itself.
static bool may_stay(const Core& core, const CbState& cb, uint32_t index) {
    if (cb.acked != 0) return false;
    if (cb.consumer < 0) return !core.fibers[cb.producer]->on_compute() || all_read(core, cb);
    const Fiber* consumer = core.fibers[cb.consumer];
    return consumer && consumer->cbs[index].waited >= cb.received && all_read(core, cb);
}

void check_cbs_at_end(Run& run) {
    if (!run.checks) return;
    for (auto& core : run.program->cores) {
        for (uint32_t i = 0; i < max_cbs; ++i) {
            CbState& cb = core->cbs[i];
            if (!cb.config.used || cb.config.globally_allocated || cb.received == cb.acked) continue;
            Fiber* producer = cb.producer >= 0 ? core->fibers[cb.producer] : nullptr;
            if (!producer || may_stay(*core, cb, i)) continue;
            run.current = producer;
            finding("cb.left-at-end", producer->last_at,
                    "CB %u still holds %u of %u pushed pages when all kernels have ended", i, cb.received - cb.acked,
                    cb.received);
            run.current = nullptr;
        }
    }
}

// A reservation claims nothing, and pages whose address is asked for may serve as scratch; those that are left alone were
// meant to be pushed.
void check_reserved_at_end(Fiber& fiber) {
    if (!current_run->checks) return;
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const CbConfig& cb = fiber.core->cbs[i].config;
        const CbLocal& local = fiber.cbs[i];
        if (!local.unpushed || local.reserved == 0 || local.addressed || cb.globally_allocated) continue;
        const uint32_t pointer = local.interface.fifo_wr_ptr << (fiber.on_compute() ? 4 : 0);
        if (is_touched(*fiber.core->shadow, pointer & l1_offset_mask, cb.page_size)) continue;
        finding(
            "cb.reserved-at-end", local.reserved_at,
            "the kernel ends with %u pages of CB %u reserved, and has neither asked for their address nor pushed them",
            local.reserved, i);
    }
}

// ---- the four operations ----

static CbState& configured(uint32_t cb, const At& at) {
    if (cb >= max_cbs || !core().cbs[cb].config.used)
        fatal("cb.not-configured", at, "CB %u is not configured on core (%u, %u)", cb, core().x, core().y);
    return core().cbs[cb];
}

static void claim(int* owner, const char* check, const char* verb, uint32_t cb, const At& at) {
    const int mine = static_cast<int>(role());
    if (*owner < 0) *owner = mine;
    if (*owner == mine || !current_run->checks) return;
    finding(check, at, "%s %s CB %u, but %s already does; each role keeps its own pointer, so the two would disagree",
            role_name(role()), verb, cb, role_name(static_cast<Role>(*owner)));
}

static uint32_t unit_shift() { return self().on_compute() ? 4 : 0; }

// A pointer wraps only when it meets the end exactly; one that steps over it goes on into other memory.
static void check_contiguous(const CbInterface& cb, uint32_t index, uint32_t pointer, uint32_t pages, const char* verb,
                             const At& at) {
    if (!current_run->checks || pointer + pages * cb.fifo_page_size <= cb.fifo_limit) return;
    finding(
        "cb.uneven", at,
        "%s of %u pages of CB %u steps over its end: %u of its %u pages lie before it, and the pointer wraps only at "
        "the end itself",
        verb, pages, index, (cb.fifo_limit - pointer) / cb.fifo_page_size, cb.fifo_num_pages);
}

static void advance(CbInterface& cb, uint32_t& pointer, uint32_t pages) {
    pointer += pages * cb.fifo_page_size;
    if (pointer >= cb.fifo_limit) pointer -= cb.fifo_size;
}

static void wake_if_enough(WaitQueue& queue, Core& core, int waiter, uint32_t available) {
    if (queue.empty()) return;
    if (waiter >= 0 && core.fibers[waiter] && core.fibers[waiter]->wait.wanted > available) return;
    queue.wake();
}

struct Span {
    uint32_t begin, end;  // offsets in L1

    bool meets(uint32_t offset, uint32_t size) const { return offset < end && offset + size > begin; }
};

static Span pages_from(const CbInterface& cb, uint32_t pointer, uint32_t pages) {
    const uint32_t unit = unit_shift();
    const uint32_t begin = (pointer << unit) & l1_offset_mask;
    return {begin, begin + (pages * cb.fifo_page_size << unit)};
}

// A multicast that includes its sender brings it a copy, which has landed only when the write is acknowledged.
static bool brings_own_copy(const Transfer& transfer, Span pages) {
    const auto local = static_cast<uint32_t>(transfer.remote & l1_offset_mask);
    return transfer.kind == Transfer::Kind::multicast && transfer.flags & noc_include_self && local >= pages.begin &&
           local < pages.end && !known_at(self(), {transfer.issue, transfer.noc, transfer.vc}, core().index);
}

// A page pushed while its own data is still in flight hands out the credit before the data.
static void check_landed(uint32_t index, const CbInterface& cb, uint32_t pages, const At& at) {
    const Span span = pages_from(cb, cb.fifo_wr_ptr, pages);
    for (const Transfer& transfer : self().transfers) {
        const bool read = transfer.kind == Transfer::Kind::read && span.meets(transfer.local, transfer.size);
        if (!read && !brings_own_copy(transfer, span)) continue;
        finding("noc.use-before-barrier", at,
                "pages of CB %u are pushed while the %s issued at %s is still in flight to them", index,
                read ? "NoC read" : "multicast", place(transfer.at).c_str());
        return;
    }
}

// A page popped while a write still leaves from it may be overwritten by the producer at once.
static void check_left(uint32_t index, const CbInterface& cb, uint32_t pages, const At& at) {
    const Span span = pages_from(cb, cb.fifo_rd_ptr, pages);
    for (const Transfer& transfer : self().transfers) {
        if (transfer.kind == Transfer::Kind::read || transfer.size == 0 || !span.meets(transfer.local, transfer.size))
            continue;
        if (known_everywhere(self(), transfer)) continue;
        finding("noc.source-reused", at,
                "pages of CB %u are popped while the NoC write issued at %s may still be reading them", index,
                place(transfer.at).c_str());
        return;
    }
}

extern "C" void ts_cb_reserve_back(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    CbLocal& local = self().cbs[index];
    spend(current_run->machine->config.timing.cb_operation);
    claim(&cb.producer, "cb.second-producer", "reserves pages of", index, at);
    if (pages > cb.config.pages())
        fatal("cb.reserve-beyond-capacity", at, "reserving %u pages of CB %u, which has %u, can never succeed", pages,
              index, cb.config.pages());
    const Wait why{Wait::On::cb_space, index, pages, true, at};
    wait_until(cb.space, why, [&] { return cb.received - cb.acked + pages <= cb.config.pages(); });
    const uint32_t needed =
        cb.received + pages;  // pages ever pushed once these are; so many minus the capacity must be acked
    if (needed > cb.config.pages()) take_credit(cb.pops, needed - cb.config.pages(), why);
    if (local.reserved < pages) local.reserved = pages;
    local.unpushed = true;
    local.reserved_at = at;
}

extern "C" void ts_cb_push_back(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    CbLocal& local = self().cbs[index];
    spend(current_run->machine->config.timing.cb_operation);
    claim(&cb.producer, "cb.second-producer", "pushes pages to", index, at);
    if (current_run->checks) {
        if (pages > local.reserved)
            finding("cb.push-without-reserve", at, "pushes %u pages of CB %u, but has reserved %u", pages, index,
                    local.reserved);
        check_contiguous(local.interface, index, local.interface.fifo_wr_ptr, pages, "a push", at);
        check_landed(index, local.interface, pages, at);
        note_pushed(cb, pages_from(local.interface, local.interface.fifo_wr_ptr, pages).begin, pages, at);
    }
    // Compute that packs onto the pages it has just read may push before unpack pops: the counters only count.
    if (cb.received + pages - cb.acked > cb.config.pages() && !cb.config.globally_allocated &&
        self().role != Role::pack)
        fatal("cb.push-without-reserve", at, "CB %u has %u pages and %u are unread: pushing %u more overwrites them",
              index, cb.config.pages(), cb.received - cb.acked, pages);
    local.reserved -= pages < local.reserved ? pages : local.reserved;
    advance(local.interface, local.interface.fifo_wr_ptr, pages);
    local.interface.fifo_wr_tile_ptr = 0;
    local.unpushed = false;
    cb.received += pages;
    local.interface.tiles_received = static_cast<uint16_t>(cb.received);
    give_credit(cb.pushes, cb.received);
    wake_if_enough(cb.data, core(), cb.consumer, cb.received - cb.acked);
}

extern "C" void ts_cb_wait_front(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    CbLocal& local = self().cbs[index];
    spend(current_run->machine->config.timing.cb_operation);
    claim(&cb.consumer, "cb.second-consumer", "waits for pages of", index, at);
    if (pages > cb.config.pages())
        fatal("cb.wait-beyond-capacity", at, "waiting for %u pages of CB %u, which has %u, can never succeed", pages,
              index, cb.config.pages());
    const Wait why{Wait::On::cb_pages, index, pages, true, at};
    wait_until(cb.data, why, [&] { return cb.received - cb.acked >= pages; });
    take_credit(cb.pushes, cb.acked + pages, why);
    if (local.waited < pages) local.waited = pages;
}

extern "C" void ts_cb_pop_front(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    CbLocal& local = self().cbs[index];
    spend(current_run->machine->config.timing.cb_operation);
    claim(&cb.consumer, "cb.second-consumer", "pops pages of", index, at);
    if (current_run->checks) {
        if (pages > local.waited)
            finding("cb.pop-without-wait", at, "pops %u pages of CB %u, but has waited for %u", pages, index,
                    local.waited);
        check_contiguous(local.interface, index, local.interface.fifo_rd_ptr, pages, "a pop", at);
        check_left(index, local.interface, pages, at);
    }
    if (pages > cb.received - cb.acked)
        fatal("cb.pop-without-wait", at, "pops %u pages of CB %u, which holds %u", pages, index,
              cb.received - cb.acked);
    local.waited -= pages < local.waited ? pages : local.waited;
    advance(local.interface, local.interface.fifo_rd_ptr, pages);
    cb.acked += pages;
    local.interface.tiles_acked = static_cast<uint16_t>(cb.acked);
    give_credit(cb.pops, cb.acked);
    wake_if_enough(cb.space, core(), cb.producer, cb.config.pages() - (cb.received - cb.acked));
}

// ---- polls and pointers ----

extern "C" bool ts_cb_pages_available_at_front(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    spend(current_run->machine->config.timing.cb_operation);
    if (cb.received - cb.acked >= pages) return true;
    ts_yield();
    return cb.received - cb.acked >= pages;
}

extern "C" bool ts_cb_pages_reservable_at_back(uint32_t index, uint32_t pages, At at) {
    step(at);
    CbState& cb = configured(index, at);
    spend(current_run->machine->config.timing.cb_operation);
    if (cb.config.pages() - (cb.received - cb.acked) >= pages) return true;
    ts_yield();
    return cb.config.pages() - (cb.received - cb.acked) >= pages;
}

extern "C" uint32_t ts_cb_read_ptr(uint32_t index, At at) {
    configured(index, at);
    return self().cbs[index].interface.fifo_rd_ptr << unit_shift();
}

extern "C" uint32_t ts_cb_write_ptr(uint32_t index, At at) {
    configured(index, at);
    self().cbs[index].addressed = true;
    return self().cbs[index].interface.fifo_wr_ptr << unit_shift();
}

extern "C" CbInterface* ts_cb_interface(uint32_t index) {
    self().cbs[index].addressed = true;
    return &self().cbs[index].interface;
}

// ---- windows: may this fiber touch these bytes of a circular buffer? ----

struct Window {
    uint32_t begin, pages;  // offset of the first page in L1, how many
};

static bool inside(const CbConfig& cb, Window window, uint32_t offset, uint32_t size) {
    if (offset < cb.offset || offset + size > cb.offset + cb.size) return false;  // no access wraps
    const uint32_t distance = (offset - cb.offset + cb.size - (window.begin - cb.offset)) % cb.size;
    return uint64_t{distance} + size <= uint64_t{window.pages} * cb.page_size;
}

static Window window_of(const Fiber& fiber, uint32_t index, bool writing) {
    const CbLocal& local = fiber.cbs[index];
    const uint32_t pointer = writing ? local.interface.fifo_wr_ptr : local.interface.fifo_rd_ptr;
    const uint32_t address = fiber.on_compute() ? pointer << 4 : pointer;
    return {address & l1_offset_mask, writing ? local.reserved : local.waited};
}

// Pages that are pushed and not popped, as their producer finds them behind its write pointer.
static bool in_produced(const CbState& cb, Window reserved, uint32_t offset, uint32_t size) {
    const uint32_t pages = cb.received - cb.acked, bytes = pages * cb.config.page_size;
    if (bytes == 0 || bytes > cb.config.size) return false;
    const uint32_t begin = (reserved.begin - cb.config.offset + cb.config.size - bytes) % cb.config.size;
    return inside(cb.config, {cb.config.offset + begin, pages}, offset, size);
}

// A producer may look at what it has pushed, and change it while it goes on reserving: who reads it must be ordered with
// that, as with any other write. What it has neither pushed nor reserved it reads only if it does not consume as well.
static bool own_product(const CbState& cb, const CbLocal& producer, Window reserved, uint32_t offset, uint32_t size,
                        bool writing) {
    if (in_produced(cb, reserved, offset, size)) return !writing || producer.reserved > 0;
    return !writing && producer.waited == 0;
}

static bool overlaps(const CbConfig& cb, uint32_t offset, uint32_t size) {
    return cb.used && offset < cb.offset + cb.size && offset + size > cb.offset;
}

// Several indices may share one memory: an access is fine if any of them allows it.
static int forbidding_cb(const Core& core, const Fiber& fiber, uint32_t offset, uint32_t size, bool writing) {
    int forbids = -1;
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const CbState& cb = core.cbs[i];
        if (!overlaps(cb.config, offset, size)) continue;
        const int mine = static_cast<int>(fiber.role);
        const bool concerned =
            writing ? cb.producer == mine || (cb.producer < 0 && cb.consumer >= 0) : cb.consumer == mine;
        if (!concerned || cb.config.globally_allocated) return -1;
        if (inside(cb.config, window_of(fiber, i, true), offset, size) ||
            inside(cb.config, window_of(fiber, i, false), offset, size))
            return -1;
        if (cb.producer == mine && own_product(cb, fiber.cbs[i], window_of(fiber, i, true), offset, size, writing))
            return -1;
        forbids = static_cast<int>(i);
    }
    return forbids;
}

// One that stands on a tensor's shard may cover only a part of it, and be indexed beyond that.
static bool in_same_tensor(const CbConfig& cb, uint64_t end) {
    const RunOptions& options = current_run->options;
    for (uint32_t i = 0; i < options.allocation_count; ++i) {
        const Allocation& buffer = options.allocations[i];
        if (!buffer.dram && buffer.address <= cb.offset && end <= buffer.address + buffer.size) return true;
    }
    return false;
}

void check_cb_end(uint32_t index, uint32_t address, uint32_t size, bool writing, const At& at) {
    if (!current_run->checks) return;
    const CbConfig& cb = core().cbs[index].config;
    const uint32_t offset = address & l1_offset_mask;
    if (offset >= cb.offset && offset + size <= cb.offset + cb.size) return;
    if (cb.globally_allocated && in_same_tensor(cb, offset + size)) return;
    const CbLocal& local = self().cbs[index];
    finding(writing ? "cb.write-past-reserve" : "cb.read-past-wait", at,
            "%s %s %u bytes at offset 0x%x for CB %u, which ends at 0x%x; it has %s %u pages", role_name(role()),
            writing ? "writes" : "reads", size, offset, index, cb.offset + cb.size, writing ? "reserved" : "waited for",
            writing ? local.reserved : local.waited);
}

void check_cb_read(uint32_t offset, uint32_t size, const At& at) {
    if (check_cb_crossing(core(), offset, size, false, at)) return;
    const int index = forbidding_cb(core(), self(), offset, size, false);
    if (index < 0) return;
    const CbState& cb = core().cbs[index];
    const Window window = window_of(self(), static_cast<uint32_t>(index), false);
    const Window available{window.begin, cb.received - cb.acked};
    if (inside(cb.config, available, offset, size))
        finding("cb.read-past-wait", at,
                "%s reads %u bytes of CB %d at offset 0x%x, past the %u pages it has waited for", role_name(role()),
                size, index, offset, window.pages);
    else
        finding("cb.use-after-pop", at,
                "%s reads %u bytes of CB %d at offset 0x%x, which are not among the %u pages it has waited for and not "
                "popped",
                role_name(role()), size, index, offset, window.pages);
}

void check_cb_write(uint32_t offset, uint32_t size, const At& at) {
    if (check_cb_crossing(core(), offset, size, true, at)) return;
    check_unallocated(&core(), offset, size, role_name(role()), at);
    const int index = forbidding_cb(core(), self(), offset, size, true);
    if (index < 0) return;
    const Window window = window_of(self(), static_cast<uint32_t>(index), true);
    finding("cb.write-past-reserve", at,
            "%s writes %u bytes of CB %d at offset 0x%x, outside the %u pages it has reserved", role_name(role()), size,
            index, offset, window.pages);
}

void check_cb_remote_write(const Core& target, uint32_t offset, uint32_t size, const At& at) {
    if (check_cb_crossing(target, offset, size, true, at)) return;
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const CbState& cb = target.cbs[i];
        if (!overlaps(cb.config, offset, size) || cb.config.globally_allocated || cb.producer < 0) continue;
        const Fiber* producer = target.fibers[cb.producer];
        if (!producer || inside(cb.config, window_of(*producer, i, true), offset, size)) return;
        finding("cb.write-past-reserve", at,
                "%u bytes arrive in CB %u of core (%u, %u) at offset 0x%x, outside the %u pages its %s has reserved",
                size, i, target.x, target.y, offset, producer->cbs[i].reserved, role_name(producer->role));
        return;
    }
}

}  // namespace ts

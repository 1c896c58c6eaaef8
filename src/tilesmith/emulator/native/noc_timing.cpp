// The way of a transfer over the rings of its NoC. NoC 0 goes right, then down; NoC 1 goes up, then left.
#include "noc_timing.h"

#include <algorithm>

#include "transfers.h"

namespace ts {

double BytesByPacket::at(uint32_t packet) const {
    int i = 0;
    while (i < 3 && packet > size[i] && size[i + 1]) ++i;
    return bytes[i];
}

void NocLinks::resize(uint32_t nodes) {
    for (Occupancy* links : {&along_x, &along_y, &in, &out}) links->resize(nodes);
}

void NocLinks::reset() {
    for (Occupancy* links : {&along_x, &along_y, &in, &out}) links->reset();
}

// ---- routes ----

namespace {

const Timing& timing() { return current_run->machine->config.timing; }
NocNode node_of(const Core& core) { return current_run->machine->worker_nodes[core.index]; }

NocNode node_of(const Target& target, uint32_t noc) {
    const Machine& machine = *current_run->machine;
    return target.dram ? machine.bank_nodes[2 * target.index + noc] : machine.worker_nodes[target.index];
}

uint32_t distance(uint32_t from, uint32_t to, uint32_t ring, uint32_t noc) {
    const uint32_t forward = from <= to ? to - from : to + ring - from;
    return noc == 0 || forward == 0 ? forward : ring - forward;
}

struct Hops {
    uint32_t x, y, ring;  // ring: there and back again
    uint32_t there() const { return x + y; }
};

Hops hops_between(NocNode from, NocNode to, uint32_t noc) {
    const Timing& t = timing();
    return {distance(from.x, to.x, t.noc_width, noc), distance(from.y, to.y, t.noc_height, noc),
            (from.x == to.x ? 0 : t.noc_width) + (from.y == to.y ? 0 : t.noc_height)};
}

// The head of a packet on its way: what it waits for pushes it back, and the slowest part sets how long it is. A packet
// that is longer than the buffers of a router stands on the links behind it while its head waits.
class Packet {
public:
    uint64_t head;
    uint32_t slowest = 0;
    Packet(uint64_t from, uint32_t stretch, uint32_t issuer)
        : head(from), stretch_(std::min(stretch, most_links)), issuer_(static_cast<uint16_t>(issuer)) {}

    // `lost`: how long what several cores' packets wait for idles behind one that had to wait, as a share of its time.
    // Others' packets count that end after `since`.
    __attribute__((always_inline)) void pass(Occupancy& resources, uint32_t index, uint32_t cycles, double lost = 0,
                                             uint64_t since = 0) {
        const uint64_t start = resources.take(index, head, cycles) - cycles;
        const bool shared = lost > 0 && resources.others_end(index, issuer_, start + cycles) > since;
        if (start > head) {
            hold_back(static_cast<uint32_t>(std::min<uint64_t>(start - head, cycles)));
            if (shared) resources.take(index, start + cycles, static_cast<uint32_t>(cycles * lost));
        }
        head = start;
        slowest = std::max(slowest, cycles);
        if (stretch_ == 0) return;
        behind_[passed_ % stretch_] = {&resources, index, start + cycles};
        ++passed_;
    }

private:
    static constexpr uint32_t most_links = 32;
    struct Link {
        Occupancy* resources;
        uint32_t index;
        uint64_t end;
    } behind_[most_links];
    uint32_t stretch_, passed_ = 0;
    uint16_t issuer_;

    void hold_back(uint32_t delay) {
        const uint32_t count = std::min(passed_, stretch_);
        for (uint32_t i = 0; i < count; ++i)
            behind_[i].end = behind_[i].resources->take(behind_[i].index, behind_[i].end, delay);
    }
};

struct Way {
    NocNode from, to;
    Hops hops;
    uint32_t noc, cycles;
};

// Not every link is watched, but some so far `apart`: what goes on straight meets mostly the same neighbours at the next.
template <uint32_t apart>
void pass_ring(Packet& packet, Occupancy& links, uint32_t base, uint32_t from, uint32_t hops, uint32_t ring,
               const Way& way) {
    const uint32_t behind = from % apart;
    const uint32_t first = way.noc == 1 || behind == 0 ? behind : apart - behind;
    for (uint32_t hop = first; hop < hops; hop += apart) {
        uint32_t at = way.noc == 0 ? from + hop : from + ring - hop;
        if (at >= ring) at -= ring;
        packet.pass(links, base + at, way.cycles);
    }
}

template <uint32_t apart>
void pass_links(Packet& packet, const Way& way) {
    const uint32_t width = timing().noc_width, height = timing().noc_height;
    NocLinks& links = current_run->machine->nocs[way.noc];
    const uint32_t row = width * (way.noc == 0 ? way.from.y : way.to.y);
    const uint32_t column = height * (way.noc == 0 ? way.to.x : way.from.x);
    if (way.noc == 1) pass_ring<apart>(packet, links.along_y, column, way.from.y, way.hops.y, height, way);
    pass_ring<apart>(packet, links.along_x, row, way.from.x, way.hops.x, width, way);
    if (way.noc == 0) pass_ring<apart>(packet, links.along_y, column, way.from.y, way.hops.y, height, way);
}

inline constexpr uint32_t apart_reads = 3, apart_writes = 2;  // blocked writes hold links, so more of them count

uint32_t cycles_at(uint32_t size, double bytes_per_cycle) {
    return static_cast<uint32_t>(size / bytes_per_cycle) + packets(size) * timing().packet_cycles;
}

uint32_t index_of(NocNode node) { return node.y * timing().noc_width + node.x; }

}  // namespace

uint32_t packets(uint32_t size) { return size ? (size + timing().max_packet - 1) / timing().max_packet : 1; }

Journey read_journey(const Core& core, const Target& target, uint32_t size, uint32_t noc) {
    if (!current_run->clock) return {};
    const Timing& t = timing();
    Machine& machine = *current_run->machine;
    NocLinks& links = machine.nocs[noc];
    const NocNode here = node_of(core), there = node_of(target, noc);
    const Hops request = hops_between(here, there, noc), answer = hops_between(there, here, noc);
    const uint32_t stream = cycles_at(size, t.stream_bytes), first_half = t.read_round_trip / 2;
    // Answers have several virtual channels.
    Packet packet(now() + first_half + request.there() * t.hop, 0, core.index);
    if (target.dram) {
        packet.head += t.dram_read_access;
        const double rate = t.dram_read_bytes.at(std::min(size, t.max_packet));
        packet.pass(machine.bank_service, target.index, static_cast<uint32_t>(size / rate));
    } else {
        const bool own = request.ring == 0;
        const double lost = own ? 0 : t.convoy_end;
        packet.pass(links.out, index_of(there), cycles_at(size, t.l1_read_bytes), lost, packet.head);
        if (own) packet.head += t.loopback;
    }
    pass_links<apart_reads>(packet, {there, here, answer, noc, stream});
    packet.pass(links.in, index_of(here), stream);
    const uint64_t done = packet.head + packet.slowest + answer.there() * t.hop + (t.read_round_trip - first_half);
    return {done, done, done};
}

Journey write_journey(Core& core, const Target& target, uint32_t size, uint32_t noc) {
    if (!current_run->clock) return {};
    const Timing& t = timing();
    Machine& machine = *current_run->machine;
    NocLinks& links = machine.nocs[noc];
    const NocNode here = node_of(core), there = node_of(target, noc);
    const Hops way = hops_between(here, there, noc);
    const uint32_t stream = cycles_at(size, t.stream_bytes), first_half = t.write_round_trip / 2;
    Packet packet(std::max(now(), core.write_free[noc]), size / t.router_buffer, core.index);
    const uint64_t unhindered = packet.head + first_half;
    packet.pass(links.out, index_of(here), stream);
    const uint64_t leaves = packet.head + stream;
    packet.head += first_half;
    pass_links<apart_writes>(packet, {here, there, way, noc, stream});
    if (target.dram) {
        const double rate = t.dram_write_bytes.at(std::min(size, t.max_packet));
        packet.pass(machine.bank_service, target.index, static_cast<uint32_t>(size / rate));
        packet.head += t.dram_write_access;
    } else {
        // All that another core has written there counts: a core is emulated far ahead while its writes are on their way.
        packet.pass(links.in, index_of(there), stream, way.ring == 0 ? 0 : t.convoy_end);
        if (way.ring == 0) packet.head += t.loopback;
    }
    // Writes leave in order: one that waits for others holds back the next, once the buffers on its way are full.
    const uint64_t waited = packet.head - unhindered - (target.dram ? t.dram_write_access : way.ring ? 0 : t.loopback);
    const auto buffered = static_cast<uint64_t>(way.there() * t.router_buffer / t.stream_bytes);
    if (waited > buffered) core.write_free[noc] = leaves + waited - buffered - stream;
    const uint64_t arrives = packet.head + packet.slowest + way.there() * t.hop;
    return {leaves, arrives, arrives + (way.ring - way.there()) * t.hop + (t.write_round_trip - first_half)};
}

Journey atomic_journey(const Core& core, const Target& target, uint32_t noc) {
    if (!current_run->clock) return {};
    const Timing& t = timing();
    const Hops way = hops_between(node_of(core), node_of(target, noc), noc);
    const uint64_t arrives = now() + t.atomic_round_trip / 2 + way.there() * t.hop;
    return {now(), arrives, now() + t.atomic_round_trip + way.ring * t.hop};
}

namespace {

// To the near corner of the rectangle as the NoC runs, and on to the far one.
Way multicast_way(NocNode here, uint64_t address, uint32_t cycles, uint32_t noc) {
    const Timing& t = timing();
    const Machine& machine = *current_run->machine;
    const Rectangle area = rectangle(address);
    const uint16_t low = machine.worker_at[area.x0][area.y0], high = machine.worker_at[area.x1][area.y1];
    NocNode near = low == 0xffff ? here : machine.worker_nodes[low];
    NocNode far = high == 0xffff ? here : machine.worker_nodes[high];
    if (noc == 1) std::swap(near, far);
    const auto reach = [&](uint32_t from, uint32_t first, uint32_t last, uint32_t ring) {
        return std::min(distance(from, first, ring, noc) + distance(first, last, ring, noc), ring);
    };
    Hops hops{reach(here.x, near.x, far.x, t.noc_width), reach(here.y, near.y, far.y, t.noc_height), 0};
    hops.ring = (hops.x ? t.noc_width : 0) + (hops.y ? t.noc_height : 0);
    return {here, far, hops, noc, cycles};
}

// An unlinked multicast reserves its path to the farthest core before every packet; a linked one leaves it reserved.
uint32_t paths_reserved(bool& open, bool linked, uint32_t packet_count) {
    const bool was_open = open;
    open = linked;
    if (linked) return was_open ? 0 : 1;
    return packet_count - (was_open ? 1 : 0);
}

}  // namespace

Journey multicast_journey(Core& core, uint64_t address, uint32_t cores, uint32_t size, uint32_t noc, bool linked) {
    if (!current_run->clock) return {};
    const Timing& t = timing();
    const NocNode here = node_of(core);
    const Way way = multicast_way(here, address, cycles_at(size, t.stream_bytes), noc);
    const uint32_t reservation = t.multicast_reserve + t.multicast_per_hop * way.hops.there();
    Packet packet(std::max(now(), core.multicast_busy[noc]), size / t.router_buffer, core.index);
    packet.head += uint64_t{reservation} * paths_reserved(core.multicast_open[noc], linked, packets(size));
    NocLinks& links = current_run->machine->nocs[noc];
    packet.pass(links.out, index_of(here), way.cycles);
    pass_links<apart_writes>(packet, way);
    const uint64_t leaves = packet.head + way.cycles;
    core.multicast_busy[noc] = leaves;
    const uint64_t arrives = leaves + t.write_round_trip / 2 + way.hops.there() * t.hop;
    const uint64_t done = leaves + t.write_round_trip + way.hops.ring * t.hop;
    const uint64_t answered = links.in.take(index_of(here), done - cores, cores * packets(size));  // one each
    return {leaves, arrives, std::max(done, answered)};
}

}  // namespace ts

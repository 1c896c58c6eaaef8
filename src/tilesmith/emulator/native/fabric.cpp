// Fabric connections: packets go to a router of this chip, over Ethernet links, and into the memory of other chips.
#include "fabric.h"

#include <algorithm>
#include <cstring>

#include "fabric_routes.h"
#include "transfers.h"
#include "ts/fabric_packet.h"
#include "undefined.h"

namespace ts {

void Fabric::start(const MeshConfig& mesh, uint32_t chips) {
    config = mesh;
    const uint32_t count = chips * config.channels();
    for (Occupancy* each : {&wires, &routers}) {
        each->resize(count);
        each->reset();
    }
    holder.assign(count, nullptr);
    bytes.assign(count, 0);
    receivers.assign(chips, {});
}

// ---- connections ----

namespace {

Fabric& fabric_here(const At& at) {
    if (!current_run->fabric)
        fatal("fabric.no-link", at,
              "this program runs alone on its chip, and no link leads from it; run it on a mesh, with fewer than 4096 "
              "kernels on all cores together");
    return *current_run->fabric;
}

struct Channel {
    Direction direction;
    uint32_t link, index;
};

Channel channel_of(const Fabric& fabric, uint32_t channel, const At& at) {
    const uint32_t links = fabric.config.links;
    if (channel >= fabric.config.channels())
        fatal("fabric.no-link", at, "a chip has %u fabric channels, and this is number %u", fabric.config.channels(),
              channel);
    return {static_cast<Direction>(channel / links), channel % links, self().chip * fabric.config.channels() + channel};
}

FabricConnection& connection(uint32_t channel) {
    auto& connections = self().fabric.connections;
    for (FabricConnection& known : connections)
        if (known.channel == channel) return known;
    connections.push_back({channel});
    return connections.back();
}

// ---- time ----

// The last router waits until its writes have landed before it raises the semaphore.
bool flushes(const FabricHeader& header) {
    if (header.send == FabricSend::write_and_inc) return header.write_and_inc.flush;
    return header.send == FabricSend::scatter_write && header.scatter.encoding == 3;
}

uint64_t cycles_for(uint32_t bytes, double per_cycle) { return static_cast<uint64_t>(bytes / per_cycle); }

Direction opposite(Direction direction) {
    static constexpr Direction back[] = {Direction::west, Direction::east, Direction::south, Direction::north};
    return back[static_cast<int>(direction)];
}

// A router has one processor for both ways of a link: what it receives keeps it from sending, and rings cost more.
uint32_t receiving(const MeshConfig& config, const FabricHeader& header, Direction by) {
    const bool along_row = by == Direction::east || by == Direction::west;
    const bool ring = along_row ? config.ring_rows : config.ring_columns;
    return config.receive + (ring ? config.ring : 0) + (flushes(header) ? config.flush : 0) +
           (header.send == FabricSend::scatter_write ? config.scatter : 0);
}

// A router takes a packet whole before it sends it on. A sender's slot is free again when the next router has taken the
// packet out of it; the way to there is part of the hop's latency, waiting for its processor is not.
void plan_arrivals(Fabric& fabric, FabricPacket& packet, FabricConnection& sender, const std::vector<Stop>& stops,
                   const FabricHeader& header, uint64_t entered) {
    if (!current_run->clock) return;
    const MeshConfig& config = fabric.config;
    const auto size = static_cast<uint32_t>(packet.payload.size()) + config.header_bytes;
    const auto on_wire = static_cast<uint32_t>(cycles_for(size, config.link_bytes));
    const uint64_t onto_noc = cycles_for(size, current_run->machine->config.timing.stream_bytes);
    const auto index = [&](uint32_t chip, Direction direction) {
        return chip * config.channels() + static_cast<uint32_t>(direction) * config.links +
               packet.channel % config.links;
    };
    uint64_t& slot = sender.slot_free[sender.sent % config.slots];
    uint64_t time = std::max(entered, slot);
    uint32_t from = self().chip;
    for (const Stop& stop : stops) {
        const uint32_t link = index(from, stop.by), service = receiving(config, header, stop.by);
        fabric.routers.take(link, time, config.send);  // between two it receives: only those come later
        time = fabric.wires.take(link, time, on_wire);
        fabric.bytes[link] += size;
        const uint64_t taken = fabric.routers.take(index(stop.chip, opposite(stop.by)), time, service);
        if (packet.arrives.empty()) slot = taken;
        packet.arrives.push_back(taken - service + config.first_hop + onto_noc);
        time = taken - service + config.next_hop;
        from = stop.chip;
    }
}

FabricPacket& packet_of(Fiber& fiber, uint64_t serial) {
    return fiber.fabric.packets[serial - fiber.fabric.first_packet];
}

// The packet that the next payload or header belongs to: one whose header has not been sent.
uint32_t open_packet(Fiber& fiber, uint32_t channel) {
    auto& sender = fiber.fabric;
    for (size_t i = 0; i < sender.packets.size(); ++i)
        if (sender.packets[i].channel == channel && sender.packets[i].arrives.empty())
            return sender.first_packet + static_cast<uint32_t>(i);
    sender.packets.push_back({channel});
    return sender.first_packet + static_cast<uint32_t>(sender.packets.size()) - 1;
}

FabricConnection& open_connection(uint32_t channel, const At& at) {
    FabricConnection& sender = connection(channel);
    if (!sender.open)
        fatal("fabric.not-open", at, "the kernel sends over fabric channel %u, which it has not opened", channel);
    return sender;
}

FabricHeader header_at(const Fiber& fiber, uint32_t local) {
    FabricHeader header;
    memcpy(&header, fiber.core->l1 + local, sizeof header);
    return header;
}

void issue(Transfer::Kind kind, uint32_t serial, uint32_t local, uint32_t size, uint32_t noc, uint64_t leaves,
           bool undefined, const At& at) {
    Fiber& fiber = self();
    Transfer transfer{.kind = kind,
                      .undefined = undefined,
                      .noc = static_cast<uint8_t>(noc),
                      .size = size,
                      .local = local,
                      .remote = serial,
                      .at = at};
    const uint64_t round_trip = current_run->clock ? current_run->machine->config.timing.write_round_trip : 0;
    transfer.times = {leaves, leaves, leaves + round_trip};
    fiber.transfers.push_back(transfer);
    ++fiber.kernel->counters.noc_writes;
    fiber.kernel->counters.written_bytes += size;
}

bool check_leaving(uint32_t local, uint32_t size, const At& at) {
    if (!current_run->checks) return false;
    Fiber& fiber = self();
    check_cb_read(local, size, at);
    const bool undefined =
        check_read({fiber.core->shadow, local, size, fiber.core, "a fabric packet", false, true}, at);
    mark_leaving(*fiber.core->shadow, local, size);
    return undefined;
}

void check_payload(const Fabric& fabric, const FabricHeader& header, const FabricPacket& packet, const At& at) {
    if (!current_run->checks) return;
    const bool carries = header.send == FabricSend::write || header.send == FabricSend::write_and_inc ||
                         header.send == FabricSend::scatter_write;
    const size_t sent = packet.payload.size();
    if (carries && header.payload_size != sent)
        finding("fabric.payload-size", at, "the header says %u bytes of payload, and %zu were sent before it",
                header.payload_size, sent);
    if (!carries && sent)
        finding("fabric.payload-size", at, "%zu bytes of payload were sent before a header that carries none", sent);
    if (sent > fabric.config.max_payload)
        finding("fabric.payload-size", at, "a payload of %zu bytes, and a packet of this fabric holds %u", sent,
                fabric.config.max_payload);
}

}  // namespace

// ---- what kernels call ----

extern "C" void ts_fabric_open(uint32_t channel, At at) {
    step(at);
    Fabric& fabric = fabric_here(at);
    const Channel here = channel_of(fabric, channel, at);
    if (fabric.neighbour(self().chip, here.direction) < 0) no_way(fabric, self().chip, here.direction, at);
    Fiber*& holder = fabric.holder[here.index];
    if (holder && holder != &self() && current_run->checks)
        finding("fabric.busy", at, "the connection to the router %s on link %u is still open on %s, opened at %s",
                name_of(here.direction), here.link, core_name(*holder).c_str(),
                place(holder->fabric.connections.back().opened_at).c_str());
    holder = &self();
    FabricConnection& sender = connection(channel);
    sender.open = true;
    sender.granted = 0;
    sender.slot_free.resize(fabric.config.slots, 0);
    sender.opened_at = at;
    spend(current_run->machine->config.timing.read_round_trip, Work::noc);
}

extern "C" void ts_fabric_close(uint32_t channel, uint32_t noc, At at) {
    FabricConnection& sender = open_connection(channel, at);
    ts_noc_write_barrier(noc, any_trid, at);
    sender.open = false;
    Fabric& fabric = fabric_here(at);
    fabric.holder[channel_of(fabric, channel, at).index] = nullptr;
}

extern "C" uint32_t ts_fabric_free_slots(uint32_t channel, At at) {
    step(at);
    FabricConnection& sender = open_connection(channel, at);
    uint32_t free = 0;
    for (const uint64_t when : sender.slot_free) free += when <= now();
    sender.granted = free;
    return free;
}

extern "C" void ts_fabric_wait_slot(uint32_t channel, At at) {
    step(at);
    FabricConnection& sender = open_connection(channel, at);
    spend(current_run->machine->config.timing.semaphore_operation);
    join_time(sender.slot_free[sender.sent % sender.slot_free.size()], {Wait::On::fabric_slot, channel, 1, true, at});
    sender.granted = std::max(sender.granted, 1u);
}

extern "C" void ts_fabric_payload(uint32_t channel, uint32_t src, uint32_t offset, uint32_t size, uint32_t noc, At at) {
    step(at);
    Fiber& fiber = self();
    open_connection(channel, at);
    const uint32_t local = local_offset(src, size, at), serial = open_packet(fiber, channel);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    const bool undefined = check_leaving(local, size, at);
    FabricPacket& packet = packet_of(fiber, serial);
    if (packet.payload.size() < offset + size) packet.payload.resize(offset + size);
    issue(Transfer::Kind::fabric_payload, serial, local, size, noc,
          now() + cycles_for(size, current_run->machine->config.timing.stream_bytes), undefined, at);
    fiber.transfers.back().flags = offset;
}

extern "C" void ts_fabric_header(uint32_t channel, uint32_t src, uint32_t noc, At at) {
    step(at);
    Fiber& fiber = self();
    Fabric& fabric = fabric_here(at);
    FabricConnection& sender = open_connection(channel, at);
    const uint32_t local = local_offset(src, sizeof(FabricHeader), at), serial = open_packet(fiber, channel);
    spend(current_run->machine->config.timing.issue_write[noc_plain], Work::noc);
    if (sender.granted == 0 && current_run->checks)
        finding("fabric.no-slot", at,
                "the kernel sends a packet and has not waited for a free slot of the router on channel %u", channel);
    if (sender.granted) --sender.granted;
    check_leaving(local, sizeof(FabricHeader), at);
    FabricPacket& packet = packet_of(fiber, serial);
    const FabricHeader header = header_at(fiber, local);
    check_payload(fabric, header, packet, at);
    const double rate = current_run->machine->config.timing.stream_bytes;
    const uint64_t leaves = now() + cycles_for(static_cast<uint32_t>(packet.payload.size() + sizeof header), rate);
    const std::vector<Stop> stops = route_of(fabric, header, channel_of(fabric, channel, at).direction, at);
    plan_arrivals(fabric, packet, sender, stops, header, leaves);
    packet.arrives.resize(stops.size(), 0);
    ++sender.sent;
    issue(Transfer::Kind::fabric_header, serial, local, sizeof header, noc, leaves, false, at);
}

// ---- what arrives ----

namespace {

// Whoever is written to must wait for it: a program that runs there next would find what was there before.
void not_awaited(const Fabric::Landed& landed, uint32_t to) {
    const uint32_t columns = current_run->columns, from = current_run->by_id[landed.sender]->chip;
    finding("fabric.not-awaited", landed.at,
            "the kernels of chip (%u, %u) end, and none has waited for what chip (%u, %u) writes there", to / columns,
            to % columns, from / columns, from % columns);
}

void note_landed(const At& at) {
    Fiber& sender = self();
    const uint32_t chip = current_run->chip;
    Fabric::Receiver& receiver = current_run->fabric->receivers[chip];
    if (!current_run->checks || receiver.kernels == 0 || chip == sender.chip) return;
    const Fabric::Landed now{sender.id, sender.clock[sender.id], at};
    if (receiver.ended == receiver.kernels) return not_awaited(now, chip);
    for (Fabric::Landed& known : receiver.landed)
        if (known.sender == sender.id) return void(known = now);
    receiver.landed.push_back(now);
}

struct Arrival {
    const FabricPacket& packet;
    uint64_t time;
    const At& at;

    void write(uint64_t address, uint32_t begin, uint32_t size) const {
        const Target target = resolve(there(address), size, at);
        if (current_run->checks) {
            check_allocated(target, size, false, at);
            if (target.dram) define_dram(current_run->machine->dram[target.index], target.offset, size);
        }
        store(target, packet.payload.data() + begin, size, time, {}, at, "a fabric write");
        note_landed(at);
        if (!packet.undefined.empty()) store_undefined(target, size, packet.undefined.data() + begin, at);
    }

    // Kernels name L1 by where the emulator has mapped that of their own chip.
    uint64_t there(uint64_t address) const {
        const Machine& sender = *current_run->chips[self().chip].program->machine;
        constexpr uint64_t local_mask = (uint64_t{1} << 36) - 1;
        uint32_t offset;
        if (sender.worker_at[address >> 36 & 63][address >> 42 & 63] == 0xffff) return address;
        if (!to_l1_offset(sender, address & local_mask, &offset)) return address;
        return (address & ~local_mask) | offset;
    }

    void raise(uint64_t semaphore, uint32_t increment) const { atomic_add(there(semaphore), increment, time, {}, at); }

    void scatter(const FabricHeader::ScatterWrite& command) const {
        const auto whole = static_cast<uint32_t>(packet.payload.size());
        uint32_t begin = 0;
        const bool raises = command.encoding != 0;  // the last of three is a semaphore, its increment the third size
        const uint32_t writes = raises ? 2 : std::min<uint32_t>(command.count, 4);
        for (uint32_t i = 0; i < writes; ++i) {
            const uint32_t size = i + 1 == writes ? whole - begin : command.size[i];
            if (begin + size > whole)
                fatal("fabric.payload-size", at, "the chunks of a scatter write are longer than its payload");
            write(command.address[i], begin, size);
            begin += size;
        }
        if (raises) raise(command.address[2], command.size[2]);
    }

    void take(const FabricHeader& header) const {
        switch (header.send) {
            case FabricSend::write: return write(header.write.address, 0, static_cast<uint32_t>(packet.payload.size()));
            case FabricSend::write_and_inc:
                write(header.write_and_inc.address, 0, static_cast<uint32_t>(packet.payload.size()));
                return raise(header.write_and_inc.semaphore, header.write_and_inc.value);
            case FabricSend::atomic_inc: return raise(header.atomic_inc.address, header.atomic_inc.value);
            case FabricSend::inline_write:
                return store_inline(there(header.inline_write.address), header.inline_write.value, 0xf, time, {}, at);
            case FabricSend::scatter_write: return scatter(header.scatter);
            default: gap(at, "this kind of fabric packet");
        }
    }
};

void take_payload(Fiber& fiber, const Transfer& transfer) {
    FabricPacket& packet = packet_of(fiber, transfer.remote);
    const uint32_t offset = transfer.flags;
    memcpy(packet.payload.data() + offset, fiber.core->l1 + transfer.local, transfer.size);
    if (!transfer.undefined) return;
    packet.undefined.resize(packet.payload.size());
    if (!undefined_bytes(*fiber.core->shadow, transfer.local, transfer.size, packet.undefined.data() + offset))
        packet.undefined.clear();
}

void drop_sent(FabricSender& sender) {
    size_t gone = 0;
    while (gone < sender.packets.size() && sender.packets[gone].channel == ~0u) ++gone;
    sender.packets.erase(sender.packets.begin(), sender.packets.begin() + static_cast<ptrdiff_t>(gone));
    sender.first_packet += static_cast<uint32_t>(gone);
}

}  // namespace

// The payload goes into the slot when it leaves L1; with the header the router has a packet to send.
void deliver_to_router(Fiber& fiber, const Transfer& transfer) {
    if (transfer.kind == Transfer::Kind::fabric_payload) return take_payload(fiber, transfer);
    Run& run = *current_run;
    FabricPacket& packet = packet_of(fiber, transfer.remote);
    const FabricHeader header = header_at(fiber, transfer.local);
    const Channel here = channel_of(*run.fabric, packet.channel, transfer.at);
    const std::vector<Stop> stops = route_of(*run.fabric, header, here.direction, transfer.at);
    for (size_t i = 0; i < stops.size(); ++i) {
        if (!stops[i].stays) continue;
        const OnChip there(run, stops[i].chip);
        Arrival{packet, i < packet.arrives.size() ? packet.arrives[i] : 0, transfer.at}.take(header);
    }
    packet.channel = ~0u;
    packet.arrives.assign(1, 0);
    drop_sent(fiber.fabric);
}

// ---- writes to DRAM, which no signal follows in order ----

// Kernels that sum what chips have sent read from DRAM what a kernel of their own core has put there. A flush says that
// the data has left, and only a barrier that it is there: who is signalled between the two may read too early. Runs of
// one chip do without: they would pay for every page, and a barrier that is missing is found there in other ways.
void note_flushed(Fiber& fiber, const Transfer& transfer) {
    if (!current_run->fabric || !current_run->checks || transfer.kind != Transfer::Kind::write || !transfer.size)
        return;
    const Target target = resolve(transfer.remote, transfer.size, transfer.at);
    if (target.dram) fiber.unacknowledged.push_back({target.memory, transfer.noc, transfer.at});
}

void note_acknowledged(Fiber& fiber, uint32_t noc) {
    std::erase_if(fiber.unacknowledged, [&](const Fiber::Unacknowledged& write) {
        if (write.noc != noc) return false;
        current_run->fabric->acknowledged[write.memory] = {fiber.id, fiber.clock[fiber.id], write.at};
        return true;
    });
}

void check_acknowledged(const Target& target, const At& at) {
    if (!current_run->fabric || !target.dram) return;
    const auto found = current_run->fabric->acknowledged.find(target.memory);
    if (found == current_run->fabric->acknowledged.end()) return;
    const auto& [sender, epoch, written_at] = found->second;
    if (sender == self().id || self().clock[sender] >= epoch) return;
    finding(
        "noc.use-before-barrier", at,
        "a NoC read of DRAM that the NoC write issued at %s may not have reached: no barrier comes between it and the "
        "signal that was waited for",
        place(written_at).c_str());
}

void check_fabric_at_end(const Fiber& fiber) {
    if (!current_run->checks) return;
    for (const FabricConnection& sender : fiber.fabric.connections)
        if (sender.open)
            finding("fabric.left-open", sender.opened_at,
                    "the kernel ends and the connection on channel %u is open: whoever opens it next waits for ever",
                    sender.channel);
    if (!current_run->fabric) return;
    Fabric::Receiver& receiver = current_run->fabric->receivers[fiber.chip];
    receiver.known.join(fiber.clock);
    if (++receiver.ended < receiver.kernels) return;
    for (const Fabric::Landed& landed : receiver.landed)
        if (receiver.known[landed.sender] < landed.epoch) not_awaited(landed, fiber.chip);
}

extern "C" uint32_t ts_fabric_chip() { return self().chip; }
extern "C" uint32_t ts_fabric_columns() { return current_run->columns; }
extern "C" uint32_t ts_fabric_header_pool() {
    const uint32_t role = static_cast<uint32_t>(self().role);
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(core().l1)) + current_run->machine->config.argument_base -
           header_pool_bytes + (role & 1) * header_pool_bytes / 2;
}

}  // namespace ts

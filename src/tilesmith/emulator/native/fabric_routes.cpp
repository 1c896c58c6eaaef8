// Routes of fabric packets: by hops along a line, or to a chip along one dimension and then the other.
#include "fabric_routes.h"

namespace ts {

int Fabric::neighbour(uint32_t chip, Direction direction) const {
    int row = static_cast<int>(chip / config.columns), column = static_cast<int>(chip % config.columns);
    const int rows = static_cast<int>(config.rows), columns = static_cast<int>(config.columns);
    const bool along_row = direction == Direction::east || direction == Direction::west;
    int& moved = along_row ? column : row;
    const int size = along_row ? columns : rows;
    moved += direction == Direction::east || direction == Direction::south ? 1 : -1;
    if (moved < 0 || moved >= size) {
        if (!(along_row ? config.ring_rows : config.ring_columns) || size < 3) return -1;
        moved = (moved + size) % size;
    }
    return row * columns + column;
}

const char* name_of(Direction direction) {
    static const char* const names[] = {"east", "west", "north", "south"};
    return names[static_cast<int>(direction)];
}

[[noreturn]] void no_way(const Fabric& fabric, uint32_t chip, Direction direction, const At& at) {
    const uint32_t columns = fabric.config.columns;
    fatal("fabric.no-link", at, "the packet's route goes %s from chip (%u, %u), and no link leads there",
          name_of(direction), chip / columns, chip % columns);
}

namespace {

bool is_for(const FabricHeader& header, uint32_t hop) {
    if (header.route == FabricRoute::hops) return hop == header.hops;
    if (header.route == FabricRoute::range) return hop >= header.hops && hop < header.hops + header.range;
    return header.mask >> (hop - 1) & 1;
}

uint32_t last_hop(const FabricHeader& header) {
    if (header.route == FabricRoute::hops) return header.hops;
    if (header.route == FabricRoute::range) return header.hops + header.range - 1u;
    return header.mask ? 32 - static_cast<uint32_t>(__builtin_clz(header.mask)) : 0;
}

uint32_t next_chip(const Fabric& fabric, uint32_t chip, Direction direction, const At& at) {
    const int next = fabric.neighbour(chip, direction);
    if (next < 0) no_way(fabric, chip, direction, at);
    return static_cast<uint32_t>(next);
}

void along_line(std::vector<Stop>& stops, const Fabric& fabric, const FabricHeader& header, Direction direction,
                const At& at) {
    const uint32_t hops = last_hop(header);
    uint32_t chip = self().chip;
    for (uint32_t hop = 1; hop <= hops; ++hop) {
        chip = next_chip(fabric, chip, direction, at);
        stops.push_back({chip, direction, is_for(header, hop)});
    }
}

// First along the connection's own dimension, then along the other.
Direction towards(const Fabric& fabric, uint32_t from, uint32_t to, bool along_row) {
    const uint32_t columns = fabric.config.columns;
    const int size = static_cast<int>(along_row ? columns : fabric.config.rows);
    const int way = along_row ? static_cast<int>(to % columns) - static_cast<int>(from % columns)
                              : static_cast<int>(to / columns) - static_cast<int>(from / columns);
    const bool ring = size > 2 && (along_row ? fabric.config.ring_rows : fabric.config.ring_columns);
    const bool forward = ring && (way > size / 2 || -way > size / 2) ? way < 0 : way > 0;
    if (along_row) return forward ? Direction::east : Direction::west;
    return forward ? Direction::south : Direction::north;
}

void to_chip(std::vector<Stop>& stops, const Fabric& fabric, uint32_t chip, uint32_t target, Direction first,
             const At& at) {
    const uint32_t columns = fabric.config.columns;
    const bool row_first = first == Direction::east || first == Direction::west;
    while (chip != target) {
        const bool row_left = chip % columns != target % columns, column_left = chip / columns != target / columns;
        const bool along_row = row_first ? row_left : !column_left;
        const Direction direction = stops.empty() ? first : towards(fabric, chip, target, along_row);
        chip = next_chip(fabric, chip, direction, at);
        stops.push_back({chip, direction, chip == target});
        if (stops.size() > current_run->chips.size())
            fatal("fabric.no-link", at, "the packet never reaches its chip over the connection it was sent on");
    }
}

}  // namespace

std::vector<Stop> route_of(const Fabric& fabric, const FabricHeader& header, Direction direction, const At& at) {
    std::vector<Stop> stops;
    switch (header.route) {
        case FabricRoute::hops:
        case FabricRoute::range:
        case FabricRoute::mask: along_line(stops, fabric, header, direction, at); break;
        case FabricRoute::chip:
            if (header.chip >= current_run->chips.size())
                fatal("fabric.no-link", at, "the mesh has %zu chips, and the packet is for number %u",
                      current_run->chips.size(), header.chip);
            to_chip(stops, fabric, self().chip, header.chip, direction, at);
            break;
        case FabricRoute::area: gap(at, "a fabric multicast over two dimensions of a mesh");
        default: break;
    }
    if (stops.empty()) fatal("fabric.no-link", at, "the packet's header names no chip: set its route before sending");
    return stops;
}

}  // namespace ts

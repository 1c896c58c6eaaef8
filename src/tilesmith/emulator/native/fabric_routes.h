// The way of a packet over the links of a mesh.
#pragma once
#include <vector>

#include "fabric.h"
#include "ts/fabric_packet.h"

namespace ts {

struct Stop {  // a chip that a packet reaches
    uint32_t chip;
    Direction by;  // the direction of the link it came over
    bool stays;    // it is for this chip, too
};

const char* name_of(Direction direction);

// Ends the run with a finding.
[[noreturn]] void no_way(const Fabric& fabric, uint32_t chip, Direction direction, const At& at);

// The chips on its way, from the one that sends it; a route that no link leads along is a finding.
std::vector<Stop> route_of(const Fabric& fabric, const FabricHeader& header, Direction direction, const At& at);

}  // namespace ts

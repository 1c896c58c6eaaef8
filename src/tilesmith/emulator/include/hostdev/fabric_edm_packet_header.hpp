// Where releases before 0.82 have the headers of fabric packets.
#pragma once
#include "fabric/fabric_edm_packet_header.hpp"

// Runs a function in SFPI over the faces of a tile.
#pragma once
#include "sfpi.h"

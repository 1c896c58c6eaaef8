// NoC addresses and limits.
#pragma once
#include "ts/dataflow/addresses.h"

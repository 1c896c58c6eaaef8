// The role macros and the enumerations every compute call takes.
#pragma once
#include "ts/compute.h"

// Core identity and cache control.
#pragma once
#include "ts/dataflow/identity.h"

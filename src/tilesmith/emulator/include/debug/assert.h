// The path of the first name generation.
#pragma once
#include "api/debug/assert.h"

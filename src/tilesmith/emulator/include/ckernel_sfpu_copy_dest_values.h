// The path below the API of api/compute/copy_dest_values.h.
#pragma once
#include "api/compute/copy_dest_values.h"

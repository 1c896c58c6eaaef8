// Stands in for a header of the C library that comes with the vendor's compiler.
#pragma once

#include <cstdint>

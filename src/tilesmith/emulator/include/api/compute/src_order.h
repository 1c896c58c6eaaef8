// Which operand goes to which Src register.
#pragma once
#include <cstdint>

namespace ckernel {
enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };
}  // namespace ckernel

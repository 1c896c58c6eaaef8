// How several threads share a dataflow buffer; on these chips a buffer has one producer and one consumer.
#pragma once
#include <cstdint>

namespace dfb {
enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };
}  // namespace dfb

class DataflowBuffer;
using DataflowBufferAnyPattern = DataflowBuffer;

template <typename T>
inline constexpr bool is_dataflow_buffer_v = false;
template <>
inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;

// How a tensor's elements lie on its pages.
#pragma once

namespace tt::tt_metal {
enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };
}  // namespace tt::tt_metal

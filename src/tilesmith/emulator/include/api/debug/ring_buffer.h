// The watcher's ring buffer of words, printed one by one.
#pragma once
#include "api/debug/dprint.h"
#define WATCHER_RING_BUFFER_PUSH(x) DPRINT("ring buffer: {}\n", static_cast<uint32_t>(x))
#define WATCHER_RING_BUFFER_INIT()

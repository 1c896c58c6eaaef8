// The compute half of the boundary. Every function is called by all three compute roles and does its role's part.
#pragma once
#include "ts/abi.h"

extern "C" {
// ---- DST: 16 tiles of 1024 datums in face order, each a 32-bit pattern (fp32 bits, or an integer) ----
// For SFPU code. Null on roles other than math. `ts_dst_modify` requires a written tile; `ts_dst_write` marks it written.
uint32_t* ts_dst_modify(uint32_t tile, ts::At at);
uint32_t* ts_dst_write(uint32_t tile, ts::At at);
bool ts_dst_is_32bit();
// Names the vector function for set-up checks (an op needs its init since the last other init) and adds its cost.
void ts_sfpu_init(const char* function, ts::At at);
void ts_sfpu_run(const char* function, ts::At at);
}

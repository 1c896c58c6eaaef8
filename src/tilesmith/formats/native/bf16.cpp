// bfloat16. Each format is a library of its own: what a program does not use is not compiled.
#include "numbers.h"
#include "tiles.h"

TS_TILE(ts_tile_host, uint16_t, uint32_t, ts::bf16_host)
TS_TILE(ts_tile_device, uint16_t, uint32_t, ts::bf16_device)
TS_UNTILE(ts_untile, uint32_t, uint16_t, ts::bf16_value)
TS_ROW(ts_row_host, uint16_t, uint32_t, ts::bf16_host)
TS_ROW(ts_row_device, uint16_t, uint32_t, ts::bf16_device)
TS_ROW(ts_unrow, uint32_t, uint16_t, ts::bf16_value)

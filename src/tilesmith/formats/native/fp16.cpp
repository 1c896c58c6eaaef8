// float16.
#include "numbers.h"
#include "tiles.h"

TS_TILE(ts_tile_host, uint16_t, uint32_t, ts::fp16_host)
TS_TILE(ts_tile_device, uint16_t, uint32_t, ts::fp16_device)
TS_UNTILE(ts_untile, uint32_t, uint16_t, ts::fp16_value)
TS_ROW(ts_row_host, uint16_t, uint32_t, ts::fp16_host)
TS_ROW(ts_row_device, uint16_t, uint32_t, ts::fp16_device)
TS_ROW(ts_unrow, uint32_t, uint16_t, ts::fp16_value)

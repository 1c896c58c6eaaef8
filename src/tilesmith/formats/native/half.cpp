// float16. A library of its own, as the block floats are: what a program does not use is not compiled.
#include "numbers.h"
#include "tiles.h"

TS_TILES(fp16_host, uint16_t, uint32_t, ts::fp16_host)
TS_TILES(fp16_device, uint16_t, uint32_t, ts::fp16_device)
TS_UNTILES(fp16, uint32_t, uint16_t, ts::fp16_value)
TS_ROWS(fp16_host, uint16_t, uint32_t, ts::fp16_host)
TS_ROWS(fp16_device, uint16_t, uint32_t, ts::fp16_device)
TS_ROWS(fp16, uint32_t, uint16_t, ts::fp16_value)

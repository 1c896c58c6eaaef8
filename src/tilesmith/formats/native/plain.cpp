// bfloat16, and formats that are stored as they are: float32 and integers.
#include "numbers.h"
#include "tiles.h"

TS_TILES(bf16_host, uint16_t, uint32_t, ts::bf16_host)
TS_TILES(bf16_device, uint16_t, uint32_t, ts::bf16_device)
TS_UNTILES(bf16, uint32_t, uint16_t, ts::bf16_value)
TS_ROWS(bf16_host, uint16_t, uint32_t, ts::bf16_host)
TS_ROWS(bf16_device, uint16_t, uint32_t, ts::bf16_device)
TS_ROWS(bf16, uint32_t, uint16_t, ts::bf16_value)

TS_TILES(raw8, uint8_t, uint8_t, ts::same)
TS_TILES(raw16, uint16_t, uint16_t, ts::same)
TS_TILES(raw32, uint32_t, uint32_t, ts::same)
TS_UNTILES(raw8, uint8_t, uint8_t, ts::same)
TS_UNTILES(raw16, uint16_t, uint16_t, ts::same)
TS_UNTILES(raw32, uint32_t, uint32_t, ts::same)

// Formats that are stored as they are: float32 and integers of BITS bits.
#include "numbers.h"
#include "tiles.h"

#if BITS == 8
using Datum = uint8_t;
#elif BITS == 16
using Datum = uint16_t;
#else
using Datum = uint32_t;
#endif

TS_TILE(ts_tile, Datum, Datum, ts::same)
TS_UNTILE(ts_untile, Datum, Datum, ts::same)

// The block floats bfp8_b, bfp4_b and bfp2_b: exponents first, one per run of 16 datums, then the datums.
#include "blockfloat.h"
#include "tiles.h"

namespace ts {

template <int bits, Group (*convert)(const uint32_t*)>
void to_blocks(const Shape& shape, const void* array, void* tiles) {
    const uint32_t* from = static_cast<const uint32_t*>(array);
    each_run(shape, [&](int64_t element, int64_t tile, int64_t run) {
        uint8_t* base = static_cast<uint8_t*>(tiles) + tile * shape.tile_bytes;
        Group values = convert(from + element);
        base[run] = values.exponent;
        store<bits>(values, base + shape.exponent_bytes + run * group * bits / 8);
    });
}

template <int bits>
void from_blocks(const Shape& shape, const void* tiles, void* array) {
    uint32_t* to = static_cast<uint32_t*>(array);
    each_run(shape, [&](int64_t element, int64_t tile, int64_t run) {
        const uint8_t* base = static_cast<const uint8_t*>(tiles) + tile * shape.tile_bytes;
        block_values<bits>(load<bits>(base[run], base + shape.exponent_bytes + run * group * bits / 8), to + element);
    });
}

}  // namespace ts

#define TS_BLOCKS(bits)                                                                            \
    extern "C" void ts_tile_bfp##bits##_host(const ts::Shape* shape, const void* in, void* out) {   \
        ts::to_blocks<bits, ts::block_host<bits>>(*shape, in, out);                                \
    }                                                                                              \
    extern "C" void ts_tile_bfp##bits##_device(const ts::Shape* shape, const void* in, void* out) { \
        ts::to_blocks<bits, ts::block_device<bits>>(*shape, in, out);                              \
    }                                                                                              \
    extern "C" void ts_untile_bfp##bits(const ts::Shape* shape, const void* in, void* out) {        \
        ts::from_blocks<bits>(*shape, in, out);                                                    \
    }

TS_BLOCKS(8)
TS_BLOCKS(4)
TS_BLOCKS(2)

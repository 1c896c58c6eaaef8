// One of the block floats, of BITS bits: exponents first, one per run of 16 datums, then the datums.
#include "blockfloat.h"
#include "tiles.h"

namespace ts {

template <Group (*convert)(const uint32_t*)>
void to_blocks(const Shape& shape, const void* array, void* tiles) {
    const uint32_t* from = static_cast<const uint32_t*>(array);
    each_run(shape, [&](int64_t element, int64_t tile, int64_t run) {
        uint8_t* base = static_cast<uint8_t*>(tiles) + tile * shape.tile_bytes;
        Group values = convert(from + element);
        base[run] = values.exponent;
        store<BITS>(values, base + shape.exponent_bytes + run * group * BITS / 8);
    });
}

}  // namespace ts

extern "C" void ts_tile_host(const ts::Shape* shape, const void* in, void* out) {
    ts::to_blocks<ts::block_host<BITS>>(*shape, in, out);
}

extern "C" void ts_tile_device(const ts::Shape* shape, const void* in, void* out) {
    ts::to_blocks<ts::block_device<BITS>>(*shape, in, out);
}

extern "C" void ts_untile(const ts::Shape* shape, const void* in, void* out) {
    uint32_t* to = static_cast<uint32_t*>(out);
    ts::each_run(*shape, [&](int64_t element, int64_t tile, int64_t run) {
        const uint8_t* base = static_cast<const uint8_t*>(in) + tile * shape->tile_bytes;
        const uint8_t* datums = base + shape->exponent_bytes + run * ts::group * BITS / 8;
        ts::block_values<BITS>(ts::load<BITS>(base[run], datums), to + element);
    });
}

// What the unpacker does: L1 formats into Src words. It truncates, and never rounds.
#include "format_facts.h"
#include "lanes.h"

namespace ts::num {
namespace {

template <class T>
T read(const uint8_t* from, uint32_t index) {
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

// Magnitudes of 7 bits without a hidden one, at the block's exponent. The conversion to float counts leading zeros;
// the exponent may wrap, as it does on the chip.
I16 block_row(I16 code, int exponent, bool small_exponent) {
    const I16 magnitude = code & 0x7F;
    const I16 sign = code >> 7 << 31;
    const I16 bits = as_bits(to_float(magnitude));
    const I16 lifted = (shift_right(bits, 23) + (exponent - 133)) & (small_exponent ? 31 : 255);
    const I16 minus_infinity = (sign >> 31) & (int32_t)(small_exponent ? 0x8FFFE000 : 0xFF800000);
    return TS_SELECT(magnitude != 0, sign | lifted << 23 | (bits & 0x7E0000), minus_infinity);
}

TS_NOINLINE void unpack_block(uint8_t format, const uint8_t* l1, Geometry shape, uint32_t* rows) {
    const uint32_t bits = block_bits(format), count = shape.datums() / 16;
    const uint8_t* codes = l1 + (count + 15) / 16 * 16;
    const bool small = format == fmt::bfp8 || format == fmt::bfp4 || format == fmt::bfp2;
    const int32_t mask = (1 << bits) - 1;
    const I16 lanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (uint32_t row = 0; row < count; ++row, codes += 2 * bits) {
        I16 code;
        if (bits == 8) {
            int32_t w[4];
            std::memcpy(w, codes, sizeof w);
            const I16 lower = TS_SELECT(lanes < 4, splat(w[0]), splat(w[1]));
            const I16 upper = TS_SELECT(lanes < 12, splat(w[2]), splat(w[3]));
            code = shift_right(TS_SELECT(lanes < 8, lower, upper), lanes * 8 & 31) & 255;
        } else {
            uint64_t packed = 0;
            std::memcpy(&packed, codes, 2 * bits);
            const I16 low = splat(int32_t(packed)), high = splat(int32_t(packed >> 32));
            code =
                bits == 4 ? shift_right(TS_SELECT(lanes < 8, low, high), lanes * 4 & 31) : shift_right(low, lanes * 2);
            code = (code & mask) << int(8 - bits);
        }
        store(rows + row * 16, block_row(code, l1[row], small));
    }
}

uint32_t widen_half(uint32_t half) {
    const uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3FF;
    if (exponent == 0) {
        const float value = float(mantissa) * 0x1p-24f;
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return sign | bits;
    }
    if (exponent == 31) return sign | 0x7F800000 | mantissa << 13;
    return sign | (exponent + 112) << 23 | mantissa << 13;
}

uint32_t fp8_to_half(uint32_t value, bool four_bit_exponent) {
    if (!four_bit_exponent) return value << 8;
    const uint32_t exponent = value >> 3 & 15, mantissa = value & 7;
    const uint32_t fill = exponent == 15 && mantissa == 7 ? 0x7F : 0;
    return (value & 0x80) << 8 | (exponent ? exponent + 8 : 0) << 10 | mantissa << 7 | fill;
}

uint32_t truncate_to_five_bit(uint32_t value) {
    const uint32_t sign = value & 0x80000000;
    const int32_t exponent = int32_t(value >> 23 & 255) - 112;
    if (exponent < 0) return sign;
    if (exponent > 31) return sign | 31u << 23 | 0x7FE000;
    return sign | uint32_t(exponent) << 23 | (value & 0x7FE000);
}

uint32_t sign_magnitude(uint32_t value) {
    const int32_t magnitude = value & 0x7F;
    return uint32_t(value & 0x80 ? -magnitude : magnitude);
}

// Sixteen or more datums that stand next to each other, whatever the layout around them.
TS_NOINLINE void unpack_run(uint8_t format, Src as, bool fast, const uint8_t* l1, uint32_t count,
                            uint32_t* __restrict out) {
    switch (format) {
        case fmt::float32:
        case fmt::tf32: {
            if (fast || as == Src::raw) {
                std::memcpy(out, l1, count * 4);
            } else if (as == Src::tf32) {
                for (uint32_t i = 0; i < count; i += 16) store(out + i, load(l1 + i * 4) & (int32_t)0xFFFFE000);
            } else if (as == Src::five_bit) {
                for (uint32_t i = 0; i < count; ++i) out[i] = truncate_to_five_bit(read<uint32_t>(l1, i));
            } else {
                for (uint32_t i = 0; i < count; i += 16) {
                    const I16 value = load(l1 + i * 4);
                    const I16 kept =
                        TS_SELECT((value & 0x7F800000) != 0, splat((int32_t)0xFFFF0000), splat((int32_t)0x80000000));
                    store(out + i, value & kept);
                }
            }
            break;
        }
        case fmt::int32:
        case fmt::uint32: std::memcpy(out, l1, count * 4); break;
        case fmt::float16_b:
            for (uint32_t i = 0; i < count; i += 16) {
                store(out + i, load_halfwords(l1 + i * 2) << 16);
            }
            break;
        case fmt::float16:
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t half = read<uint16_t>(l1, i);
                out[i] = fast ? widen_half(half) : ((half & 0x8000) << 16 | (half & 0x7FFF) << 13);
            }
            break;
        case fmt::uint16:
            for (uint32_t i = 0; i < count; ++i) out[i] = read<uint16_t>(l1, i);
            break;
        case fmt::lf8:
        case fmt::fp8_e4m3:
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t half = fp8_to_half(l1[i], format == fmt::fp8_e4m3);
                out[i] = fast ? widen_half(half) : ((half & 0x8000) << 16 | (half & 0x7FFF) << 13);
            }
            break;
        case fmt::int8:
            for (uint32_t i = 0; i < count; ++i) out[i] = sign_magnitude(l1[i]);
            break;
        default:
            for (uint32_t i = 0; i < count; ++i) out[i] = l1[i];
    }
}

// Rows of a short face stand at its top; the rest of the face is zero.
void spread_faces(const uint32_t* rows, Geometry shape, uint32_t* out) {
    for (uint32_t face = 0; face < shape.faces; ++face) {
        const uint32_t words = shape.face_rows * 16u;
        std::memcpy(out + face * face_words, rows + face * words, words * 4);
        std::memset(out + face * face_words + words, 0, (face_words - words) * 4);
    }
}

}  // namespace

uint32_t tile_bytes(uint8_t format, Geometry shape) {
    const uint32_t datums = shape.datums();
    if (!is_block(format)) return datums * datum_bytes(format);
    return (datums / 16 + 15) / 16 * 16 + datums * block_bits(format) / 8;
}

void unpack(uint8_t format, Src as, bool fast, const uint8_t* l1, Geometry shape, uint32_t* out) {
    uint32_t buffer[tile_words];
    uint32_t* rows = shape.face_rows == 16 ? out : buffer;
    if (is_block(format)) unpack_block(format, l1, shape, rows);
    else unpack_run(format, as, fast, l1, shape.datums(), rows);
    if (rows != out) spread_faces(rows, shape, out);
}

void unpack_rows(uint8_t format, Src as, bool fast, const uint8_t* l1, uint32_t row_bytes, Geometry shape,
                 uint32_t* out) {
    for (uint32_t face = 0; face < shape.faces; ++face) {
        const uint32_t top = face / shape.faces_across * shape.face_rows;
        const uint32_t left = face % shape.faces_across * 16 * datum_bytes(format);
        std::memset(out + face * face_words, 0, face_words * 4);
        for (uint32_t row = 0; row < shape.face_rows; ++row) {
            unpack_run(format, as, fast, l1 + (top + row) * row_bytes + left, 16, out + face * face_words + row * 16);
        }
    }
}

void broadcast(uint32_t* tile, Dim dim, Geometry shape, uint32_t row) {
    const uint32_t across = shape.faces_across;
    uint32_t source[tile_words];
    std::memcpy(source, tile, sizeof source);
    for (uint32_t face = 0; face < shape.faces; ++face) {
        const uint32_t from = dim == Dim::row   ? (row / 16 * across + face % across)
                              : dim == Dim::col ? face / across * across
                                                : 0;
        const uint32_t* origin = source + from * face_words;
        for (uint32_t y = 0; y < 16; ++y) {
            const I16 line =
                dim == Dim::row ? load(origin + row % 16 * 16) : splat((int32_t)origin[dim == Dim::col ? y * 16 : 0]);
            store(tile + face * face_words + y * 16, line);
        }
    }
}

void transpose_faces(uint32_t* tile) {
    uint32_t face[face_words];
    std::memcpy(face, tile + face_words, sizeof face);
    std::memcpy(tile + face_words, tile + 2 * face_words, sizeof face);
    std::memcpy(tile + 2 * face_words, face, sizeof face);
}

void transpose_within_faces(uint32_t* tile, uint32_t faces) {
    for (uint32_t face = 0; face < faces; ++face) {
        uint32_t* words = tile + face * face_words;
        for (uint32_t i = 0; i < 16; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                const uint32_t upper = words[j * 16 + i];
                words[j * 16 + i] = words[i * 16 + j];
                words[i * 16 + j] = upper;
            }
        }
    }
}

}  // namespace ts::num

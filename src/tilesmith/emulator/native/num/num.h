// Arithmetic of the compute engine on tiles in registers: 1024 words in face order, whatever the tile's shape.
// Pure functions without state; the engine decides when they run and on what.
#pragma once
#include <cstdint>

namespace ts::num {

inline constexpr uint32_t face_words = 256;
inline constexpr uint32_t tile_words = 1024;

// The vendor's DataFormat numbers.
namespace fmt {
inline constexpr uint8_t float32 = 0, float16 = 1, bfp8 = 2, bfp4 = 3, tf32 = 4, float16_b = 5, bfp8_b = 6, bfp4_b = 7,
                         int32 = 8, uint16 = 9, lf8 = 10, bfp2 = 11, int8 = 14, bfp2_b = 15, uint32 = 24, fp8_e4m3 = 26,
                         uint8 = 30;
}

// How a datum stands in a Src register. Floats keep fp32's bit positions; five_bit keeps its own small exponent there.
enum class Src : uint8_t { bf16, tf32, five_bit, integer, raw };

struct FpuMode {
    bool wide = false;               // 32-bit DST
    bool five_bit_exponent = false;  // operands are fp16 or fp8
    bool blackhole = false;
    bool keeps_small = false;        // copies into 16-bit DST keep negative zero and denormals
    uint8_t phases = 4;
};

// Rows per face and number of faces; a tile in L1 holds faces * face_rows rows of 16 datums.
struct Geometry {
    uint16_t face_rows = 16, faces = 4, faces_across = 2;
    uint32_t datums() const { return 16u * face_rows * faces; }
    uint32_t faces_down() const { return faces / faces_across; }
};

enum class Dim : uint8_t { none, row, col, scalar };   // of a broadcast or a reduction
enum class Pool : uint8_t { sum, avg, max };
enum class Eltwise : uint8_t { add, sub, mul };

uint32_t tile_bytes(uint8_t format, Geometry shape);

// ---- L1 -> registers (convert_in.cpp) ----
void unpack(uint8_t format, Src as, bool fast, const uint8_t* l1, Geometry shape, uint32_t* out);
// Row-major rows of `row_bytes`, taken as one tile.
void unpack_rows(uint8_t format, Src as, bool fast, const uint8_t* l1, uint32_t row_bytes, Geometry shape,
                 uint32_t* out);
void broadcast(uint32_t* tile, Dim dim, Geometry shape, uint32_t row);
void transpose_faces(uint32_t* tile);                  // swaps the off-diagonal faces
void transpose_within_faces(uint32_t* tile, uint32_t faces);

// ---- registers -> L1 (convert_out.cpp) ----
enum class Relu : uint8_t { none, zero, min_threshold, max_threshold };

struct PackMode {
    uint8_t format = fmt::float16_b;   // in L1
    uint8_t source = fmt::float16_b;   // what the packer first turns a DST datum into
    bool wide = false;
    bool fast = false;
    bool accumulate = false;           // add to what L1 holds
    Relu relu = Relu::none;
    uint16_t threshold = 0;            // bf16 bits
    Dim keep = Dim::none;              // after a reduction only its row, column or corner is written
};
void pack(const uint32_t* dst, const PackMode& mode, uint8_t* l1, Geometry shape);
// Sixteen datums of one face row, without the block-float formats.
void pack_row(const uint32_t* dst, const PackMode& mode, uint8_t* l1, uint32_t count);

// ---- operations (eltwise.cpp, matmul.cpp, pool.cpp) ----
void copy(const uint32_t* src, Src as, bool fast, FpuMode mode, uint32_t* dst, uint32_t faces);
void eltwise(Eltwise op, const uint32_t* a, const uint32_t* b, bool fast, FpuMode mode, bool add_to_dst, uint32_t* dst,
             uint32_t faces);
void eltwise_integer(Eltwise op, const uint32_t* a, const uint32_t* b, bool add_to_dst, uint32_t* dst, uint32_t faces);
// What MOVD2A and MOVD2B read back from DST.
void dst_to_src(const uint32_t* dst, bool fast, Src as, uint32_t* src, uint32_t faces);

// dst[r][c] += in0[r] * in1[c] for a block of whole 32x32 tiles; tiles of one operand are `tile_words` apart.
void matmul_fast(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst);
void matmul_chip(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, FpuMode mode,
                 uint32_t* const* dst);
void matmul_integer(const uint32_t* in0, const uint32_t* in1, uint32_t rows, uint32_t cols, uint32_t* const* dst);

void reduce(Pool pool, Dim dim, const uint32_t* data, const uint32_t* scaler, bool fast, FpuMode mode, Src as,
            Geometry shape, bool fresh, uint32_t* dst);   // fresh: nothing was pooled into this tile yet

}  // namespace ts::num

// The enumerations that compute calls take as template arguments, by the vendor's names and numbers.
#pragma once
#include <cstdint>

#include "ts/formats.h"

namespace ckernel {
// Which faces of the tile a vector function visits: all four, the upper two, the left two, or the first alone.
enum class VectorMode : std::uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };
enum class ReduceDim : std::uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class PoolType : std::uint8_t { SUM, AVG, MAX, MIN };
enum class DataCopyType : std::uint8_t { A2D, B2D };
enum class EltwiseBinaryType : std::uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class DstSync : std::uint8_t { SyncHalf = 0, SyncFull = 1 };
enum class BroadcastType : std::uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class Transpose : std::uint8_t { None = 0, IntraFace = 1, InterFace = 2, Both = 3 };
enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class StochRndType : std::uint8_t { None = 0, Fpu = 1, Pack = 2, All = 0xf };
// How a vector function narrows its result for a 16-bit DST.
enum class DstRoundingMode : std::uint8_t { Default = 0, NearestEven = 1 };
inline constexpr bool UnpackToDestEn = true;
inline constexpr bool UnpackToDestDis = false;

enum class ReluType : std::uint8_t { NO_RELU = 0, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU}; }
    static constexpr ReluConfig min_threshold(std::uint32_t t) { return {ReluType::MIN_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig max_threshold(std::uint32_t t) { return {ReluType::MAX_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig from_packed(std::uint32_t packed) {
        return {static_cast<ReluType>(packed & 0x3), packed >> 16};
    }
    constexpr ReluType get_mode() const { return mode; }
    constexpr std::uint32_t get_threshold() const { return threshold; }

private:
    constexpr ReluConfig(ReluType mode, std::uint32_t threshold = 0) : mode(mode), threshold(threshold) {}
    ReluType mode;
    std::uint32_t threshold;
};

enum ThreadId { BriscThreadId = 0, UnpackThreadId = 1, MathThreadId = 2, PackThreadId = 3 };
enum class DataLayout { TILE = 0, ROW_MAJOR = 1 };
enum SortDir : bool { ArgMax = false, ArgMin = true };

inline constexpr std::uint32_t FACE_HEIGHT = 16;
inline constexpr std::uint32_t FACE_WIDTH = 16;
inline constexpr std::uint32_t TILE_HEIGHT = 32;
inline constexpr std::uint32_t TILE_WIDTH = 32;
inline constexpr std::uint32_t FACE_R_DIM = 16;
inline constexpr std::uint32_t FACE_C_DIM = 16;
inline constexpr std::uint32_t TILE_R_DIM = 32;
inline constexpr std::uint32_t TILE_C_DIM = 32;
inline constexpr std::uint32_t TILE_NUM_FACES = 4;
inline constexpr std::uint32_t FACE_SIZE = 256;
}  // namespace ckernel

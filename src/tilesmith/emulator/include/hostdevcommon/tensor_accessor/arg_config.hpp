// The first word of a tensor accessor's arguments: what the tensor is, and which facts come at run time.
#pragma once
#include <cstdint>

namespace tensor_accessor {
enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
    RuntimeRank = 1 << 2,
    RuntimeNumBanks = 1 << 3,
    RuntimeTensorShape = 1 << 4,
    RuntimeShardShape = 1 << 5,
    RuntimeBankCoords = 1 << 6,
    RuntimePageSize = 1 << 7,
    Runtime = RuntimeRank | RuntimeNumBanks | RuntimeTensorShape | RuntimeShardShape | RuntimeBankCoords |
        RuntimePageSize,
};

struct ArgsConfig {
    using Underlying = uint8_t;
    constexpr explicit ArgsConfig(Underlying bits) : bits(bits) {}
    constexpr ArgsConfig(ArgConfig config) : bits(static_cast<Underlying>(config)) {}
    constexpr bool test(ArgConfig config) const { return (bits & static_cast<Underlying>(config)) != 0; }
    constexpr Underlying raw() const { return bits; }
    Underlying bits;
};

// The number of banks shares its word with one bit: neighbouring shards on the same bank.
inline constexpr uint32_t ShardContiguousBit = 1u << 31;
constexpr uint32_t unpack_num_banks(uint32_t packed) { return packed & ~ShardContiguousBit; }
constexpr bool unpack_is_shard_contiguous(uint32_t packed) { return (packed & ShardContiguousBit) != 0; }
}  // namespace tensor_accessor

// The words that describe a tensor to a kernel: which of them are compile-time arguments and where the rest stand.
#pragma once
#include "hostdevcommon/tensor_accessor/arg_config.hpp"
#include "ts/prologue.h"

namespace tensor_accessor {
inline constexpr std::size_t UNKNOWN = ~std::size_t{0};
inline constexpr uint32_t MAX_RANK = 8;
}  // namespace tensor_accessor

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    using Config = tensor_accessor::ArgConfig;
    static constexpr std::size_t cta_offset = CTA_OFFSET;
    static constexpr auto args_config = tensor_accessor::ArgsConfig(static_cast<uint8_t>(get_ct_arg<CTA_OFFSET>()));
    static constexpr bool is_sharded = args_config.test(Config::Sharded);
    static constexpr bool is_dram = args_config.test(Config::IsDram);
    static constexpr bool rank_is_crta = args_config.test(Config::RuntimeRank);
    static constexpr bool num_banks_is_crta = args_config.test(Config::RuntimeNumBanks);
    static constexpr bool tensor_shape_is_crta = args_config.test(Config::RuntimeTensorShape);
    static constexpr bool shard_shape_is_crta = args_config.test(Config::RuntimeShardShape);
    static constexpr bool bank_coords_is_crta = args_config.test(Config::RuntimeBankCoords);
    static constexpr bool page_size_is_crta = args_config.test(Config::RuntimePageSize);

    static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
                  "a runtime rank needs runtime tensor and shard shapes");
    static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
                  "a runtime number of banks needs runtime coordinates");

private:
    // A fact's word, or nothing where it comes at run time or the tensor has no such fact.
    template <bool present, uint32_t index>
    static constexpr uint32_t word_if() {
        if constexpr (present) {
            return get_ct_arg<index>();
        } else {
            return 0;
        }
    }

public:
    static constexpr uint32_t AlignedPageSizeCTAOffset = CTA_OFFSET + 1;
    static constexpr uint32_t AlignedPageSize = word_if<!page_size_is_crta, AlignedPageSizeCTAOffset>();
    static constexpr uint32_t RankCTAOffset = AlignedPageSizeCTAOffset + (page_size_is_crta ? 0 : 1);
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + (rank_is_crta ? 0 : 1);
    static constexpr uint32_t RankCT = word_if<is_sharded && !rank_is_crta, RankCTAOffset>();
    static constexpr uint32_t NumBanksRawCT = word_if<is_sharded && !num_banks_is_crta, NumBanksCTAOffset>();
    static constexpr uint32_t NumBanksCT = tensor_accessor::unpack_num_banks(NumBanksRawCT);
    static constexpr bool is_shard_contiguous = tensor_accessor::unpack_is_shard_contiguous(NumBanksRawCT);
    static constexpr uint32_t PhysicalNumBanksCT = (NumBanksCT + 1) / 2;
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + (num_banks_is_crta ? 0 : 1);
    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t NumArgsCT =
        is_sharded ? BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : PhysicalNumBanksCT) - CTA_OFFSET
                   : RankCTAOffset - CTA_OFFSET;

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_rt_(crta_offset) {}

    constexpr uint32_t crta_offset() const {
        return CRTA_OFFSET != tensor_accessor::UNKNOWN ? static_cast<uint32_t>(CRTA_OFFSET) : crta_offset_rt_;
    }
    constexpr uint32_t get_aligned_page_size() const {
        if constexpr (page_size_is_crta) return get_common_arg_val<uint32_t>(crta_offset());
        return AlignedPageSize;
    }
    constexpr uint32_t rank_crta_offset() const { return crta_offset(); }
    constexpr uint32_t num_banks_crta_offset() const { return rank_crta_offset() + rank_is_crta; }
    constexpr uint32_t tensor_shape_crta_offset() const { return num_banks_crta_offset() + num_banks_is_crta; }
    constexpr uint32_t shard_shape_crta_offset() const {
        return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t bank_coords_crta_offset() const {
        return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t get_rank() const {
        if constexpr (rank_is_crta) return get_common_arg_val<uint32_t>(rank_crta_offset());
        return RankCT;
    }
    constexpr uint32_t packed_num_banks() const {
        if constexpr (num_banks_is_crta) return get_common_arg_val<uint32_t>(num_banks_crta_offset());
        return NumBanksRawCT;
    }
    constexpr uint32_t get_num_banks() const { return tensor_accessor::unpack_num_banks(packed_num_banks()); }
    constexpr bool resolve_shard_contiguous() const {
        return tensor_accessor::unpack_is_shard_contiguous(packed_num_banks());
    }
    constexpr uint32_t get_physical_num_banks() const { return (get_num_banks() + 1) / 2; }

    static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
    constexpr uint32_t num_common_runtime_args() const {
        if constexpr (!is_sharded) return page_size_is_crta ? 1 : 0;
        return bank_coords_crta_offset() + (bank_coords_is_crta ? get_physical_num_banks() : 0) - crta_offset();
    }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

private:
    uint32_t crta_offset_rt_ = 0;
};

namespace tensor_accessor::detail {
template <uint32_t index, uint32_t CTA_OFFSET>
constexpr uint32_t get_tensor_accessor_args_cta_offset() {
    if constexpr (index == 0) {
        return CTA_OFFSET;
    } else {
        constexpr uint32_t previous = get_tensor_accessor_args_cta_offset<index - 1, CTA_OFFSET>();
        return TensorAccessorArgs<previous>::next_compile_time_args_offset();
    }
}
template <uint32_t CTA_OFFSET, uint32_t... indexes>
constexpr auto args_tuple(std::integer_sequence<uint32_t, indexes...>) {
    return std::make_tuple(TensorAccessorArgs<get_tensor_accessor_args_cta_offset<indexes, CTA_OFFSET>()>()...);
}
}  // namespace tensor_accessor::detail

// Several accessors whose words follow each other.
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return tensor_accessor::detail::args_tuple<CTA_OFFSET>(std::make_integer_sequence<uint32_t, NUM_TENSORS>());
}

// How a tensor's pages are spread over banks: its shape in pages, the shard's shape, and the banks in order.
#pragma once
#include "api/tensor/tensor_accessor_args.h"

namespace tensor_accessor {

// Values known at compile time, by position of their first compile-time argument.
template <typename Element, uint32_t CTA_OFFSET, uint32_t COUNT>
struct StaticWords {
    static constexpr bool is_static = true;
    static constexpr uint32_t count = COUNT;
    static constexpr Element at(uint32_t index) {
        if constexpr (sizeof(Element) == 2) {
            return static_cast<Element>(ts::compile_time_word(CTA_OFFSET + index / 2) >> (index % 2 * 16));
        } else {
            return ts::compile_time_word(CTA_OFFSET + index);
        }
    }
};
template <uint32_t... values>
struct ArrayStaticWrapperU32 {
    static constexpr bool is_static = true;
    static constexpr std::array<uint32_t, sizeof...(values)> elements{values...};
    static constexpr uint32_t at(uint32_t index) { return elements[index]; }
};
template <uint16_t... values>
struct ArrayStaticWrapperU16 {
    static constexpr bool is_static = true;
    static constexpr std::array<uint16_t, sizeof...(values)> elements{values...};
    static constexpr uint16_t at(uint32_t index) { return elements[index]; }
};
struct ArrayDynamicWrapper {
    static constexpr bool is_static = false;
};

template <bool is_static, uint32_t CTA_OFFSET, uint32_t COUNT>
using WordsU32 = std::conditional_t<is_static, StaticWords<uint32_t, CTA_OFFSET, COUNT>, ArrayDynamicWrapper>;
template <bool is_static, uint32_t CTA_OFFSET, uint32_t COUNT>
using WordsU16 = std::conditional_t<is_static, StaticWords<uint16_t, CTA_OFFSET, COUNT>, ArrayDynamicWrapper>;

inline constexpr uint32_t NO_BINDING_ID = ~0u;
inline constexpr uint32_t MAX_BANKS = 256;

template <uint32_t RankCT = 0, uint32_t NumBanksCT = 0, typename TensorShapeWrapper = ArrayDynamicWrapper,
          typename ShardShapeWrapper = ArrayDynamicWrapper, typename BankCoordsWrapper = ArrayDynamicWrapper,
          bool IsInterleaved = false, bool IsDram = false, bool IsShardContiguous = false,
          uint32_t BindingId = NO_BINDING_ID>
struct DistributionSpec {
    static constexpr bool has_static_rank = RankCT != 0;
    static constexpr bool has_static_num_banks = NumBanksCT != 0;
    static constexpr bool is_interleaved = IsInterleaved;
    static constexpr bool is_dram = IsDram;
    static constexpr bool is_shard_contiguous = IsShardContiguous;
    static constexpr uint32_t binding_id = BindingId;
    static constexpr uint32_t rank_ct = RankCT;
    static constexpr uint32_t num_banks_ct = NumBanksCT;
    static constexpr uint32_t rank_limit = has_static_rank ? RankCT : MAX_RANK;
    static constexpr uint32_t bank_limit = has_static_num_banks ? NumBanksCT : MAX_BANKS;
    static constexpr bool tensor_shape_static = has_static_rank && TensorShapeWrapper::is_static;
    static constexpr bool shard_shape_static = has_static_rank && ShardShapeWrapper::is_static;
    static constexpr bool bank_coords_static = has_static_num_banks && BankCoordsWrapper::is_static;
    static constexpr bool shapes_static = tensor_shape_static && shard_shape_static;
    static constexpr bool is_static = shapes_static && bank_coords_static;
    using Shape = std::array<uint32_t, rank_limit>;
    using BankCoords = std::array<uint16_t, bank_limit>;

    constexpr DistributionSpec() {
        if constexpr (is_static) {
            for (uint32_t i = 0; i < RankCT; ++i) {
                tensor_shape_[i] = TensorShapeWrapper::at(i);
                shard_shape_[i] = ShardShapeWrapper::at(i);
            }
            for (uint32_t i = 0; i < NumBanksCT; ++i) bank_coords_[i] = BankCoordsWrapper::at(i);
            derive();
        }
    }
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    explicit DistributionSpec(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args)
        : rank_(args.get_rank()), num_banks_(args.get_num_banks()), contiguous_(args.resolve_shard_contiguous()) {
        for (uint32_t i = 0; i < rank_; ++i) {
            tensor_shape_[i] = word<TensorShapeWrapper>(args.tensor_shape_crta_offset(), i);
            shard_shape_[i] = word<ShardShapeWrapper>(args.shard_shape_crta_offset(), i);
        }
        for (uint32_t i = 0; i < num_banks_; ++i) {
            if constexpr (BankCoordsWrapper::is_static) {
                bank_coords_[i] = BankCoordsWrapper::at(i);
            } else {
                const uint32_t pair = get_common_arg_val<uint32_t>(args.bank_coords_crta_offset() + i / 2);
                bank_coords_[i] = static_cast<uint16_t>(pair >> (i % 2 * 16));
            }
        }
        derive();
    }
    // From arrays a kernel made itself.
    template <typename TensorShape, typename ShardShape, typename Banks>
    constexpr DistributionSpec(const TensorShape& tensor_shape, const ShardShape& shard_shape, const Banks& banks,
                               bool contiguous = IsShardContiguous)
        : rank_(tensor_shape.size()), num_banks_(banks.size()), contiguous_(contiguous) {
        for (uint32_t i = 0; i < rank_; ++i) {
            tensor_shape_[i] = tensor_shape[i];
            shard_shape_[i] = shard_shape[i];
        }
        for (uint32_t i = 0; i < num_banks_; ++i) bank_coords_[i] = banks[i];
        derive();
    }

    constexpr uint32_t rank() const { return has_static_rank ? RankCT : rank_; }
    constexpr uint32_t num_banks() const { return has_static_num_banks ? NumBanksCT : num_banks_; }
    constexpr bool resolve_shard_contiguous() const { return contiguous_; }
    constexpr const Shape& tensor_shape() const { return tensor_shape_; }
    constexpr const Shape& shard_shape() const { return shard_shape_; }
    constexpr const Shape& tensor_strides() const { return tensor_strides_; }
    constexpr const Shape& shard_strides() const { return shard_strides_; }
    constexpr const Shape& shard_grid() const { return shard_grid_; }
    constexpr const Shape& shard_grid_strides() const { return shard_grid_strides_; }
    constexpr const BankCoords& packed_xy_coords() const { return bank_coords_; }
    constexpr size_t tensor_volume() const { return tensor_volume_; }
    constexpr size_t shard_volume() const { return shard_volume_; }
    constexpr size_t num_shards() const { return num_shards_; }

private:
    template <typename Wrapper>
    static uint32_t word(uint32_t crta_offset, uint32_t index) {
        if constexpr (Wrapper::is_static) {
            return Wrapper::at(index);
        } else {
            return get_common_arg_val<uint32_t>(crta_offset + index);
        }
    }
    constexpr void derive() {
        for (int i = static_cast<int>(rank()) - 1; i >= 0; --i) {
            tensor_strides_[i] = tensor_volume_;
            tensor_volume_ *= tensor_shape_[i];
            shard_strides_[i] = shard_volume_;
            shard_volume_ *= shard_shape_[i];
            shard_grid_[i] = (tensor_shape_[i] + shard_shape_[i] - 1) / shard_shape_[i];
            shard_grid_strides_[i] = num_shards_;
            num_shards_ *= shard_grid_[i];
        }
    }

    uint32_t rank_ = RankCT;
    uint32_t num_banks_ = NumBanksCT;
    bool contiguous_ = IsShardContiguous;
    size_t tensor_volume_ = 1, shard_volume_ = 1, num_shards_ = 1;
    Shape tensor_shape_{}, shard_shape_{}, tensor_strides_{}, shard_strides_{}, shard_grid_{}, shard_grid_strides_{};
    BankCoords bank_coords_{};
};

template <bool IsDram>
using InterleavedDSpec =
    DistributionSpec<0, 0, ArrayDynamicWrapper, ArrayDynamicWrapper, ArrayDynamicWrapper, true, IsDram>;

template <bool IsDram>
auto make_interleaved_dspec() {
    return InterleavedDSpec<IsDram>{};
}

template <typename Args>
using DSpecOf = DistributionSpec<
    Args::RankCT, Args::NumBanksCT,
    WordsU32<Args::is_sharded && !Args::tensor_shape_is_crta, Args::TensorShapeCTAOffset, Args::RankCT>,
    WordsU32<Args::is_sharded && !Args::shard_shape_is_crta, Args::ShardShapeCTAOffset, Args::RankCT>,
    WordsU16<Args::is_sharded && !Args::bank_coords_is_crta, Args::BankCoordsCTAOffset, Args::NumBanksCT>,
    !Args::is_sharded, Args::is_dram, Args::is_shard_contiguous>;
}  // namespace tensor_accessor

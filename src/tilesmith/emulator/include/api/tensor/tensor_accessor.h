// TensorAccessor: from a page of a tensor, interleaved or sharded, to its NoC address.
#pragma once
#include "api/tensor/pages_address_iterator.h"
#include "api/tensor/shard_pages_address_iterator.h"
#include "api/tensor/tensor_accessor_args.h"
#include "api/tensor/tensor_binding_token.h"
#include "internal/dataflow/dataflow_api_addrgen.h"
#include "internal/tensor/dspec.h"

template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;
    struct PageMapping {
        size_t bank_id;
        size_t bank_page_offset;
    };

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, size_t bank_base_address)
        : TensorAccessor(args, bank_base_address, args.get_aligned_page_size()) {}
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, size_t bank_base_address,
                   uint32_t page_size)
        : spec_(args), base_(static_cast<uint32_t>(bank_base_address)), page_size_(page_size) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> token, TS_AT)
        : TensorAccessor(typename decltype(token)::with_runtime_words{},
                         get_common_arg_val<uint32_t>(token.address_word, at)) {}
    constexpr explicit TensorAccessor(const DSpec& spec, size_t bank_base_address, uint32_t page_size = 0)
        : spec_(spec), base_(static_cast<uint32_t>(bank_base_address)), page_size_(page_size) {}

    constexpr const DSpec& dspec() const { return spec_; }
    constexpr uint32_t get_aligned_page_size() const { return page_size_; }
    constexpr uint32_t get_bank_base_address() const { return base_; }

    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint64_t start = address(get_bank_and_offset(page_id), 0, noc);
        ts_note_page(start, page_size_, page_id, static_cast<uint32_t>(spec_.tensor_volume()), base_);
        return start + offset;
    }
    template <typename Coordinates>
        requires requires(const Coordinates& c) { c[0]; }
    uint64_t get_noc_addr(const Coordinates& page_coord, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint64_t start = address(get_bank_and_offset(page_coord), 0, noc);
        uint32_t page_id = 0;
        bool inside = true;
        for (uint32_t i = 0; i < spec_.rank(); ++i) {
            page_id += page_coord[i] * spec_.tensor_strides()[i];
            inside = inside && page_coord[i] < spec_.tensor_shape()[i];
        }
        ts_note_page(start, page_size_, page_id, inside ? static_cast<uint32_t>(spec_.tensor_volume()) : 0, base_);
        return start + offset;
    }
    uint64_t get_shard_noc_addr(uint32_t shard_id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint64_t start = address(in_bank(shard_id, 0), 0, noc);
        ts_note_page(start, static_cast<uint32_t>(spec_.shard_volume()) * page_size_, shard_id,
                     static_cast<uint32_t>(spec_.num_shards()), base_);
        return start + offset;
    }
    template <typename Coordinates>
        requires requires(const Coordinates& c) { c[0]; }
    uint64_t get_shard_noc_addr(const Coordinates& shard_coord, uint32_t offset = 0, uint8_t noc = noc_index) const {
        uint32_t shard_id = 0;
        for (uint32_t i = 0; i < spec_.rank(); ++i) shard_id += shard_coord[i] * spec_.shard_grid_strides()[i];
        return get_shard_noc_addr(shard_id, offset, noc);
    }

    PageMapping get_bank_and_offset(uint32_t page_id) const {
        typename DSpec::Shape page_coord{};
        for (int i = static_cast<int>(spec_.rank()) - 1; i >= 0; --i) {
            page_coord[i] = page_id % spec_.tensor_shape()[i];
            page_id /= spec_.tensor_shape()[i];
        }
        return get_bank_and_offset(page_coord);
    }
    template <typename Coordinates>
        requires requires(const Coordinates& c) { c[0]; }
    PageMapping get_bank_and_offset(const Coordinates& page_coord) const {
        size_t shard_id = 0, page_in_shard = 0;
        for (uint32_t i = 0; i < spec_.rank(); ++i) {
            shard_id += page_coord[i] / spec_.shard_shape()[i] * spec_.shard_grid_strides()[i];
            page_in_shard += page_coord[i] % spec_.shard_shape()[i] * spec_.shard_strides()[i];
        }
        return in_bank(shard_id, page_in_shard);
    }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, uint8_t noc = noc_index) const {
        return noc_address_backend::is_local_coordinate(virtual_x, virtual_y, noc);
    }
    bool is_local_addr(uint64_t noc_addr, uint8_t noc = noc_index) const {
        return noc_address_backend::is_local(noc_addr, noc);
    }
    bool is_local_page(uint32_t page_id, uint8_t noc = noc_index) const {
        return is_local_coordinates(get_bank_and_offset(page_id).bank_id, noc);
    }
    bool is_local_shard(uint32_t shard_id, uint8_t noc = noc_index) const {
        return is_local_coordinates(in_bank(shard_id, 0).bank_id, noc);
    }

    auto pages(uint32_t start_page_id = 0, uint32_t end_page_id = 0, uint8_t noc = noc_index) const {
        const uint32_t end = end_page_id ? end_page_id : static_cast<uint32_t>(spec_.tensor_volume());
        return tensor_accessor::Pages<TensorAccessor>(*this, start_page_id, end, 1, noc);
    }
    auto strided_pages(uint8_t noc = noc_index) const { return pages(0, 0, noc); }
    auto shard_pages(uint32_t shard_id, uint32_t start_page_offset = 0, uint32_t end_page_offset = 0,
                     uint8_t noc = noc_index) const {
        const uint32_t end = end_page_offset ? end_page_offset : static_cast<uint32_t>(spec_.shard_volume());
        return tensor_accessor::ShardPages<TensorAccessor>(*this, shard_id, start_page_offset, end, noc);
    }

private:
    PageMapping in_bank(size_t shard_id, size_t page_in_shard) const {
        const size_t banks = spec_.num_banks();
        if (spec_.resolve_shard_contiguous()) {
            const size_t per_bank = spec_.num_shards() / banks;
            return {shard_id / per_bank, shard_id % per_bank * spec_.shard_volume() + page_in_shard};
        }
        return {shard_id % banks, shard_id / banks * spec_.shard_volume() + page_in_shard};
    }
    // A DRAM bank is named by its number in the high byte, a core by its NoC coordinates.
    uint64_t address(PageMapping place, uint32_t offset, uint8_t noc) const {
        const uint16_t xy = spec_.packed_xy_coords()[place.bank_id];
        const uint32_t local = base_ + static_cast<uint32_t>(place.bank_page_offset) * page_size_ + offset;
        if constexpr (is_dram) return ts_bank_noc_addr(true, xy >> 8, local, noc);
        return ::get_noc_addr(xy >> 8, xy & 0xFF, local, noc);
    }
    bool is_local_coordinates(size_t bank_id, uint8_t noc) const {
        const uint16_t xy = spec_.packed_xy_coords()[bank_id];
        return is_local_bank(xy >> 8, xy & 0xFF, noc);
    }

    DSpec spec_;
    uint32_t base_ = 0;
    uint32_t page_size_ = 0;
};

template <uint32_t RankCT, uint32_t NumBanksCT, typename TensorShapeWrapper, typename ShardShapeWrapper,
          typename BankCoordsWrapper, bool IsDram, bool IsShardContiguous, uint32_t BindingId>
struct TensorAccessor<tensor_accessor::DistributionSpec<RankCT, NumBanksCT, TensorShapeWrapper, ShardShapeWrapper,
                                                        BankCoordsWrapper, true, IsDram, IsShardContiguous, BindingId>>
    : public InterleavedAddrGen<IsDram> {
    using DSpec = tensor_accessor::DistributionSpec<RankCT, NumBanksCT, TensorShapeWrapper, ShardShapeWrapper,
                                                    BankCoordsWrapper, true, IsDram, IsShardContiguous, BindingId>;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, uint32_t bank_base_address)
        : TensorAccessor(args, bank_base_address, args.get_aligned_page_size()) {}
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t bank_base_address, uint32_t page_size)
        : InterleavedAddrGen<IsDram>{bank_base_address, page_size}, page_size_(page_size) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> token, TS_AT)
        : TensorAccessor(typename decltype(token)::with_runtime_words{},
                         get_common_arg_val<uint32_t>(token.address_word, at)) {}
    // Of a tensor that the host did not bind; what uses it is never reached.
    explicit TensorAccessor(const tensor_accessor::NullTensorBindingToken&)
        : InterleavedAddrGen<IsDram>{0, 0}, page_size_(0) {}
    constexpr explicit TensorAccessor(const DSpec&, size_t bank_base_address, uint32_t page_size = 0)
        : InterleavedAddrGen<IsDram>{static_cast<uint32_t>(bank_base_address), page_size}, page_size_(page_size) {}

    constexpr uint32_t get_aligned_page_size() const { return page_size_; }
    constexpr uint32_t get_bank_base_address() const { return this->bank_base_address; }
    auto pages(uint32_t start_page_id, uint32_t end_page_id, uint8_t noc = noc_index) const {
        return tensor_accessor::Pages<TensorAccessor>(*this, start_page_id, end_page_id, 1, noc);
    }
    auto strided_pages(uint32_t total_pages, uint8_t noc = noc_index) const { return pages(0, total_pages, noc); }

private:
    uint32_t page_size_;
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t)
    -> TensorAccessor<tensor_accessor::DSpecOf<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t, uint32_t)
    -> TensorAccessor<tensor_accessor::DSpecOf<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
    -> TensorAccessor<tensor_accessor::DSpecOf<
        typename tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>::with_runtime_words>>;
TensorAccessor(const tensor_accessor::NullTensorBindingToken&)
    -> TensorAccessor<tensor_accessor::InterleavedDSpec<true>>;

#include "ts/dataflow/accessor_views.h"

// Iteration over the pages of one shard, skipping the padding of a shard that hangs over the tensor's edge.
#pragma once
#include "api/tensor/page.h"
#include "ts/dataflow/addresses.h"

namespace tensor_accessor {
template <typename Accessor>
class ShardPagesAddressIterator {
public:
    using value_type = ShardPage<Accessor>;
    using difference_type = std::ptrdiff_t;
    using reference = const value_type&;
    using pointer = const value_type*;

    ShardPagesAddressIterator(const Accessor& accessor, uint32_t shard_id, uint32_t first, uint32_t end, uint8_t noc)
        : accessor_(&accessor), shard_id_(shard_id), position_(first), end_(end), noc_(noc) {
        settle();
    }
    uint32_t page_id() const { return page_.page_id(); }
    reference operator*() const { return page_; }
    pointer operator->() const { return &page_; }
    ShardPagesAddressIterator& operator+=(difference_type steps) {
        position_ = ts::smaller(position_ + uint64_t(steps), end_);
        settle();
        return *this;
    }
    ShardPagesAddressIterator& operator++() { return *this += 1; }
    ShardPagesAddressIterator operator++(int) {
        auto before = *this;
        ++*this;
        return before;
    }
    ShardPagesAddressIterator operator+(difference_type steps) const {
        auto moved = *this;
        moved += steps;
        return moved;
    }
    bool operator==(const ShardPagesAddressIterator& other) const {
        return shard_id_ == other.shard_id_ && position_ == other.position_;
    }
    bool operator<(const ShardPagesAddressIterator& other) const {
        return shard_id_ == other.shard_id_ && position_ < other.position_;
    }

private:
    // Moves on to the next position inside the tensor and describes it.
    void settle() {
        uint32_t page = 0;
        while (position_ < end_ && !global_page(page)) ++position_;
        if (position_ >= end_) return;
        const uint32_t offset = position_ * accessor_->get_aligned_page_size();
        page_ = {accessor_->get_shard_noc_addr(shard_id_, offset, noc_), page, accessor_, shard_id_, position_};
    }
    bool global_page(uint32_t& page) const {
        const auto& spec = accessor_->dspec();
        uint32_t shard = shard_id_, local = position_;
        page = 0;
        for (int i = static_cast<int>(spec.rank()) - 1; i >= 0; --i) {
            const uint32_t coordinate =
                shard % spec.shard_grid()[i] * spec.shard_shape()[i] + local % spec.shard_shape()[i];
            if (coordinate >= spec.tensor_shape()[i]) return false;
            page += coordinate * spec.tensor_strides()[i];
            shard /= spec.shard_grid()[i];
            local /= spec.shard_shape()[i];
        }
        return true;
    }

    const Accessor* accessor_;
    uint32_t shard_id_;
    uint32_t position_;
    uint32_t end_;
    uint8_t noc_;
    value_type page_{0, 0, nullptr, 0, 0};
};

template <typename Accessor>
class ShardPages {
public:
    using iterator = ShardPagesAddressIterator<Accessor>;
    using const_iterator = iterator;
    ShardPages(const Accessor& accessor, uint32_t shard_id, uint32_t first, uint32_t end, uint8_t noc = noc_index)
        : accessor_(accessor), shard_id_(shard_id), first_(first), end_(end), noc_(noc) {}
    iterator begin() const { return {accessor_, shard_id_, first_, end_, noc_}; }
    iterator end() const { return {accessor_, shard_id_, end_, end_, noc_}; }
    iterator cbegin() const { return begin(); }
    iterator cend() const { return end(); }

private:
    const Accessor& accessor_;
    uint32_t shard_id_, first_, end_;
    uint8_t noc_;
};
}  // namespace tensor_accessor

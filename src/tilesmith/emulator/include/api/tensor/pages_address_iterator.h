// Iteration over a tensor's pages in page order.
#pragma once
#include "api/tensor/page.h"
#include "ts/dataflow/addresses.h"

namespace tensor_accessor {
template <typename Accessor>
class PagesAddressIterator {
public:
    using value_type = AccessorPage<Accessor>;
    using difference_type = std::ptrdiff_t;
    using reference = const value_type&;
    using pointer = const value_type*;

    PagesAddressIterator(const Accessor& accessor, uint32_t page_id, uint32_t end, uint32_t stride, uint8_t noc)
        : accessor_(&accessor), page_id_(ts::smaller(page_id, end)), end_(end), stride_(stride), noc_(noc) {
        locate();
    }
    uint32_t page_id() const { return page_id_; }
    reference operator*() const { return page_; }
    pointer operator->() const { return &page_; }
    PagesAddressIterator& operator+=(difference_type steps) {
        page_id_ = ts::smaller(page_id_ + uint64_t(steps) * stride_, end_);
        locate();
        return *this;
    }
    PagesAddressIterator& operator++() { return *this += 1; }
    PagesAddressIterator operator++(int) {
        auto before = *this;
        ++*this;
        return before;
    }
    PagesAddressIterator operator+(difference_type steps) const {
        auto moved = *this;
        moved += steps;
        return moved;
    }
    value_type operator[](difference_type steps) const { return *(*this + steps); }
    bool operator==(const PagesAddressIterator& other) const { return page_id_ == other.page_id_; }
    auto operator<=>(const PagesAddressIterator& other) const { return page_id_ <=> other.page_id_; }

private:
    void locate() {
        if (page_id_ < end_) page_ = {accessor_->get_noc_addr(page_id_, 0, noc_), page_id_, accessor_};
    }

    const Accessor* accessor_;
    uint32_t page_id_;
    uint32_t end_;
    uint32_t stride_;
    uint8_t noc_;
    value_type page_{0, 0, nullptr};
};

template <typename Accessor>
class Pages {
public:
    using iterator = PagesAddressIterator<Accessor>;
    using const_iterator = iterator;
    Pages(const Accessor& accessor, uint32_t begin, uint32_t end, uint32_t stride = 1, uint8_t noc = noc_index)
        : accessor_(accessor), begin_(begin), end_(end), stride_(stride), noc_(noc) {}
    iterator begin() const { return {accessor_, begin_, end_, stride_, noc_}; }
    iterator end() const { return {accessor_, end_, end_, stride_, noc_}; }
    iterator cbegin() const { return begin(); }
    iterator cend() const { return end(); }

private:
    const Accessor& accessor_;
    uint32_t begin_, end_, stride_;
    uint8_t noc_;
};
}  // namespace tensor_accessor

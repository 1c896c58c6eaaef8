// One page of a tensor, as iterators hand it out.
#pragma once
#include <cstdint>

namespace tensor_accessor {
class Page {
public:
    Page(uint64_t noc_addr, uint32_t page_id) : noc_addr_(noc_addr), page_id_(page_id) {}
    uint64_t noc_addr() const { return noc_addr_; }
    uint32_t page_id() const { return page_id_; }

private:
    uint64_t noc_addr_;
    uint32_t page_id_;
};

template <typename Accessor>
class AccessorPage : public Page {
public:
    AccessorPage(uint64_t noc_addr, uint32_t page_id, const Accessor* accessor)
        : Page(noc_addr, page_id), accessor_(accessor) {}
    const Accessor& accessor() const { return *accessor_; }

private:
    const Accessor* accessor_;
};

template <typename Accessor>
class ShardPage : public AccessorPage<Accessor> {
public:
    ShardPage(uint64_t noc_addr, uint32_t page_id, const Accessor* accessor, uint32_t shard_id, uint32_t page_in_shard)
        : AccessorPage<Accessor>(noc_addr, page_id, accessor), shard_id_(shard_id), page_in_shard_(page_in_shard) {}
    uint32_t shard_id() const { return shard_id_; }
    uint32_t page_in_shard() const { return page_in_shard_; }

private:
    uint32_t shard_id_;
    uint32_t page_in_shard_;
};
}  // namespace tensor_accessor

// Tensor accessors, their views and their pages as endpoints of NoC transfers.
#pragma once
#include "api/dataflow/endpoints.h"
#include "api/tensor/tensor_accessor.h"
#include "ts/dataflow/local_endpoint.h"

namespace ts {
struct PageArgs {
    uint32_t page_id{};
    uint32_t offset_bytes = 0;
};
struct ShardArgs {
    uint32_t shard_id{};
    uint32_t offset_bytes = 0;
};

// `Derived::address(endpoint, args, noc)` gives the NoC address; used locally, it must be on this core.
template <typename T, typename Args, typename Derived>
struct AddressedEndpoint {
    using src_args_type = Args;
    using dst_args_type = Args;

    template <Noc::AddressType type>
    static auto src_addr(const T& endpoint, const Noc& noc, const Args& args) {
        const uint64_t address = Derived::address(endpoint, args, noc.get_noc_id());
        if constexpr (type == Noc::AddressType::LOCAL_L1) {
            ASSERT(noc.is_local_addr(address));
            return noc_address_backend::extract_local_address(address);
        } else {
            return address;
        }
    }
    template <Noc::AddressType type>
    static auto dst_addr(const T& endpoint, const Noc& noc, const Args& args) {
        return src_addr<type>(endpoint, noc, args);
    }
};

template <typename T>
struct PagedEndpoint : AddressedEndpoint<T, PageArgs, PagedEndpoint<T>> {
    static uint64_t address(const T& tensor, const PageArgs& args, uint8_t noc) {
        return tensor.get_noc_addr(args.page_id, args.offset_bytes, noc);
    }
};
template <typename T>
struct OnePageEndpoint : AddressedEndpoint<T, OffsetArgs, OnePageEndpoint<T>> {
    static uint64_t address(const T& page, const OffsetArgs& args, uint8_t) {
        return page.noc_addr() + args.offset_bytes;
    }
};
}  // namespace ts

template <typename DSpecT>
struct noc_traits_t<TensorAccessor<DSpecT>> : ts::PagedEndpoint<TensorAccessor<DSpecT>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : ts::PagedEndpoint<PageView<Accessor>> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : ts::PagedEndpoint<AbstractTensorAccessorWrapper> {};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> : ts::PagedEndpoint<InterleavedAddrGen<DRAM>> {};
template <bool DRAM, uint32_t tile_hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, tile_hw>> : ts::PagedEndpoint<InterleavedAddrGenFast<DRAM, tile_hw>> {
};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>>
    : ts::AddressedEndpoint<ShardView<Accessor>, ts::ShardArgs, noc_traits_t<ShardView<Accessor>>> {
    static uint64_t address(const ShardView<Accessor>& view, const ts::ShardArgs& args, uint8_t noc) {
        return view.get_noc_addr(args.shard_id, args.offset_bytes, noc);
    }
};

template <>
struct noc_traits_t<tensor_accessor::Page> : ts::OnePageEndpoint<tensor_accessor::Page> {};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::AccessorPage<Accessor>>
    : ts::OnePageEndpoint<tensor_accessor::AccessorPage<Accessor>> {};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::ShardPage<Accessor>> : ts::OnePageEndpoint<tensor_accessor::ShardPage<Accessor>> {
};

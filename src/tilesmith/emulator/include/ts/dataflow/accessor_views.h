// Views and collections of tensor accessors.
#pragma once
#include "api/tensor/tensor_accessor.h"

template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& accessor) : accessor(accessor) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_noc_addr(page_id, offset, noc);
    }
};

template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& accessor) : accessor(accessor) {}
    bool is_local_shard(uint32_t shard_id, uint8_t noc) const { return accessor.is_local_shard(shard_id, noc); }
    uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc);
    }
};

// Accessors of different types behind one, for arrays of them.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor)
        : accessor_(&accessor), get_noc_addr_([](const void* self, uint32_t page_id, uint32_t offset, uint8_t noc) {
              return static_cast<const Accessor*>(self)->get_noc_addr(page_id, offset, noc);
          }) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return get_noc_addr_(accessor_, page_id, offset, noc);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*get_noc_addr_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};

namespace tensor_accessor::detail {
template <typename... Args, uint32_t... indexes>
auto accessor_tuple(const std::tuple<Args...>& args, uint32_t first, std::integer_sequence<uint32_t, indexes...>) {
    return std::make_tuple(TensorAccessor(std::get<indexes>(args), get_arg_val<uint32_t>(first + indexes))...);
}
}  // namespace tensor_accessor::detail

// One accessor per argument set; their addresses are consecutive runtime arguments.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index_start) {
    return tensor_accessor::detail::accessor_tuple(args, address_rt_arg_index_start,
                                                   std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}
// One accessor per binding of a tensor sequence.
template <typename... Tokens>
auto make_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply([](const auto&... each) { return std::make_tuple(TensorAccessor(each)...); }, tokens);
}
template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... each) {
            using Wrappers = std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>;
            return Wrappers{AbstractTensorAccessorWrapper(each)...};
        },
        accessors);
}

// LocalTensorAccessor: the part of an L1 tensor that stands on this core, as an array.
#pragma once
#include "api/core_local_mem.h"
#include "api/tensor/tensor_binding_token.h"

template <typename T>
class LocalTensorAccessor {
public:
    explicit LocalTensorAccessor(uint32_t bank_base_address) : memory_(static_cast<uintptr_t>(bank_base_address)) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> token, TS_AT)
        : LocalTensorAccessor(get_common_arg_val<uint32_t>(token.address_word, at)) {
        static_assert(!decltype(token)::args_t::is_dram, "a tensor in DRAM has no part in this core's L1");
    }
    T& operator[](uint32_t index) const { return memory_[index]; }
    uint32_t get_bank_base_address() const { return static_cast<uint32_t>(memory_.get_address()); }
    CoreLocalMem<T> local_mem() const { return memory_; }
    [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        return (memory_ + offset).scoped_lock(num_elements);
    }

private:
    CoreLocalMem<T> memory_;
};

// One accessor per binding of a tensor sequence.
template <typename T, typename... Tokens>
auto make_local_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply([](const auto&... each) { return std::array{LocalTensorAccessor<T>(each)...}; }, tokens);
}

#ifndef COMPILE_FOR_TRISC
template <typename T>
struct noc_traits_t<LocalTensorAccessor<T>>
    : ts::LocalEndpoint<LocalTensorAccessor<T>, noc_traits_t<LocalTensorAccessor<T>>> {
    static uint32_t source(const LocalTensorAccessor<T>& tensor) { return tensor.get_bank_base_address(); }
    static uint32_t destination(const LocalTensorAccessor<T>& tensor) { return tensor.get_bank_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<LocalTensorAccessor<T>> = true;
#endif

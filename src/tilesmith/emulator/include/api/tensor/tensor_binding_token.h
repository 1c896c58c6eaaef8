// What tensor::name is: where the words that describe a tensor stand, and where its address does.
#pragma once
#include "api/tensor/tensor_accessor_args.h"
#include "internal/llk_metadata.h"

namespace tensor_accessor {
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
    static_assert(ADDR_CRTA_OFFSET % sizeof(uint32_t) == 0, "the offset of an address is in bytes, whole words");
    using args_t = TensorAccessorArgs<CTA_OFFSET>;
    static constexpr args_t args{};
    static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;
    static constexpr uint32_t address_word = ADDR_CRTA_OFFSET / sizeof(uint32_t);
    // The facts that are known only at run time follow the address.
    using with_runtime_words = TensorAccessorArgs<CTA_OFFSET, address_word + 1>;

    constexpr TensorBindingToken() noexcept = default;
    explicit constexpr TensorBindingToken(binding_details::LLKMetadata) noexcept {}
};

// In the place of a tensor that a kernel names and the host did not give.
struct NullTensorBindingToken {
    NullTensorBindingToken() = delete;
};
}  // namespace tensor_accessor

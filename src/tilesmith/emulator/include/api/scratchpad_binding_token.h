// What scratch::name is: which common runtime argument has a scratchpad's address, and its size.
#pragma once
#include "internal/llk_metadata.h"

template <typename T>
class Scratchpad;

class ScratchpadBindingToken {
public:
    explicit constexpr ScratchpadBindingToken(uint32_t crta_offset, uint32_t size_in_bytes,
                                              binding_details::LLKMetadata = {}) noexcept
        : address_word_(crta_offset), size_in_bytes_(size_in_bytes) {}

private:
    template <typename T>
    friend class Scratchpad;
    uint32_t address_word_;
    uint32_t size_in_bytes_;
};

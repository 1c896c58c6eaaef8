// What dfb::name is: the number of a circular buffer, as a constant of its own type.
#pragma once
#include "api/dataflow/dfb_access.h"
#include "internal/llk_metadata.h"

template <dfb::AccessPattern Pap = dfb::AccessPattern::UNKNOWN, dfb::AccessPattern Cap = dfb::AccessPattern::UNKNOWN>
struct DFBBindingToken {
    explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
    constexpr DFBBindingToken(uint16_t id, binding_details::LLKMetadata) noexcept : id_(id) {}
    constexpr operator uint32_t() const noexcept { return id_; }

private:
    uint16_t id_;
};

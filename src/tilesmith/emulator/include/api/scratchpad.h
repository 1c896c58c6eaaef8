// Scratchpad: L1 that the host set aside for one kernel, as an array.
#pragma once
#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "api/scratchpad_binding_token.h"
#include "experimental/kernel_args.h"

template <typename T>
class Scratchpad {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = uint32_t;
    using pointer = CoreLocalMem<T>;
    using const_pointer = CoreLocalMem<const T>;
    using reference = T&;
    using const_reference = const T&;
    using iterator = pointer;

    explicit Scratchpad(const ScratchpadBindingToken& token, TS_AT)
        : memory_(static_cast<uintptr_t>(get_common_arg_val<uint32_t>(token.address_word_, at))),
          size_in_bytes_(token.size_in_bytes_) {
        ASSERT(memory_.get_address() % alignof(T) == 0);
        ASSERT(size_in_bytes_ % sizeof(T) == 0);
    }

    reference operator[](uint32_t index) const {
        ASSERT(index < size());
        return memory_[index];
    }
    size_type size() const { return size_in_bytes_ / static_cast<uint32_t>(sizeof(T)); }
    size_type size_in_bytes() const { return size_in_bytes_; }
    uint32_t get_base_address() const { return static_cast<uint32_t>(memory_.get_address()); }
    iterator begin() const { return memory_; }
    iterator end() const { return memory_ + size(); }
    pointer local_mem() const { return memory_; }
    [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        ASSERT(offset + num_elements <= size());
        return (memory_ + offset).scoped_lock(num_elements);
    }

private:
    pointer memory_;
    uint32_t size_in_bytes_;
};

#ifndef COMPILE_FOR_TRISC
template <typename T>
struct noc_traits_t<Scratchpad<T>> : ts::LocalEndpoint<Scratchpad<T>, noc_traits_t<Scratchpad<T>>> {
    static uint32_t source(const Scratchpad<T>& pad) { return pad.get_base_address(); }
    static uint32_t destination(const Scratchpad<T>& pad) { return pad.get_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<Scratchpad<T>> = true;
#endif

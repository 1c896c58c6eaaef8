// A binding's name as a template argument: get_token_if_present<"name">().
#pragma once
#include <cstddef>

namespace ts {
template <std::size_t SIZE>
struct BindingName {
    char text[SIZE]{};
    consteval BindingName(const char (&name)[SIZE]) {
        for (std::size_t i = 0; i < SIZE; ++i) text[i] = name[i];
    }
    template <std::size_t OTHER>
    constexpr bool is(const char (&name)[OTHER]) const {
        if (OTHER != SIZE) return false;
        for (std::size_t i = 0; i < SIZE; ++i) {
            if (text[i] != name[i]) return false;
        }
        return true;
    }
};
}  // namespace ts

// Arrays of compile-time arguments.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "api/compile_time_args.h"

template <size_t Channels, size_t IdsPerChannel>
constexpr std::array<uint8_t, Channels> initialize_receiver_channel_trid_starts() {
    std::array<uint8_t, Channels> starts{};
    for (size_t i = 0; i < Channels; ++i) starts[i] = static_cast<uint8_t>(i * IdsPerChannel);
    return starts;
}

template <size_t Count, size_t Size, class T>
constexpr std::array<T, Count> take_first_n_elements(const std::array<T, Size>& from) {
    static_assert(Count <= Size);
    std::array<T, Count> first{};
    for (size_t i = 0; i < Count; ++i) first[i] = from[i];
    return first;
}

template <size_t Count, class T, T Value>
constexpr std::array<T, Count> initialize_array() {
    std::array<T, Count> filled{};
    for (T& element : filled) element = Value;
    return filled;
}

// Arguments First, First + 1 and so on.
template <class T, size_t First, size_t Count>
constexpr std::array<T, Count> fill_array_with_next_n_args() {
    return []<size_t... Index>(std::index_sequence<Index...>) {
        return std::array<T, Count>{static_cast<T>(get_compile_time_arg_val(First + Index))...};
    }(std::make_index_sequence<Count>());
}

template <bool Wanted, size_t Index>
constexpr uint32_t conditional_get_compile_time_arg() {
    if constexpr (Wanted) return get_compile_time_arg_val(Index);
    return 0;
}

template <bool Wanted, class T, size_t First, size_t Count>
constexpr std::array<T, Count> conditional_get_next_n_args() {
    if constexpr (Wanted) return fill_array_with_next_n_args<T, First, Count>();
    return {};
}

template <class T, size_t Count, class Predicate>
constexpr bool all_elements_satisfy(const std::array<T, Count>& elements, Predicate predicate) {
    for (const T& element : elements)
        if (!predicate(element)) return false;
    return true;
}

// Compile-time arguments, by position and by name. The values come with the kernel's text (ts/own_numbers.h).
#pragma once
#include <array>
#include <cstdint>

template <class T, class... Ts>
constexpr std::array<T, sizeof...(Ts)> make_array(Ts... values) {
    return {static_cast<T>(values)...};
}

template <uint32_t Idx>
constexpr uint32_t get_ct_arg();

#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()

namespace ts {
constexpr uint32_t compile_time_word(uint32_t index);

// A name as a literal or as anything with data() and size(). <string_view> would double the time to compile a kernel.
struct ArgumentName {
    const char* data;
    size_t size;
    constexpr ArgumentName(const char* text) : data(text), size(__builtin_strlen(text)) {}
    template <class Text>
        requires requires(const Text& text) { text.data() + text.size(); }
    constexpr ArgumentName(const Text& text) : data(text.data()), size(text.size()) {}
    constexpr bool operator==(const ArgumentName& other) const {
        return size == other.size && __builtin_memcmp(data, other.data, size) == 0;
    }
};
struct NamedArgument {
    ArgumentName name;
    uint32_t value;
};

// Declared only: calling it in a constant expression is the compile error that names the problem.
void this_named_compile_time_argument_was_not_given_to_the_kernel();
}  // namespace ts

constexpr uint32_t get_named_ct_arg(ts::ArgumentName name);
constexpr uint32_t get_named_compile_time_arg_val(ts::ArgumentName name) { return get_named_ct_arg(name); }

// Compile-time arguments, by position and by name.
#pragma once
#include <array>
#include <cstdint>

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif
#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP
#endif

template <class T, class... Ts>
constexpr std::array<T, sizeof...(Ts)> make_array(Ts... values) {
    return {static_cast<T>(values)...};
}

inline constexpr auto kernel_compile_time_args = make_array<std::uint32_t>(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Idx>
constexpr uint32_t get_ct_arg() {
    static_assert(Idx < kernel_compile_time_args.size(), "this compile-time argument was not given to the kernel");
    return kernel_compile_time_args[Idx];
}

#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()

namespace ts {
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
// The first entry keeps the table from being empty.
inline constexpr NamedArgument named_arguments[] = {{"", 0}, KERNEL_COMPILE_TIME_ARG_MAP};

// Declared only: calling it in a constant expression is the compile error that names the problem.
void this_named_compile_time_argument_was_not_given_to_the_kernel();
}  // namespace ts

constexpr uint32_t get_named_ct_arg(ts::ArgumentName name) {
    for (const auto& argument : ts::named_arguments) {
        if (argument.name == name) return argument.value;
    }
    ts::this_named_compile_time_argument_was_not_given_to_the_kernel();
    return 0;
}
constexpr uint32_t get_named_compile_time_arg_val(ts::ArgumentName name) { return get_named_ct_arg(name); }

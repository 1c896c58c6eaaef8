// The text of kernel prints: values, manipulators and a small {}-formatter.
// Kernels link no C++ library, so none is used.
#pragma once
#include <cstdio>

#include "ts/prologue.h"

struct BF16 {
    explicit BF16(uint16_t bits) : bits(bits) {}
    uint16_t bits;
};
using bf16_t = BF16;
struct F32 {
    explicit F32(float value) : value(value) {}
    float value;
};
struct U32 {
    explicit U32(uint32_t value) : value(value) {}
    uint32_t value;
};
struct SETW {
    explicit SETW(int width, bool = true) : width(width) {}
    int width;
};
struct SETPRECISION {
    explicit SETPRECISION(int digits) : digits(digits) {}
    int digits;
};
struct ENDL {};
struct HEX {};
struct OCT {};
struct DEC {};
struct FIXED {};
struct DEFAULTFLOAT {};

namespace ts {
inline float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// Text on its way out; what does not fit at once goes out in pieces.
class PrintBuffer {
public:
    explicit PrintBuffer(At at) : at_(at) {}
    ~PrintBuffer() { flush(); }
    PrintBuffer(const PrintBuffer&) = delete;
    PrintBuffer& operator=(const PrintBuffer&) = delete;
    void add(char c) {
        if (size_ + 1 == sizeof data_) flush();
        data_[size_++] = c;
    }
    void add(const char* text) {
        while (*text) add(*text++);
    }
    void flush() {
        if (size_ == 0) return;
        data_[size_] = 0;
        ts_print(data_, at_);
        size_ = 0;
    }

private:
    char data_[256];
    uint32_t size_ = 0;
    At at_;
};

// The part of a replacement field after its colon: [#][0][width][.precision][type], as printf writes them.
struct PrintSpec {
    char flags[16] = "";
    char type = 0;
};

// One printed value. Implicit, so that the place of the print is known wherever a value is given.
struct PrintItem {
    enum class Kind : uint8_t { integer, natural, real, character, text, writer } kind;
    union {
        int64_t integer;
        double real;
        const char* text;
        const void* object;
    };
    void (*write)(const void*, PrintBuffer&) = nullptr;
    At at;

    template <class T>
        requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    PrintItem(T value, TS_AT) : at(at) {
        if constexpr (std::is_floating_point_v<T>) {
            kind = Kind::real;
            real = value;
        } else {
            kind = std::is_same_v<T, char> ? Kind::character : std::is_signed_v<T> ? Kind::integer : Kind::natural;
            integer = static_cast<int64_t>(value);
        }
    }
    PrintItem(const char* value, TS_AT) : kind(Kind::text), text(value), at(at) {}
    PrintItem(const volatile void* value, TS_AT)
        : kind(Kind::natural), integer(static_cast<int64_t>(reinterpret_cast<uintptr_t>(value))), at(at) {}
    PrintItem(BF16 value, TS_AT) : PrintItem(bf16_to_float(value.bits), at) {}
    PrintItem(F32 value, TS_AT) : PrintItem(value.value, at) {}
    PrintItem(U32 value, TS_AT) : PrintItem(value.value, at) {}
    // An object that writes itself: it has print_to(PrintBuffer&).
    template <class T>
        requires requires(const T& object, PrintBuffer& buffer) { object.print_to(buffer); }
    PrintItem(const T& value, TS_AT)
        : kind(Kind::writer),
          object(&value),
          write([](const void* self, PrintBuffer& buffer) { static_cast<const T*>(self)->print_to(buffer); }),
          at(at) {}

    void print(PrintBuffer& buffer, const PrintSpec& spec = {}, int width = 0) const {
        if (kind == Kind::writer) return write(object, buffer);
        if (kind == Kind::text) return buffer.add(text);
        char pattern[32], value[80];
        if (kind == Kind::real) {
            const char type[2] = {spec.type ? spec.type : 'g', 0};
            std::snprintf(pattern, sizeof pattern, "%%%s%s", spec.flags, type);
            std::snprintf(value, sizeof value, pattern, real);
        } else if (kind == Kind::character && !spec.type) {
            value[0] = static_cast<char>(integer);
            value[1] = 0;
        } else {
            const bool decimal = !spec.type || spec.type == 'd';
            const char type = decimal ? (kind == Kind::integer ? 'd' : 'u') : spec.type;
            std::snprintf(pattern, sizeof pattern, "%%%sll%c", spec.flags, type);
            std::snprintf(value, sizeof value, pattern, static_cast<long long>(integer));
        }
        for (int length = static_cast<int>(__builtin_strlen(value)); length < width; ++length) buffer.add(' ');
        buffer.add(value);
    }
};

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a replacement field behind its opening brace: its item's number and its spec. Returns its closing brace.
inline const char* read_field(const char* c, size_t& next, size_t& index, PrintSpec& spec) {
    index = is_digit(*c) ? 0 : next++;
    while (is_digit(*c)) index = index * 10 + (*c++ - '0');
    if (*c == ':') ++c;
    for (uint32_t length = 0; *c && *c != '}'; ++c) {
        if (is_letter(*c)) {
            spec.type = *c;
        } else if (length + 1 < sizeof spec.flags && *c != '<' && *c != '>') {
            spec.flags[length++] = *c;
        }
    }
    return c;
}

// `format` with its {} fields filled; {{ and }} stand for braces.
inline void print_fields(PrintBuffer& buffer, const char* format, const PrintItem* items, size_t count) {
    size_t next = 0;
    for (const char* c = format; *c; ++c) {
        if ((*c == '{' || *c == '}') && c[1] == *c) {
            buffer.add(*c++);
        } else if (*c == '{') {
            PrintSpec spec;
            size_t index;
            c = read_field(c + 1, next, index, spec);
            if (index < count) items[index].print(buffer, spec);
            if (!*c) return;
        } else {
            buffer.add(*c);
        }
    }
}

template <class... Values>
void print_formatted(At at, const char* format, const Values&... values) {
    PrintBuffer buffer(at);
    const PrintItem items[] = {PrintItem(0), PrintItem(values)...};
    print_fields(buffer, format, items + 1, sizeof...(Values));
}

// DPRINT << a << b: prints each value as it comes, in the state its manipulators left.
class PrintLine {
public:
    explicit PrintLine(At at) : buffer_(at) {}
    PrintLine& operator<<(const PrintItem& item) {
        item.print(buffer_, item.kind == PrintItem::Kind::real ? real_spec() : PrintSpec{"", base_}, width_);
        width_ = 0;
        return *this;
    }
    PrintLine& operator<<(ENDL) {
        buffer_.add('\n');
        return *this;
    }
    PrintLine& operator<<(SETW width) {
        width_ = width.width;
        return *this;
    }
    PrintLine& operator<<(SETPRECISION precision) {
        precision_ = precision.digits;
        return *this;
    }
    PrintLine& operator<<(FIXED) {
        real_type_ = 'f';
        return *this;
    }
    PrintLine& operator<<(DEFAULTFLOAT) {
        real_type_ = 'g';
        return *this;
    }
    PrintLine& operator<<(HEX) { return base('x'); }
    PrintLine& operator<<(OCT) { return base('o'); }
    PrintLine& operator<<(DEC) { return base(0); }

private:
    PrintLine& base(char type) {
        base_ = type;
        return *this;
    }
    PrintSpec real_spec() const {
        PrintSpec spec;
        std::snprintf(spec.flags, sizeof spec.flags, ".%d", precision_);
        spec.type = real_type_;
        return spec;
    }

    PrintBuffer buffer_;
    int width_ = 0, precision_ = 6;
    char base_ = 0, real_type_ = 'g';
};

// The manipulators that may come first; values carry their own place.
template <class T>
concept Manipulator =
    std::is_same_v<T, ENDL> || std::is_same_v<T, SETW> || std::is_same_v<T, SETPRECISION> || std::is_same_v<T, HEX> ||
    std::is_same_v<T, OCT> || std::is_same_v<T, DEC> || std::is_same_v<T, FIXED> || std::is_same_v<T, DEFAULTFLOAT>;

struct Printer {
    struct FirstLine : PrintLine {
        template <class T>
        FirstLine(At at, const T& first) : PrintLine(at) {
            *this << first;
        }
    };
    FirstLine operator<<(const PrintItem& item) const { return FirstLine(item.at, item); }
    template <Manipulator T>
    FirstLine operator<<(T manipulator) const {
        return FirstLine(At::current(), manipulator);
    }
};

// DPRINT_MATH(DPRINT << a): the expression has printed itself.
inline void print_formatted(At, const PrintLine&) {}
}  // namespace ts

inline constexpr ts::Printer DPRINT;

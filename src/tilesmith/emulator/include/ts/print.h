// The text of kernel prints: values, manipulators and a small {}-formatter.
#pragma once
#include <cstdio>
#include <string>

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

// One printed value. Implicit, so that the place of the print is known wherever a value is given.
struct PrintItem {
    enum class Kind : uint8_t { integer, natural, real, character, text } kind;
    int64_t integer = 0;
    double real = 0;
    std::string text;
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
    PrintItem(std::string value, TS_AT) : kind(Kind::text), text(std::move(value)), at(at) {}
    PrintItem(const volatile void* value, TS_AT) :
        kind(Kind::natural), integer(static_cast<int64_t>(reinterpret_cast<uintptr_t>(value))), at(at) {}
    PrintItem(BF16 value, TS_AT) : PrintItem(bf16_to_float(value.bits), at) {}
    PrintItem(F32 value, TS_AT) : PrintItem(value.value, at) {}
    PrintItem(U32 value, TS_AT) : PrintItem(value.value, at) {}

    // `spec` is what stands after the colon of a replacement field: [#][0][width][.precision][type].
    std::string formatted(const std::string& spec) const {
        if (kind == Kind::text) return text;
        char type = spec.empty() || !std::isalpha(static_cast<unsigned char>(spec.back())) ? 0 : spec.back();
        const std::string flags = type ? spec.substr(0, spec.size() - 1) : spec;
        char buffer[80];
        if (kind == Kind::real) {
            const std::string pattern = "%" + flags + (type ? std::string(1, type) : flags.empty() ? ".6g" : "g");
            std::snprintf(buffer, sizeof buffer, pattern.c_str(), real);
        } else if (kind == Kind::character && !type) {
            std::snprintf(buffer, sizeof buffer, "%c", static_cast<int>(integer));
        } else {
            if (!type || type == 'd') type = kind == Kind::integer ? 'd' : 'u';
            const std::string pattern = "%" + flags + "ll" + type;
            std::snprintf(buffer, sizeof buffer, pattern.c_str(), static_cast<long long>(integer));
        }
        return buffer;
    }
};

// `format` with its {} fields filled in order; {{ and }} stand for braces.
inline std::string fill_fields(const char* format, const PrintItem* items, size_t count) {
    std::string result;
    size_t next = 0;
    for (const char* c = format; *c; ++c) {
        if ((*c == '{' || *c == '}') && c[1] == *c) {
            result += *c++;
        } else if (*c == '{') {
            const char* close = c;
            while (*close && *close != '}') ++close;
            const std::string field(c + 1, close);
            const size_t colon = field.find(':');
            const std::string place = field.substr(0, colon);
            const size_t index = place.empty() ? next++ : std::stoul(place);
            if (index < count) result += items[index].formatted(colon == std::string::npos ? "" : field.substr(colon + 1));
            c = *close ? close : close - 1;
        } else {
            result += *c;
        }
    }
    return result;
}

template <class... Values>
void print_formatted(At at, const char* format, const Values&... values) {
    const PrintItem items[] = {PrintItem(0), PrintItem(values)...};
    ts_print(fill_fields(format, items + 1, sizeof...(Values)).c_str(), at);
}

// DPRINT << a << b: collects and prints at the end of the expression.
class PrintLine {
public:
    PrintLine() = default;
    PrintLine(PrintLine&& other) = default;
    ~PrintLine() {
        if (!text_.empty()) ts_print(text_.c_str(), at_);
    }
    PrintLine& operator<<(const PrintItem& item) {
        at_ = item.at;
        std::string value = item.formatted(item.kind == PrintItem::Kind::real ? real_spec() : integer_spec_);
        if (static_cast<int>(value.size()) < width_) value.insert(0, width_ - value.size(), ' ');
        width_ = 0;
        text_ += value;
        return *this;
    }
    PrintLine& operator<<(ENDL) {
        text_ += '\n';
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
        fixed_ = true;
        return *this;
    }
    PrintLine& operator<<(DEFAULTFLOAT) {
        fixed_ = false;
        return *this;
    }
    PrintLine& operator<<(HEX) { return base("x"); }
    PrintLine& operator<<(OCT) { return base("o"); }
    PrintLine& operator<<(DEC) { return base(""); }

private:
    PrintLine& base(const char* spec) {
        integer_spec_ = spec;
        return *this;
    }
    std::string real_spec() const { return "." + std::to_string(precision_) + (fixed_ ? "f" : "g"); }

    std::string text_, integer_spec_;
    int width_ = 0, precision_ = 6;
    bool fixed_ = false;
    At at_;
};

struct Printer {
    template <class T>
    PrintLine operator<<(const T& value) const {
        PrintLine line;
        line << value;
        return line;
    }
    PrintLine operator<<(const PrintItem& item) const {
        PrintLine line;
        line << item;
        return line;
    }
};

// DPRINT_MATH(DPRINT << a): the expression has printed itself.
inline void print_formatted(At, const PrintLine&) {}
}  // namespace ts

inline constexpr ts::Printer DPRINT;

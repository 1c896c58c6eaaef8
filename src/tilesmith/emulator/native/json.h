// Just enough JSON writing for the report.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace ts {

struct JsonWriter {
    std::string text;

    void begin_object() {
        separate();
        text += '{';
        first_ = true;
    }
    void end_object() {
        text += '}';
        first_ = false;
    }
    void field(const char* name, const std::string& value) {
        key(name);
        quote(value);
    }
    void field(const char* name, bool value) {
        key(name);
        text += value ? "true" : "false";
        first_ = false;
    }
    void field(const char* name, uint32_t value) { field(name, uint64_t{value}); }
    void field(const char* name, uint64_t value) {
        key(name);
        text += std::to_string(value);
        first_ = false;
    }
    template <class List, class Write>
    void list(const char* name, const List& items, Write write) {
        key(name);
        text += '[';
        first_ = true;
        for (const auto& item : items) write(*this, item);
        text += ']';
        first_ = false;
    }

private:
    bool first_ = true;
    void separate() {
        if (!first_) text += ',';
        first_ = false;
    }
    void key(const char* name) {
        separate();
        quote(name);
        text += ':';
        first_ = true;
    }
    void quote(const std::string& value) {
        text += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text += '\\';
            if (static_cast<unsigned char>(c) < 0x20) {
                char escaped[8];
                snprintf(escaped, sizeof escaped, "\\u%04x", c);
                text += escaped;
            } else {
                text += c;
            }
        }
        text += '"';
        first_ = false;
    }
};

}  // namespace ts

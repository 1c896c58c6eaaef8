// Findings: what was seen, where, by whom; and their JSON.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "access.h"
#include "json.h"

namespace ts {

const char* role_name(Role role) {
    static const char* const names[] = {"writer (BRISC)", "reader (NCRISC)", "unpack (TRISC0)", "math (TRISC1)",
                                        "pack (TRISC2)"};
    return names[static_cast<int>(role)];
}

std::string place(const At& at) {
    if (at.line() == 0) return "a line before its first API call";
    const char* name = at.file_name();
    const char* slash = strrchr(name, '/');
    char line[16];
    snprintf(line, sizeof line, ":%u", at.line());
    return std::string(slash ? slash + 1 : name) + line;
}

std::string core_name(const Fiber& fiber) {
    char text[64];
    snprintf(text, sizeof text, "core (%u, %u)", fiber.core->x, fiber.core->y);
    if (current_run->chips.size() < 2) return text;
    char chip[96];
    const uint32_t columns = current_run->columns;
    snprintf(chip, sizeof chip, "%s of chip (%u, %u)", text, fiber.chip / columns, fiber.chip % columns);
    return chip;
}

inline constexpr size_t most_findings = 200;

// A finding is told by the chip that ran the code, wherever the bytes it moves were going.
static LoadedProgram& blamed() {
    const Fiber* fiber = current_run->current;
    return fiber ? *current_run->chips[fiber->chip].program : *current_run->program;
}

static void record(Finding finding) {
    LoadedProgram& program = blamed();
    for (Finding& known : program.findings) {
        if (known.check != finding.check || known.line != finding.line || known.file != finding.file) continue;
        if (known.role != finding.role || known.kernel != finding.kernel || known.address != finding.address) continue;
        ++known.count;
        return;
    }
    if (program.findings.size() < most_findings) program.findings.push_back(std::move(finding));
}

static Finding describe(const char* check, const At& at, const char* text, va_list arguments) {
    char message[2048];
    vsnprintf(message, sizeof message, text, arguments);
    Finding finding;
    finding.check = check;
    finding.message = message;
    finding.file = at.file_name();
    finding.line = at.line();
    if (const Fiber* fiber = current_run->current) {
        finding.kernel = fiber->kernel->name;
        finding.core_x = fiber->core->x;
        finding.core_y = fiber->core->y;
        finding.role = static_cast<uint32_t>(fiber->role);
        const auto code = static_cast<const char*>(fiber->raw_address);
        if (code && code >= fiber->image->text && code < fiber->image->text + fiber->image->text_size)
            finding.address = static_cast<uint64_t>(code - fiber->image->text);
    }
    return finding;
}

void finding(const char* check, const At& at, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    record(describe(check, at, text, arguments));
    va_end(arguments);
}

static Finding undefined_finding(const char* check, const At& at, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    Finding finding = describe(check, at, text, arguments);
    va_end(arguments);
    return finding;
}

void fatal(const char* check, const At& at, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    Finding finding = describe(check, at, text, arguments);
    va_end(arguments);
    finding.fatal = true;
    record(std::move(finding));
    leave_run();
}

void gap(const At& at, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    Finding finding = describe("emulator.gap", at, text, arguments);
    va_end(arguments);
    finding.gap = finding.fatal = true;
    record(std::move(finding));
    leave_run();
}

uint32_t undefined_place(const At& at) {
    auto& places = current_run->program->undefined_places;
    const Fiber& fiber = *current_run->current;
    for (size_t i = 0; i < places.size(); ++i) {
        Finding& known = places[i];
        if (known.line != at.line() || known.file != at.file_name() || known.kernel != fiber.kernel->name) continue;
        ++known.count;
        return static_cast<uint32_t>(i);
    }
    const At& pushed = current_run->stale_push;
    places.push_back(
        pushed.line()
            ? undefined_finding("cb.stale-page", at,
                                "elements of a tensor are made from a page that was pushed again at %s and "
                                "holds what it held before",
                                place(pushed).c_str())
            : undefined_finding("mem.uninitialised", at,
                                "elements of a tensor are made from L1 that nothing has written; it was first "
                                "read at %s",
                                place(current_run->undefined_read).c_str()));
    return static_cast<uint32_t>(places.size() - 1);
}

static void write_finding(JsonWriter& json, const Finding& finding) {
    json.begin_object();
    json.field("check", finding.check);
    json.field("message", finding.message);
    json.field("file", finding.file);
    json.field("line", finding.line);
    json.field("kernel", finding.kernel);
    json.field("core_x", finding.core_x);
    json.field("core_y", finding.core_y);
    json.field("role", finding.role);
    json.field("count", finding.count);
    json.field("address", finding.address);
    json.field("gap", finding.gap);
    json.field("fatal", finding.fatal);
    json.end_object();
}

std::string report_json(const LoadedProgram& program) {
    JsonWriter json;
    json.begin_object();
    json.list("findings", program.findings, write_finding);
    json.list("undefined_places", program.undefined_places, write_finding);
    json.list("undefined", program.undefined, [](JsonWriter& out, const LoadedProgram::UndefinedStore& store) {
        out.begin_object();
        out.field("dram", store.dram);
        out.field("index", store.index);
        out.field("offset", store.offset);
        out.field("size", store.size);
        out.field("place", store.place);
        out.end_object();
    });
    json.list("prints", program.prints, [](JsonWriter& out, const Print& print) {
        out.begin_object();
        out.field("text", print.text);
        out.field("core_x", print.core_x);
        out.field("core_y", print.core_y);
        out.field("role", print.role);
        out.end_object();
    });
    json.list("zones", program.zones, [](JsonWriter& out, const Zone& zone) {
        out.begin_object();
        out.field("name", zone.name);
        out.field("fiber", zone.fiber);
        out.field("begin", zone.begin);
        out.field("end", zone.end);
        out.end_object();
    });
    json.end_object();
    return json.text;
}

}  // namespace ts

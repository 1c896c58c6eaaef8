#include "shadow.h"

#include <sys/mman.h>

namespace ts {

void* reserve(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

template <class T>
static bool reserve_array(T** array, size_t count) {
    *array = static_cast<T*>(reserve(count * sizeof(T)));
    return *array != nullptr;
}

bool ShadowMap::map(size_t memory_bytes, uint32_t granule_shift) {
    shift = granule_shift;
    bytes = memory_bytes;
    const size_t count = (bytes >> line_shift) + 1;
    return reserve_array(&lines, count) && reserve_array(&records, count) &&
           reserve_array(&granules, count * granules_of_line());
}

void ShadowMap::unmap() {
    const size_t count = (bytes >> line_shift) + 1;
    if (lines) munmap(lines, count * sizeof(Line));
    if (records) munmap(records, count * sizeof(Shadow));
    if (granules) munmap(granules, count * granules_of_line() * sizeof(Shadow));
    lines = nullptr;
    records = granules = nullptr;
}

void ShadowMap::make_run(uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) lines[first + i] = {static_cast<uint8_t>(i), 0};
    lines[first].ahead = static_cast<uint8_t>(count - 1);
}

void ShadowMap::cut(uint64_t line) {
    if (lines[line].behind == 0) return;
    const uint64_t first = first_of_run(line), end = end_of_run(line);
    records[line] = records[first];
    lines[first].ahead = static_cast<uint8_t>(line - first - 1);
    make_run(line, end - line);
}

void ShadowMap::join(uint64_t first, uint64_t end) {
    if (lines[first].behind == 0 && end_of_run(first) == end) return;
    cut(first);
    cut(end);
    for (uint64_t line = first; line < end; line += longest_run) {
        records[line] = records[first];
        make_run(line, end - line < longest_run ? end - line : longest_run);
    }
}

void ShadowMap::split_up(uint64_t line) {
    cut(line);
    cut(line + 1);
    for (uint32_t i = 0; i < granules_of_line(); ++i) granules[line * granules_of_line() + i] = records[line];
    lines[line].ahead = split;
}

void ShadowMap::even_out(uint64_t line) {
    records[line] = granules[line * granules_of_line()];
    lines[line].ahead = 0;
}

}  // namespace ts

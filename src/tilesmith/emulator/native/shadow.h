// What is remembered of the bytes of a memory: who wrote them last, who read them, what is initialised or in flight.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ts {

void* reserve(size_t bytes);  // zeros, which cost nothing until they are touched; null if there is no room

struct Shadow {
    uint64_t write = 0;  // clock:32 | fiber:12 | initialised bytes:4 | landing:1 | leaving:1 | place:14
    uint64_t
        reads[2]{};  // clock:32 | fiber:12 | unused:6 | place:14; two, so that readers beside each other are kept apart
};

inline bool operator==(const Shadow& a, const Shadow& b) {
    return ((a.write ^ b.write) | (a.reads[0] ^ b.reads[0]) | (a.reads[1] ^ b.reads[1])) == 0;
}

// Shadow of one memory. Lines of 32 bytes that bulk transfers treat alike form a run, which has one record; an access to
// some of them cuts it. The first access to a part of a line splits the line into granules. Untouched memory costs
// nothing: its lines are runs by themselves.
struct ShadowMap {
    static constexpr uint32_t line_shift = 5;
    static constexpr uint64_t longest_run = 255;  // lines, which bytes count
    struct Line {
        uint8_t behind;  // how far it stands behind the first of its run
        uint8_t ahead;  // of a first: how many more the run has; or `split`
    };
    static constexpr uint8_t split = 255;  // the granules hold the truth

    Line* lines = nullptr;
    Shadow* records = nullptr;  // of runs, where their first lines are
    Shadow* granules = nullptr;
    size_t bytes = 0;
    uint32_t shift = 2;  // log2 of the granule
    bool map(size_t memory_bytes, uint32_t granule_shift);
    void unmap();

    bool is_split(uint64_t line) const { return lines[line].ahead == split && lines[line].behind == 0; }
    uint64_t first_of_run(uint64_t line) const { return line - lines[line].behind; }
    uint64_t end_of_run(uint64_t line) const { return first_of_run(line) + lines[first_of_run(line)].ahead + 1u; }
    uint32_t granules_of_line() const { return 1u << (line_shift - shift); }
    const Shadow& record(uint64_t offset) const {
        const uint64_t line = offset >> line_shift;
        return is_split(line) ? granules[offset >> shift] : records[first_of_run(line)];
    }
    void cut(uint64_t line);  // a run begins with this line
    void join(uint64_t first, uint64_t end);  // lines that are alike
    void split_up(uint64_t line);
    void even_out(uint64_t line);  // its granules are alike

private:
    void make_run(uint64_t first, uint64_t count);
};

}  // namespace ts

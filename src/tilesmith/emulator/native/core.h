// The emulated machine: cores with L1, DRAM banks, and one fiber per core and RISC role.
// All fibers run on the calling thread; one runs until it must wait, then the one with the least virtual time goes on.
// Other threads only compute products of tiles (num/pending.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ts/abi.h"
#include "vector_clock.h"

namespace ts {

struct Core;
struct Fiber;
struct Run;
struct Engine;  // unpack, math and pack of one core (engine.h)

inline constexpr uint32_t max_cbs = 64;
inline constexpr uint32_t max_semaphores = 16;

// The vendor's DataFormat numbers.
enum class Format : uint8_t {
    float32 = 0,
    float16 = 1,
    bfp8 = 2,
    bfp4 = 3,
    tf32 = 4,
    float16_b = 5,
    bfp8_b = 6,
    bfp4_b = 7,
    int32 = 8,
    uint16 = 9,
    lf8 = 10,
    bfp2 = 11,
    int8 = 14,
    bfp2_b = 15,
    uint32 = 24,
    fp8_e4m3 = 26,
    uint8 = 30,
    invalid = 255,
};

struct TileShape {
    uint16_t rows = 32, cols = 32, face_rows = 16, faces = 4;
};

struct CbConfig {
    bool used = false;
    Format format = Format::invalid;
    TileShape tile;
    uint32_t offset = 0;  // in L1
    uint32_t size = 0;  // bytes
    uint32_t page_size = 0;
    bool globally_allocated = false;  // stands on a tensor's shard: its content is there from the start
    uint32_t pages() const { return page_size ? size / page_size : 0; }
};

enum class Fidelity : uint8_t { lofi = 0, hifi2 = 2, hifi3 = 3, hifi4 = 4 };

struct ComputeConfig {
    Fidelity fidelity = Fidelity::hifi4;
    bool fp32_dest = false;
    bool approx = false;
    bool full_sync = false;
    bool bfp8_pack_precise = false;
    bool unpack_to_dest_fp32[max_cbs] = {};
};

// What a blocked fiber is waiting for; `describe` in deadlock.cpp turns it into a sentence.
struct Wait {
    enum class On : uint8_t {
        nothing,
        cb_pages,
        cb_space,
        semaphore,
        src_free,
        src_data,
        dst_free,
        dst_data,
        mailbox,
        read_barrier,
        write_barrier,
        atomic_barrier,
        fabric_slot
    } on = On::nothing;
    uint32_t object = 0;  // CB index, semaphore address, for a barrier what the last transfer reached (remote_id) ...
    uint32_t wanted = 0;
    bool at_least = true;
    At at;
};

class WaitQueue {
public:
    void add(Fiber* fiber) { waiting_.push_back(fiber); }
    void wake();  // all of them become runnable and test their condition again
    bool empty() const { return waiting_.empty(); }

private:
    std::vector<Fiber*> waiting_;
};

// ---- the running fiber ----
Fiber& self();
Role role();
Core& core();
Engine*& engine();  // slot for this core's engine; the engine is created at launch and freed at the end
const CbConfig& cb_config(uint32_t cb);  // of this core
const ComputeConfig& compute_config();  // of the compute kernel on this core
bool checks_on();
bool fast_numbers();
bool computes();  // otherwise tiles move and time passes, and nobody looks at what is in them

// ---- waiting and time ----
void block(WaitQueue& queue, const Wait& wait);  // switch away; returns after a wake
template <class Ready>
void wait_until(WaitQueue& queue, const Wait& wait, Ready ready) {
    while (!ready()) block(queue, wait);
}
uint64_t now();  // virtual cycles of this fiber
// What the cycles of a role go to, besides waiting.
enum class Work : uint8_t { control, noc, unpack, matmul, fpu, sfpu, pack };
inline constexpr int works = 7;
void spend(uint64_t cycles, Work kind = Work::control);
void count_products(uint32_t products,
                    uint64_t least_cycles);  // of 32x32 tiles, and what the matrix unit needs for them
void join_time(uint64_t cycles, const Wait& why);  // not before this moment

// A point where one fiber releases what another acquires. Carries virtual time and, with checks on, a vector clock.
class SyncPoint {
public:
    void release();  // by the running fiber, now
    void release_at(uint64_t moment);  // by the running fiber; others learn of it then
    void acquire(const Wait& why) const;
    uint64_t time() const { return time_; }

private:
    uint64_t time_ = 0;
    VectorClock clock_;
};

// ---- findings ----
// `check` is an id of the catalogue in ../checks.py, such as "cb.pop-without-wait". printf-style text follows.
void finding(const char* check, const At& at, const char* text, ...) __attribute__((cold, format(printf, 3, 4)));
// As above, and the fiber cannot go on: the run ends.
[[noreturn]] void fatal(const char* check, const At& at, const char* text, ...)
    __attribute__((cold, format(printf, 3, 4)));
// The emulator lacks something; never blamed on the kernel.
[[noreturn]] void gap(const At& at, const char* text, ...) __attribute__((cold, format(printf, 2, 3)));

// ---- L1, with checks for bounds, CB windows, initialisation and races ----
uint8_t* l1(uint32_t address_or_offset);  // host pointer into this core's L1
void l1_read(uint32_t address, uint32_t size, const At& at);  // check before the running fiber reads
void l1_write(uint32_t address, uint32_t size, const At& at);  // check and mark before it writes
// As l1_read, but bytes that nothing has written are let through: says whether there are any, and which.
bool l1_unpack(uint32_t address, uint32_t size, std::vector<uint8_t>& undefined, const At& at);

// Tiles of a circular buffer lie inside it: the engine does not wrap, and behind the end other memory begins.
void check_cb_end(uint32_t cb, uint32_t address, uint32_t size, bool writing, const At& at);

// ---- hooks the engine implements (engine.cpp) ----
Engine* engine_new(const ComputeConfig&, const CbConfig* cbs);
void engine_free(Engine*);
void engine_finish(Engine*, const At& at);  // called when all three compute roles ended: unbalanced DST and so on
std::string engine_describe(const Engine*);  // state for the deadlock report: DST, Src banks, configured formats

}  // namespace ts

// Checked access to memory: bounds, circular-buffer windows, initialisation, transfers in flight, races.
#pragma once
#include "machine.h"

namespace ts {

// Fields of Shadow::write.
inline constexpr uint64_t clock_mask = 0xffffffffu;
inline constexpr int fiber_shift = 32;
inline constexpr uint64_t fiber_mask = 0xfffu;
inline constexpr uint64_t epoch_mask = (uint64_t{1} << 44) - 1;
inline constexpr int initialised_shift = 44;
inline constexpr uint64_t initialised_mask = uint64_t{15} << initialised_shift;
inline constexpr uint64_t landing_bit = uint64_t{1} << 48;  // a NoC read will write here
inline constexpr uint64_t leaving_bit = uint64_t{1} << 49;  // a NoC write still reads from here
inline constexpr int place_shift = 50;

struct Target {  // what a NoC address names
    bool dram = false;
    uint32_t index = 0;  // core or bank
    uint64_t offset = 0;
    uint8_t* memory = nullptr;
    ShadowMap* shadow = nullptr;
};

Machine* machine_new(const MachineConfig& config);
void machine_free(Machine* machine);
bool map_shadows(Machine& machine);

// Without a fiber: what the host wrote, what a program finds at its start.
void mark_initialised(ShadowMap& shadow, uint64_t offset, uint64_t size);
void mark_undefined(ShadowMap& shadow, uint64_t offset, uint64_t size);  // leaves who wrote them
void mark_uninitialised(ShadowMap& shadow, uint64_t offset, uint64_t size);

bool to_l1_offset(const Machine& machine, uint64_t address, uint32_t* offset);
uint32_t local_offset(uint32_t address, uint32_t size, const At& at);  // fatal when outside this core's L1
Target resolve(uint64_t noc_address, uint32_t size, const At& at);

// What the running fiber does to a range of some memory. `offset` is within the memory the shadow covers.
struct Access {
    ShadowMap* shadow;
    uint64_t offset;
    uint32_t size;
    const Core* l1_of;         // the core whose L1 this is, if it takes part in the program; null for DRAM
    const char* what;          // "unpack", "NoC read into", ...
    bool in_transfer = false;  // the access is the landing or leaving of the fiber's own transfer
    bool moves = false;        // only moves the bytes: undefined ones go along
};
bool check_read(const Access& access, const At& at);  // says whether it moves undefined bytes
void check_write(const Access& access, const At& at);
void check_before_write(const Access& access, const At& at);  // looks without leaving a mark
void mark_landing(ShadowMap& shadow, uint64_t offset, uint32_t size, const At& at);
void mark_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size);
void clear_leaving(ShadowMap& shadow, uint64_t offset, uint32_t size);
void check_tensor(uint32_t offset, const At& at);  // a raw store: into a tensor the program was told of?
bool is_touched(ShadowMap& shadow, uint64_t offset, uint64_t size);  // in some part, since it was marked uninitialised
bool is_read(ShadowMap& shadow, uint64_t offset, uint64_t size);  // in some part, since it was written
void check_word_source(uint32_t offset, uint32_t size, const char* verb, const At& at);  // before a signal is changed

// A semaphore's word on a core that the program has given none with this id.
void check_semaphore(uint32_t core_index, uint64_t offset, const At& at);

// Of a range, a number that changes with every write to it; of its first bytes, which fiber wrote them and where.
uint64_t writes_of(ShadowMap& shadow, uint64_t offset, uint32_t size);
uint64_t last_writer(ShadowMap& shadow, uint64_t offset);
void note_pushed(CbState& cb, uint32_t offset, uint32_t pages, const At& at);  // stale_pages.cpp

// Circular-buffer windows of the running fiber on its own core.
void check_cb_read(uint32_t offset, uint32_t size, const At& at);
void check_cb_write(uint32_t offset, uint32_t size, const At& at);
void check_cb_remote_write(const Core& core, uint32_t offset, uint32_t size, const At& at);

// l1_extents.cpp
bool check_cb_crossing(const Core& core, uint32_t offset, uint32_t size, bool writing, const At& at);
void check_unallocated(const Core* core, uint64_t offset, uint32_t size, const char* what, const At& at);

}  // namespace ts

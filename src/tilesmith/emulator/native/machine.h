// The parts of the machine that only the runtime itself sees: memories, fibers, circular buffers, transfers in flight.
#pragma once
#include "core.h"
#include "fiber.h"
#include "noc_timing.h"
#include "owned.h"
#include "shadow.h"
#include "trace.h"

namespace ts {

inline constexpr uint32_t l1_stride = 2u << 20;  // host bytes between the L1s of neighbouring cores
inline constexpr uint32_t l1_offset_mask = l1_stride - 1;
inline constexpr uint32_t low_window = 64 << 10;  // lowest address a process may map
inline constexpr int roles = 5;
inline constexpr uint32_t header_pool_bytes = 4096;  // for fabric packets, below the arguments; half for each RISC
inline constexpr uint32_t argument_bytes = 4096;  // room in L1 for one role's arguments, and again for its common ones

struct BankConfig {
    uint32_t noc_x[2], noc_y[2];  // its endpoint on each NoC, as kernels name it
    uint32_t physical_x[2], physical_y[2];  // and where that stands
    uint64_t address_offset;  // where this bank starts inside the endpoint's address space
};

struct MachineConfig {
    uint32_t grid_x, grid_y, l1_size, l1_unreserved_base, semaphore_base, argument_base, num_dram_banks;
    uint64_t dram_bank_size;
    uint32_t l1_alignment, dram_read_alignment, dram_write_alignment;
    uint32_t l1_cached;  // loads of L1 go through a cache that sees nobody else's writes
    const uint32_t* worker_noc_xy;  // x, y per core, row-major over the grid
    const uint32_t* worker_physical_xy;
    const BankConfig* dram_banks;
    Timing timing;
};

struct Interval {
    uint64_t begin, end;
};

struct DramBank {
    uint8_t* memory = nullptr;
    ShadowMap shadow;
    std::vector<Interval> undefined;  // written with bytes that nothing had written where they came from
};

struct Machine {
    MachineConfig config{};
    std::vector<uint32_t> worker_noc_xy;
    std::vector<BankConfig> banks;
    std::vector<NocNode> worker_nodes, bank_nodes;  // where they stand on the NoC grid; a bank has a node per NoC
    NocLinks nocs[2];
    Occupancy bank_service;
    std::vector<DramBank> dram;
    std::vector<ShadowMap> l1_shadow;
    int l1_file = -1;
    uint8_t* l1_base = nullptr;  // below 4 GiB; core c's L1 starts at l1_base + c * l1_stride
    uint32_t core_count = 0;
    bool shadowed = false;  // shadows exist from the first run with checks on
    uint16_t worker_at[64][64];  // NoC coordinates -> core index, or 0xffff
    uint16_t bank_at[64][64];  // NoC coordinates -> first bank behind them, or 0xffff
    std::vector<uint16_t> next_bank;  // the next bank behind the same coordinates
    uint32_t first_clock = 1;  // vector clocks of the next run start here, so older epochs are in the past
    std::vector<Stack> free_stacks;
    uint8_t* core_l1(uint32_t index) const { return l1_base + size_t{index} * l1_stride; }
};

struct Credit {  // pages handed over by one push or pop
    uint32_t upto = 0;  // cumulative pages when this credit was given
    uint64_t time = 0;
    VectorClock clock;
};

class CreditRing {
public:
    void reset(uint32_t capacity);
    Credit& give(uint32_t upto);  // newest
    const Credit* covering(uint32_t upto);  // the credit that brings the total to `upto`; drops older ones
private:
    void drop_oldest();
    std::vector<Credit> ring_;
    uint32_t head_ = 0, size_ = 0;
};

struct PushedPage {  // a page of a circular buffer when it was last pushed
    uint64_t writes = 0, writer = 0;
    bool pushed = false;
};

struct CbState {
    CbConfig config;
    uint32_t received = 0, acked = 0;
    int producer = -1, consumer = -1;  // roles
    CreditRing pushes, pops;
    WaitQueue data, space;
    std::vector<PushedPage> slots;  // with checks on
    uint64_t renewed_by = 0;  // who wrote the page pushed last, if it had been pushed before
};

struct
    Behind {  // a place among the transfers of a fiber: all before it on this NoC and virtual channel arrive before it
    uint32_t issue = 0;  // 0: nowhere
    uint8_t noc = 0, vc = 0;
};

struct Signal {  // the newest transfer of a fiber that wrote a word
    uint32_t sender;
    Behind behind;
};

struct Sighting {  // a fiber that saw a signal, and its clock when it did
    uint32_t seer, clock;
    Behind behind;
};

struct WordChange {
    uint32_t value, fiber, epoch;  // who made it, and its clock then
    bool stored, known;  // stored rather than added to; the value is known
    Behind behind;  // of an atomic increment: its place among those of the fiber
    At at;
    VectorClock clock;
};

struct SeenUpTo {
    uint32_t fiber, position;  // the newest change this fiber knows of
};

struct ExactWait {  // a wait for one value that is over
    uint32_t fiber, epoch, value;
    At at;
};

struct SyncWord {  // a 32-bit L1 word through which fibers signal each other
    uint32_t offset = 0;
    SyncPoint sync;
    WaitQueue waiters;
    At last_writer;
    bool written = false;
    std::vector<Signal> signals;  // with checks on, as all that follows
    std::vector<WordChange> changes;
    uint32_t dropped = 0;  // changes before those
    VectorClock before;  // their clocks
    std::vector<SeenUpTo> seen;
    std::vector<ExactWait> exact_waits;
};

struct Mailbox {  // words from one compute role to another
    std::vector<uint32_t> words;
    SyncPoint sent;
    WaitQueue readers;
};

struct Core {
    Machine* machine = nullptr;
    uint32_t index = 0, x = 0, y = 0;
    CbState cbs[max_cbs];
    std::vector<Owned<SyncWord>> words;
    Fiber* fibers[roles] = {};
    Mailbox mailboxes[roles][roles];  // from, to
    Engine* engine = nullptr;
    const ComputeConfig* compute = nullptr;
    int compute_roles_left = 0;
    uint8_t* l1 = nullptr;
    ShadowMap* shadow = nullptr;
    uint64_t multicast_busy[2] = {}, write_free[2] = {};
    bool multicast_open[2] = {};  // a linked multicast has left its path reserved
    SyncWord& word(uint32_t offset);
    SyncWord* find_word(uint32_t offset);
};

struct Transfer {
    enum class Kind : uint8_t { read, write, multicast, fabric_payload, fabric_header } kind;
    bool delivered = false, posted = false, undefined = false;  // undefined: of its source, when it was issued
    uint8_t noc = 0, vc = 0;
    uint32_t trid = 0, size = 0, local = 0, flags = 0;  // local: L1 offset on the issuing core
    uint64_t remote = 0;  // a NoC address; of a fabric packet, which of its fiber's it is
    uint32_t issue = 0;  // how many its fiber has issued, with this one
    Journey times{};
    At at;
    const uint8_t* source = nullptr;  // of a read
};

struct StrayPage {  // an address that a generator gave for a page its tensor does not have
    uint64_t address;
    uint32_t bytes, page, pages, base;
};

struct LostState {  // what a *_set_state call left, and a call without state has overwritten since
    bool target = false, size = false;
    At by;
};

struct CbLocal {
    CbInterface interface{};
    uint32_t reserved = 0, waited = 0;
    bool unpushed = false;  // no push has followed the last reservation
    bool addressed = false;  // the kernel has asked where the pages are that it may write
    At reserved_at;
};

struct KernelImage {
    void (*entry)() = nullptr;
    char* data = nullptr;  // writable static data of the loaded kernel: every fiber has its own copy of it
    size_t data_size = 0;
    KernelImage* first = nullptr;  // of those in this run that share the data: itself, unless chips run one kernel
    Fiber* owner = nullptr;  // of the first: whose copy is in place now
    std::vector<char> pristine;  // the data as the library was loaded with it
    char* text = nullptr;  // where the library is loaded, for addresses in findings
    size_t text_size = 0;
};

struct KernelCounters {
    uint64_t noc_reads = 0, noc_writes = 0, read_bytes = 0, written_bytes = 0, dram_read_bytes = 0,
             dram_written_bytes = 0;
    uint64_t multicasts = 0, multicast_bytes = 0, atomics = 0;
    uint64_t tile_products = 0, matmul_cycles = 0;  // the least they can take: products x 16 x phases
};

struct LoadedKernel {
    std::string name;
    bool compute = false;
    uint32_t processor = 0, noc = 0;
    KernelImage images[3];  // data movement uses the first; compute one per role, often the same
    ComputeConfig config;
    std::vector<uint32_t> cores;
    uint32_t origin_x = 0, origin_y = 0;
    KernelCounters counters;
};

struct FabricPacket {  // on its way to the router, or in one of its slots
    uint32_t channel = 0;
    std::vector<uint8_t> payload, undefined;  // undefined: per byte, if any is
    std::vector<uint64_t> arrives;  // by hops from the sender
};

struct FabricConnection {
    uint32_t channel = 0;
    bool open = false;
    uint32_t granted = 0;  // free slots the kernel knows of
    uint32_t sent = 0;
    std::vector<uint64_t> slot_free;  // per slot, when the packet in it has gone
    At opened_at;
};

struct FabricSender {  // what a fiber has to do with the routers of its chip
    std::vector<FabricConnection> connections;
    std::vector<FabricPacket> packets;
    uint32_t first_packet = 0;  // how many have gone before those
};

struct Fiber {
    Core* core = nullptr;
    LoadedKernel* kernel = nullptr;
    KernelImage* image = nullptr;
    Role role = Role::brisc;
    uint32_t slot = 0;  // among the fibers of its program
    uint32_t id = 0;  // in vector clocks: those of a core beside each other, chip after chip
    uint32_t chip = 0;
    void* stack_pointer = nullptr;
    Stack stack;
    enum class State : uint8_t { ready, waiting, done } state = State::ready;
    Wait wait;
    uint64_t time = 0, waited = 0;
    uint64_t work[works] = {};
    const uint32_t* args = nullptr;
    uint32_t arg_count = 0;
    const uint32_t* common = nullptr;
    uint32_t common_count = 0;
    CbLocal cbs[max_cbs];
    NocState noc_state[2]{};
    LostState lost_state[2][2];  // by NoC; of writes and of reads
    bool linked[2] = {};  // by NoC: a linked multicast waits for the one that ends it
    At linked_at[2];
    std::vector<StrayPage> stray_pages;
    std::vector<Transfer> transfers;  // in flight, in issue order
    uint32_t issued = 0;
    std::vector<std::vector<Sighting>> sightings;  // of its signals, per core of the program
    uint64_t atomics_done_at[2] = {};
    struct Atomic {  // the newest to a core that no barrier has followed
        uint32_t core;
        Behind behind;  // nowhere if others cannot tell that it has arrived
        At at;
    };
    std::vector<Atomic> atomics;
    FabricSender fabric;
    struct Unacknowledged {  // on a mesh: a write to DRAM that has left
        const uint8_t* memory;
        uint32_t noc;
        At at;
    };
    std::vector<Unacknowledged> unacknowledged;
    At last_at;  // of the last API call, for faults and raw accesses
    const void* raw_address = nullptr;  // code address of the raw access being checked, if any
    VectorClock clock;  // with checks on
    SyncWord* cached_word = nullptr;  // the last word loaded through a pointer, if no call was made since,
    uint32_t cached_changes = 0;  // and how often it had been changed then
    uint32_t polls = 0;
    uint32_t polled_offset = 0;
    std::vector<char> data;  // this fiber's copy of the kernel's static data while it is not in place
    bool on_compute() const { return role >= Role::unpack; }
};

struct Allocation {
    uint64_t address, size;  // per bank or per core
    uint32_t dram, page_size, pages;  // pages: 0 where they do not go round the banks one by one
    uint8_t* written;  // per page, whether anyone has written to it since it was allocated; or null
    uint32_t named;  // by a compile-time argument; or since an argument was found that does
};

struct Finding {
    std::string check, message, file, kernel;
    uint32_t line = 0, core_x = 0, core_y = 0, count = 1;
    uint32_t role = 0;
    uint64_t address = 0;  // where in the kernel's library, for raw accesses whose line is looked up later
    bool gap = false, fatal = false;
};

struct RunOptions {
    uint32_t checks, numbers, seeded;
    uint64_t seed, step_limit;
    double stuck_seconds;
    const Allocation* allocations;
    uint32_t allocation_count;
    uint32_t trace, clock, threads;
};

struct Print {
    std::string text;
    uint32_t core_x, core_y, role;
};

struct Zone {
    std::string name;
    uint32_t fiber;
    uint64_t begin, end;
};

struct LoadedProgram {
    Machine* machine = nullptr;
    std::vector<Owned<LoadedKernel>> kernels;
    std::vector<Owned<Core>> cores;  // those that take part
    std::vector<int> core_slot;  // machine core index -> slot in cores, or -1
    std::vector<Owned<Fiber>> fibers;
    struct SemaphoreInit {
        uint32_t core, id, value;
    };
    std::vector<SemaphoreInit> semaphores;
    std::vector<uint32_t> semaphores_of;  // by machine core index, a bit per id
    uint32_t semaphores_anywhere = 0;
    std::vector<Finding> findings;
    struct UndefinedStore {  // of bytes that depend on what nothing has written, into a tensor
        bool dram;
        uint32_t index;  // bank or core
        uint64_t offset, size;
        uint32_t place;  // among undefined_places
    };
    std::vector<UndefinedStore> undefined;
    std::vector<Finding> undefined_places;
    std::vector<Print> prints;
    std::vector<Zone> zones;
    Trace trace;
};

struct Chip {  // what a run has of each of its chips
    LoadedProgram* program = nullptr;
    const Allocation* allocations = nullptr;
    uint32_t allocation_count = 0;
    std::vector<Allocation> l1_buffers;  // those of the allocations that lie in L1
    Trace* trace = nullptr;
};

struct Ready {  // a fiber that can run, and its place in their order: its time stands still meanwhile
    uint32_t shuffle;  // decides first when a seed is given
    uint32_t core;
    uint64_t turn;  // the slice of virtual time it is in, later in it after a yield
    uint64_t time;
    Fiber* fiber;
};

struct Fabric;  // the links between the chips of a run (fabric.h)

struct Run {
    std::vector<Chip> chips;
    std::vector<Fiber*> fibers;  // of all of them, in the order of their programs
    std::vector<Fiber*> by_id;
    Fabric* fabric = nullptr;
    uint32_t columns = 1;  // chips in a row of the mesh
    uint32_t chip = 0;  // the one that is acted on, to which the next two belong
    LoadedProgram* program = nullptr;
    Machine* machine = nullptr;
    RunOptions options{};
    bool checks = true, fast = false, computes = true, clock = true, aborted = false;
    Trace* trace = nullptr;  // only of a traced run
    Fiber* current = nullptr;
    void* scheduler_stack_pointer = nullptr;
    std::vector<Ready> ready;  // a heap, the first to run on top
    uint32_t live = 0;
    uint64_t steps = 0, random = 0, switches = 0;
    uint32_t stuck_ticks = 0;
    volatile int interrupted = 0;
    std::vector<Allocation>* l1_buffers = nullptr;  // of the chip, as run.options.allocations and run.trace are
    std::vector<At> places;  // source positions named by shadow records
    At stale_push;  // the first push of a page that was not written anew
    At undefined_read;  // the first read of bytes that nothing has written
    struct OpenZone {
        Fiber* fiber;
        std::string name;
        uint64_t begin;
    };
    std::vector<OpenZone> open_zones;
    Core* core_by_index(uint32_t index) const {
        const int slot = program->core_slot[index];
        return slot < 0 ? nullptr : program->cores[slot].get();
    }
};

void enter_chip(Run& run, uint32_t chip);

class OnChip {  // while one lives, addresses and programs are those of this chip
public:
    OnChip(Run& run, uint32_t chip) : run_(run), before_(run.chip) { enter_chip(run, chip); }
    ~OnChip() { enter_chip(run_, before_); }

private:
    Run& run_;
    uint32_t before_;
};

extern thread_local Run* current_run __attribute__((tls_model("initial-exec")));

// scheduler.cpp
void make_ready(Fiber* fiber);
[[noreturn]] void leave_run();  // the running fiber never continues
void step(const At& at);  // counts an API call against the step limit, and lets a seed preempt
void yield_now();
void number_fibers(Run& run);
bool run_program(Run& run);
// noc_writes.cpp, noc_signals.cpp
void deliver_pending(Fiber& fiber, int noc, int vc, bool only_multicast);
bool deliver_something(Run& run);  // called when nothing can run: writes leave even if nobody flushes them
void check_transfers_at_end(Fiber& fiber);
// cb.cpp
void cb_setup(Core& core, Fiber& fiber);
void check_cbs_at_end(Run& run);
void check_reserved_at_end(Fiber& fiber);
// faults.cpp
void hide_window(Run& run, const Core* next);  // the low window shows one core's L1 at a time
// deadlock.cpp, report.cpp
void report_deadlock(Run& run);
std::string place(const At& at);
uint32_t undefined_place(const At& at);  // where undefined bytes were stored into a tensor
const char* role_name(Role role);
std::string core_name(const Fiber& fiber);  // "core (0, 1)", and on which chip where there are several
}  // namespace ts

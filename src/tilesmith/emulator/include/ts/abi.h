// The boundary between a kernel and the emulator that runs it: plain C functions, one per thing a RISC can do.
// Headers under api/ translate the vendor's names into these calls; the runtime in ../native implements them.
#pragma once
#include <cstdint>
#include <source_location>

namespace ts {
// Where in the kernel's source a call stands. Every API function takes one as its last, defaulted parameter.
using At = std::source_location;

enum class Role : uint32_t { brisc = 0, ncrisc = 1, unpack = 2, math = 3, pack = 4 };

// Field for field the vendor's LocalCBInterface: kernels reach into it. Each role has its own copy, as on the chip.
// Addresses are bytes on data-movement roles and 16-byte words on compute roles, also as on the chip.
struct CbInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
    union {
        uint32_t tiles_acked_received_init;
        struct {
            uint16_t tiles_acked;
            uint16_t tiles_received;
        };
    };
    uint32_t fifo_wr_tile_ptr;
};

// What the set_state / with_state pairs of the dataflow API remember between calls, per role and NoC.
struct NocState {
    uint64_t read_addr;
    uint32_t read_size;
    uint32_t read_trid;
    uint64_t write_addr;
    uint32_t write_size;
    uint32_t write_trid;
    uint64_t inline_addr;
    uint32_t inline_value;
    bool read_state_set, write_state_set;  // by *_set_state; calls that overwrite what it left are told by the runtime
};

struct PageOf {  // an interleaved tensor, and where in its page
    uint32_t base, stride, offset;
};

enum NocFlags : uint32_t {
    noc_posted = 1,  // no acknowledgement: only *_flushed can wait for it
    noc_linked = 2,  // multicast path stays reserved for the next packet
    noc_include_self = 4,  // loopback: the sender's own core is one of the destinations
    noc_by_state = 8,  // issued by a *_with_state call; what it costs differs
    noc_by_object = 16,  // issued by a method of Noc
    noc_one_packet = 32,  // sent as one packet, however long it is
    noc_signals = 64,  // a semaphore's own call: it goes through another command buffer than data
};
inline constexpr uint32_t any_trid = ~0u;
}  // namespace ts

#define TS_AT ::ts::At at = ::ts::At::current()

extern "C" {
// ---- who am I ----
ts::Role ts_role();
uint32_t ts_noc_x(uint32_t noc);  // virtual NoC coordinates of this core
uint32_t ts_noc_y(uint32_t noc);
uint32_t ts_logical_x();  // absolute logical coordinates
uint32_t ts_logical_y();
uint32_t ts_relative_x();  // relative to the first core of the kernel's range
uint32_t ts_relative_y();
const uint32_t* ts_runtime_args();  // this core's arguments, then undefined
uint32_t ts_runtime_arg(uint32_t index, ts::At at);  // checked
const uint32_t* ts_common_args();
uint32_t ts_common_arg(uint32_t index, ts::At at);  // checked

// ---- L1 ----
// Addresses given to kernels are host addresses below 4 GiB. Functions take either those or offsets within L1.
uint32_t ts_l1_base();
uint32_t ts_l1_address(uint32_t address_or_offset);  // as a host address of this core
void ts_l1_touch_read(uint32_t address, uint32_t size, ts::At at);  // check a range before reading it in place
void ts_l1_touch_write(uint32_t address, uint32_t size,
                       ts::At at);  // check and mark a range before writing it in place

// ---- circular buffers; the caller has already picked the role that acts ----
void ts_cb_reserve_back(uint32_t cb, uint32_t pages, ts::At at);
void ts_cb_push_back(uint32_t cb, uint32_t pages, ts::At at);
void ts_cb_wait_front(uint32_t cb, uint32_t pages, ts::At at);
void ts_cb_pop_front(uint32_t cb, uint32_t pages, ts::At at);
bool ts_cb_pages_available_at_front(uint32_t cb, uint32_t pages, ts::At at);
bool ts_cb_pages_reservable_at_back(uint32_t cb, uint32_t pages, ts::At at);
uint32_t ts_cb_read_ptr(uint32_t cb, ts::At at);  // byte address
uint32_t ts_cb_write_ptr(uint32_t cb, ts::At at);
ts::CbInterface* ts_cb_interface(uint32_t cb);

// ---- NoC ----
// A NoC address is y << 42 | x << 36 | local; a multicast one adds x_start << 48, y_start << 54 (x, y are then the end).
uint64_t ts_bank_noc_addr(bool dram, uint32_t bank, uint32_t address, uint32_t noc);  // local part of a bank included
uint32_t ts_num_banks(bool dram);
uint64_t ts_page_noc_addr(bool dram, uint32_t bank, uint32_t row, uint32_t page, ts::PageOf tensor, uint32_t noc);
void ts_note_page(uint64_t address, uint32_t bytes, uint32_t page, uint32_t pages,
                  uint32_t base);  // of a sharded tensor
void ts_noc_read(uint64_t src, uint32_t dst_l1, uint32_t size, uint32_t noc, uint32_t trid, uint32_t flags, ts::At at);
void ts_noc_write(uint32_t src_l1, uint64_t dst, uint32_t size, uint32_t noc, uint32_t vc, uint32_t trid,
                  uint32_t flags, ts::At at);
void ts_noc_write_multicast(uint32_t src_l1, uint64_t dst, uint32_t size, uint32_t num_dests, uint32_t noc,
                            uint32_t flags, ts::At at);
void ts_noc_write_inline(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t noc, uint32_t flags, ts::At at);
void ts_noc_write_inline_multicast(uint64_t dst, uint32_t value, uint32_t byte_enable, uint32_t num_dests, uint32_t noc,
                                   uint32_t flags, ts::At at);
void ts_noc_atomic_inc(uint64_t dst, uint32_t increment, uint32_t wrap, uint32_t noc, uint32_t flags, ts::At at);
void ts_noc_atomic_inc_multicast(uint64_t dst, uint32_t increment, uint32_t num_dests, uint32_t noc, ts::At at);
void ts_noc_read_barrier(uint32_t noc, uint32_t trid, ts::At at);
void ts_noc_write_barrier(uint32_t noc, uint32_t trid, ts::At at);
void ts_noc_writes_flushed(uint32_t noc, uint32_t trid, bool posted, ts::At at);
void ts_noc_atomic_barrier(uint32_t noc, ts::At at);
bool ts_noc_reads_done(uint32_t noc, uint32_t trid);  // the *_flushed polls; a poll that says no yields
bool ts_noc_writes_done(uint32_t noc, uint32_t trid);
ts::NocState* ts_noc_state(uint32_t noc);

// ---- fabric: packets to other chips, by way of the router that a channel names ----
void ts_fabric_open(uint32_t channel, ts::At at);
void ts_fabric_close(uint32_t channel, uint32_t noc, ts::At at);
uint32_t ts_fabric_free_slots(uint32_t channel, ts::At at);
void ts_fabric_wait_slot(uint32_t channel, ts::At at);
void ts_fabric_payload(uint32_t channel, uint32_t src_l1, uint32_t offset, uint32_t size, uint32_t noc, ts::At at);
void ts_fabric_header(uint32_t channel, uint32_t src_l1, uint32_t noc, ts::At at);
uint32_t ts_fabric_chip();  // number of this chip in the mesh, row by row
uint32_t ts_fabric_header_pool();  // where this RISC's packet headers begin
uint32_t ts_fabric_columns();

// ---- semaphores: 32-bit words in L1 ----
uint32_t ts_semaphore_address(uint32_t id, ts::At at);
void ts_semaphore_set(uint32_t address, uint32_t value, ts::At at);
uint32_t ts_semaphore_get(uint32_t address, ts::At at);
void ts_semaphore_wait(uint32_t address, uint32_t value, bool at_least, ts::At at);

// ---- mailboxes between the compute roles: first in, first out, one per ordered pair ----
void ts_mailbox_write(ts::Role to, uint32_t value, ts::At at);
uint32_t ts_mailbox_read(ts::Role from, ts::At at);  // blocks until there is a word

// ---- scheduling, debug, time ----
void ts_yield();  // inside polling loops and invalidate_l1_cache()
void ts_print(const char* text, ts::At at);
void ts_assert_failed(const char* expression, ts::At at);
[[noreturn]] void ts_gap(const char* what, ts::At at);  // something the emulator does not model was called
void ts_zone_begin(const char* name, ts::At at);
void ts_zone_end(ts::At at);
uint64_t ts_clock();  // this role's virtual clock, in cycles
void ts_spend(uint64_t cycles);
bool ts_checks_on();
}

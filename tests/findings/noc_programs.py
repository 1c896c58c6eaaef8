"""Small programs whose NoC calls depend on each other: multicasts, packets, states, two RISCs on a page."""

from __future__ import annotations

from tests.findings.programs import DATAFLOW
from tests.findings.small import Part, Small

from tilesmith.program import CoreCoord, KernelConfig, ReaderConfig, WriterConfig

# Core (0, 0) sends a page of scratch to the two cores on its right, and a flag behind it.
_MULTICAST = (
    DATAFLOW
    + """
uint64_t rectangle(uint32_t address) {
    return get_noc_multicast_addr(get_arg_val<uint32_t>(FIRST), get_arg_val<uint32_t>(FIRST + 1),
                                  get_arg_val<uint32_t>(LAST), get_arg_val<uint32_t>(LAST + 1), address);
}
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = i;
    }
    auto* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    noc_semaphore_set(valid, 1);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 2);
    noc_async_write_multicast(get_write_ptr(0), rectangle(get_write_ptr(0)), 64, 2, true);
    noc_semaphore_set_multicast(get_semaphore(1), rectangle(get_semaphore(1)), 2, false);
    noc_async_write_barrier();
}
"""
)
_LISTENER = (
    DATAFLOW
    + """
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    ASSERT(words[15] == 15);
    noc_async_atomic_barrier();
}
"""
)


def _multicast(name: str, config: KernelConfig, first: int, last: int) -> Small:
    source = _MULTICAST.replace("FIRST", str(first)).replace("LAST", str(last))
    listeners = {f"listener{x}": Part(_LISTENER, core=CoreCoord(x, 0)) for x in (1, 2)}
    return Small(name, {"sender": Part(source, config), **listeners}, cbs=[(0, 1)], semaphores=2)


MULTICAST = _multicast("multicast", ReaderConfig(), 2, 4)
MULTICAST_NOC1 = _multicast("multicast on NoC 1", WriterConfig(), 4, 2)

PACKETS = Small(
    "packets",
    {
        "copier": Part(
            DATAFLOW
            + """
void kernel_main() {
    cb_reserve_back(0, 9);
    cb_reserve_back(1, 9);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 9 * 512; ++i) {
        words[i] = i;
    }
    noc_async_read_one_packet(get_noc_addr(get_write_ptr(0)), get_write_ptr(1), 8192);
    noc_async_read_barrier();
    noc_async_write_one_packet(get_write_ptr(1), get_noc_addr(get_write_ptr(0)), 4096);
    noc_async_write_barrier();
    noc_async_read<8192>(get_noc_addr(get_write_ptr(0)), get_write_ptr(1), 4096);
    noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(1), 9 * 2048);
    noc_async_read_barrier();
}
"""
        )
    },
    cbs=[(0, 9), (1, 9)],
)

STATES = Small(
    "states",
    {
        "copier": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const uint32_t page = get_write_ptr(0);
    cb_reserve_back(0, 4);
    noc_async_read_page(1, tensor, page);
    noc_async_read_one_packet_set_state(tensor.get_noc_addr(0), 2048);
    noc_async_read_one_packet_with_state(static_cast<uint32_t>(tensor.get_noc_addr(0)), page + 2048);
    noc_async_read_one_packet_with_state(static_cast<uint32_t>(tensor.get_noc_addr(0)), page + 4096);
    noc_async_read_barrier();
    noc_async_write_one_packet_set_state(tensor.get_noc_addr(2), 2048);
    noc_async_write_one_packet_with_state(page, static_cast<uint32_t>(tensor.get_noc_addr(2)));
    noc_async_write_barrier();
}
""",
            tensor=0,
        )
    },
    cbs=[(0, 4)],
    tiles=[4],
)

# Both RISCs of a core send the same page; each must wait for its own copy before the page changes.
TWO_SENDERS = Small(
    "two senders",
    {
        "first": Part(
            DATAFLOW
            + """
void kernel_main() {
    auto* filled = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = i;
    }
    noc_async_write(get_write_ptr(0), get_noc_addr(get_write_ptr(1)), 64);
    noc_semaphore_set(filled, 1);
    noc_async_writes_flushed();
    noc_semaphore_wait(sent, 1);
    words[3] = 9;
    noc_async_write_barrier();
}
""",
            WriterConfig(),
        ),
        "second": Part(
            DATAFLOW
            + """
void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
    noc_async_write(get_write_ptr(0), get_noc_addr(get_write_ptr(1)) + 1024, 64);
    noc_async_write_barrier();
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), 1);
}
"""
        ),
    },
    cbs=[(0, 1), (1, 1)],
    semaphores=2,
)

# A tensor of four tiles, and another behind it: every way to name a page.
PAGES = Small(
    "pages",
    {
        "copier": Part(
            DATAFLOW
            + """
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/noc.h"
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const InterleavedAddrGenFast<true> older{
        .bank_base_address = get_arg_val<uint32_t>(0),
        .page_size = 2048,
        .data_format = DataFormat::Float16_b};
    const uint32_t page = get_write_ptr(0);
    CircularBuffer cb(0);
    cb.reserve_back(4);
    uint64_t next = tensor.get_noc_addr(0);
    noc_async_read_page(0, tensor, page);
    noc_async_read_tile(1, older, page + 2048);
    next = tensor.get_noc_addr(2);
    noc_async_read(next, page + 4096, 2048);
    Noc().async_read(tensor, cb, 2048, {.page_id = 3}, {.offset_bytes = 6144});
    next = tensor.get_noc_addr(4);  // never used
    noc_async_read_barrier();
    noc_async_write_tile(3, tensor, page);
    noc_async_write(page, older.get_noc_addr(2, 1024), 1024);
    noc_async_write_barrier();
}
""",
            tensor=0,
        )
    },
    cbs=[(0, 4)],
    tiles=[4, 4],
)

SHARDED_PAGES = Small(
    "pages of a shard",
    {
        "copier": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(3, tensor, get_write_ptr(0));
    noc_async_read_barrier();
    noc_async_write_page(2, tensor, get_write_ptr(0));
    noc_async_write_barrier();
}
""",
            tensor=0,
        )
    },
    cbs=[(0, 1)],
    tiles=[4],
    sharded=[0],
)

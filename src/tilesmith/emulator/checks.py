"""The catalogue of checks: every rule the emulator watches, what breaking it means, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One rule. `id` is stable: tests, docs and `ignore=` name it."""

    id: str
    title: str
    remedy: str

    @property
    def group(self) -> str:
        return self.id.split(".")[0]


def _catalogue(*rows: tuple[str, str, str]) -> dict[str, Check]:
    return {row[0]: Check(*row) for row in rows}


CHECKS: dict[str, Check] = _catalogue(
    (
        "noc.use-before-barrier",
        "data used before the NoC read that brings it has landed",
        "call noc_async_read_barrier() after the read and before the data is used or its page is pushed",
    ),
    (
        "noc.source-reused",
        "the source of a NoC write was overwritten before the write had left",
        "call noc_async_writes_flushed() or noc_async_write_barrier() before the source is reused or popped",
    ),
    (
        "noc.inflight-at-end",
        "a kernel ended with NoC transfers or atomics in flight",
        "end the kernel with the barrier of what it issued: noc_async_{read,write,atomic}_barrier()",
    ),
    (
        "noc.unaligned",
        "source and destination of a NoC transfer are not aligned alike",
        "give both addresses the same low bits: pages in DRAM and L1 start at multiples of the alignment",
    ),
    (
        "noc.out-of-bounds",
        "a NoC transfer outside every buffer",
        "check the base address argument and the page index; the address must lie in an allocated buffer",
    ),
    (
        "noc.wrong-target",
        "a NoC address that names no memory, or the wrong number of destinations",
        "use the coordinates the host gives; a rectangle starts at the corner its NoC meets first",
    ),
    (
        "fabric.no-link",
        "a fabric packet or connection towards a chip that no link leads to",
        "run on a mesh, and give a route that its links have: hops along a row or a column",
    ),
    (
        "fabric.not-open",
        "a packet was sent over a fabric connection that is not open",
        "call open() on the connection before the first packet and close() after the last",
    ),
    (
        "fabric.left-open",
        "a kernel ended with its fabric connection open",
        "call close() on every connection before the kernel ends",
    ),
    (
        "fabric.busy",
        "two kernels have the connection to one router open",
        "give every link one sender at a time: use another link, or one core that sends for both",
    ),
    (
        "fabric.no-slot",
        "a packet was sent into a router that may have no room",
        "call wait_for_empty_write_slot() before every packet",
    ),
    (
        "fabric.payload-size",
        "the payload of a fabric packet and what its header says differ, or it is too long",
        "give to_noc_unicast_write() the size that is sent, and split what is longer than a packet",
    ),
    (
        "fabric.not-awaited",
        "the kernels of a chip ended without waiting for what another chip writes there",
        "raise a semaphore behind the last packet, and wait for it on the chip that it reaches",
    ),
    (
        "noc.too-long",
        "a NoC transfer longer than its target",
        "transfer at most the rest of the buffer; the size must not exceed what is left from the address on",
    ),
    (
        "noc.page-out-of-range",
        "a page that the tensor does not have",
        "check the page index: it must be less than the number of pages of the accessor's tensor",
    ),
    (
        "noc.packet-size",
        "a transfer in one packet that is longer than a packet",
        "call noc_async_read or noc_async_write, which split it, or send at most NOC_MAX_BURST_SIZE bytes",
    ),
    (
        "noc.state-lost",
        "a call with state after a call without state has overwritten it",
        "call set_state again before with_state, or use another NoC for the calls without state",
    ),
    (
        "noc.linked",
        "a linked multicast that no unlinked multicast ends",
        "let the last multicast of a chain be unlinked, and issue nothing else on this NoC before it",
    ),
    (
        "cb.push-without-reserve",
        "pages pushed that were not reserved",
        "call cb_reserve_back with at least as many pages before cb_push_back",
    ),
    (
        "cb.pop-without-wait",
        "pages popped that were not waited for",
        "call cb_wait_front with at least as many pages before cb_pop_front",
    ),
    (
        "cb.reserve-beyond-capacity",
        "more pages reserved than the circular buffer has",
        "reserve fewer pages, or give the circular buffer more",
    ),
    (
        "cb.wait-beyond-capacity",
        "more pages waited for than the circular buffer has",
        "wait for fewer pages, or give the circular buffer more",
    ),
    (
        "cb.uneven",
        "a push or pop that steps over the end of the circular buffer",
        "make the number of pages of the circular buffer a multiple of what is pushed and popped at a time",
    ),
    (
        "cb.read-past-wait",
        "pages read that were not waited for",
        "wait for all pages before reading them: cb_wait_front counts from the front, cumulatively",
    ),
    (
        "cb.write-past-reserve",
        "pages written that were not reserved",
        "reserve all pages before writing them, and write no more than was reserved",
    ),
    (
        "cb.use-after-pop",
        "pages read after they were popped",
        "pop only when nothing reads the pages any more: the producer may already be overwriting them",
    ),
    (
        "cb.stale-page",
        "a page pushed again that was not written anew, among pages that are",
        "read or pack into every page before it is pushed",
    ),
    (
        "cb.second-producer",
        "two roles produce into one circular buffer",
        "let one role reserve and push; use a second circular buffer for the other",
    ),
    (
        "cb.second-consumer",
        "two roles consume from one circular buffer",
        "let one role wait and pop; use a second circular buffer for the other",
    ),
    (
        "cb.left-at-end",
        "pages left in a circular buffer when the program ended",
        "pop as many pages as are pushed; only a constant that is waited for and used may stay",
    ),
    (
        "cb.reserved-at-end",
        "pages reserved that were neither addressed nor pushed",
        "fill and push the pages, or do not reserve them",
    ),
    (
        "cb.format",
        "a circular buffer used with a page or format it does not have",
        "make the page size and data format of the circular buffer those the operation works with",
    ),
    (
        "cb.not-configured",
        "a circular buffer the program does not have on this core",
        "add a CircularBuffer with this index that covers the core, or correct the index",
    ),
    (
        "mem.uninitialised",
        "L1 or a page in DRAM read that nothing has written",
        "fill the memory first; padding too, if an element of the result depends on it",
    ),
    (
        "mem.page-never-written",
        "a tensor read back of which kernels have written only a part",
        "let the kernels write every page, or upload the tensor before they write a part of it",
    ),
    (
        "mem.out-of-bounds",
        "an access outside the core's L1",
        "check the address and the size of the access",
    ),
    (
        "mem.unallocated",
        "L1 written that belongs to nobody",
        "write to circular buffers and tensors only; give scratch memory a circular buffer of its own",
    ),
    (
        "mem.unaligned",
        "a word or half-word loaded or stored where none can lie",
        "let the address be a multiple of the size: the chip's RISCs have no unaligned loads and stores",
    ),
    (
        "mem.wrong-tensor",
        "a store into a tensor that the program was not told of",
        "check the index: it has left its own tensor; or pass the other one's address as an argument",
    ),
    (
        "mem.race",
        "two roles or cores touch the same bytes, one of them writing, and nothing orders them",
        "order them: a circular buffer between roles of a core, a semaphore after the barrier between cores",
    ),
    (
        "mem.cb-overlap",
        "a circular buffer overlaps a tensor",
        "free the tensor, or make the circular buffers smaller",
    ),
    (
        "dst.math-outside-acquire",
        "math outside tile_regs_acquire and tile_regs_commit",
        "call tile_regs_acquire() before and tile_regs_commit() after the operations on DST",
    ),
    (
        "dst.pack-outside-wait",
        "pack outside tile_regs_wait and tile_regs_release",
        "call tile_regs_wait() before and tile_regs_release() after pack_tile",
    ),
    (
        "dst.index",
        "a DST index beyond what the mode allows",
        "use fewer tiles at a time: 8 with 16-bit DST, 4 with 32-bit, twice that with full sync",
    ),
    (
        "dst.unwritten",
        "a DST tile read that nothing has written",
        "compute into the tile, or copy it there, before it is used or packed",
    ),
    (
        "dst.unbalanced",
        "acquire, commit, wait and release of DST do not pair up",
        "call each of the four once per section, in this order",
    ),
    (
        "setup.no-init",
        "an operation without its init",
        "call compute_kernel_hw_startup at the top of the kernel and the operation's own init before it",
    ),
    (
        "setup.wrong-init",
        "an operation after another operation's init",
        "call the operation's own init again after the other one's",
    ),
    (
        "setup.format",
        "an operation on a circular buffer whose format the engine is not set up for",
        "call reconfig_data_format or pack_reconfig_data_format when the format changes",
    ),
    (
        "sync.deadlock",
        "nothing can go on",
        "look at the first role listed: its partner ended or waits for something itself",
    ),
    (
        "sync.semaphore-never",
        "a semaphore that never reaches the value waited for",
        "count who increments it, how often, on which core, and whether it is reset between rounds",
    ),
    (
        "sync.overshoot",
        "a wait for one value that the semaphore may pass before it is looked at",
        "use noc_semaphore_wait_min, or let the next signal wait for an answer to this one",
    ),
    (
        "sync.lost-signal",
        "a store to a semaphore and another signal to it, and nothing orders the two",
        "reset a semaphore before its senders are told to go on, and start it with the host's initial value",
    ),
    (
        "sync.stale-cache",
        "a poll of L1 that never drops the RISC's cache",
        "call invalidate_l1_cache() in the loop before every load, or wait with noc_semaphore_wait",
    ),
    (
        "sync.no-semaphore",
        "a semaphore the program does not have",
        "add a Semaphore with this id that covers the core, or correct the id",
    ),
    (
        "sync.step-limit",
        "a kernel that does not end",
        "check the loop's bound, or raise TILESMITH_STEP_LIMIT if the kernel is just long",
    ),
    ("kernel.assert", "an ASSERT of the kernel failed", "see the kernel's own condition"),
    (
        "kernel.fault",
        "the kernel touched memory that is not there",
        "check pointer arithmetic and addresses; an L1 address must be cast from a 32-bit value of this core",
    ),
    (
        "kernel.argument",
        "an argument the host did not give",
        "pass as many runtime arguments for every core as the kernel reads",
    ),
)

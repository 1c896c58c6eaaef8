"""Ways to break each rule of the catalogue. The program without the change is the right kernel beside it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.findings.programs import (
    BF16_TILE,
    Alone,
    Change,
    Handover,
    Layout,
    Multicast,
    Shared,
    SmallProgram,
    Stream,
)

from tilesmith.formats import DataFormat, tile_bytes

PLAIN = Layout()
STREAM, HANDOVER, SHARED, MULTICAST, ALONE = Stream(), Handover(), Shared(), Multicast(), Alone()
FLOAT32 = Layout(input_format=DataFormat.Float32, input_page_size=tile_bytes(DataFormat.Float32))


@dataclass(frozen=True)
class Case:
    check: str
    program: SmallProgram
    change: Change | None = None
    layout: Layout = PLAIN  # of both
    wrong_layout: Layout | None = None  # of the wrong one only


def reader(check: str, old: str, new: str, layout: Layout = PLAIN) -> Case:
    return Case(check, STREAM, Change("reader", old, new), layout)


def compute(check: str, old: str, new: str, layout: Layout = PLAIN) -> Case:
    return Case(check, STREAM, Change("compute", old, new), layout)


def writer(check: str, old: str, new: str, layout: Layout = PLAIN) -> Case:
    return Case(check, STREAM, Change("writer", old, new), layout)


def sender(check: str, old: str, new: str) -> Case:
    return Case(check, HANDOVER, Change("sender", old, new))


def multicast(check: str, old: str, new: str, part: str = "sender") -> Case:
    return Case(check, MULTICAST, Change(part, old, new))


def only(check: str, old: str, new: str) -> Case:
    return Case(check, ALONE, Change("only", old, new))


CASES = [
    # ---- NoC ----
    reader("noc.use-before-barrier", "        noc_async_read_barrier();\n", ""),
    sender("noc.source-reused", "noc_async_write_barrier();", "words[3] = 9; noc_async_write_barrier();"),
    writer("noc.source-reused", "        noc_async_writes_flushed();\n", ""),
    multicast("noc.source-reused", "noc_semaphore_wait(ready, 2);", ""),
    multicast(
        "noc.source-reused", "noc_semaphore_wait(ready, 2);", "if (round == 0) noc_semaphore_wait(ready, 2);"
    ),
    multicast(
        "noc.source-reused",
        "noc_semaphore_set_multicast(get_semaphore(1), flags, 2);",
        "noc_semaphore_set_multicast(get_semaphore(1), flags, 2); words[1] = 7;",
    ),
    multicast(
        "noc.source-reused",
        "noc_semaphore_set_multicast(get_semaphore(1), flags, 2);",
        "noc_semaphore_set_multicast(get_semaphore(1), flags, 2); noc_semaphore_set(flag, 1);",
    ),
    Case("noc.source-reused", MULTICAST, wrong_layout=Layout(input_pages=1)),
    writer("noc.inflight-at-end", "    noc_async_write_barrier();\n}", "}"),
    sender("noc.inflight-at-end", "    noc_async_atomic_barrier();\n", ""),
    reader(
        "noc.unaligned",
        "noc_async_read_page(page, tensor, get_write_ptr(0));",
        "noc_async_read(tensor.get_noc_addr(page) + 4, get_write_ptr(0), 2048);",
    ),
    reader("noc.out-of-bounds", "noc_async_read_page(page,", "noc_async_read_page(page + 100000,"),
    sender("noc.wrong-target", "there = get_noc_addr(get_arg_val<uint32_t>(0),", "there = get_noc_addr(60,"),
    writer(
        "noc.too-long",
        "noc_async_write_page(page, tensor, get_read_ptr(16));",
        "noc_async_write(get_read_ptr(16), tensor.get_noc_addr(page) + 1024, 2048);",
    ),
    # ---- circular buffers ----
    reader("cb.push-without-reserve", "        cb_reserve_back(0, 1);\n", ""),
    reader("cb.push-without-reserve", "cb_push_back(0, 1);", "cb_push_back(0, 2);"),
    compute("cb.pop-without-wait", "cb_pop_front(0, 1);", "cb_pop_front(0, 2);"),
    reader("cb.reserve-beyond-capacity", "cb_reserve_back(0, 1);", "cb_reserve_back(0, 3);"),
    compute("cb.wait-beyond-capacity", "cb_wait_front(0, 1);", "cb_wait_front(0, 3);"),
    reader(
        "cb.uneven",
        "cb_reserve_back(0, 1);",
        "if (page == 1) { cb_reserve_back(0, 2); cb_push_back(0, 2); } cb_reserve_back(0, 1);",
    ),
    compute(
        "cb.read-past-wait",
        "cb_wait_front(0, 1);\n        tile_regs_acquire();\n        mul_tiles(0, 0, 0, 0, 0);",
        "cb_wait_front(0, 1);\n        tile_regs_acquire();\n        mul_tiles(0, 0, 1, 0, 0);",
    ),
    # Behind the end of the first circular buffer lies the second.
    compute("cb.read-past-wait", "mul_tiles(0, 0, 0, 0, 0);", "mul_tiles(0, 0, 2, 0, 0);"),
    compute("cb.write-past-reserve", "pack_tile(0, 16);", "pack_tile<true>(0, 16, 2);"),
    reader(
        "cb.write-past-reserve",
        "noc_async_read_page(page, tensor, get_write_ptr(0));",
        "noc_async_read_page(page, tensor, get_write_ptr(0)); "
        "noc_async_read_page(0, tensor, get_write_ptr(0) + 2048);",
    ),
    writer(
        "cb.use-after-pop",
        "        noc_async_write_page(page, tensor, get_read_ptr(16));\n"
        "        noc_async_writes_flushed();\n"
        "        cb_pop_front(16, 1);\n",
        "        const uint32_t tile = get_read_ptr(16);\n"
        "        cb_pop_front(16, 1);\n"
        "        noc_async_write_page(page, tensor, tile);\n"
        "        noc_async_writes_flushed();\n",
    ),
    writer("cb.second-producer", "cb_wait_front(16, 1);", "cb_wait_front(16, 1); cb_reserve_back(0, 1);"),
    writer("cb.second-consumer", "cb_wait_front(16, 1);", "cb_wait_front(16, 1); cb_wait_front(0, 0);"),
    compute("cb.left-at-end", "cb_pop_front(0, 1);", "if (i != 3) cb_pop_front(0, 1);"),
    only("cb.left-at-end", "    ASSERT(words[0] == 5);\n    cb_pop_front(0, 1);\n", ""),
    only(
        "mem.unaligned",
        "    words[0] = 5;\n",
        "    words[0] = 5;\n    *reinterpret_cast<volatile uint32_t*>(get_write_ptr(0) + 5) = 1;\n",
    ),
    only("cb.reserved-at-end", "cb_reserve_back(0, 1);", "cb_reserve_back(0, 1); return;"),
    Case("cb.format", STREAM, wrong_layout=Layout(input_page_size=BF16_TILE // 2, input_pages=4)),
    reader("cb.not-configured", "cb_reserve_back(0, 1);", "cb_reserve_back(5, 1);"),
    reader(
        "cb.write-past-reserve",
        "noc_async_read_page(page, tensor, get_write_ptr(0));",
        "noc_async_read_page(page, tensor, get_write_ptr(0) + 1024);",
    ),
    writer("cb.read-past-wait", "tensor, get_read_ptr(16));", "tensor, get_read_ptr(16) + 1024);"),
    # ---- memory ----
    sender("mem.unallocated", "words[i] = i;", "words[i] = i; words[i + 100] = i;"),
    reader(
        "mem.unallocated",
        "noc_async_read_page(page, tensor, get_write_ptr(0));",
        "noc_async_read_page(page, tensor, get_write_ptr(0)); "
        "noc_async_read_page(page, tensor, get_write_ptr(0) + 8 * 2048);",
    ),
    sender(
        "mem.unallocated",
        "get_arg_val<uint32_t>(1), get_write_ptr(0));",
        "get_arg_val<uint32_t>(1), get_write_ptr(0) + 64);",
    ),
    sender("mem.uninitialised", "words[i] = i;", "words[i] = words[i] + i;"),
    sender(
        "mem.out-of-bounds",
        "noc_async_write(get_write_ptr(0),",
        "noc_async_write(get_write_ptr(0) + 1500000,",
    ),
    Case("mem.race", SHARED, Change("second", "    noc_semaphore_wait(flag, 1);\n", "")),
    sender("mem.race", "    noc_async_write_barrier();\n", ""),
    # ---- DST ----
    compute("dst.math-outside-acquire", "        tile_regs_acquire();\n", ""),
    compute("dst.pack-outside-wait", "        tile_regs_wait();\n", ""),
    compute("dst.index", "mul_tiles(0, 0, 0, 0, 0);", "mul_tiles(0, 0, 0, 0, 0); mul_tiles(0, 0, 0, 0, 8);"),
    compute("dst.unwritten", "pack_tile(0, 16);", "pack_tile(1, 16);"),
    compute("dst.unbalanced", "tile_regs_release();", "if (i != 3) tile_regs_release();"),
    # ---- set-up ----
    compute("setup.no-init", "    mul_init(0, 0);\n", ""),
    compute("setup.no-init", "    exp_tile_init();\n", ""),
    compute("setup.no-init", "    compute_kernel_hw_startup(0, 0, 16);\n", ""),
    compute("setup.wrong-init", "mul_init(0, 0);", "mul_init(0, 0); add_init(0, 0);"),
    compute("setup.wrong-init", "exp_tile_init();", "exp_tile_init(); recip_tile_init();"),
    compute(
        "setup.format",
        "compute_kernel_hw_startup(0, 0, 16);",
        "compute_kernel_hw_startup(16, 16, 16);",
        FLOAT32,
    ),
    compute(
        "setup.format", "compute_kernel_hw_startup(0, 0, 16);", "compute_kernel_hw_startup(0, 0, 0);", FLOAT32
    ),
    # ---- waiting ----
    compute("sync.deadlock", "        cb_push_back(16, 1);\n", ""),
    sender("sync.semaphore-never", "get_semaphore(1)), 1);", "get_semaphore(1)), 2);"),
    reader("sync.step-limit", "cb_reserve_back(0, 1);", "while (true) { invalidate_l1_cache(); }"),
    sender("sync.no-semaphore", "get_semaphore(1)), 1);", "get_semaphore(5)), 1);"),
    Case("sync.no-semaphore", SHARED, Change("second", "get_semaphore(0)", "get_semaphore(3)")),
    # ---- the kernel itself ----
    reader("kernel.assert", "cb_reserve_back(0, 1);", "ASSERT(page < 3); cb_reserve_back(0, 1);"),
    reader(
        "kernel.fault",
        "cb_reserve_back(0, 1);",
        "*reinterpret_cast<volatile uint32_t*>(16) = 1; cb_reserve_back(0, 1);",
    ),
    reader("kernel.argument", "get_arg_val<uint32_t>(0)", "get_arg_val<uint32_t>(7)"),
]


@dataclass(frozen=True)
class Legal:
    """A change after which the kernel is still right."""

    name: str
    program: SmallProgram
    change: Change
    layout: Layout = PLAIN


LEGAL = [
    Legal(
        "reserve ahead",
        STREAM,
        Change("reader", "cb_reserve_back(0, 1);", "cb_reserve_back(0, 2);"),
        Layout(input_pages=4),
    ),
    Legal(
        "wait ahead",
        STREAM,
        Change(
            "compute", "cb_wait_front(0, 1);", "if (i < 3) cb_wait_front(0, 2); else cb_wait_front(0, 1);"
        ),
        Layout(input_pages=3),
    ),
    Legal("a constant stays", ALONE, Change("only", "    cb_pop_front(0, 1);\n", "")),
    Legal(
        "pages for nobody else",
        ALONE,
        Change("only", "    cb_wait_front(0, 1);\n    ASSERT(words[0] == 5);\n    cb_pop_front(0, 1);\n", ""),
    ),
    Legal("scratch", ALONE, Change("only", "    cb_push_back(0, 1);\n", "    return;\n")),
    Legal("scratch that is not needed", ALONE, Change("only", "    words[0] = 5;\n", "    return;\n")),
    Legal(
        "reserved by turns",
        ALONE,
        Change(
            "only",
            "    cb_reserve_back(0, 1);\n",
            "    cb_reserve_back(0, 2);\n    cb_push_back(0, 1);\n    cb_wait_front(0, 1);\n"
            "    cb_pop_front(0, 1);\n    cb_reserve_back(0, 2);\n",
        ),
        Layout(input_pages=4),
    ),
    Legal(
        "a pushed page changed again",
        ALONE,
        Change(
            "only",
            "    cb_push_back(0, 1);\n",
            "    cb_push_back(0, 1);\n    cb_reserve_back(0, 1);\n    words[0] = 5;\n    words[16] = 1;\n",
        ),
    ),
]

"""Small programs on which every check is tried: right as they stand, wrong after one replacement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, TensorAccessorArgs

TILES = 4
BF16_TILE = tile_bytes(DataFormat.Float16_b)
CONFIGS: dict[str, KernelConfig] = {
    "reader": ReaderConfig(),
    "compute": ComputeConfig(),
    "writer": WriterConfig(),
}

DATAFLOW = '#include "api/dataflow/dataflow_api.h"\n#include "api/debug/assert.h"\n'
COMPUTE = """
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
"""

READER = (
    DATAFLOW
    + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < 4; ++page) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
)
WRITER = (
    DATAFLOW
    + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    for (uint32_t page = 0; page < 4; ++page) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, tensor, get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
}
"""
)
# Squares its input, so that there is something to set up, and passes it through exp.
SQUARE = (
    COMPUTE
    + """
void kernel_main() {
    compute_kernel_hw_startup(0, 0, 16);
    mul_init(0, 0);
    exp_tile_init();
    for (uint32_t i = 0; i < 4; ++i) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        mul_tiles(0, 0, 0, 0, 0);
        exp_tile(0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
"""
)
# Core (0, 0) fills a page of scratch and sends it to core (1, 0), which adds it up.
SENDER = (
    DATAFLOW
    + """
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = i;
    }
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_write_ptr(0));
    noc_async_write(get_write_ptr(0), there, 64);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1)), 1);
    words[0] = 7;
    noc_async_atomic_barrier();
}
"""
)
RECEIVER = (
    DATAFLOW
    + """
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 16; ++i) {
        sum += words[i];
    }
    ASSERT(sum == 120);
    noc_async_atomic_barrier();
}
"""
)
# Two RISCs of one core write the same words, one after the other.
FIRST = (
    DATAFLOW
    + """
void kernel_main() {
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = i;
    }
    noc_semaphore_set(flag, 1);
}
"""
)
SECOND = (
    DATAFLOW
    + """
void kernel_main() {
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    noc_semaphore_wait(flag, 1);
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = 2 * i;
    }
}
"""
)
# One RISC that fills a page and reads it back.
ONLY = (
    DATAFLOW
    + """
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    words[0] = 5;
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    ASSERT(words[0] == 5);
    cb_pop_front(0, 1);
}
"""
)
# Core (0, 0) fills pages and multicasts each to two others, who say when they have room for the next.
# Nothing is flushed: a core with room for page n has seen the flag of page n - 1, which came behind that
# page, so two pages of room are enough.
MULTICASTER = (
    DATAFLOW
    + """
void kernel_main() {
    const uint32_t first_x = get_arg_val<uint32_t>(0), last_x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    auto* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint64_t flags = get_noc_multicast_addr(first_x, y, last_x, y, get_semaphore(1));
    noc_semaphore_set(flag, 1);
    for (uint32_t round = 0; round < 6; ++round) {
        cb_reserve_back(0, 1);
        auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
        for (uint32_t i = 0; i < 16; ++i) {
            words[i] = round;
        }
        noc_semaphore_wait(ready, 2);
        noc_semaphore_set(ready, 0);
        noc_async_write_multicast(
            get_write_ptr(0), get_noc_multicast_addr(first_x, y, last_x, y, get_write_ptr(0)), 64, 2, true);
        noc_semaphore_set_multicast(get_semaphore(1), flags, 2);
        cb_push_back(0, 1);
    }
    noc_async_write_barrier();
}
"""
)
LISTENER = (
    DATAFLOW
    + """
void kernel_main() {
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint64_t ready = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0));
    for (uint32_t round = 0; round < 6; ++round) {
        cb_reserve_back(0, 1);
        noc_semaphore_set(flag, 0);
        noc_semaphore_inc(ready, 1);
        noc_semaphore_wait(flag, 1);
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
}
"""
)
PAGE_USER = (
    DATAFLOW
    + """
void kernel_main() {
    for (uint32_t round = 0; round < 6; ++round) {
        cb_wait_front(0, 1);
        auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0));
        ASSERT(words[0] == round && words[15] == round);
        cb_pop_front(0, 1);
    }
}
"""
)


@dataclass(frozen=True)
class Change:
    """One replacement in the kernel of one part."""

    part: str
    old: str
    new: str

    def apply(self, sources: Mapping[str, str]) -> dict[str, str]:
        assert sources[self.part].count(self.old) == 1, f"{self.old!r} must occur once in {self.part}"
        return {**sources, self.part: sources[self.part].replace(self.old, self.new)}


def changed(sources: dict[str, str], changes: Sequence[Change]) -> dict[str, str]:
    for change in changes:
        sources = change.apply(sources)
    return sources


@dataclass(frozen=True)
class Layout:
    """What a case may change about the circular buffers."""

    input_pages: int = 2
    input_page_size: int = BF16_TILE
    input_format: DataFormat = DataFormat.Float16_b


class SmallProgram(Protocol):
    """What a case can be tried on."""

    def run(self, device: Device, changes: Sequence[Change], layout: Layout, /) -> None: ...


@dataclass(frozen=True)
class Stream:
    """Reader, compute, writer on one core: out = exp(x * x) over four tiles."""

    def run(self, device: Device, changes: Sequence[Change], layout: Layout) -> None:
        sources = changed({"reader": READER, "compute": SQUARE, "writer": WRITER}, changes)
        x = device.from_torch(torch.rand(32, 32 * TILES), dtype=layout.input_format)
        out = device.empty((32, 32 * TILES))
        core = CoreCoord(0, 0)
        accessors = {"reader": x, "writer": out}
        kernels = [
            Kernel(
                source,
                core,
                CONFIGS[part],
                SourceType.SOURCE_CODE,
                compile_time_args=TensorAccessorArgs(accessors[part]).get_compile_time_args()
                if part in accessors
                else (),
                runtime_args={core: (x.address, out.address)},
                name=part,
            )
            for part, source in sources.items()
        ]
        size = layout.input_page_size
        cbs = [
            CircularBuffer(layout.input_pages * size, core, CBFormat(0, layout.input_format, size)),
            CircularBuffer(2 * BF16_TILE, core, CBFormat(16, DataFormat.Float16_b, BF16_TILE)),
        ]
        device.run(Program(kernels=kernels, cbs=cbs))


@dataclass(frozen=True)
class Handover:
    """Two cores: one writes into the other's L1 and signals with a semaphore."""

    def run(self, device: Device, changes: Sequence[Change], _layout: Layout) -> None:
        sources = changed({"sender": SENDER, "receiver": RECEIVER}, changes)
        first, second = CoreCoord(0, 0), CoreCoord(1, 0)
        cores = CoreRange(first, second)
        kernels = [
            Kernel(
                sources[part],
                core,
                ReaderConfig(),
                SourceType.SOURCE_CODE,
                runtime_args={core: device.arch.worker_noc_xy(peer)},
                name=part,
            )
            for part, core, peer in (("sender", first, second), ("receiver", second, first))
        ]
        cbs = [CircularBuffer(64, cores, CBFormat(0, DataFormat.UInt32, 64))]
        device.run(Program(kernels=kernels, cbs=cbs, semaphores=[Semaphore(0, cores), Semaphore(1, cores)]))


@dataclass(frozen=True)
class Shared:
    """Two data-movement kernels of one core take turns on the same scratch memory."""

    def run(self, device: Device, changes: Sequence[Change], _layout: Layout) -> None:
        sources = changed({"first": FIRST, "second": SECOND}, changes)
        core = CoreCoord(0, 0)
        kernels = [
            Kernel(sources[part], core, config, SourceType.SOURCE_CODE, name=part)
            for part, config in (("first", ReaderConfig()), ("second", WriterConfig()))
        ]
        cbs = [CircularBuffer(64, core, CBFormat(0, DataFormat.UInt32, 64))]
        device.run(Program(kernels=kernels, cbs=cbs, semaphores=[Semaphore(0, core)]))


@dataclass(frozen=True)
class Multicast:
    """One core sends pages to two, without a flush: that they are ready for the next is what frees a page."""

    def run(self, device: Device, changes: Sequence[Change], layout: Layout) -> None:
        sources = changed({"sender": MULTICASTER, "receiver": LISTENER, "user": PAGE_USER}, changes)
        sender, cores = CoreCoord(0, 0), CoreRange(CoreCoord(0, 0), CoreCoord(2, 0))
        receivers = CoreRange(CoreCoord(1, 0), CoreCoord(2, 0))
        noc_xy = device.arch.worker_noc_xy
        row = (noc_xy(receivers.start)[0], *noc_xy(receivers.end))
        kernels = [
            Kernel(
                sources["sender"],
                sender,
                ReaderConfig(),
                SourceType.SOURCE_CODE,
                runtime_args={sender: row},
                name="sender",
            ),
            Kernel(
                sources["receiver"],
                receivers,
                ReaderConfig(),
                SourceType.SOURCE_CODE,
                runtime_args={core: noc_xy(sender) for core in receivers.cores()},
                name="receiver",
            ),
            Kernel(sources["user"], cores, WriterConfig(), SourceType.SOURCE_CODE, name="user"),
        ]
        cbs = [CircularBuffer(layout.input_pages * 64, cores, CBFormat(0, DataFormat.UInt32, 64))]
        device.run(Program(kernels=kernels, cbs=cbs, semaphores=[Semaphore(0, cores), Semaphore(1, cores)]))


@dataclass(frozen=True)
class Alone:
    """One kernel on one core, which produces and consumes by itself."""

    def run(self, device: Device, changes: Sequence[Change], layout: Layout) -> None:
        core = CoreCoord(0, 0)
        source = changed({"only": ONLY}, changes)["only"]
        kernels = [Kernel(source, core, ReaderConfig(), SourceType.SOURCE_CODE, name="only")]
        cbs = [CircularBuffer(layout.input_pages * 64, core, CBFormat(0, DataFormat.UInt32, 64))]
        device.run(Program(kernels=kernels, cbs=cbs))

"""Recordings for the simulator: micro-kernels and batches, one small program each on one core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.accessors import accessor_words
from conformance.simulator.batches import Batch
from conformance.simulator.micro_kernels import MicroKernel
from conformance.simulator.values import operand_values, special_values
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.recording import Workload
from tilesmith.runtime import Device, Tensor

TILES = 4
CORE = CoreCoord(0, 0)
READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args_a = TensorAccessorArgs<0>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(args_a, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(args_b, get_arg_val<uint32_t>(1), get_tile_size(1));
    const uint32_t count = get_arg_val<uint32_t>(2);
    cb_reserve_back(0, count);
    cb_reserve_back(1, count);
    for (uint32_t page = 0; page < count; page++) {
        noc_async_read_page(page, a, get_write_ptr(0) + page * get_tile_size(0));
        noc_async_read_page(page, b, get_write_ptr(1) + page * get_tile_size(1));
    }
    noc_async_read_barrier();
    cb_push_back(0, count);
    cb_push_back(1, count);
}
"""
WRITER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); page++) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
COMPUTE = """
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
{headers}
void kernel_main() {{
    const uint32_t count = get_arg_val<uint32_t>(0);
    {start}
    cb_wait_front(0, count);
    cb_wait_front(1, count);
    {bodies}
    cb_pop_front(0, count);
    cb_pop_front(1, count);
}}
"""
BODY = """
    for (uint32_t i = 0; i < count; i++) {{
        tile_regs_acquire();
        {body}
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        {pack}
        tile_regs_release();
        {after}
        cb_push_back(16, 1);
    }}
"""


@dataclass(frozen=True)
class Job:
    """A compute kernel on tiles in circular buffers 0 and 1, which makes `results` times as many in 16."""

    source: str
    config: ComputeConfig
    a: Tensor
    b: Tensor
    results: int
    out: DataFormat


def workload(kernel: MicroKernel) -> Workload:
    """A micro-kernel on four tiles of numbers of many sizes."""
    return Workload(kernel.name, lambda device: _run(kernel, device))


def batch_workload(batch: Batch) -> Workload:
    """A batch on two tiles: one of special values and of all sizes, one of plain numbers."""

    def run(device: Device) -> None:
        run_batch(batch, device)

    return Workload(batch.name, run)


def _run(kernel: MicroKernel, device: Device) -> None:
    shape = (32, 32 * TILES)
    a, b = (
        device.from_numpy(operand_values(kernel, form, seed, shape), form)
        for seed, form in enumerate((kernel.a, kernel.b))
    )
    body = BODY.format(body=kernel.body, after=kernel.after, pack="pack_tile(0, 16);")
    _launch(device, Job(_compute(kernel.headers, kernel.start, body), kernel.config, a, b, 1, kernel.out))


def run_batch(batch: Batch, device: Device) -> Tensor:
    """Runs a batch; every call has as many tiles of the result as there are in an operand."""
    a = device.from_numpy(special_values(batch.form, 0), batch.form)
    second = batch.form if batch.second is None else batch.second
    b = device.from_numpy(
        special_values(second, 1) if batch.scaler is None else np.full((32, 64), batch.scaler, np.float32),
        second,
    )
    bodies = "".join(
        BODY.format(body=f"{batch.load} {call.text}", after=call.after, pack=call.pack)
        for call in batch.calls
    )
    source = _compute(batch.headers, batch.start, bodies)
    return _launch(
        device,
        Job(source, batch.config, a, b, len(batch.calls), batch.form if batch.out is None else batch.out),
    )


def _compute(headers: Sequence[str], start: str, bodies: str) -> str:
    includes = "\n".join(f'#include "api/compute/{one}"' for one in headers)
    return COMPUTE.format(headers=includes, start=start, bodies=bodies)


def _launch(device: Device, job: Job) -> Tensor:
    a, b = job.a, job.b
    out = device.empty((32, a.shape[-1] * job.results), job.out)
    tiles = a.shape[-1] // 32
    accessors = accessor_words(a, b)
    program = Program(
        [
            Kernel(
                READER, CORE, ReaderConfig(), SourceType.SOURCE_CODE, name="reader",
                compile_time_args=accessors, runtime_args={CORE: (a.address, b.address, tiles)},
            ),
            Kernel(
                job.source, CORE, job.config, SourceType.SOURCE_CODE, name="compute",
                runtime_args={CORE: (tiles,)},
            ),
            Kernel(
                WRITER, CORE, WriterConfig(), SourceType.SOURCE_CODE, name="writer",
                compile_time_args=accessor_words(out),
                runtime_args={CORE: (out.address, tiles * job.results)},
            ),
        ],
        [_buffer(0, a.dtype, tiles), _buffer(1, b.dtype, tiles), _buffer(16, job.out, 2)],
    )  # fmt: skip
    device.run(program)
    return out


def _buffer(index: int, form: DataFormat, tiles: int) -> CircularBuffer:
    size = tile_bytes(form)
    return CircularBuffer(tiles * size, CORE, CBFormat(index, form, size))

"""Recordings for the simulator: the probes, one small program each on one core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.probes import Probe
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.recording import Workload
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs

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
    for (uint32_t i = 0; i < count; i++) {{
        tile_regs_acquire();
        {body}
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        {after}
        cb_push_back(16, 1);
    }}
    cb_pop_front(0, count);
    cb_pop_front(1, count);
}}
"""


def workload(probe: Probe) -> Workload:
    """A probe on four tiles of numbers of many sizes."""
    return Workload(probe.name, lambda device: _run(probe, device))


def _run(probe: Probe, device: Device) -> None:
    shape = (32, 32 * TILES)
    a, b = (
        device.from_numpy(_values(probe, form, seed, shape), form)
        for seed, form in enumerate((probe.a, probe.b))
    )
    out = device.empty(shape, probe.out)
    device.run(_program(probe, a, b, out))


def _values(probe: Probe, form: DataFormat, seed: int, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """Most numbers between -4 and 4, some from the whole range in which sums of squares stay finite."""
    random = np.random.default_rng(seed)
    if seed and probe.scaler is not None:
        return np.full(shape, probe.scaler, np.float32)
    if form.is_integer:
        return random.integers(-10000, 10000, shape).astype(np.int32)
    plain = random.uniform(-4, 4, shape)
    sizes = random.choice([-1, 1], shape) * 2.0 ** random.uniform(-20, 20, shape)
    chosen = np.where(random.random(shape) < 0.25, sizes, plain)
    chosen.reshape(-1)[:2] = 0.0, 1.0
    return (np.abs(chosen) + 2.0**-20 if probe.positive else chosen).astype(np.float32)


def _program(probe: Probe, a: Tensor, b: Tensor, out: Tensor) -> Program:
    headers = "\n".join(f'#include "api/compute/{one}"' for one in probe.headers)
    compute = COMPUTE.format(headers=headers, start=probe.start, body=probe.body, after=probe.after)
    accessors = [word for one in (a, b) for word in TensorAccessorArgs(one).get_compile_time_args()]
    return Program(
        [
            Kernel(
                READER, CORE, ReaderConfig(), SourceType.SOURCE_CODE, name="reader",
                compile_time_args=accessors, runtime_args={CORE: (a.address, b.address, TILES)},
            ),
            Kernel(
                compute, CORE, probe.config, SourceType.SOURCE_CODE, name="compute",
                runtime_args={CORE: (TILES,)},
            ),
            Kernel(
                WRITER, CORE, WriterConfig(), SourceType.SOURCE_CODE, name="writer",
                compile_time_args=TensorAccessorArgs(out).get_compile_time_args(),
                runtime_args={CORE: (out.address, TILES)},
            ),
        ],
        [_buffer(0, probe.a, TILES), _buffer(1, probe.b, TILES), _buffer(16, probe.out, 2)],
    )  # fmt: skip


def _buffer(index: int, form: DataFormat, tiles: int) -> CircularBuffer:
    size = tile_bytes(form)
    return CircularBuffer(tiles * size, CORE, CBFormat(index, form, size))

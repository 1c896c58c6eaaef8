"""The whole path in seconds: three kernels add two tensors on the emulator, and a mistake in one is found."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith
from tilesmith.errors import KernelCompileError, KernelFindings
from tilesmith.program import ComputeConfig, DataMovementConfig
from tilesmith.runtime import Device, Tensor

READER = """
#include "api/dataflow/dataflow_api.h"

template <class Accessor>
void read_tile(uint32_t cb, const Accessor& tensor, uint32_t page) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(page, tensor, get_write_ptr(cb));
    BARRIER
    cb_push_back(cb, 1);
}

void kernel_main() {
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); page++) {
        read_tile(0, a, page);
        read_tile(1, b, page);
    }
}
"""
COMPUTE = """
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    binary_op_init_common(0, 1, 16);
    add_tiles_init(0, 1);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(0); page++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        add_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
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
SHAPE = (64, 96)
Config = DataMovementConfig | ComputeConfig


def add_program(a: Tensor, b: Tensor, out: Tensor, barrier: str) -> tilesmith.Program:
    core = tilesmith.CoreCoord(0, 0)
    cores = tilesmith.CoreRangeSet([tilesmith.CoreRange(core, core)])
    words = [tilesmith.TensorAccessorArgs(tensor).get_compile_time_args() for tensor in (a, b, out)]
    count = out.num_pages

    def kernel(text: str, config: Config, args: tuple[int, ...], compile_time: list[int]) -> tilesmith.Kernel:
        return tilesmith.Kernel(
            text,
            cores,
            config,
            source_type=tilesmith.SourceType.SOURCE_CODE,
            compile_time_args=tuple(compile_time),
            defines=(("BARRIER", barrier),),
            runtime_args={core: args},
        )

    return tilesmith.Program(
        kernels=(
            kernel(READER, tilesmith.ReaderConfig(), (a.address, b.address, count), [*words[0], *words[1]]),
            kernel(COMPUTE, tilesmith.ComputeConfig(), (count,), []),
            kernel(WRITER, tilesmith.WriterConfig(), (out.address, count), list(words[2])),
        ),
        cbs=tuple(
            tilesmith.CircularBuffer(2 * 2048, cores, (tilesmith.CBFormat(cb, tilesmith.bfloat16, 2048),))
            for cb in (0, 1, 16)
        ),
    )


def add(device: Device, barrier: str = "noc_async_read_barrier();") -> float:
    """Run the program and return its largest error in units of the format's last place."""
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal(SHAPE).astype(np.float32) for _ in range(2))
    x, y = (device.from_numpy(values, tilesmith.bfloat16) for values in (a, b))
    out = device.empty(SHAPE, tilesmith.bfloat16)
    device.run(add_program(x, y, out, barrier))
    exact = x.to_numpy().astype(np.float64) + y.to_numpy()
    ulp = 2.0 ** (np.floor(np.log2(np.abs(exact) + 1e-30)) - 7)
    return float((np.abs(out.to_numpy() - exact) / ulp).max())


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_three_kernels_add_two_tensors(arch: str) -> None:
    with tilesmith.open_device(arch) as device:
        assert add(device) <= 1.0


def test_a_forgotten_barrier_is_found() -> None:
    with tilesmith.open_device() as device, pytest.raises(KernelFindings) as caught:
        add(device, barrier="")
    assert "noc.use-before-barrier" in str(caught.value)


def test_a_kernel_that_does_not_compile_is_an_exception() -> None:
    with tilesmith.open_device() as device, pytest.raises(KernelCompileError, match="no_such_function"):
        add(device, barrier="no_such_function();")

"""The device with its real executor: pages are where a kernel's TensorAccessor looks for them."""

from __future__ import annotations

import pytest
import torch

import tilesmith as ts
from tilesmith.errors import KernelArgumentError

COPY = r"""
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<1>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0));
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1));
    const uint32_t pages = get_arg_val<uint32_t>(2);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(page, from, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
        cb_wait_front(cb, 1);
        noc_async_write_page(page, to, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}
"""
ROW, SQUARE = ts.CoreRange((0, 0), (3, 0)), ts.CoreRange((1, 2), (2, 3))
MEMORIES = {
    "dram": ts.DRAM_MEMORY_CONFIG,
    "l1": ts.L1_MEMORY_CONFIG,
    "height": ts.height_sharded(ROW, (32, 128)),
    "width": ts.width_sharded(ROW, (128, 32)),
    "block": ts.block_sharded(SQUARE, (64, 64)),
    "block by column": ts.block_sharded(SQUARE, (64, 64), ts.ShardOrientation.COL_MAJOR),
}


def copy_program(source: ts.Tensor, target: ts.Tensor, pages: int | None = None) -> ts.Program:
    core = ts.CoreCoord(5, 5)
    words = [ts.TensorAccessorArgs(tensor).get_compile_time_args() for tensor in (source, target)]
    arguments = (source.address, target.address, source.num_pages if pages is None else pages)
    kernel = ts.Kernel(
        COPY,
        core,
        ts.ReaderConfig(),
        ts.SourceType.SOURCE_CODE,
        compile_time_args=[0, *words[0], *words[1]],
        runtime_args={core: arguments},
        name="copy",
    )
    page = source.aligned_page_size
    return ts.Program([kernel], [ts.CircularBuffer(page, core, ts.CBFormat(0, source.dtype, page))])


@pytest.fixture(scope="module", params=["n150", "p150"])
def device(request: pytest.FixtureRequest) -> ts.Device:
    return ts.open_device(request.param)


@pytest.mark.parametrize("memory", MEMORIES)
def test_kernels_find_every_page(device: ts.Device, memory: str) -> None:
    values = torch.randn(128, 128).to(torch.bfloat16)
    source = device.from_torch(values, memory_config=MEMORIES[memory])
    middle = device.empty(values.shape)
    back = device.empty(values.shape, memory_config=MEMORIES[memory])
    device.run(copy_program(source, middle))
    device.run(copy_program(middle, back))
    assert torch.equal(middle.to_torch(), values)
    assert torch.equal(back.to_torch(), values)


def test_later_calls_check_their_values_too(device: ts.Device) -> None:
    source, target = device.from_torch(torch.zeros(32, 32)), device.empty((32, 32), ts.float32)
    device.run(copy_program(source, target))
    entries = len(device.program_cache)
    with pytest.raises(KernelArgumentError, match="number 2, is -1"):
        device.run(copy_program(source, target, pages=-1))
    assert len(device.program_cache) == entries

"""generic_op: programs written as ttnn's descriptors."""

from __future__ import annotations

import pytest
import torch

from tilesmith import ttnn

READ = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto source = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); ++i) {
        cb_reserve_back(0, 1);
        noc_async_read_page(get_arg_val<uint32_t>(2) + i, source, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
WRITE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto target = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); ++i) {
        cb_wait_front(0, 1);
        noc_async_write_page(get_arg_val<uint32_t>(2) + i, target, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"""


def _kernel(
    text: str,
    tensor: ttnn.Tensor,
    config: ttnn.ReaderConfigDescriptor | ttnn.WriterConfigDescriptor,
    tiles: int,
) -> ttnn.KernelDescriptor:
    _, cores, _, _, each, _ = ttnn.split_work_to_cores(ttnn.CoreCoord(8, 8), tiles)
    args = ttnn.RuntimeArgs()
    for number, core in enumerate(ttnn.corerange_to_cores(cores)):
        args[core.x][core.y] = [tensor.buffer_address(), each, number * each]
    return ttnn.KernelDescriptor(
        kernel_source=text,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
        runtime_args=args,
        config=config,
    )


def _copy(source: ttnn.Tensor, target: ttnn.Tensor, tiles: int) -> ttnn.ProgramDescriptor:
    read = _kernel(READ, source, ttnn.ReaderConfigDescriptor(), tiles)
    write = _kernel(WRITE, target, ttnn.WriterConfigDescriptor(), tiles)
    size = ttnn.tile_size(ttnn.bfloat16)
    form = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=size)
    buffer = ttnn.CBDescriptor(total_size=2 * size, core_ranges=read.core_ranges, format_descriptors=[form])
    return ttnn.ProgramDescriptor(kernels=[read, write], semaphores=[], cbs=[buffer])


def _pair(device: ttnn.MeshDevice) -> tuple[torch.Tensor, ttnn.Tensor, ttnn.Tensor]:
    values = torch.randn(1, 4, 32, 32).bfloat16()
    source = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    room = ttnn.allocate_tensor_on_device(
        ttnn.Shape([1, 4, 32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG
    )
    return values, source, room


def test_a_program_runs_and_returns_the_last_tensor() -> None:
    with ttnn.manage_device(device_id=0) as device:
        for _ in range(2):
            values, source, room = _pair(device)
            assert ttnn.generic_op([source, room], _copy(source, room, 4)) is room
            assert torch.equal(room.to_torch(), values)
        assert device.num_program_cache_entries() == 1


def test_wrong_programs_are_refused_in_ttnns_words(device: ttnn.MeshDevice) -> None:
    _, source, room = _pair(device)
    program = _copy(source, room, 4)
    program.kernels[0].kernel_source = "missing.cpp"
    program.kernels[0].source_type = ttnn.KernelDescriptor.SourceType.FILE_PATH
    with pytest.raises(RuntimeError, match=r"missing\.cpp doesn't exist in any of the searched paths!"):
        ttnn.generic_op([source, room], program)
    program = _copy(source, room, 4)
    program.cbs[0].total_size = 3000
    with pytest.raises(RuntimeError, match="size 3000 B must be divisible by page size 2048 B"):
        ttnn.generic_op([source, room], program)
    with pytest.raises(RuntimeError, match="expect device tensors"):
        ttnn.generic_op([source.cpu(), room], _copy(source, room, 4))
    program = _copy(source, room, 4)
    program.kernels[0].runtime_args = [[1, 2, 3]]  # type: ignore[list-item]
    with pytest.raises(TypeError, match="std::bad_cast"):
        ttnn.generic_op([source, room], program)


def test_a_circular_buffer_stands_on_shards(device: ttnn.MeshDevice) -> None:
    memory = ttnn.create_sharded_memory_config([64, 32], ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)
    tensor = ttnn.from_torch(
        torch.ones(64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory
    )
    buffer = ttnn.cb_descriptor_from_sharded_tensor(3, tensor)
    assert buffer.has_buffer()
    assert (buffer.total_size, buffer.format_descriptors[0].buffer_index) == (2048, 3)


def test_programs_can_be_merged(device: ttnn.MeshDevice) -> None:
    _, source, room = _pair(device)
    merged = ttnn.merge_program_descriptors([_copy(source, room, 4), ttnn.ProgramDescriptor()])
    assert len(merged.kernels) == 2
    assert ttnn.grid_to_cores(3, 2, 2) == [(0, 0), (0, 1), (1, 0)]
    with pytest.raises(RuntimeError, match="exceeds grid size"):
        ttnn.grid_to_cores(9, 2, 2)

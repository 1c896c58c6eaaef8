"""A tensor's description comes as compile-time words, as common runtime arguments, or split between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from tests.dataflow.copying import CORE, HEAD, WRITER, copy_program

import tilesmith
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs

DRAM = 2
RANK, BANKS, TENSOR_SHAPE, SHARD_SHAPE, COORDINATES, PAGE_SIZE = (1 << bit for bit in range(2, 8))
READER = """
template <class Tensor>
void read(const Tensor& tensor, uint32_t page) {
    cb_reserve_back(0, 1);
    noc_async_read_page(page, tensor, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0, 0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) read(tensor, page);
}
"""
SHARD_READER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t shard = 0; shard < tensor.dspec().num_shards(); ++shard) {
        for (const auto& page : tensor.shard_pages(shard)) {
            ASSERT(page.noc_addr() == tensor.get_noc_addr(page.page_id()));
            cb_reserve_back(0, 1);
            noc_async_read(page.noc_addr(), get_write_ptr(0), tensor.get_aligned_page_size());
            noc_async_read_barrier();
            cb_push_back(0, 1);
        }
    }
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with tilesmith.open_device("wormhole") as opened:
        yield opened


def split(words: Sequence[int], runtime: int) -> tuple[list[int], list[int]]:
    """The words of a sharded tensor, with the facts in `runtime` moved to the common arguments."""
    rank = words[2]
    facts = [(RANK, 1), (BANKS, 1), (TENSOR_SHAPE, rank), (SHARD_SHAPE, rank), (COORDINATES, len(words))]
    kept, moved, rest = [words[0] | runtime, words[1]], list[int](), list(words[2:])
    for flag, count in facts:
        (moved if runtime & flag else kept).extend(rest[:count])
        del rest[:count]
    return kept, moved


def copy(device: Device, source: Tensor, words: Sequence[int], common: Sequence[int]) -> Tensor:
    target = device.empty(source.shape, source.dtype)
    plain = copy_program(source, target, writer=WRITER)
    reader = tilesmith.Kernel(
        HEAD + READER,
        CORE,
        tilesmith.ReaderConfig(),
        source_type=tilesmith.SourceType.SOURCE_CODE,
        compile_time_args=words,
        common_runtime_args=common,
        runtime_args={CORE: (source.address, source.num_pages)},
    )
    device.run(tilesmith.Program((reader, plain.kernels[1]), plain.cbs))
    return target


@pytest.mark.parametrize(
    "runtime",
    [COORDINATES, BANKS | COORDINATES, TENSOR_SHAPE, RANK | BANKS | TENSOR_SHAPE | SHARD_SHAPE | COORDINATES],
    ids=["coordinates", "banks", "shape", "everything"],
)
def test_sharded(device: Device, runtime: int) -> None:
    cores = tilesmith.CoreRange(tilesmith.CoreCoord(0, 0), tilesmith.CoreCoord(2, 0))
    values = np.arange(64 * 96, dtype=np.float32).reshape(64, 96) % 256
    layout = tilesmith.width_sharded(cores, (64, 32))
    source = device.from_numpy(values, tilesmith.bfloat16, memory_config=layout)
    words, common = split(TensorAccessorArgs(source).get_compile_time_args(), runtime)
    np.testing.assert_array_equal(copy(device, source, words, common).to_numpy(), values)


def test_page_size_at_run_time(device: Device) -> None:
    values = np.arange(64 * 96, dtype=np.float32).reshape(64, 96) % 256
    source = device.from_numpy(values, tilesmith.bfloat16)
    np.testing.assert_array_equal(copy(device, source, [DRAM | PAGE_SIZE], [2048]).to_numpy(), values)


def test_pages_shard_by_shard(device: Device) -> None:
    """Two column shards of a 2 x 2 page tensor: their pages come as 0 2 1 3."""
    cores = tilesmith.CoreRange(tilesmith.CoreCoord(0, 0), tilesmith.CoreCoord(1, 0))
    values = np.kron(np.arange(4).reshape(2, 2), np.ones((32, 32))).astype(np.float32)
    layout = tilesmith.width_sharded(cores, (64, 32))
    source = device.from_numpy(values, tilesmith.bfloat16, memory_config=layout)
    target = device.empty(values.shape, tilesmith.bfloat16)
    device.run(copy_program(source, target, reader=SHARD_READER))
    np.testing.assert_array_equal(target.to_numpy()[::32, ::32], [[0, 2], [1, 3]])

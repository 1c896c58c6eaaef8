"""A socket between two chips: a fifo in L1 that is smaller than what goes through it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilesmith import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    DataMovementConfig,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
    open_mesh,
)
from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat
from tilesmith.runtime import Layout, Mesh, MeshTensor, TensorAccessorArgs, height_sharded

CORE = CoreCoord(0, 0)
PAGE, FIFO_PAGES, PAGES = 2048, 2, 5
EAST, WEST = 0, 1
KERNELS = Path(__file__).parent
READ = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        noc_async_read(source.get_noc_addr(page), get_write_ptr(0), 2048);
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
SEND, TAKE = ((KERNELS / name).read_text() for name in ("socket_send.cpp", "socket_take.cpp"))


def _kernel(text: str, role: DataMovementConfig, tensor: MeshTensor, *arguments: int) -> Kernel:
    constants = TensorAccessorArgs(tensor.local).get_compile_time_args()
    return Kernel(
        text, CORE, role, SourceType.SOURCE_CODE, compile_time_args=constants, runtime_args={CORE: arguments}
    )


def _in_l1(mesh: Mesh, parts: list[np.ndarray]) -> MeshTensor:
    width = parts[0].shape[1]
    memory = height_sharded(CoreRange(CORE, CORE), (1, width))
    return mesh.from_parts(parts, DataFormat.UInt32, Layout.ROW_MAJOR, memory)


def _socket(mesh: Mesh) -> tuple[MeshTensor, MeshTensor]:
    """Its fifo, and the config of the end that sends on the first chip and receives on the second."""
    fifo = _in_l1(mesh, [np.zeros((1, FIFO_PAGES * PAGE // 4), np.uint32)] * 2)
    words = [np.zeros((1, 16), np.uint32) for _ in range(2)]
    where = _in_l1(mesh, words)
    here, room = where.local.address, FIFO_PAGES * PAGE
    x, y = mesh.arch.worker_noc_xy(CORE)
    sender = [0, 1, 0, here, fifo.local.address, room, 0, 0, 0, 0, 0, 0, 0, 1, y, x]
    receiver = [0, fifo.local.address, fifo.local.address, room, 0, 0, 0, 1, y, x, here + 32, 0, 0, 0, 0, 0]
    del where  # the next tensor of this size lies there
    config = _in_l1(mesh, [np.array([words], np.uint32) for words in (sender, receiver)])
    assert config.local.address == here
    return fifo, config


def _sent(send: str = SEND, take: str = TAKE) -> tuple[np.ndarray, np.ndarray]:
    values = np.random.default_rng(0).integers(-8, 8, (32 * PAGES, 32)).astype(np.float32)
    with open_mesh((1, 2), "n300") as mesh:
        source, target = (mesh.from_numpy(values * wanted, DataFormat.Float16_b) for wanted in (1, 0))
        fifo, placed = _socket(mesh)
        config = placed.local.address
        cbs = (CircularBuffer(2 * PAGE, CORE, CBFormat(0, DataFormat.Float16_b, PAGE)),)
        channels = [direction * 2 for direction in (EAST, WEST)]
        reader = _kernel(READ, ReaderConfig(), source, source.local.address, PAGES)
        sender = _kernel(send, WriterConfig(), source, config, PAGES, channels[0], 0, 0)
        taker = _kernel(take, WriterConfig(), target, config, PAGES, channels[1], 0, 0, target.local.address)
        mesh.run({(0, 0): Program((reader, sender), cbs), (0, 1): Program((taker,), cbs)})
        del fifo  # it had to stay until now
        return values, target.parts()[1]


def test_pages_pass_through_a_smaller_fifo() -> None:
    values, found = _sent()
    assert np.array_equal(values, found)


@pytest.mark.parametrize(
    ("send", "take"),
    [
        (SEND.replace("        socket_reserve_pages(socket, 1);\n", ""), TAKE),
        (SEND, TAKE.replace("        socket_wait_for_pages(socket, 1);\n", "")),
    ],
)
def test_a_wait_that_is_missing_is_found(send: str, take: str) -> None:
    with pytest.raises(KernelFindings):
        _sent(send, take)

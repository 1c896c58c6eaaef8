"""Kernels that poll a word themselves, and compute that packs onto the pages it has read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tests.engine.harness import Input, run_snippets

import tilesmith
from tilesmith import settings
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    Program,
    Semaphore,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device
from tilesmith.runtime.memory_config import Layout, height_sharded

GRID = CoreRange((0, 0), (2, 0))
ROOT = CoreCoord(0, 0)
SENDER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t here = get_arg_val<uint32_t>(0), round = get_arg_val<uint32_t>(1);
    const uint32_t x = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(here);
    for (uint32_t i = 0; i < 8; ++i) words[i] = round + 1;
    noc_async_write(here, get_noc_addr(x, y, here + 128 + 32 * round), 32);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1 << 4 * round);
    noc_async_atomic_barrier();
}
"""
# Each round has four bits of the word. Whoever comes first, both are awaited in turn.
RECEIVER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t here = get_arg_val<uint32_t>(0);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    for (uint32_t round = 0; round < 2; ++round) {
        while (true) {
            invalidate_l1_cache();
            if ((*word >> 4 * round & 15) >= 1) break;
        }
        noc_async_read(get_noc_addr(here + 128 + 32 * round), here + 32 * round, 32);
        noc_async_read_barrier();
    }
}
"""


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


def test_what_a_poll_sees_at_last_is_ordered_behind_it(device: Device) -> None:
    memory = height_sharded(GRID, (1, 64))
    place = device.from_numpy(np.zeros((3, 64), np.uint32), DataFormat.UInt32, Layout.ROW_MAJOR, memory)
    root = device.arch.worker_noc_xy(ROOT)
    senders = {CoreCoord(1 + number, 0): (place.address, number, *root) for number in range(2)}
    kernels = (
        Kernel(
            SENDER,
            CoreRangeSet.from_cores(list(senders)),
            WriterConfig(),
            SourceType.SOURCE_CODE,
            runtime_args=senders,
        ),
        Kernel(
            RECEIVER,
            CoreRangeSet.of(ROOT),
            WriterConfig(),
            SourceType.SOURCE_CODE,
            runtime_args={ROOT: (place.address,)},
        ),
    )
    program = Program(kernels, (), [Semaphore(0, CoreRangeSet.of(GRID))])
    for seed in range(20):
        with settings.using(seed=seed):
            device.run(program)
    assert np.array_equal(np.asarray(place.to_numpy())[0, :16], [1] * 8 + [2] * 8)


def test_compute_may_push_onto_pages_that_unpack_has_not_popped_yet(device: Device) -> None:
    """The buffer is full all the time: its counters go past its size for a moment, and nothing is lost."""
    values = np.random.default_rng(2).integers(-8, 8, (32, 32)).astype(np.float32)
    twice = """
        add_init(0, 0);
        add_tiles(0, 0, 0, 0, 0);
        tile_regs_commit(); tile_regs_wait();
        pack_tile(0, 0);
        tile_regs_release();
        PACK((cb_push_back(0, 1)));
        PACK((mailbox_write(ThreadId::UnpackThreadId, 1)));
        UNPACK((mailbox_read(ThreadId::PackThreadId)));
        cb_pop_front(0, 1); cb_wait_front(0, 1);
        tile_regs_acquire(); copy_init(0); copy_tile(0, 0, 0);
    """
    rules = ("cb.write-past-reserve", "cb.push-without-reserve", "cb.second-producer")
    for seed in range(2):
        with settings.using(seed=seed, suppress=rules):
            made = run_snippets(device, [Input(values)], [twice])[0]
        np.testing.assert_array_equal(made, 2 * values)

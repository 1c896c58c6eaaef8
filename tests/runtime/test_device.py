"""Devices: memory given and taken back, programs checked once, findings raised, closing."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from tests.runtime.fake_executor import FakeExecutor

import tilesmith as ts
from tilesmith import settings
from tilesmith.errors import (
    CircularBufferError,
    DeviceClosedError,
    DeviceError,
    KernelArgumentError,
    KernelFindings,
    L1BudgetError,
    OutOfDeviceMemoryError,
)
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
)
from tilesmith.program.executor import LiveBuffer
from tilesmith.runtime import L1_MEMORY_CONFIG, Device, cb_from_sharded_tensor, height_sharded, open_device
from tilesmith.runtime.allocator import BankAllocator

ROW = CoreRange((0, 0), (3, 0))


@pytest.fixture
def device() -> Device:
    return open_device("n150", executor=FakeExecutor)


def fake(device: Device) -> FakeExecutor:
    assert isinstance(device.executor, FakeExecutor)
    return device.executor


def program(*args: Any, cbs: Any = (), cores: CoreRange = ROW) -> Program:
    runtime_args = dict.fromkeys(cores.cores(), args)
    kernel = Kernel(
        "void kernel_main() {}", cores, ReaderConfig(), SourceType.SOURCE_CODE, runtime_args=runtime_args
    )
    return Program([kernel], cbs)


def tiles(count: int) -> CircularBuffer:
    return CircularBuffer(count * 2048, ROW, CBFormat(0, ts.bfloat16, 2048))


# ---- memory ----


def test_dram_fills_from_below_and_l1_from_above(device: Device) -> None:
    arch = device.arch
    first, second = device.empty((32, 32)), device.empty((32, 32 * 13))
    assert first.address == arch.dram_reserved
    assert second.address == first.address + 2048
    assert device.empty((32, 32)).address == second.address + 2 * 2048
    upper = device.empty((32, 32), memory_config=L1_MEMORY_CONFIG)
    lower = device.empty((32, 32), memory_config=L1_MEMORY_CONFIG)
    assert (upper.address, lower.address) == (arch.l1_size - 2048, arch.l1_size - 4096)


def test_memory_comes_back(device: Device) -> None:
    first = device.empty((32, 32))
    address = first.address
    keep = device.empty((32, 32))
    first.deallocate()
    first.deallocate()
    second = device.empty((32, 32))
    assert second.address == address
    del second
    gc.collect()
    assert device.empty((32, 32)).address == address
    assert keep.address == address + 2048


def test_a_freed_tensor_says_so(device: Device) -> None:
    tensor = device.empty((32, 32))
    tensor.deallocate()
    assert not tensor.is_allocated
    for use in (lambda: tensor.address, tensor.to_numpy, lambda: tensor.copy_from_numpy(np.zeros((32, 32)))):
        with pytest.raises(DeviceError, match="deallocated"):
            use()


def test_out_of_memory_says_who_holds_what(device: Device) -> None:
    held = device.empty((32 * 1000, 1024), memory_config=L1_MEMORY_CONFIG)
    with pytest.raises(OutOfDeviceMemoryError) as raised:
        device.empty((32 * 1000, 1024), memory_config=L1_MEMORY_CONFIG)
    assert held.is_allocated
    assert "1024000 bytes on every bank of L1" in raised.value.what
    assert "tensor [32000, 1024] Float16_b" in raised.value.table
    assert "test_device.py:" in raised.value.table
    assert device.memory_table("l1") == raised.value.table
    assert "test_device.py:" in raised.value.where


def test_gaps_are_used_and_joined() -> None:
    bank = BankAllocator("L1", 0, 1000, 10, top_down=True)
    addresses = [bank.allocate(100, str(i), "").address for i in range(10)]
    assert addresses == list(range(900, -1, -100))
    for address in (300, 500, 400):
        bank.free(address)
    assert (bank.bytes_free, bank.largest_gap, bank.lowest) == (300, 300, 0)
    assert bank.allocate(295, "big", "").address == 300
    with pytest.raises(OutOfDeviceMemoryError, match="the largest gap has 0"):
        bank.allocate(1, "one more", "")


# ---- running ----


def test_a_second_call_hits_the_cache(device: Device) -> None:
    device.run(program(1))
    device.run(program(2))
    cache = device.program_cache
    assert (cache.hits, cache.misses, len(cache)) == (1, 1, 1)
    device.run(program(1, cbs=[tiles(2)]))
    device.run(program(1, cores=CoreRange((0, 0), (4, 0))))
    assert (cache.hits, cache.misses, len(cache)) == (1, 3, 3)
    assert [run[0].kernels[0].runtime_args[CoreCoord(0, 0)] for run in fake(device).runs[:2]] == [(1,), (2,)]


def test_wrong_programs_do_not_reach_the_executor(device: Device) -> None:
    bad = program(1, cbs=[tiles(2), tiles(2)])
    for _ in range(2):
        with pytest.raises(CircularBufferError):
            device.run(bad)
    assert not fake(device).runs
    assert len(device.program_cache) == 0


def test_runtime_values_are_checked_on_every_call(device: Device) -> None:
    device.run(program(1))
    for bad in (-1, 1 << 32, "x"):
        with pytest.raises(KernelArgumentError, match="number 0, is"):
            device.run(program(bad))


def test_options_come_from_the_settings_unless_given(device: Device) -> None:
    device.run(program())
    with settings.using(checks="off", numbers="fast", seed=5):
        device.run(program())
        device.run(program(), checks="on", numbers="chip", seed=0)
    told = [(run[2].checks, run[2].numbers, run[2].seed) for run in fake(device).runs]
    assert told == [("on", "chip", 0), ("off", "fast", 5), ("on", "chip", 0)]


def test_the_executor_knows_the_live_buffers(device: Device) -> None:
    one = device.empty((32, 32))
    two = device.empty((32, 32), memory_config=L1_MEMORY_CONFIG)
    device.run(program())
    two.deallocate()
    device.run(program())
    first, second = (run[2].allocations for run in fake(device).runs)
    l1_top = device.arch.l1_size
    marks = first[0].written  # where it is noted which pages of DRAM were written
    assert marks != 0
    dram = LiveBuffer(True, one.address, 2048, page_size=2048, pages=1, written=marks)
    assert list(first) == [dram, LiveBuffer(False, l1_top - 2048, 2048, page_size=2048, pages=1)]
    assert list(second) == [dram]


def test_without_checks_nobody_is_told_where_tensors_lie(device: Device) -> None:
    held = device.empty((32, 32))
    device.run(program(), checks="on")
    device.run(program(), checks="off")
    assert [len(run[2].allocations) for run in fake(device).runs] == [1, 0]
    assert held.is_allocated


def test_findings_are_raised(device: Device) -> None:
    fake(device).findings = ("popped a page it never waited for",)
    with pytest.raises(KernelFindings, match="popped a page") as raised:
        device.run(program())
    assert raised.value.findings == ["popped a page it never waited for"]


def test_tensors_made_after_the_first_call_can_leave_too_little_l1(device: Device) -> None:
    device.run(program(cbs=[tiles(600)]))
    block = device.empty((32 * 64, 32 * 100), memory_config=L1_MEMORY_CONFIG)
    with pytest.raises(L1BudgetError, match="too many"):
        device.run(program(cbs=[tiles(600)]))
    block.deallocate()
    device.run(program(cbs=[tiles(600)]))


def test_circular_buffers_follow_their_tensor(device: Device) -> None:
    def run_on(tensor: ts.Tensor) -> int:
        device.run(program(cbs=[cb_from_sharded_tensor(0, tensor)]))
        return fake(device).runs[-1][1].addresses[0]

    memory = height_sharded(ROW, (32, 64))
    one, two = device.empty((128, 64), memory_config=memory), device.empty((128, 64), memory_config=memory)
    assert (run_on(one), run_on(two)) == (one.address, two.address)
    assert device.program_cache.hits == 1


def test_a_circular_buffer_keeps_its_tensor(device: Device) -> None:
    cb = cb_from_sharded_tensor(3, device.empty((128, 64), memory_config=height_sharded(ROW, (32, 64))))
    gc.collect()
    assert cb.buffer is not None
    assert (cb.total_size, cb.indices, cb.num_pages) == (4096, (3,), 2)
    assert device.empty((32, 32), memory_config=L1_MEMORY_CONFIG).address < cb.buffer.address
    with pytest.raises(DeviceError, match="L1-sharded"):
        cb_from_sharded_tensor(0, device.empty((32, 32)))


# ---- opening and closing ----


def test_closing() -> None:
    with open_device("p100a", executor=FakeExecutor) as device:
        tensor = device.empty((32, 32))
        executor = fake(device)
        assert repr(device) == "Device(p100a)"
    device.close()
    assert executor.closed == 1
    assert repr(device) == "Device(p100a, closed)"
    for use in (lambda: device.run(program()), lambda: device.empty((1,)), tensor.to_numpy, device.__enter__):
        with pytest.raises(DeviceClosedError, match="p100a device was closed"):
            use()
    tensor.deallocate()


def test_the_chip_comes_from_the_settings_unless_given() -> None:
    with settings.using(arch="blackhole"):
        assert open_device(executor=FakeExecutor).arch.product == "p150"
        assert open_device("n300", executor=FakeExecutor).arch.product == "n300"
    assert open_device(executor=FakeExecutor).arch.family == "wormhole"
    assert open_device(ts.load_arch("n300"), executor=FakeExecutor).arch.product == "n300"
    with pytest.raises(DeviceError, match="unknown chip"):
        open_device("tpu", executor=FakeExecutor)

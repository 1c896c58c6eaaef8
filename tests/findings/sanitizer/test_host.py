"""What the host may do: odd addresses, buffers that are gone, programs that do not fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.findings.sanitizer.bench import CORE, PAGE, dram_tensor, l1_tensor, run

from tilesmith.errors import DeviceError, KernelArgumentError, L1BudgetError
from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer
from tilesmith.runtime import Device, Tensor, cb_from_sharded_tensor

BYTES = np.array([0xDE, 0xAD, 0xBE, 0xEF], np.uint8)


def test_the_host_may_write_any_byte_of_l1(device: Device) -> None:
    address = l1_tensor(device).address + 1
    device.executor.l1(CORE)[address : address + 4] = BYTES
    device.executor.note_host_write("l1", CORE, address, 4)
    assert (device.executor.l1(CORE)[address : address + 4] == BYTES).all()


def test_the_host_may_write_any_byte_of_dram(device: Device) -> None:
    address = dram_tensor(device).address + 1
    device.executor.dram(0)[address : address + 4] = BYTES
    device.executor.note_host_write("dram", 0, address, 4)
    assert (device.executor.dram(0)[address : address + 4] == BYTES).all()


@pytest.mark.parametrize("make", [l1_tensor, dram_tensor], ids=["L1", "DRAM"])
@pytest.mark.parametrize(
    "use",
    [
        lambda tensor: tensor.copy_from_numpy(np.ones(tensor.shape, np.uint32)),
        lambda tensor: tensor.to_numpy(),
        lambda tensor: tensor.to_torch(),
        lambda tensor: tensor.buffer.read(),
        lambda tensor: tensor.address,
    ],
    ids=["write", "to_numpy", "to_torch", "read pages", "address"],
)
def test_a_deallocated_tensor_is_gone(
    device: Device, make: Callable[[Device], Tensor], use: Callable[[Tensor], object]
) -> None:
    tensor = make(device)
    tensor.deallocate()
    with pytest.raises(DeviceError, match="deallocated"):
        use(tensor)


def test_a_deallocated_tensor_under_a_circular_buffer_is_gone(device: Device) -> None:
    tensor = l1_tensor(device)
    cb = cb_from_sharded_tensor(0, tensor)
    tensor.deallocate()
    with pytest.raises(DeviceError, match="deallocated"):
        run(device, "", pages=0, cbs=[cb])


@pytest.mark.parametrize("make", [l1_tensor, dram_tensor], ids=["L1", "DRAM"])
def test_a_live_tensor_keeps_its_values(device: Device, make: Callable[[Device], Tensor]) -> None:
    tensor = make(device)
    values = np.arange(tensor.shape[1], dtype=np.uint32).reshape(1, -1)
    tensor.copy_from_numpy(values)
    assert (tensor.to_numpy() == values).all()


# ---- what must fit into L1 before a kernel runs ----


def test_a_circular_buffer_that_reaches_into_a_tensor(device: Device) -> None:
    tensor = l1_tensor(device, 1 << 20)
    cb = CircularBuffer(512 * 2048, CORE, CBFormat(0, DataFormat.Float16_b, 2048))
    with pytest.raises(L1BudgetError, match="tensor"):
        run(device, "", pages=0, cbs=[cb])
    tensor.deallocate()


def test_more_arguments_than_a_core_has_room_for(device: Device) -> None:
    with pytest.raises(KernelArgumentError, match="runtime arguments"):
        run(device, "", range(4000))


def test_a_small_program_fits(device: Device) -> None:
    tensor = l1_tensor(device, PAGE)
    run(device, "", range(100))
    tensor.deallocate()

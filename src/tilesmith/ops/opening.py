"""Opening and closing devices under ttnn's names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tilesmith.ops.device import MeshDevice
from tilesmith.runtime import open_device as open_chip


def open_device(
    device_id: int = 0,
    l1_small_size: int = 0,
    trace_region_size: int = 0,
    dispatch_core_config: object = None,
    num_command_queues: int = 1,
    worker_l1_size: int = 0,
) -> MeshDevice:
    """Open the chip that the settings name (TILESMITH_ARCH). Sizes of regions are the emulator's own affair.

    >>> device = open_device(device_id=0)
    >>> device.compute_with_storage_grid_size()
    CoreCoord(x=8, y=8)
    >>> close_device(device)
    """
    return MeshDevice(open_chip(), device_id)


def close_device(device: MeshDevice) -> None:
    """Close a device; its tensors can no longer be used."""
    device.device.close()


def synchronize_device(device: MeshDevice, *_: object, **__: object) -> None:
    """Programs here run to their end before the call returns: there is nothing to wait for."""


@contextmanager
def manage_device(device_id: int = 0) -> Iterator[MeshDevice]:
    """A device that is closed at the end of the block."""
    device = open_device(device_id)
    try:
        yield device
    finally:
        close_device(device)


def get_num_devices() -> int:
    """One chip."""
    return 1

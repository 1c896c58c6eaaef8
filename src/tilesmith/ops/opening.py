"""Opening and closing devices under ttnn's names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.ops.device import Arch, MeshDevice
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


def get_num_pcie_devices() -> int:
    """One card, with the one chip."""
    return get_num_devices()


def get_device_ids() -> list[int]:
    return [0]


def get_arch_name() -> str:
    """The family of the chip that the settings name, in ttnn's words.

    >>> get_arch_name()
    'wormhole_b0'
    """
    return Arch(load_arch(settings.current().arch).family).name.lower()


# ---- the names of the C++ library ----

_default: list[MeshDevice | None] = [None]


def CreateDevice(device_id: int = 0, *_: object, **__: object) -> MeshDevice:  # noqa: N802 - ttnn's name
    """`open_device`; what is said about queues, regions and dispatch concerns hardware."""
    return open_device(device_id)


def GetDefaultDevice() -> MeshDevice | None:  # noqa: N802 - ttnn's name
    """The device for tensors that name none."""
    return _default[0]


def SetDefaultDevice(device: MeshDevice | None) -> None:  # noqa: N802 - ttnn's name
    _default[0] = device


def GetNumAvailableDevices() -> int:  # noqa: N802 - ttnn's name
    return get_num_devices()


def GetNumPCIeDevices() -> int:  # noqa: N802 - ttnn's name
    return get_num_devices()


def GetPCIeDeviceID(device_id: int) -> int:  # noqa: N802 - ttnn's name
    return device_id

"""ttnn.device: devices, under the names of ttnn's submodule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tilesmith.ops.compute_config import init_device_compute_kernel_config
from tilesmith.ops.device import Arch, MeshDevice
from tilesmith.ops.opening import (
    CreateDevice,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    GetPCIeDeviceID,
    SetDefaultDevice,
    close_device,
    get_arch_name,
    get_device_ids,
    get_num_devices,
    get_num_pcie_devices,
    manage_device,
    open_device,
    synchronize_device,
)
from tilesmith.ops.sub_devices import SubDevice, SubDeviceId, SubDeviceManagerId

Device = MeshDevice
DEFAULT_L1_SMALL_SIZE = 0
DEFAULT_TRACE_REGION_SIZE = 0


class DispatchCoreType(Enum):
    WORKER = 0
    ETH = 1


class DispatchCoreAxis(Enum):
    ROW = 0
    COL = 1


@dataclass(frozen=True)
class DispatchCoreConfig:
    """Which cores dispatch on a card; an emulator gives all cores to programs."""

    type: DispatchCoreType | None = None
    axis: DispatchCoreAxis | None = None
    fabric_tensix_config: object = None


def is_wormhole_b0(device: MeshDevice | None = None) -> bool:
    return _name(device) == "wormhole_b0"


def is_blackhole(device: MeshDevice | None = None) -> bool:
    return _name(device) == "blackhole"


def _name(device: MeshDevice | None) -> str:
    return get_arch_name() if device is None else device.arch().name.lower()


def get_max_worker_l1_unreserved_size() -> int:
    """Bytes of L1 that programs and tensors share."""
    from tilesmith import settings
    from tilesmith.arch import load_arch

    arch = load_arch(settings.current().arch)
    return arch.l1_size - arch.l1_unreserved_base


def get_dram_alignment() -> int:
    from tilesmith import settings
    from tilesmith.arch import load_arch

    return load_arch(settings.current().arch).dram_alignment


def get_l1_alignment() -> int:
    from tilesmith import settings
    from tilesmith.arch import load_arch

    return load_arch(settings.current().arch).l1_alignment


__all__ = [
    "DEFAULT_L1_SMALL_SIZE",
    "DEFAULT_TRACE_REGION_SIZE",
    "Arch",
    "CreateDevice",
    "Device",
    "DispatchCoreAxis",
    "DispatchCoreConfig",
    "DispatchCoreType",
    "GetDefaultDevice",
    "GetNumAvailableDevices",
    "GetNumPCIeDevices",
    "GetPCIeDeviceID",
    "SetDefaultDevice",
    "SubDevice",
    "SubDeviceId",
    "SubDeviceManagerId",
    "close_device",
    "get_arch_name",
    "get_device_ids",
    "get_dram_alignment",
    "get_l1_alignment",
    "get_max_worker_l1_unreserved_size",
    "get_num_devices",
    "get_num_pcie_devices",
    "init_device_compute_kernel_config",
    "is_blackhole",
    "is_wormhole_b0",
    "manage_device",
    "open_device",
    "synchronize_device",
]

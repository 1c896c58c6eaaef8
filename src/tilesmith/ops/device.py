"""The device as ttnn shows it: a mesh of one chip."""

from __future__ import annotations

from enum import Enum
from weakref import WeakValueDictionary

from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.framework.cache import operation_cache
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device


class Arch(Enum):
    """The families of chips, by ttnn's names."""

    WORMHOLE_B0 = "wormhole"
    BLACKHOLE = "blackhole"


class MeshDevice:
    """What ttnn.open_device gives. `.device` is the runtime's Device behind it."""

    def __init__(self, device: Device, device_id: int = 0) -> None:
        self.device = device
        self._id = device_id
        _faces[id(device)] = self

    @staticmethod
    def of(device: Device) -> MeshDevice:
        """The ttnn device of a device; the same one every time."""
        return _faces.get(id(device)) or MeshDevice(device)

    def __repr__(self) -> str:
        return "MeshDevice(1x1 grid, 1 devices)"

    def id(self) -> int:
        return self._id

    def get_device_ids(self) -> list[int]:
        return [self._id]

    def get_num_devices(self) -> int:
        return 1

    @property
    def shape(self) -> tuple[int, int]:
        return 1, 1

    def arch(self) -> Arch:
        return Arch(self.device.arch.family)

    @property
    def core_grid(self) -> CoreGrid:
        grid = self.device.arch.grid
        return CoreGrid(x=grid.x, y=grid.y)

    def compute_with_storage_grid_size(self) -> CoreCoord:
        return CoreCoord(*self.device.arch.grid)

    def dram_grid_size(self) -> CoreCoord:
        return CoreCoord(self.device.arch.num_dram_banks, 1)

    def worker_core_from_logical_core(self, logical_core: CoreCoord) -> CoreCoord:
        return CoreCoord(*self.device.arch.worker_noc_xy(CoreCoord(*logical_core)))

    # ---- program cache ----

    def num_program_cache_entries(self) -> int:
        return len(operation_cache(self.device))

    def enable_program_cache(self) -> None:
        operation_cache(self.device).enabled = True

    def clear_program_cache(self) -> None:
        operation_cache(self.device).clear()

    def disable_and_clear_program_cache(self) -> None:
        operation_cache(self.device).disable_and_clear()

    def set_program_cache_misses_allowed(self, allowed: bool) -> None:
        operation_cache(self.device).misses_allowed = allowed


# By the identity of the device, which lives as long as its ttnn device: that holds it.
_faces: WeakValueDictionary[int, MeshDevice] = WeakValueDictionary()

"""The device as ttnn shows it: a mesh of one chip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from tilesmith.ops.checks import fatal
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.framework.cache import operation_cache
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device

if TYPE_CHECKING:
    from tilesmith.ops.mesh_names import MeshShape
    from tilesmith.ops.sub_devices import SubDevice, SubDeviceId, SubDeviceManagerId


class Arch(Enum):
    """The families of chips, by ttnn's names."""

    WORMHOLE_B0 = "wormhole"
    BLACKHOLE = "blackhole"
    QUASAR = "quasar"


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
    def shape(self) -> MeshShape:
        from tilesmith.ops.mesh_names import MeshShape

        return MeshShape(1, 1)

    def get_submeshes(self) -> list[MeshDevice]:
        return []

    def get_devices(self) -> list[MeshDevice]:
        return [self]

    def create_submeshes(self, submesh_shape: Iterable[int]) -> list[MeshDevice]:
        return [self.create_submesh(submesh_shape)]

    def create_submesh(self, submesh_shape: Iterable[int], offset: object = None) -> MeshDevice:
        """The only one there is."""
        from tilesmith.ops.mesh_names import MeshShape

        fatal(
            MeshShape(*submesh_shape).mesh_size() == 1, f"{submesh_shape} is larger than a mesh of one chip"
        )
        return self

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

    def get_optimal_dram_bank_to_logical_worker_assignment(self, noc: object = None) -> list[CoreCoord]:
        """A core for each DRAM bank, row by row: here every core is as near to a bank as any other."""
        grid = self.device.arch.grid
        return [CoreCoord(bank % grid.x, bank // grid.x) for bank in range(self.device.arch.num_dram_banks)]

    # ---- sub-devices ----

    def create_sub_device_manager(
        self, sub_devices: Sequence[SubDevice], local_l1_size: int = 0
    ) -> SubDeviceManagerId:
        from tilesmith.ops import sub_devices as books

        return books.create_sub_device_manager(self, sub_devices, local_l1_size)

    def load_sub_device_manager(self, sub_device_manager_id: SubDeviceManagerId) -> None:
        from tilesmith.ops import sub_devices as books

        books.load_sub_device_manager(self, sub_device_manager_id)

    def clear_loaded_sub_device_manager(self) -> None:
        from tilesmith.ops import sub_devices as books

        books.clear_loaded_sub_device_manager(self)

    def remove_sub_device_manager(self, sub_device_manager_id: SubDeviceManagerId) -> None:
        from tilesmith.ops import sub_devices as books

        books.remove_sub_device_manager(self, sub_device_manager_id)

    def set_sub_device_stall_group(self, sub_device_ids: Sequence[SubDeviceId]) -> None:
        """Whom the host waits for: every program has ended when its call returns."""

    def reset_sub_device_stall_group(self) -> None:
        """The host waits for all."""

    def get_sub_device_ids(self) -> list[SubDeviceId]:
        from tilesmith.ops import sub_devices as books

        return books.sub_device_ids(self)

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

"""SubDevice and events: parts of a chip that run by themselves, and order between queues.

Programs here run one after another in the order of the calls, so that both only have to be kept in books.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from weakref import WeakKeyDictionary

from tilesmith.ops.checks import fatal
from tilesmith.ops.device import MeshDevice
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Device


@dataclass(frozen=True)
class SubDeviceId:
    id: int = 0


@dataclass(frozen=True)
class SubDeviceManagerId:
    id: int


class SubDevice:
    """Cores by kind: Tensix cores first.

    >>> from tilesmith.program import CoreRange
    >>> SubDevice([CoreRangeSet(CoreRange((0, 0), (3, 0)))]).cores.num_cores
    4
    """

    def __init__(self, cores: Sequence[CoreRangeSet]) -> None:
        fatal(len(cores) > 0, "SubDevice must have at least one core")
        self.core_sets = tuple(CoreRangeSet.of(one) for one in cores)

    @property
    def cores(self) -> CoreRangeSet:
        return self.core_sets[0]


@dataclass
class _Managers:
    numbers: count[int] = field(default_factory=lambda: count(1))
    known: dict[int, tuple[SubDevice, ...]] = field(default_factory=dict)
    loaded: int | None = None
    stalled: tuple[SubDeviceId, ...] = ()


_managers: WeakKeyDictionary[Device, _Managers] = WeakKeyDictionary()


def managers(device: MeshDevice) -> _Managers:
    return _managers.setdefault(device.device, _Managers())


def create_sub_device_manager(
    device: MeshDevice, sub_devices: Sequence[SubDevice], local_l1_size: int
) -> SubDeviceManagerId:
    taken: set[tuple[int, int]] = set()
    for sub_device in sub_devices:
        mine = {(core.x, core.y) for core in sub_device.cores.cores()}
        fatal(not mine & taken, "SubDevices specified for SubDeviceManager intersect")
        taken |= mine
    kept = managers(device)
    number = next(kept.numbers)
    kept.known[number] = tuple(sub_devices)
    return SubDeviceManagerId(number)


def load_sub_device_manager(device: MeshDevice, manager: SubDeviceManagerId) -> None:
    kept = managers(device)
    fatal(manager.id in kept.known, f"SubDeviceManager {manager.id} does not exist")
    kept.loaded = manager.id


def clear_loaded_sub_device_manager(device: MeshDevice) -> None:
    managers(device).loaded = None


def remove_sub_device_manager(device: MeshDevice, manager: SubDeviceManagerId) -> None:
    kept = managers(device)
    fatal(manager.id in kept.known, f"SubDeviceManager {manager.id} does not exist")
    fatal(kept.loaded != manager.id, f"Cannot remove active sub device manager {manager.id}")
    del kept.known[manager.id]


def sub_device_ids(device: MeshDevice) -> list[SubDeviceId]:
    kept = managers(device)
    return [SubDeviceId(number) for number in range(len(kept.known[kept.loaded]) if kept.loaded else 1)]


@dataclass(frozen=True)
class MeshEvent:
    """A point in a queue."""

    id: int
    device: MeshDevice
    cq_id: int


_events = count()


def record_event(
    device: MeshDevice, cq_id: int | None = 0, sub_device_ids: Sequence[SubDeviceId] = ()
) -> MeshEvent:
    """A mark after what has been called so far."""
    return MeshEvent(next(_events), device, cq_id or 0)


def wait_for_event(cq_id: int | None, mesh_event: MeshEvent) -> None:
    """What came before the event has ended: programs end before their call returns."""
    fatal(isinstance(mesh_event, MeshEvent), "wait_for_event takes what record_event gave")


def event_synchronize(mesh_event: MeshEvent) -> None:
    """The same, for the host."""
    fatal(isinstance(mesh_event, MeshEvent), "event_synchronize takes what record_event gave")

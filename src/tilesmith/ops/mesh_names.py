"""ttnn's names for meshes of chips: shapes, coordinates, what the fabric is set to, and opening one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tilesmith import settings
from tilesmith.arch.boards import board_with
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.opening import close_device, open_device
from tilesmith.runtime import open_mesh


class MeshShape:
    """Sizes of a mesh.

    >>> MeshShape(2, 4).mesh_size(), MeshShape((1, 1))[0]
    (8, 1)
    """

    def __init__(self, *sizes: Any) -> None:
        given = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        self.sizes = tuple(int(size) for size in given)

    def mesh_size(self) -> int:
        return math.prod(self.sizes)

    def dims(self) -> int:
        return len(self.sizes)

    def __getitem__(self, axis: int) -> int:
        return self.sizes[axis]

    def __iter__(self) -> Iterator[int]:
        return iter(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (MeshShape, tuple, list)) and self.sizes == tuple(other)

    def __hash__(self) -> int:
        return hash(self.sizes)

    def __repr__(self) -> str:
        return f"MeshShape({list(self.sizes)})"


class MeshCoordinate(MeshShape):
    """A place in a mesh."""

    def __repr__(self) -> str:
        return f"MeshCoordinate({list(self.sizes)})"


@dataclass(frozen=True)
class MeshCoordinateRange:
    start: MeshCoordinate
    end: MeshCoordinate

    def __init__(self, start: Any, end: Any = None) -> None:
        if end is None:  # the whole of a shape
            start, end = MeshCoordinate([0] * len(start)), MeshCoordinate([size - 1 for size in start])
        self.__dict__.update(start=start, end=end)

    def shape(self) -> MeshShape:
        return MeshShape([last - first + 1 for first, last in zip(self.start, self.end, strict=True)])


class FabricConfig(Enum):
    DISABLED = 0
    FABRIC_1D_NEIGHBOR_EXCHANGE = 1
    FABRIC_1D = 2
    FABRIC_1D_RING = 3
    FABRIC_2D = 4
    FABRIC_2D_TORUS_X = 5
    FABRIC_2D_TORUS_Y = 6
    FABRIC_2D_TORUS_XY = 7
    CUSTOM = 8


class FabricReliabilityMode(Enum):
    STRICT_INIT = 0
    RELAXED_INIT = 1
    DYNAMIC_RECONFIG = 2


class FabricTensixConfig(Enum):
    DISABLED = 0
    MUX = 1
    UDM = 2


class FabricUDMMode(Enum):
    DISABLED = 0
    ENABLED = 1


class FabricManagerMode(Enum):
    DEFAULT = 0
    INIT_FABRIC = 1
    TERMINATE_FABRIC = 2


class Topology(Enum):
    Ring = 0
    Linear = 1
    Mesh = 2
    Torus = 3


_fabric = [FabricConfig.DISABLED]


def set_fabric_config(config: FabricConfig, *_: object, **__: object) -> None:
    """Remembered for `get_fabric_config`: the links of an emulated mesh need no setting up."""
    _fabric[0] = config


def get_fabric_config() -> FabricConfig:
    return _fabric[0]


class SystemMeshDescriptor:
    """The mesh the machine has."""

    def shape(self) -> MeshShape:
        return MeshShape(1, 1)


def open_mesh_device(mesh_shape: Any = None, *_: object, **__: object) -> MeshDevice:
    """A mesh of rows x columns chips: the board of that shape with the settings' chip, where there is one.

    >>> device = open_mesh_device(MeshShape(1, 2))
    >>> device, device.get_num_devices()
    (MeshDevice(1x2 grid, 2 devices), 2)
    >>> close_mesh_device(device)
    """
    shape = MeshShape(1, 1) if mesh_shape is None else MeshShape(*mesh_shape)
    if shape.mesh_size() == 1:
        return open_device()
    if shape.dims() != 2:
        raise OperationError(f"tilesmith: a mesh has rows and columns, not {list(shape)}")
    from tilesmith.ops.distributed import ChipsDevice

    rows, columns = shape
    return ChipsDevice(open_mesh((rows, columns), board_with((rows, columns), settings.current().arch)))


def close_mesh_device(mesh_device: MeshDevice) -> None:
    from tilesmith.ops.distributed import ChipsDevice

    if isinstance(mesh_device, ChipsDevice):
        if mesh_device.owns:  # a part's chips stay open with the whole
            mesh_device.mesh.close()
    else:
        close_device(mesh_device)


def using_distributed_env() -> bool:
    return False


def get_pcie_device_ids() -> list[int]:
    return [0]

"""ttnn's names for meshes of chips, on a mesh of one: mappers hand a tensor to the only chip.

A mesh of several chips is refused here; `tilesmith.runtime.open_mesh` has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.opening import close_device, open_device


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


def set_fabric_config(config: FabricConfig, *_: object, **__: object) -> None:
    """One chip has no fabric: it can only be off."""
    if config is not FabricConfig.DISABLED:
        raise OperationError(
            f"tilesmith: {config.name} connects several chips, and ttnn's devices here are one chip",
            remedy="set FabricConfig.DISABLED, or use tilesmith.runtime.open_mesh",
        )


def get_fabric_config() -> FabricConfig:
    return FabricConfig.DISABLED


class SystemMeshDescriptor:
    """The mesh the machine has."""

    def shape(self) -> MeshShape:
        return MeshShape(1, 1)


def open_mesh_device(mesh_shape: Any = None, *_: object, **__: object) -> MeshDevice:
    """A mesh of one chip."""
    shape = MeshShape(1, 1) if mesh_shape is None else MeshShape(*mesh_shape)
    if shape.mesh_size() != 1:
        raise OperationError(
            f"tilesmith: a mesh of {list(shape)} chips is not there, ttnn's devices here are one chip",
            remedy="open a mesh of 1 x 1, or use tilesmith.runtime.open_mesh",
        )
    return open_device()


def close_mesh_device(mesh_device: MeshDevice) -> None:
    close_device(mesh_device)


def using_distributed_env() -> bool:
    return False


def get_pcie_device_ids() -> list[int]:
    return [0]


# ---- mappers and composers ----


@dataclass(frozen=True)
class PlacementReplicate:
    pass


@dataclass(frozen=True)
class PlacementShard:
    dim: int


@dataclass(frozen=True)
class MeshMapperConfig:
    placements: Sequence[PlacementReplicate | PlacementShard] = ()
    mesh_shape_override: MeshShape | None = None

    def __init__(self, *given: Any, **options: Any) -> None:
        override = options.get("mesh_shape_override")
        placements = options.get("placements", given[-1] if given else ())
        self.__dict__.update(placements=placements, mesh_shape_override=override)


@dataclass(frozen=True)
class MeshComposerConfig:
    dims: Sequence[int] = ()
    mesh_shape_override: MeshShape | None = None

    def __init__(self, *given: Any, **options: Any) -> None:
        override = options.get("mesh_shape_override")
        self.__dict__.update(
            dims=options.get("dims", given[-1] if given else ()), mesh_shape_override=override
        )


class TensorToMesh:
    """How a tensor goes to the chips of a mesh; to one chip it goes whole."""

    def __init__(self, mesh_device: MeshDevice | None = None, *_: object, **__: object) -> None:
        self.mesh_device = mesh_device


class ReplicateTensorToMesh(TensorToMesh):
    """The same on every chip."""


class ShardTensorToMesh(TensorToMesh):
    """Parts along an axis."""


class ShardTensor2dMesh(TensorToMesh):
    """Parts along two axes."""


class MeshToTensor(TensorToMesh):
    """How the parts of a tensor come together; one part is the whole."""


class ConcatMeshToTensor(MeshToTensor):
    """Along an axis."""


class ConcatMesh2dToTensor(MeshToTensor):
    """Along two axes."""


def create_mesh_mapper(mesh_device: MeshDevice, config: MeshMapperConfig | None = None) -> TensorToMesh:
    return TensorToMesh(mesh_device)


def create_mesh_composer(mesh_device: MeshDevice, config: MeshComposerConfig | None = None) -> MeshToTensor:
    return MeshToTensor(mesh_device)


def replicate_tensor_to_mesh_mapper(mesh_device: MeshDevice) -> TensorToMesh:
    return ReplicateTensorToMesh(mesh_device)


def shard_tensor_to_mesh_mapper(mesh_device: MeshDevice, dim: int) -> TensorToMesh:
    return ShardTensorToMesh(mesh_device, dim=dim)


def concat_mesh_to_tensor_composer(mesh_device: MeshDevice, dim: int) -> MeshToTensor:
    return ConcatMeshToTensor(mesh_device, dim=dim)

"""ttnn's mappers and composers: how a tensor is spread over the chips of a mesh, and joined again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class PlacementReplicate:
    """The same along an axis of the mesh."""


@dataclass(frozen=True)
class PlacementShard:
    """Parts of dimension `dim` along an axis of the mesh."""

    dim: int


@dataclass(frozen=True)
class MeshMapperConfig:
    placements: Sequence[PlacementReplicate | PlacementShard] = ()
    mesh_shape_override: Any = None

    def __init__(self, *given: Any, **options: Any) -> None:
        override = options.get("mesh_shape_override")
        placements = options.get("placements", given[-1] if given else ())
        self.__dict__.update(placements=placements, mesh_shape_override=override)


@dataclass(frozen=True)
class MeshComposerConfig:
    dims: Sequence[int] = ()
    mesh_shape_override: Any = None

    def __init__(self, *given: Any, **options: Any) -> None:
        override = options.get("mesh_shape_override")
        self.__dict__.update(
            dims=options.get("dims", given[-1] if given else ()), mesh_shape_override=override
        )


class TensorToMesh:
    """How a tensor goes to the chips of a mesh: `dims` has what is split along each axis of `shape`."""

    def __init__(
        self,
        mesh_device: MeshDevice | None = None,
        dims: Sequence[int | None] = (None,),
        shape: Sequence[int] | None = None,
    ) -> None:
        self.mesh_device = mesh_device
        count = 1 if mesh_device is None else mesh_device.get_num_devices()
        self.shape = tuple(shape) if shape is not None else (count,)
        self.dims = tuple(dims)

    def split(self, tensor: torch.Tensor) -> list[torch.Tensor]:
        """What each chip gets, row by row."""
        parts = [tensor]
        for size, dim in zip(self.shape, self.dims, strict=True):
            parts = [piece for part in parts for piece in _pieces(part, size, dim)]
        return parts


def _pieces(tensor: torch.Tensor, size: int, dim: int | None) -> Sequence[torch.Tensor]:
    if dim is None:
        return [tensor] * size
    if not -tensor.dim() <= dim < tensor.dim() or tensor.shape[dim] % size:
        raise OperationError(
            f"a tensor of shape {list(tensor.shape)} has no {size} equal parts along dimension {dim}",
            remedy="pad the tensor, or split another dimension",
        )
    return tensor.chunk(size, dim)


class ReplicateTensorToMesh(TensorToMesh):
    """The same on every chip."""

    def __init__(self, mesh_device: MeshDevice | None = None) -> None:
        super().__init__(mesh_device)


class ShardTensorToMesh(TensorToMesh):
    """Parts along one dimension, one for each chip, row by row."""

    def __init__(self, mesh_device: MeshDevice, dim: int) -> None:
        super().__init__(mesh_device, (dim,))


class ShardTensor2dMesh(TensorToMesh):
    """Parts along one dimension for the rows of the mesh, along another for its columns; None repeats."""

    def __init__(
        self, mesh_device: MeshDevice, mesh_shape: Sequence[int], dims: Sequence[int | None]
    ) -> None:
        super().__init__(mesh_device, tuple(dims), tuple(mesh_shape))


class MeshToTensor:
    """How the parts of a tensor come together: `dims` has a dimension for each axis of `shape`."""

    def __init__(
        self,
        mesh_device: MeshDevice | None = None,
        dims: Sequence[int] = (0,),
        shape: Sequence[int] | None = None,
    ) -> None:
        self.mesh_device = mesh_device
        count = 1 if mesh_device is None else mesh_device.get_num_devices()
        self.shape = tuple(shape) if shape is not None else (count,)
        self.dims = tuple(dims)

    def join(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        import torch

        for size, dim in zip(reversed(self.shape), reversed(self.dims), strict=True):
            parts = [
                torch.cat(list(parts[first : first + size]), dim) for first in range(0, len(parts), size)
            ]
        return parts[0]


class ConcatMeshToTensor(MeshToTensor):
    """One behind the other along a dimension, row by row."""

    def __init__(self, mesh_device: MeshDevice, dim: int) -> None:
        super().__init__(mesh_device, (dim,))


class ConcatMesh2dToTensor(MeshToTensor):
    """Rows of the mesh along one dimension, its columns along another."""

    def __init__(self, mesh_device: MeshDevice, mesh_shape: Sequence[int], dims: Sequence[int]) -> None:
        super().__init__(mesh_device, tuple(dims), tuple(mesh_shape))


def create_mesh_mapper(mesh_device: MeshDevice, config: MeshMapperConfig | None = None) -> TensorToMesh:
    """The mapper of a config: one placement for each axis of the mesh, or one for all chips."""
    placements = () if config is None else tuple(config.placements)
    if not placements:
        return ReplicateTensorToMesh(mesh_device)
    dims = [entry.dim if isinstance(entry, PlacementShard) else None for entry in placements]
    return TensorToMesh(mesh_device, dims, _shape(mesh_device, config, len(dims)))


def create_mesh_composer(mesh_device: MeshDevice, config: MeshComposerConfig | None = None) -> MeshToTensor:
    """The composer of a config: one dimension for each axis of the mesh, or one for all chips."""
    dims = (0,) if config is None or not config.dims else tuple(config.dims)
    return MeshToTensor(mesh_device, dims, _shape(mesh_device, config, len(dims)))


def _shape(mesh_device: MeshDevice, config: Any, axes: int) -> Sequence[int] | None:
    if config is not None and config.mesh_shape_override is not None:
        return tuple(config.mesh_shape_override)
    return None if axes == 1 else tuple(mesh_device.shape)


def replicate_tensor_to_mesh_mapper(mesh_device: MeshDevice) -> TensorToMesh:
    return ReplicateTensorToMesh(mesh_device)


def shard_tensor_to_mesh_mapper(mesh_device: MeshDevice, dim: int) -> TensorToMesh:
    return ShardTensorToMesh(mesh_device, dim)


def concat_mesh_to_tensor_composer(mesh_device: MeshDevice, dim: int) -> MeshToTensor:
    return ConcatMeshToTensor(mesh_device, dim)

"""Tensors on every chip of a mesh, and operations on them: each runs on all chips, as ttnn's do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.framework.registry import RegisteredOperation, call, spread_operations
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Mesh, MeshTensor

if TYPE_CHECKING:
    import torch

    from tilesmith.ops.mesh_names import MeshShape


class ChipsDevice(MeshDevice):
    """A device of several chips. What is asked of one chip is asked of the first."""

    def __init__(self, mesh: Mesh, owns: bool = True) -> None:
        chips: Any = mesh.chips
        self.mesh = mesh
        self.owns = owns
        self.chips = [MeshDevice.of(device) for device in chips.devices.values()]
        if owns:
            self.chips = [MeshDevice(device, number) for number, device in enumerate(chips.devices.values())]
        self.device = self.chips[0].device
        self._id = 0
        self._parts: list[MeshDevice] = []
        spread_operations(_on_every_chip)

    def __repr__(self) -> str:
        return f"MeshDevice({self.mesh.shape[0]}x{self.mesh.shape[1]} grid, {len(self.chips)} devices)"

    def get_device_ids(self) -> list[int]:
        return [chip.id() for chip in self.chips]

    def get_num_devices(self) -> int:
        return len(self.chips)

    @property
    def shape(self) -> MeshShape:
        from tilesmith.ops.mesh_names import MeshShape

        return MeshShape(*self.mesh.shape)

    def get_devices(self) -> list[MeshDevice]:
        return list(self.chips)

    def get_submeshes(self) -> list[MeshDevice]:
        return list(self._parts)

    def create_submesh(self, submesh_shape: Iterable[int], offset: Any = None) -> MeshDevice:
        """Some of the chips, from the one at `offset` on, as a device of their own."""
        rows, columns = submesh_shape
        top, left = (0, 0) if offset is None else offset
        height, width = self.mesh.shape
        if not (0 <= top <= height - rows and 0 <= left <= width - columns and rows > 0 < columns):
            raise OperationError(
                f"tilesmith: {rows} x {columns} chips from {(top, left)} on do not fit into {self.mesh}",
                remedy="ask for fewer rows or columns, or another offset",
            )
        chips: Any = self.mesh.chips
        part: MeshDevice = self.chips[top * width + left]
        if rows * columns > 1:
            shape = (rows, columns)
            part = ChipsDevice(Mesh(shape, chips.part(shape, (top, left))), owns=False)
        self._parts.append(part)
        return part

    def create_submeshes(self, submesh_shape: Iterable[int]) -> list[MeshDevice]:
        """All chips in parts of one shape, row by row."""
        rows, columns = submesh_shape
        height, width = self.mesh.shape
        if height % rows or width % columns:
            raise OperationError(f"tilesmith: {self.mesh} has no parts of {rows} x {columns} chips only")
        places = [(top, left) for top in range(0, height, rows) for left in range(0, width, columns)]
        return [self.create_submesh((rows, columns), place) for place in places]


class DistributedTensor(Tensor):
    """A tensor on the chips of a mesh: `parts` has what each holds, row by row. Its shape is a part's."""

    __slots__ = ("mesh_device", "parts")

    def __init__(self, mesh_device: ChipsDevice, parts: Sequence[Tensor]) -> None:
        super().__init__(on_host=parts[0].on_host, on_device=parts[0].on_device)
        self.mesh_device = mesh_device
        self.parts = list(parts)

    def device(self) -> MeshDevice | None:
        return None if self.on_device is None else self.mesh_device

    def cpu(self, blocking: bool = True, cq_id: int | None = None) -> Tensor:
        return DistributedTensor(self.mesh_device, [part.cpu() for part in self.parts])

    def to_mesh(self) -> MeshTensor:
        """As the runtime's mesh has it."""
        rooms = [part.on_device for part in self.parts]
        if any(room is None for room in rooms) or len({room.address for room in rooms if room}) != 1:
            raise OperationError(
                "tilesmith: a collective takes a tensor that lies at one address on every chip",
                remedy="move the tensor to the mesh first: ttnn.to_device(tensor, mesh_device)",
            )
        return MeshTensor(self.mesh_device.mesh, rooms, None)

    @staticmethod
    def of_mesh(mesh_device: ChipsDevice, tensor: MeshTensor) -> DistributedTensor:
        return DistributedTensor(mesh_device, [Tensor.of_device(part) for part in tensor._handle])


def _on_every_chip(operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operation once for each chip if an argument lies on several, or names their device."""
    mesh_device = next(filter(None, map(_mesh_of, (*args, *kwargs.values()))), None)
    if mesh_device is None:
        return NotImplemented
    if special := WHOLE.get(operation.python_fully_qualified_name):
        return special(mesh_device, *args, **kwargs)
    results = [
        operation.function(
            *(_of_chip(value, chip) for value in args),
            **{name: _of_chip(value, chip) for name, value in kwargs.items()},
        )
        for chip in range(mesh_device.get_num_devices())
    ]
    return _together(mesh_device, results)


Whole = Callable[..., Any]
WHOLE: dict[str, Whole] = {}
"""Operations that take a tensor of several chips as it is, and what does them, given the device first."""


def whole(name: str) -> Callable[[Whole], Whole]:
    """Let a function do the operation of that name on several chips."""

    def decorate(function: Whole) -> Whole:
        WHOLE[name] = function
        return function

    return decorate


@whole("ttnn.from_torch")
def _from_torch(mesh_device: ChipsDevice, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Each chip gets what the mapper gives it; without one all get the same."""
    mapper, device = kwargs.pop("mesh_mapper", None), kwargs.pop("device", None)
    shares = [tensor] * mesh_device.get_num_devices() if mapper is None else mapper.split(tensor)
    places = [None] * len(shares) if device is None else device.chips
    parts = [
        call("ttnn.from_torch", share, *args, device=place, **kwargs)
        for share, place in zip(shares, places, strict=True)
    ]
    return DistributedTensor(mesh_device, parts)


@whole("ttnn.get_device_tensors")
def _get_device_tensors(_: ChipsDevice, tensor: DistributedTensor) -> list[Tensor]:
    return list(tensor.parts)


@whole("ttnn.to_torch")
def _to_torch(mesh_device: ChipsDevice, tensor: DistributedTensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    composer = kwargs.pop("mesh_composer", None)
    kwargs.pop("device", None)
    if composer is None:
        raise OperationError(
            f"ttnn.to_torch: nothing says how the parts on {mesh_device.get_num_devices()} chips are joined",
            remedy="give a mesh_composer, or take one chip's part of ttnn.get_device_tensors(tensor)",
        )
    joined: torch.Tensor = composer.join(
        [call("ttnn.to_torch", part, *args, **kwargs) for part in tensor.parts]
    )
    return joined


def _mesh_of(value: Any) -> ChipsDevice | None:
    if isinstance(value, ChipsDevice):
        return value
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(_mesh_of, value)), None)
    named = getattr(value, "mesh_device", None)  # of a tensor on several chips, of a mapper or composer
    return named if isinstance(named, ChipsDevice) else None


def _of_chip(value: Any, chip: int) -> Any:
    if isinstance(value, ChipsDevice):
        return value.chips[chip]
    if isinstance(value, DistributedTensor):
        return value.parts[chip]
    if type(value) in (list, tuple) and _mesh_of(value) is not None:
        return type(value)(_of_chip(entry, chip) for entry in value)
    return value


def _together(mesh_device: ChipsDevice, results: Sequence[Any]) -> Any:
    first = results[0]
    if isinstance(first, Tensor):
        return DistributedTensor(mesh_device, results)
    if isinstance(first, (list, tuple)) and any(isinstance(entry, Tensor) for entry in first):
        return type(first)(_together(mesh_device, entries) for entries in zip(*results, strict=True))
    return first

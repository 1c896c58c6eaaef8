"""Mesh: several chips that run in step. Tensors lie at the same address on each of them.

Programs are made for one chip, with `tensor.local`, and run on all: data parallel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.errors import DeviceError, ProgramError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.memory_config import DRAM_MEMORY_CONFIG, Layout, MemoryConfig
from tilesmith.runtime.pages import pages_of, values_of
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.torch_bridge import default_format
from tilesmith.runtime.ttnn_arch import TTNN

Array: TypeAlias = NDArray[Any]
# Row and column of a chip.
Chip: TypeAlias = tuple[int, int]


class Chips(Protocol):
    """What a mesh needs of whatever drives its chips."""

    arch: Arch

    def allocate(self, spec: TensorSpec) -> Any:
        """Room for a tensor on every chip."""

    def local(self, handle: Any) -> Tensor:
        """The tensor as one chip has it."""

    def write(self, handle: Any, pages: Sequence[Bytes]) -> None:
        """One array of pages for each chip, row by row."""

    def read(self, handle: Any) -> list[Bytes]:
        """The same the other way."""

    def read_one(self, handle: Any, chip: int) -> Bytes:
        """What one chip has, counted row by row."""

    def run(self, programs: Mapping[Chip, Program]) -> None:
        """Run a program on each of these chips, to its end."""

    def close(self) -> None:
        """Give everything back."""


class MeshTensor:
    """A tensor on every chip: a part of it along `shard_dim`, or, where that is None, all of it.

    >>> import numpy as np
    >>> with open_mesh((1, 2), "wormhole") as mesh:
    ...     mesh.from_numpy(np.ones((64, 32), np.float32), shard_dim=0).shape
    (64, 32)
    """

    def __init__(self, mesh: Mesh, handle: Any, shard_dim: int | None) -> None:
        self.mesh = mesh
        self.shard_dim = shard_dim
        self._handle = handle
        self.local = mesh.chips.local(handle)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole tensor."""
        shape = self.local.shape
        if self.shard_dim is None:
            return shape
        dim = self.shard_dim
        return (*shape[:dim], shape[dim] * self.mesh.num_chips, *shape[dim + 1 :])

    def __repr__(self) -> str:
        how = "on every chip" if self.shard_dim is None else f"split along {self.shard_dim}"
        return f"MeshTensor({list(self.shape)}, {self.local.dtype.name}, {how} of {self.mesh})"

    def copy_from_numpy(self, values: Array) -> None:
        """Replace the contents by an array of the same shape."""
        if tuple(values.shape) != self.shape:
            raise DeviceError(
                f"values of shape {tuple(values.shape)} do not fit a tensor of shape {self.shape}"
            )
        count = self.mesh.num_chips
        parts = [values] * count if self.shard_dim is None else np.split(values, count, self.shard_dim)
        self.mesh.chips.write(self._handle, [pages_of(part, self.local.spec) for part in parts])

    def to_numpy(self) -> Array:
        """The parts put together; of a tensor that every chip has, the first chip's."""
        parts = self.parts()
        return parts[0] if self.shard_dim is None else np.concatenate(parts, self.shard_dim)

    def parts(self) -> list[Array]:
        """What each chip holds, row by row over the mesh."""
        return [values_of(pages, self.local.spec) for pages in self.mesh.chips.read(self._handle)]

    def part(self, chip: int) -> Array:
        """What one chip holds, counted row by row over the mesh."""
        return values_of(self.mesh.chips.read_one(self._handle, chip), self.local.spec)


class Mesh:
    """Open chips. Use it as a context manager, or call `close`.

    >>> with open_mesh((1, 2), "wormhole") as mesh:
    ...     mesh.num_chips
    2
    """

    def __init__(self, shape: Chip, chips: Chips) -> None:
        self.shape = shape
        self.chips = chips
        self.arch = chips.arch

    def __enter__(self) -> Mesh:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Mesh({rows} x {columns} {self.arch.product})"

    @property
    def num_chips(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def coordinates(self) -> list[Chip]:
        """(row, column) of every chip, row by row."""
        return [(row, column) for row in range(self.shape[0]) for column in range(self.shape[1])]

    def empty(
        self,
        shape: Sequence[int],
        dtype: DataFormat = DataFormat.Float16_b,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
        *,
        shard_dim: int | None = None,
    ) -> MeshTensor:
        """Room for a tensor of `shape`, split over the chips along `shard_dim` or whole on each of them."""
        local, dim = self._part_of(tuple(map(int, shape)), shard_dim)
        spec = TensorSpec(local, dtype, layout, memory_config, tile or TileShape())
        return MeshTensor(self, self.chips.allocate(spec), dim)

    def from_numpy(
        self,
        values: Array,
        dtype: DataFormat | None = None,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
        *,
        shard_dim: int | None = None,
    ) -> MeshTensor:
        """A copy of an array, split over the chips along `shard_dim` or whole on each of them."""
        values = np.asarray(values)
        chosen = default_format(values.dtype.name) if dtype is None else dtype
        tensor = self.empty(values.shape, chosen, layout, memory_config, tile, shard_dim=shard_dim)
        tensor.copy_from_numpy(values)
        return tensor

    def from_parts(
        self,
        parts: Sequence[Array],
        dtype: DataFormat | None = None,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
    ) -> MeshTensor:
        """Arrays of one shape, one for each chip, row by row."""
        if len(parts) != self.num_chips or len({part.shape for part in parts}) != 1:
            raise DeviceError(f"{self} takes {self.num_chips} arrays of one shape, one for each chip")
        chosen = default_format(parts[0].dtype.name) if dtype is None else dtype
        tensor = self.empty(parts[0].shape, chosen, layout, memory_config, tile)
        self.chips.write(tensor._handle, [pages_of(part, tensor.local.spec) for part in parts])
        return tensor

    def run(self, program: Program | Mapping[Chip, Program]) -> None:
        """Run one program on every chip, or one of its own on each chip named."""
        if isinstance(program, Program):
            self.chips.run(dict.fromkeys(self.coordinates, program))
            return
        outside = [chip for chip in program if chip not in self.coordinates]
        if outside or not program:
            raise ProgramError(
                f"there is no chip {outside[0]} in {self}" if outside else "no chip has a program",
                remedy=f"give programs for chips (row, column) of {self}",
            )
        self.chips.run(program)

    @property
    def reports(self) -> Mapping[Chip, RunReport]:
        """What the last run showed, chip by chip; on real chips there is nothing to show."""
        return getattr(self.chips, "reports", {})

    def close(self) -> None:
        """Give everything back. Tensors of this mesh can no longer be used."""
        self.chips.close()

    def _part_of(self, shape: tuple[int, ...], shard_dim: int | None) -> tuple[tuple[int, ...], int | None]:
        if shard_dim is None:
            return shape, None
        dim = shard_dim + len(shape) if shard_dim < 0 else shard_dim
        if not 0 <= dim < len(shape) or shape[dim] % self.num_chips:
            raise DeviceError(
                f"a tensor of shape {shape} cannot be split along {shard_dim} over {self.num_chips} chips",
                remedy="choose a dimension that the number of chips divides, or leave shard_dim out",
            )
        return (*shape[:dim], shape[dim] // self.num_chips, *shape[dim + 1 :]), dim


def open_mesh(shape: Chip, arch: str | Arch = "wormhole") -> Mesh:
    """Open rows x columns chips: of the emulator, or with "ttnn" those that the vendor's runtime finds.

    >>> import numpy as np
    >>> with open_mesh((1, 2)) as mesh:
    ...     tensor = mesh.from_numpy(np.arange(128, dtype=np.float32).reshape(64, 2), shard_dim=0)
    ...     tensor.local.shape, tensor.to_numpy()[-1].tolist()
    ((32, 2), [126.0, 127.0])
    """
    if len(shape) != 2 or min(shape) < 1:
        raise DeviceError(f"a mesh cannot have shape {tuple(shape)}", remedy="give rows and columns: (1, 2)")
    rows, columns = map(int, shape)
    if (arch.name if isinstance(arch, Arch) else arch) == TTNN:
        from tilesmith.runtime.ttnn_mesh import TtnnChips

        return Mesh((rows, columns), TtnnChips((rows, columns)))
    from tilesmith.runtime.emulated_mesh import EmulatedChips

    return Mesh((rows, columns), EmulatedChips.opened((rows, columns), arch))

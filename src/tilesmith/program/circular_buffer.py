"""CircularBuffer: a FIFO of pages in L1 between the kernels of one core; as tt-metal's CBDescriptor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from tilesmith.arch.cores import CoreRangeSet, Cores
from tilesmith.errors import FormatError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.program.site import declaration_site


@dataclass(frozen=True)
class FaceGeometry:
    """How many rows the engines take of each face of a tile, and how many faces; ttnn's FaceGeometry.

    A pool's window of nine rows is two faces side by side, of nine rows each.

    >>> FaceGeometry(9, 2)
    FaceGeometry(face_r_dim=9, num_faces=2)
    """

    face_r_dim: int = 16
    num_faces: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.face_r_dim <= 16 or self.num_faces not in (1, 2, 4):
            raise FormatError(
                f"a tile cannot have {self.num_faces} faces of {self.face_r_dim} rows",
                remedy="a tile has 1, 2 or 4 faces of up to 16 rows",
            )


@dataclass(frozen=True)
class CBFormat:
    """One index under which kernels see the buffer, and how they see it. Several may alias one buffer.

    >>> from tilesmith import bfloat16
    >>> CBFormat(0, bfloat16, 2048).buffer_index
    0
    """

    buffer_index: int
    data_format: DataFormat
    page_size: int
    tile: TileShape | None = None
    face_geometry: FaceGeometry | None = None
    """What the engines take of each tile, where that is not the tile's own faces."""

    @property
    def faces(self) -> FaceGeometry:
        """As the engines are set up for it."""
        tile = self.tile or TileShape()
        return self.face_geometry or FaceGeometry(tile.face_rows, tile.num_faces)


class L1Shards(Protocol):
    """What a circular buffer can stand on: a tensor's shards, at one address on every core that has one."""

    @property
    def address(self) -> int: ...
    @property
    def size_per_bank(self) -> int: ...
    @property
    def cores(self) -> CoreRangeSet: ...


@dataclass(frozen=True)
class BufferView:
    """Shards as plain data: all a Program needs to know of the buffer under a circular buffer."""

    address: int
    size_per_bank: int
    cores: CoreRangeSet

    @staticmethod
    def of(shards: L1Shards) -> BufferView:
        return BufferView(shards.address, shards.size_per_bank, shards.cores)


@dataclass(frozen=True)
class CircularBuffer:
    """`total_size` bytes on each core. With `buffer` it stands on that buffer's shard, taking no L1 itself.

    >>> tiles = CircularBuffer(2 * 2048, CoreRangeSet.of((0, 0)), CBFormat(0, DataFormat.Float16_b, 2048))
    >>> tiles.num_pages, tiles.indices
    (2, (0,))
    """

    total_size: int
    core_ranges: CoreRangeSet
    format_descriptors: tuple[CBFormat, ...]
    buffer: BufferView | None = None
    address_offset: int = 0
    declared_at: str = field(default="", compare=False, repr=False)
    owner: object = field(default=None, compare=False, repr=False)

    def __init__(
        self,
        total_size: int,
        core_ranges: Cores,
        format_descriptors: CBFormat | Iterable[CBFormat],
        buffer: L1Shards | None = None,
        address_offset: int = 0,
        declared_at: str = "",
    ) -> None:
        formats = format_descriptors
        self.__dict__.update(
            total_size=total_size,
            core_ranges=CoreRangeSet.of(core_ranges),
            format_descriptors=(formats,) if isinstance(formats, CBFormat) else tuple(formats),
            buffer=BufferView.of(buffer) if buffer is not None else None,
            address_offset=address_offset,
            declared_at=declared_at or declaration_site(),
            # Keeps the tensor's memory from being freed while the Program lives.
            owner=buffer,
        )

    @property
    def indices(self) -> tuple[int, ...]:
        return tuple(one.buffer_index for one in self.format_descriptors)

    @property
    def num_pages(self) -> int:
        """In pages of the first format."""
        return self.total_size // self.format_descriptors[0].page_size

    @property
    def is_allocated(self) -> bool:
        """Whether the program gives it L1; otherwise a tensor does."""
        return self.buffer is None

    @property
    def structure(self) -> tuple[object, ...]:
        """All but addresses, which may change from call to call."""
        backing = (self.buffer.size_per_bank, self.buffer.cores) if self.buffer is not None else None
        return (self.total_size, self.core_ranges, self.format_descriptors, backing, self.address_offset)

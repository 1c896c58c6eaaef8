"""Where the elements of a buffer lie in its tiles, for every layout. Pure functions of the buffer's type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tilesmith.compiler.dialects.types import BufferType
from tilesmith.errors import InternalFault
from tilesmith.formats import DataFormat, tile_bytes

TILE = 32
TILE_ELEMENTS = TILE * TILE
FACE = 16
LAYOUTS = ("tiled", "column", "row", "flat", "scalar")


@dataclass(frozen=True)
class Axes:
    """What each dimension of a buffer runs over: `batch` over whole grids of tiles, `row` down, `col` across.

    A direction that no dimension runs along holds copies: the columns of a column's tiles are all the same.
    """

    batch: tuple[int, ...]
    row: int | None
    col: int | None


def axes_of(buffer_type: BufferType) -> Axes:
    """The axes of a buffer of any layout but "flat", which has none.

    >>> from xdsl.dialects.builtin import bf16
    >>> axes_of(BufferType.of((4, 64, 96), bf16, "shared", "tiled", "Float16_b"))
    Axes(batch=(0,), row=1, col=2)
    >>> axes_of(BufferType.of((64, 1), bf16, "shared", "column", "Float16_b"))
    Axes(batch=(1,), row=0, col=None)
    """
    rank, layout = len(buffer_type.dims), buffer_type.layout.data
    if layout == "tiled":
        return Axes(tuple(range(rank - 2)), rank - 2 if rank > 1 else None, rank - 1)
    if layout == "scalar":
        return Axes(tuple(range(rank)), None, None)
    vector = vector_dim(buffer_type.dims)
    batch = tuple(dim for dim in range(rank) if dim != vector)
    if layout == "column":
        return Axes(batch, vector, None)
    if layout == "row":
        return Axes(batch, None, vector)
    raise InternalFault(f"a buffer of layout {layout!r} has no axes: {buffer_type}")


def vector_dim(dims: Sequence[int]) -> int:
    """The dimension along which a buffer of layout "row" or "column" is a vector: the last that is not 1.

    >>> vector_dim((4, 64, 1)), vector_dim((1, 64)), vector_dim((1, 1))
    (1, 1, 1)
    """
    return max((dim for dim, size in enumerate(dims) if size > 1), default=len(dims) - 1)


def tile_grid(buffer_type: BufferType) -> tuple[int, int, int]:
    """How many grids of tiles a buffer has, and how many tiles each has down and across.

    >>> from xdsl.dialects.builtin import bf16
    >>> tile_grid(BufferType.of((2, 64, 100), bf16, "shared", "tiled", "Float16_b"))
    (2, 2, 4)
    >>> tile_grid(BufferType.of((128,), bf16, "fragment", "column", "Float16_b"))
    (1, 4, 1)
    """
    if buffer_type.layout.data == "flat":
        return 1, 1, -(-buffer_type.elements // TILE_ELEMENTS)
    axes = axes_of(buffer_type)
    batch = prod(buffer_type.dims[dim] for dim in axes.batch)
    return batch, _tiles_along(buffer_type, axes.row), _tiles_along(buffer_type, axes.col)


def tiles_of(buffer_type: BufferType) -> int:
    """How many tiles hold one version of a buffer.

    >>> from xdsl.dialects.builtin import bf16
    >>> tiles_of(BufferType.of((2, 64, 100), bf16, "shared", "tiled", "Float16_b"))
    16
    """
    return prod(tile_grid(buffer_type))


def page_bytes(buffer_type: BufferType) -> int:
    """Bytes of one tile of a buffer.

    >>> from xdsl.dialects.builtin import bf16
    >>> page_bytes(BufferType.of((32, 32), bf16, "shared", "tiled", "Bfp8_b"))
    1088
    """
    return tile_bytes(DataFormat[buffer_type.format.data])


def version_bytes(buffer_type: BufferType) -> int:
    """Bytes of one version of a buffer."""
    return tiles_of(buffer_type) * page_bytes(buffer_type)


def datum_of(row: int, col: int) -> int:
    """Where an element of a tile lies in the tile's memory: four faces of 16x16, each row by row.

    >>> datum_of(0, 16), datum_of(17, 2)
    (256, 530)
    """
    face = row // FACE * 2 + col // FACE
    return face * FACE * FACE + row % FACE * FACE + col % FACE


def is_padded(buffer_type: BufferType, dim: int) -> bool:
    """Whether tiles reach beyond the buffer's shape along a dimension.

    >>> from xdsl.dialects.builtin import bf16
    >>> is_padded(BufferType.of((64, 100), bf16, "shared", "tiled", "Float16_b"), 1)
    True
    """
    if buffer_type.layout.data == "flat":
        return buffer_type.elements % TILE_ELEMENTS != 0
    axes = axes_of(buffer_type)
    return dim in (axes.row, axes.col) and buffer_type.dims[dim] % TILE != 0


def _tiles_along(buffer_type: BufferType, dim: int | None) -> int:
    return 1 if dim is None else -(-buffer_type.dims[dim] // TILE)

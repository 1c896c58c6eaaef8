"""How a tensor lies in the memory of the device, and what views of it cost: mostly nothing.

A tensor is stored as a matrix: its last dimension runs along columns, the others along rows. In tiles, the
last two dimensions are padded to multiples of 32. A view is that matrix seen through strides, so permuting,
slicing, splitting heads and expanding move no data. Kernels read a view in place if it walks whole tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import prod

from tilesmith.formats import DataFormat
from tilesmith.runtime import Layout

TILE = 32
FORMATS = {
    "bfloat16": DataFormat.Float16_b,
    "float32": DataFormat.Float32,
    "int32": DataFormat.Int32,
    "int8": DataFormat.Int8,
    "bfloat8_b": DataFormat.Bfp8_b,
    "bfloat4_b": DataFormat.Bfp4_b,
}
"""The format of a tensor whose elements kernels call by this dtype."""
_DTYPES = {stored: dtype for dtype, stored in FORMATS.items()}
BYTES = {
    dtype: stored.bits / 8 + (1 / 16 if stored.is_block_float else 0) for dtype, stored in FORMATS.items()
}
"""Of an element; 16 of a block float share an exponent."""
_numbers = count()


def padded(size: int) -> int:
    """The next multiple of 32.

    >>> padded(33)
    64
    """
    return -(-size // TILE) * TILE


@dataclass(frozen=True)
class Storage:
    """A matrix in device memory. Two of the same size are different storages."""

    rows: int
    cols: int
    layout: Layout
    format: DataFormat
    number: int
    tiles: Storage | None = None
    """Whose memory it is, if another's: each tile of that is a row of this."""

    @property
    def dtype(self) -> str:
        """What kernels call the type of its elements."""
        return _DTYPES[self.format]

    @property
    def bytes(self) -> int:
        return int(self.rows * self.cols * BYTES[self.dtype])


def new_storage(rows: int, cols: int, layout: Layout, dtype: str) -> Storage:
    return Storage(rows, cols, layout, FORMATS[dtype], next(_numbers))


def rows_of_tiles(storage: Storage) -> Storage:
    """The memory of a storage in tiles as a matrix with a row for each tile."""
    tiles = storage.rows * storage.cols // TILE**2
    return Storage(tiles, TILE**2, Layout.ROW_MAJOR, storage.format, next(_numbers), storage)


@dataclass(frozen=True)
class Axis:
    """A dimension: its size, and how many rows and columns one step moves."""

    size: int
    row: int
    col: int


@dataclass(frozen=True)
class View:
    """A tensor: where its elements lie in a storage."""

    storage: Storage
    axes: tuple[Axis, ...]
    row: int = 0
    col: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    def permute(self, order: Sequence[int]) -> View:
        return replace(self, axes=tuple(self.axes[dim] for dim in order))

    def slice(self, dim: int, start: int, stop: int, step: int = 1) -> View:
        axis = self.axes[dim]
        size = max(0, -(-(stop - start) // step))
        axes = list(self.axes)
        axes[dim] = Axis(size, axis.row * step, axis.col * step)
        return replace(
            self, axes=tuple(axes), row=self.row + start * axis.row, col=self.col + start * axis.col
        )

    def select(self, dim: int, index: int) -> View:
        chosen = self.slice(dim, index, index + 1)
        return replace(chosen, axes=chosen.axes[:dim] + chosen.axes[dim + 1 :])

    def flip(self, dims: Sequence[int]) -> View:
        """The view with dimensions walked backwards."""
        axes, row, col = list(self.axes), self.row, self.col
        for dim in dims:
            size, down, along = axes[dim].size, axes[dim].row, axes[dim].col
            axes[dim] = Axis(size, -down, -along)
            row, col = row + (size - 1) * down, col + (size - 1) * along
        return replace(self, axes=tuple(axes), row=row, col=col)

    def unfold(self, dim: int, size: int, step: int) -> View:
        """Windows along a dimension, which may overlap; what is in one runs along a new last dimension."""
        axis = self.axes[dim]
        windows = Axis((axis.size - size) // step + 1, axis.row * step, axis.col * step)
        return replace(
            self, axes=(*self.axes[:dim], windows, *self.axes[dim + 1 :], Axis(size, axis.row, axis.col))
        )

    def expand(self, shape: Sequence[int]) -> View:
        """The view with dimensions of size 1 repeated, and new ones in front."""
        missing = len(shape) - len(self.axes)
        old = (*(Axis(1, 0, 0) for _ in range(missing)), *self.axes)
        axes = tuple(
            axis if axis.size == size or size == -1 else Axis(size, 0, 0)
            for axis, size in zip(old, shape, strict=True)
        )
        return replace(self, axes=axes)

    def reshape(self, shape: Sequence[int]) -> View | None:
        """The same elements in another shape; None if no strides can say it.

        >>> heads = fresh((2, 64, 128)).reshape((2, 64, 4, 32))
        >>> [(axis.size, axis.row, axis.col) for axis in heads.axes]
        [(2, 64, 0), (64, 1, 0), (4, 0, 32), (32, 0, 1)]
        """
        axes = _reshaped(
            [axis for axis in self.axes if axis.size != 1], [size for size in shape if size != 1]
        )
        if axes is None:
            return None
        rest = iter(axes)
        return replace(self, axes=tuple(Axis(1, 0, 0) if size == 1 else next(rest) for size in shape))


def fresh(shape: Sequence[int], dtype: str = "bfloat16", layout: Layout = Layout.TILE) -> View:
    """A new storage for a tensor, and the view that fills it."""
    *lead, rows, cols = (1,) * max(0, 2 - len(shape)) + tuple(shape)
    fit = padded if layout is Layout.TILE else int
    strides = [prod((*lead[index + 1 :], fit(rows))) for index in range(len(lead))]
    storage = new_storage(prod(lead) * fit(rows), fit(cols), layout, dtype)
    axes = (
        *(Axis(size, stride, 0) for size, stride in zip(lead, strides, strict=True)),
        Axis(rows, 1, 0),
        Axis(cols, 0, 1),
    )
    return View(storage, axes[len(axes) - len(shape) :] if shape else ())


def fresh_vector(shape: Sequence[int], dtype: str) -> View:
    """Room for one value per row of a matrix: the second last dimension runs along columns, the last is 1."""
    flat = fresh(tuple(shape)[:-1], dtype, Layout.ROW_MAJOR)
    return replace(flat, axes=(*flat.axes, Axis(1, 0, 0)))


def fresh_heads(shape: Sequence[int], dtype: str) -> View:
    """A storage for (batch, head, row, column) with the heads side by side: merging them costs nothing."""
    batch, heads, rows, cols = shape
    storage = new_storage(batch * padded(rows), heads * cols, Layout.TILE, dtype)
    axes = (Axis(batch, padded(rows), 0), Axis(heads, 0, cols), Axis(rows, 1, 0), Axis(cols, 0, 1))
    return View(storage, axes)


def _reshaped(old: list[Axis], new: list[int]) -> list[Axis] | None:
    """Split and merge axes, from the last on."""
    reshaped: list[Axis] = []
    old, new = list(old), list(new)
    while new:
        want = new.pop()
        if not old:
            return None
        axis = old.pop()
        while axis.size < want and want % axis.size == 0 and old and _joins(old[-1], axis):
            outer = old.pop()
            axis = Axis(outer.size * axis.size, axis.row, axis.col)
        if axis.size == want:
            reshaped.append(axis)
        elif axis.size > want and axis.size % want == 0:
            reshaped.append(Axis(want, axis.row, axis.col))
            old.append(Axis(axis.size // want, axis.row * want, axis.col * want))
        else:
            return None
    return None if old else reshaped[::-1]


def joined_axes(axes: Sequence[Axis]) -> list[Axis]:
    """The fewest axes that walk the same elements in the same order.

    >>> joined_axes(fresh((2, 32, 8, 8), layout=Layout.ROW_MAJOR).axes)
    [Axis(size=512, row=1, col=0), Axis(size=8, row=0, col=1)]
    """
    merged: list[Axis] = []
    for axis in (one for one in axes if one.size != 1):
        if merged and _joins(merged[-1], axis):
            merged[-1] = Axis(merged[-1].size * axis.size, axis.row, axis.col)
        else:
            merged.append(axis)
    return merged


def _joins(outer: Axis, inner: Axis) -> bool:
    return outer.row == inner.row * inner.size and outer.col == inner.col * inner.size

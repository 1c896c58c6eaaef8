"""Tile: the size of a tile as ttnn takes it, a pair of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.errors import OperationError
from tilesmith.formats import TileShape


class Tile(TileShape):
    """ttnn.Tile((height, width)); `Tile(height, width)` is the same.

    >>> Tile((16, 32)) == TileShape(16, 32), Tile((16, 32)).tile_shape
    (True, (16, 32))
    """

    def __init__(
        self, tile_shape: Sequence[int] | int = (32, 32), cols: int = 32, *, transpose_tile: bool = False
    ) -> None:
        if transpose_tile:
            raise OperationError("tilesmith: tiles with transposed faces do not exist here")
        rows, width = (tile_shape, cols) if isinstance(tile_shape, int) else tile_shape
        super().__init__(rows, width)

    @property
    def tile_shape(self) -> tuple[int, int]:
        return self.rows, self.cols

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileShape) and (self.rows, self.cols) == (other.rows, other.cols)

    def __hash__(self) -> int:
        return hash((self.rows, self.cols))

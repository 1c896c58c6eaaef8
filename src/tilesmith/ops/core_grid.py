"""CoreGrid: the size of a rectangle of cores, as ttnn has it."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.program import CoreRange, CoreRangeSet


@dataclass(frozen=True)
class CoreGrid:
    """Rows and columns of cores, from the top left.

    >>> CoreGrid(y=2, x=4).num_cores
    8
    """

    y: int
    x: int

    @property
    def num_cores(self) -> int:
        return self.y * self.x

    @property
    def ranges(self) -> CoreRangeSet:
        return CoreRangeSet(CoreRange((0, 0), (self.x - 1, self.y - 1)))

    def __repr__(self) -> str:
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"

"""CoreGrid: the size of a rectangle of cores, as ttnn has it."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.ops.checks import fatal
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet


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


def num_cores_to_corerangeset_in_subcoregrids(
    start_core: CoreCoord, target_num_cores: int, sub_core_grids: CoreRangeSet, row_wise: bool = False
) -> CoreRangeSet:
    """So many cores of a set, from one of them on, in its order.

    >>> grid = CoreRangeSet(CoreRange((0, 0), (3, 1)))
    >>> num_cores_to_corerangeset_in_subcoregrids(CoreCoord(1, 0), 2, grid, row_wise=True).num_cores
    2
    """
    cores = [core for box in sub_core_grids.ranges for core in CoreRangeSet(box).cores(row_wise=row_wise)]
    fatal(start_core in cores, "Start core must be in the core grid set")
    first = cores.index(start_core)
    chosen = cores[first : first + target_num_cores]
    fatal(len(chosen) == target_num_cores, f"only {len(chosen)} of {target_num_cores} cores are there")
    return CoreRangeSet.from_cores(chosen)

"""Splitting units of work over cores, with the results of tt-metal's split_work_to_cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tilesmith.arch.cores import CoreCoord, CoreRange, CoreRangeSet
from tilesmith.errors import ProgramError


class WorkSplit(NamedTuple):
    """Group 1 has one unit more per core than group 2; group 2 is empty when the work divides evenly."""

    num_cores: int
    all_cores: CoreRangeSet
    core_group_1: CoreRangeSet
    core_group_2: CoreRangeSet
    units_per_core_group_1: int
    units_per_core_group_2: int


def split_work_to_cores(
    grid: CoreCoord | tuple[int, int] | CoreRangeSet, units: int, row_wise: bool = False
) -> WorkSplit:
    """Share `units` among the cores of a grid (given by its size) or of a set of ranges.

    Cores are taken column by column unless `row_wise`.

    >>> split = split_work_to_cores(CoreCoord(8, 8), 100)
    >>> split.num_cores, split.units_per_core_group_1, split.units_per_core_group_2
    (64, 2, 1)
    >>> split.core_group_1.num_cores
    36
    """
    whole = grid if isinstance(grid, CoreRangeSet) else CoreRangeSet(_grid_range(CoreCoord(*grid)))
    if units < 0:
        raise ProgramError(f"cannot split {units} units of work")
    if units == 0:
        return WorkSplit(0, CoreRangeSet(), CoreRangeSet(), CoreRangeSet(), 0, 0)
    if whole.num_cores == 0:
        raise ProgramError("cannot split work over an empty set of cores")
    num_cores = min(units, whole.num_cores)
    everyone = whole if num_cores == whole.num_cores else _take(whole, 0, num_cores, row_wise)
    each, more = divmod(units, num_cores)
    if more == 0:
        return WorkSplit(num_cores, everyone, everyone, CoreRangeSet(), each, 0)
    group_1 = _take(whole, 0, more, row_wise)
    group_2 = _take(whole, more, num_cores - more, row_wise)
    return WorkSplit(num_cores, everyone, group_1, group_2, each + 1, each)


def num_cores_to_corerangeset(
    target_num_cores: int, grid_size: CoreCoord | Sequence[int], row_wise: bool = False
) -> CoreRangeSet:
    """The first cores of a grid, as at most three rectangles.

    >>> str(num_cores_to_corerangeset(10, CoreCoord(8, 8), row_wise=True))
    '{[0-0 .. 7-0], [0-1 .. 1-1]}'
    """
    whole = CoreRangeSet(_grid_range(CoreCoord(*grid_size)))
    if target_num_cores > whole.num_cores:
        raise ProgramError(f"{target_num_cores} cores asked of a grid that has {whole.num_cores}")
    return _take(whole, 0, target_num_cores, row_wise)


def _grid_range(size: CoreCoord) -> CoreRange:
    if size.x < 1 or size.y < 1:
        raise ProgramError(f"a grid of {size.x} x {size.y} has no cores")
    return CoreRange((0, 0), (size.x - 1, size.y - 1))


def _take(cores: CoreRangeSet, skip: int, count: int, row_wise: bool) -> CoreRangeSet:
    """`count` cores after the first `skip`, walking range by range."""
    taken: list[CoreRange] = []
    for entry in cores.ranges:
        here = min(entry.num_cores - skip, count)
        if here > 0:
            taken += _slice(entry, skip, here, row_wise)
            count -= here
        skip = max(skip - entry.num_cores, 0)
    return CoreRangeSet(taken)


def _slice(cores: CoreRange, skip: int, count: int, row_wise: bool) -> list[CoreRange]:
    """Part of one rectangle: the rest of a started line, whole lines, the start of the last line."""
    length = cores.width if row_wise else cores.height
    line, offset = divmod(skip, length)
    pieces: list[CoreRange] = []
    if offset and count > length - offset:
        pieces.append(_lines(cores, line, 1, offset, length - offset, row_wise))
        count -= length - offset
        line, offset = line + 1, 0
    # Exactly one whole line is left to the last step, as the vendor does: the ranges come out the same.
    if count > length:
        pieces.append(_lines(cores, line, count // length, 0, length, row_wise))
        line, count = line + count // length, count % length
    if count:
        pieces.append(_lines(cores, line, 1, offset, count, row_wise))
    return pieces


def _lines(cores: CoreRange, line: int, lines: int, offset: int, length: int, row_wise: bool) -> CoreRange:
    x, y = (offset, line) if row_wise else (line, offset)
    width, height = (length, lines) if row_wise else (lines, length)
    start = CoreCoord(cores.start.x + x, cores.start.y + y)
    return CoreRange(start, CoreCoord(start.x + width - 1, start.y + height - 1))

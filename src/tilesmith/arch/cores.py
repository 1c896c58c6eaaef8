"""Logical core coordinates and sets of them, as tt-metal's CoreCoord, CoreRange and CoreRangeSet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeGuard

from tilesmith.errors import ProgramError


class _XY(NamedTuple):
    x: int
    y: int


class CoreCoord(_XY):
    """A logical core: x counts columns, y counts rows, (0, 0) is the top left worker.

    >>> CoreCoord(3, 1), CoreCoord((3, 1)) == CoreCoord(3, 1)
    (CoreCoord(x=3, y=1), True)
    """

    __slots__ = ()

    def __new__(cls, x: int | tuple[int, int], y: int | None = None) -> CoreCoord:
        if isinstance(x, tuple):
            return super().__new__(cls, *x)
        if y is None:
            raise TypeError("CoreCoord takes x and y")
        return super().__new__(cls, x, y)

    def __str__(self) -> str:
        return f"{self.x}-{self.y}"


@dataclass(frozen=True)
class CoreRange:
    """A rectangle of cores; both corners belong to it.

    >>> CoreRange(CoreCoord(0, 0), CoreCoord(7, 1)).num_cores
    16
    """

    start: CoreCoord
    end: CoreCoord

    def __init__(
        self, start: CoreCoord | tuple[int, int], end: CoreCoord | tuple[int, int] | None = None
    ) -> None:
        object.__setattr__(self, "start", CoreCoord(*start))
        object.__setattr__(self, "end", CoreCoord(*(start if end is None else end)))
        if self.start.x > self.end.x or self.start.y > self.end.y or min(self.start) < 0:
            raise ProgramError(
                f"core range {self} has its end before its start, or a negative corner",
                remedy="give the top left corner first, then the bottom right one (both belong to the range)",
            )

    def __str__(self) -> str:
        return f"[{self.start} .. {self.end}]"

    @property
    def width(self) -> int:
        return self.end.x - self.start.x + 1

    @property
    def height(self) -> int:
        return self.end.y - self.start.y + 1

    @property
    def num_cores(self) -> Count:
        return Count(self.width * self.height)

    def grid_size(self) -> CoreCoord:
        return CoreCoord(self.width, self.height)

    def contains(self, other: CoreCoord | CoreRange) -> bool:
        first, last = (other.start, other.end) if isinstance(other, CoreRange) else (other, other)
        return (
            self.start.x <= first.x
            and self.start.y <= first.y
            and last.x <= self.end.x
            and last.y <= self.end.y
        )

    def intersects(self, other: CoreRange) -> bool:
        return (
            self.start.x <= other.end.x
            and other.start.x <= self.end.x
            and self.start.y <= other.end.y
            and other.start.y <= self.end.y
        )

    def cores(self, row_wise: bool = True) -> Iterator[CoreCoord]:
        columns = range(self.start.x, self.end.x + 1)
        rows = range(self.start.y, self.end.y + 1)
        if row_wise:
            return (CoreCoord(x, y) for y in rows for x in columns)
        return (CoreCoord(x, y) for x in columns for y in rows)


class Count(int):
    """A number that can be called for itself: ttnn has `num_cores()` where we have `num_cores`."""

    def __call__(self) -> int:
        return int(self)


class Ranges(tuple[CoreRange, ...]):
    """A tuple that can be called for itself: ttnn has `ranges()` where we have `ranges`."""

    __slots__ = ()

    def __call__(self) -> list[CoreRange]:
        return list(self)


Core: TypeAlias = "CoreCoord | tuple[int, int]"
Cores: TypeAlias = "CoreRangeSet | CoreRange | Core | Sequence[CoreRange | Core]"


def _is_core(value: object) -> TypeGuard[Core]:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, int) for one in value)


def _range_of(entry: object) -> CoreRange:
    """An entry of a list of cores.

    >>> _range_of("0-0")
    Traceback (most recent call last):
    tilesmith.errors.ProgramError: '0-0' names no cores
      fix: give a CoreRange, a CoreCoord or (x, y)
    """
    if isinstance(entry, CoreRange):
        return entry
    if not _is_core(entry):
        raise ProgramError(f"{entry!r} names no cores", remedy="give a CoreRange, a CoreCoord or (x, y)")
    return CoreRange(entry)


@dataclass(frozen=True)
class CoreRangeSet:
    """Disjoint rectangles of cores, in the order given.

    >>> both = CoreRangeSet([CoreRange((0, 0), (1, 0)), CoreRange((0, 1))])
    >>> both.num_cores, [str(core) for core in both.cores()]
    (3, ['0-0', '1-0', '0-1'])
    """

    ranges: Ranges = Ranges()

    def __init__(self, ranges: Iterable[CoreRange] | CoreRange = ()) -> None:
        given = Ranges((ranges,) if isinstance(ranges, CoreRange) else ranges)
        object.__setattr__(self, "ranges", given)
        for i, entry in enumerate(given):
            for other in given[:i]:
                if entry.intersects(other):
                    raise ProgramError(
                        f"core ranges {other} and {entry} of one set overlap",
                        remedy="a core may be in one range only; CoreRangeSet.merge() joins overlapping sets",
                    )

    @staticmethod
    def of(cores: Cores) -> CoreRangeSet:
        """Whatever names cores, as a set.

        >>> CoreRangeSet.of(CoreCoord(2, 2)) == CoreRangeSet.of(CoreRange((2, 2)))
        True
        >>> str(CoreRangeSet.of([CoreCoord(0, 0), (1, 0), CoreRange((0, 1), (7, 1))]))
        '{[0-0 .. 0-0], [1-0 .. 1-0], [0-1 .. 7-1]}'
        """
        if isinstance(cores, CoreRangeSet):
            return cores
        if isinstance(cores, CoreRange) or _is_core(cores):
            return CoreRangeSet((_range_of(cores),))
        return CoreRangeSet(map(_range_of, cores))

    @staticmethod
    def from_cores(cores: Iterable[CoreCoord]) -> CoreRangeSet:
        """Single cores, joined into as few rectangles as rows and columns allow."""
        return CoreRangeSet(_rectangles(set(cores)))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.ranges)) + "}"

    def __len__(self) -> int:
        return len(self.ranges)

    def __iter__(self) -> Iterator[CoreRange]:
        return iter(self.ranges)

    @cached_property
    def _hash(self) -> int:
        return hash(self.ranges)

    @cached_property
    def num_cores(self) -> Count:
        return Count(sum(one.num_cores for one in self.ranges))

    @cached_property
    def _members(self) -> frozenset[CoreCoord]:
        return frozenset(self._row_wise)

    @cached_property
    def _row_wise(self) -> tuple[CoreCoord, ...]:
        return tuple(core for one in self.ranges for core in one.cores())

    def cores(self, row_wise: bool = True) -> list[CoreCoord]:
        """Every core, range by range; inside a range row by row (or column by column)."""
        if row_wise:
            return list(self._row_wise)
        return [core for one in self.ranges for core in one.cores(row_wise=False)]

    def contains(self, other: CoreCoord | CoreRange | CoreRangeSet) -> bool:
        if isinstance(other, CoreCoord):
            return other in self._members
        return self._members.issuperset(CoreRangeSet.of(other)._members)

    def intersects(self, other: CoreRange | CoreRangeSet) -> bool:
        return any(one.intersects(two) for one in self.ranges for two in CoreRangeSet.of(other).ranges)

    def size(self) -> int:
        """How many rectangles there are."""
        return len(self.ranges)

    def empty(self) -> bool:
        return not self.ranges

    def subtract(self, other: CoreRangeSet) -> CoreRangeSet:
        """The cores that the other set does not have.

        >>> str(CoreRangeSet(CoreRange((0, 0), (3, 0))).subtract(CoreRangeSet(CoreRange((1, 0), (2, 0)))))
        '{[0-0 .. 0-0], [3-0 .. 3-0]}'
        """
        return CoreRangeSet.from_cores(self._members - other._members)

    def merge(self, other: CoreRangeSet) -> CoreRangeSet:
        """The union, joined into rectangles."""
        return CoreRangeSet.from_cores(self._members | other._members)

    def bounding_box(self) -> CoreRange:
        if not self.ranges:
            raise ProgramError("an empty core range set has no bounding box")
        return CoreRange(
            CoreCoord(min(r.start.x for r in self.ranges), min(r.start.y for r in self.ranges)),
            CoreCoord(max(r.end.x for r in self.ranges), max(r.end.y for r in self.ranges)),
        )


def _rectangles(cores: set[CoreCoord]) -> list[CoreRange]:
    """Runs along each row; equal runs of rows that touch become one rectangle."""
    done: list[CoreRange] = []
    growing: dict[tuple[int, int], CoreRange] = {}
    for y in sorted({core.y for core in cores}):
        still: dict[tuple[int, int], CoreRange] = {}
        for first, last in _runs(sorted(core.x for core in cores if core.y == y)):
            above = growing.get((first, last))
            start = above.start if above is not None and above.end.y == y - 1 else CoreCoord(first, y)
            still[first, last] = CoreRange(start, CoreCoord(last, y))
        done += [old for old in growing.values() if not any(new.contains(old) for new in still.values())]
        growing = still
    return sorted([*done, *growing.values()], key=lambda one: (one.start.y, one.start.x))


def _runs(values: list[int]) -> Iterator[tuple[int, int]]:
    first = last = values[0]
    for value in values[1:]:
        if value != last + 1:
            yield first, last
            first = value
        last = value
    yield first, last


def corerange_to_cores(
    cores: CoreRangeSet, max_cores: int | None = None, row_wise: bool = False
) -> list[CoreCoord]:
    """ttnn's function of that name: column by column unless `row_wise`.

    >>> [str(core) for core in corerange_to_cores(CoreRangeSet(CoreRange((0, 0), (1, 1))))]
    ['0-0', '0-1', '1-0', '1-1']
    """
    return cores.cores(row_wise)[:max_cores]

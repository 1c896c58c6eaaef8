"""The part of a region of a buffer that lies inside of the buffer, where the region reaches beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.compiler.importer.source import Memory, Number, Region

_TILE = 32


@dataclass(frozen=True)
class Clipped:
    """`source` is what is inside; `starts` says where in the whole region it begins."""

    source: Region
    starts: tuple[int, ...]
    is_part: bool

    @staticmethod
    def of(region: Region) -> Clipped | None:
        """None if nothing is inside, or if what is cannot be moved as whole tiles."""
        rooms = region.memory.sizes
        if region.memory.scope == "global" or rooms is None or not _is_fixed(region):
            return Clipped(region, (0,) * len(region.sizes), is_part=False)
        offsets, sizes, starts = [], [], []
        for offset, size, room in zip(_values(region.offsets), _values(region.sizes), rooms, strict=True):
            first, last = max(0, -offset), min(size, room - offset)
            if first >= last:
                return None
            starts.append(first)
            offsets.append(Number(offset + first))
            sizes.append(Number(last - first))
        source = Region(region.memory, tuple(offsets), tuple(sizes))
        is_part = source.sizes != tuple(Number(size) for size in _values(region.sizes))
        if is_part and any(value % _TILE for value in (*_values(source.offsets)[-2:], *starts[-2:])):
            return None
        return Clipped(source, tuple(starts), is_part)

    def within(self, memory: Memory, dims: Sequence[int]) -> Region:
        """Where it goes in a memory that holds these dimensions of the whole region."""
        if not dims:
            return Region(memory, (Number(0),), (Number(1),))
        offsets = tuple(Number(self.starts[dim]) for dim in dims)
        return Region(memory, offsets, tuple(self.source.sizes[dim] for dim in dims))


def _is_fixed(region: Region) -> bool:
    return all(isinstance(part, Number) for part in (*region.offsets, *region.sizes))


def _values(numbers: Sequence[object]) -> list[int]:
    return [int(number.value) for number in numbers if isinstance(number, Number)]

"""Room for buffers: the same address range on every bank, from the bottom of DRAM or from the top of L1."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilesmith.errors import OutOfDeviceMemoryError


@dataclass(frozen=True)
class Allocation:
    """A range held on every bank, and by whom."""

    address: int
    size: int
    name: str
    declared_at: str
    page_size: int = 0  # of pages that go round the banks, and how many
    pages: int = 0
    written: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)

    @property
    def unwritten(self) -> list[int]:
        """The pages that nobody has written, where others have been."""
        if self.written is None or not self.written.any():
            return []
        return [int(page) for page in np.flatnonzero(self.written == 0)]

    def note_written(self) -> None:
        if self.written is not None:
            self.written.fill(1)


class BankAllocator:
    """First fit over [base, end) of banks that all look alike. `top_down` fills from the end."""

    def __init__(self, memory: str, base: int, end: int, alignment: int, top_down: bool) -> None:
        self.memory = memory
        self._base, self._end = base, end
        self._alignment = alignment
        self._top_down = top_down
        self._held: dict[int, Allocation] = {}
        self._addresses: list[int] = []  # of what is held, lowest first
        self._unnoted: dict[int, Allocation] = {}  # allocated since all was last noted as written

    def allocate(
        self,
        size: int,
        name: str,
        declared_at: str,
        page_size: int = 0,
        pages: int = 0,
        also_free_in: Sequence[BankAllocator] = (),
        at: int | None = None,
    ) -> Allocation:
        """Room at an address that is free here, and in other allocators, or `at` one found so."""
        needed = -(-size // self._alignment) * self._alignment
        address = self._find(needed, also_free_in) if at is None else at
        if address is None:
            raise OutOfDeviceMemoryError(
                f"no room for {name}: {needed} bytes on every bank of {self.memory},"
                f" and the largest gap has {self.largest_gap}",
                where=declared_at,
                remedy="deallocate tensors that are not needed any more (tensor.deallocate() or del)",
                table=self.table(),
            )
        # Only pages that go round the banks of DRAM are counted: the emulator knows each byte of L1.
        written = np.zeros(pages, np.uint8) if self.memory == "DRAM" and pages else None
        held = Allocation(address, needed, name, declared_at, page_size, pages, written)
        self._held[address] = self._unnoted[address] = held
        insort(self._addresses, address)
        return held

    def free(self, address: int) -> None:
        if self._held.pop(address, None) is not None:
            self._unnoted.pop(address, None)
            del self._addresses[bisect_left(self._addresses, address)]

    def note_written(self) -> None:
        """Anything that is held now may have been written. Each is noted once, however many runs end."""
        for held in self._unnoted.values():
            held.note_written()
        self._unnoted.clear()

    @property
    def held(self) -> list[Allocation]:
        return [self._held[address] for address in self._addresses]

    @property
    def lowest(self) -> int:
        """The lowest address in use; the end when nothing is."""
        return self._addresses[0] if self._addresses else self._end

    @property
    def bytes_free(self) -> int:
        return self._end - self._base - sum(one.size for one in self._held.values())

    @property
    def largest_gap(self) -> int:
        return max((last - first for first, last in self._gaps()), default=0)

    def table(self) -> str:
        """Who holds what, lowest address first."""
        rows = [("bytes per bank", "address", "held by", "declared at")]
        rows += [(str(one.size), hex(one.address), one.name, one.declared_at) for one in self.held]
        rows.append((str(self.bytes_free), "", "free", ""))
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        align: tuple[Callable[[str, int], str], ...] = (str.rjust, str.ljust, str.ljust, str.ljust)
        return "\n".join(
            "  ".join(put(cell, width) for put, cell, width in zip(align, row, widths, strict=True)).rstrip()
            for row in rows
        )

    def _find(self, size: int, others: Sequence[BankAllocator]) -> int | None:
        gaps: Iterable[tuple[int, int]] = self._gaps()
        for other in others:
            gaps = _in_both(gaps, other._gaps())
        if self._top_down:
            highest_first = reversed(list(gaps))
            return next((last - size for first, last in highest_first if last - first >= size), None)
        return next((first for first, last in gaps if last - first >= size), None)

    def _gaps(self) -> Iterator[tuple[int, int]]:
        position = self._base
        for address in self._addresses:
            if address > position:
                yield position, address
            position = address + self._held[address].size
        if position < self._end:
            yield position, self._end


def _in_both(gaps: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """What two rising lists of ranges have in common.

    >>> _in_both([(0, 10), (20, 30)], [(5, 25)])
    [(5, 10), (20, 25)]
    """
    theirs = list(others)
    both = [(max(first, start), min(last, end)) for first, last in gaps for start, end in theirs]
    return [(first, last) for first, last in both if first < last]

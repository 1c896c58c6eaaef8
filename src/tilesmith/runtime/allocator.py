"""Room for buffers: the same address range on every bank, from the bottom of DRAM or from the top of L1."""

from __future__ import annotations

from collections.abc import Callable
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

    def allocate(
        self, size: int, name: str, declared_at: str, page_size: int = 0, pages: int = 0
    ) -> Allocation:
        needed = -(-size // self._alignment) * self._alignment
        address = self._find(needed)
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
        self._held[address] = Allocation(address, needed, name, declared_at, page_size, pages, written)
        return self._held[address]

    def free(self, address: int) -> None:
        self._held.pop(address, None)

    @property
    def held(self) -> list[Allocation]:
        return sorted(self._held.values(), key=lambda one: one.address)

    @property
    def lowest(self) -> int:
        """The lowest address in use; the end when nothing is."""
        return min(self._held, default=self._end)

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

    def _find(self, size: int) -> int | None:
        gaps = self._gaps()
        if self._top_down:
            return next((last - size for first, last in reversed(gaps) if last - first >= size), None)
        return next((first for first, last in gaps if last - first >= size), None)

    def _gaps(self) -> list[tuple[int, int]]:
        gaps, position = [], self._base
        for entry in self.held:
            if entry.address > position:
                gaps.append((position, entry.address))
            position = entry.address + entry.size
        if position < self._end:
            gaps.append((position, self._end))
        return gaps

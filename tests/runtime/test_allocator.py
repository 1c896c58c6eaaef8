"""Room on the banks: first fit, in the order of addresses, and what counts as written."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from tilesmith.errors import OutOfDeviceMemoryError
from tilesmith.runtime.allocator import Allocation, BankAllocator


def dram(end: int = 400) -> BankAllocator:
    return BankAllocator("DRAM", 0, end, alignment=10, top_down=False)


def test_the_first_gap_that_is_large_enough_is_taken() -> None:
    bank = dram()
    first, second, third = (bank.allocate(size, f"{size}", "here").address for size in (100, 50, 100))
    bank.free(second)
    bank.free(second)  # the garbage collector may come second
    assert [bank.allocate(size, f"{size}", "here").address for size in (60, 45)] == [250, 100]
    assert [one.address for one in bank.held] == [first, 100, third, 250]
    assert (bank.lowest, bank.largest_gap, bank.bytes_free) == (0, 90, 90)


def test_the_highest_gap_is_taken_from_the_top() -> None:
    bank = BankAllocator("L1", 100, 400, alignment=10, top_down=True)
    addresses = [bank.allocate(100, "", "").address for _ in range(2)]
    assert (addresses, bank.lowest) == ([300, 200], 200)
    bank.free(300)
    assert bank.allocate(30, "", "").address == 370
    assert bank.allocate(80, "", "").address == 120
    with pytest.raises(OutOfDeviceMemoryError, match="the largest gap has 70"):
        bank.allocate(80, "", "")


def test_what_came_after_a_run_is_not_written() -> None:
    bank = dram()
    early, freed = (bank.allocate(10, "", "", page_size=10, pages=2) for _ in range(2))
    bank.free(freed.address)
    bank.note_written()
    late = bank.allocate(10, "", "", page_size=10, pages=2)
    told = [one.written.tolist() for one in (early, freed, late) if one.written is not None]
    assert told == [[1, 1], [0, 0], [0, 0]]


def test_a_run_notes_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model holds hundreds of tensors: looking at all after every launch would cost more than it."""
    noted = Mock()
    monkeypatch.setattr(Allocation, "note_written", noted)
    bank = dram()
    for _ in range(4):
        bank.allocate(10, "", "", page_size=10, pages=1)
        bank.note_written()
    assert noted.call_count == 4


def test_nothing_counts_pages_of_l1() -> None:
    bank = BankAllocator("L1", 0, 400, alignment=10, top_down=True)
    held = bank.allocate(10, "", "", page_size=10, pages=1)
    bank.note_written()
    assert held.written is None
    assert held.unwritten == []


def test_pages_that_others_were_written_beside_are_told() -> None:
    held = Allocation(0, 10, "", "", 10, 3, np.array([1, 0, 1], np.uint8))
    assert held.unwritten == [1]

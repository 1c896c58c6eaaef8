"""Do a tensor's elements depend on some of its bytes? Padding may hold anything; elements may not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tilesmith.program.executor import ByteRange
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.pages import values_of

if TYPE_CHECKING:
    from tilesmith.runtime.device import Device


def elements_depend_on(device: Device, ranges: Sequence[ByteRange]) -> bool:
    """Whether an element of a live tensor changes when these bytes do."""
    return any(_depends(buffer, mine) for buffer in device.buffers() if (mine := _inside(buffer, ranges)))


def _inside(buffer: Buffer, ranges: Sequence[ByteRange]) -> list[ByteRange]:
    if buffer.num_pages == 0:
        return []
    begin, end = buffer.address, buffer.address + buffer.size_per_bank
    return [one for one in ranges if one.in_dram == buffer.in_dram and begin <= one.address < end]


def _depends(buffer: Buffer, ranges: Sequence[ByteRange]) -> bool:
    """Read the tensor, and again with every bit of these bytes turned round."""
    before = values_of(buffer.stored(), buffer.spec)
    with _turned_round(buffer.device, ranges):
        after = values_of(buffer.stored(), buffer.spec)
    return before.tobytes() != after.tobytes()


@contextmanager
def _turned_round(device: Device, ranges: Sequence[ByteRange]) -> Iterator[None]:
    def turn() -> None:
        for bank, begin, end in {(one.bank, one.address, one.address + one.size) for one in ranges}:
            device._memory(bank)[begin:end] ^= 0xFF

    turn()
    try:
        yield
    finally:
        turn()

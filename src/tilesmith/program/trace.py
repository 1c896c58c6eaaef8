"""What a traced run recorded: when each role waited and for what, when it worked, and every transfer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Cause(IntEnum):
    """What a role waited for; the runtime's numbers."""

    CB_PAGES = 1
    CB_SPACE = 2
    SEMAPHORE = 3
    SRC_FREE = 4
    SRC_DATA = 5
    DST_FREE = 6
    DST_DATA = 7
    MAILBOX = 8
    READ_BARRIER = 9
    WRITE_BARRIER = 10
    ATOMIC_BARRIER = 11
    FABRIC_SLOT = 12


class Work(IntEnum):
    """What the cycles of a role went to, besides waiting."""

    CONTROL = 0
    NOC = 1
    UNPACK = 2
    MATMUL = 3
    FPU = 4
    SFPU = 5
    PACK = 6


class Moved(IntEnum):
    READ = 0
    WRITE = 1
    MULTICAST = 2
    ATOMIC = 3


FIRST_WORK, FIRST_TRANSFER = 32, 48
_REMOTE_CORE, _REMOTE_MANY = 0x10000, 0x20000

EVENT = np.dtype(
    [
        ("begin", "u8"),
        ("end", "u8"),
        ("address", "u8"),
        ("fiber", "u4"),
        ("kind", "u2"),
        ("noc", "u2"),
        ("object", "u4"),
        ("bytes", "u4"),
        ("line", "u4"),
        ("file", "u4"),
    ]
)


@dataclass(frozen=True)
class Trace:
    """Events in the order they were recorded, which is not that of time. `fiber` counts the report's roles.

    Events past the recorder's limit are only counted: `dropped`.
    """

    events: NDArray[np.void]
    files: tuple[str, ...]
    dropped: int = 0

    @property
    def waits(self) -> NDArray[np.void]:
        """Where a role stood still; `kind` is a Cause."""
        return self.events[self.events["kind"] < FIRST_WORK]

    @property
    def work(self) -> NDArray[np.void]:
        """Where its unit worked; `kind` less FIRST_WORK is a Work."""
        kinds = self.events["kind"]
        return self.events[(kinds >= FIRST_WORK) & (kinds < FIRST_TRANSFER)]

    @property
    def transfers(self) -> NDArray[np.void]:
        """From issue to arrival; `kind` less FIRST_TRANSFER is a Moved."""
        return self.events[self.events["kind"] >= FIRST_TRANSFER]


def dram_bank(remote: int) -> int | None:
    """The bank a transfer reached, or None.

    >>> dram_bank(3), dram_bank(0x10000 + 3)
    (3, None)
    """
    return remote if remote < _REMOTE_CORE else None


LOCAL = np.uint64((1 << 36) - 1)
"""Of an address on the NoC: the bits that lie in a bank or an L1. A multicast has corners above them."""


def corners(address: int) -> tuple[int, int, int, int]:
    """The two corners of a multicast, x before y, as its kernel wrote them.

    >>> corners(1 << 54 | 2 << 48 | 3 << 42 | 4 << 36 | 0x1000)
    (2, 1, 4, 3)
    """
    x0, y0, x1, y1 = (address >> shift & 63 for shift in (48, 54, 36, 42))
    return x0, y0, x1, y1


def worker(remote: int) -> int | None:
    """The index of the core a transfer reached, row by row over the grid, or None.

    >>> worker(0x10000 + 9), worker(3)
    (9, None)
    """
    return remote - _REMOTE_CORE if _REMOTE_CORE <= remote < _REMOTE_MANY else None

"""The parts of a block of a product that pass through DST."""

from __future__ import annotations

from functools import lru_cache

TILE = 32
"""Rows and columns of a tile."""


@lru_cache(maxsize=1024)
def sub_block(rows: int, columns: int, capacity: int, transposed: bool = False) -> tuple[int, int]:
    """The block of tiles, rows x columns, that fits DST and unpacks least per product; the last may be lower.

    Of a block the longer side streams past one tile of the other, so h x w products unpack 1 + 1/max(h, w)
    tiles each. In a tall block it is the left operand that streams, which the unpackers do faster. Columns of
    a `transposed` right operand are products of their own.

    >>> sub_block(4, 4, 8), sub_block(4, 4, 4), sub_block(3, 5, 4), sub_block(1, 6, 4), sub_block(7, 3, 4)
    ((4, 2), (4, 1), (3, 1), (1, 3), (4, 1))
    """
    fitting = [
        (height, width)
        for height in range(1, rows + 1)
        for width in range(1, columns + 1)
        if columns % width == 0 and height * width <= capacity
    ]

    def unpacked(block: tuple[int, int]) -> tuple[float, int, int]:
        height, width = block
        parts = runs_of(rows, height)
        total = sum(count * high * _unpacked(high, width, transposed) for high, count in parts)
        return total / rows, rows % height, -height * width

    return min(fitting, key=unpacked)


def runs_of(rows: int, height: int) -> list[tuple[int, int]]:
    """Blocks of a height and how many there are, then one of what is left of the rows."""
    return [one for one in ((height, rows // height), (rows % height, 1)) if all(one)]


def _unpacked(height: int, width: int, transposed: bool) -> float:
    across = 1 if transposed else width
    streams_right = 1.2 if across >= height else 1.0
    return streams_right * (1 + 1 / max(height, across))

"""Shapes that make trouble: ones, one less and one more than a tile, odd batches; and memories."""

from __future__ import annotations

from itertools import cycle

AWKWARD = ((1, 1), (31, 33), (3, 33, 65), (2, 1, 32, 64), (5, 64, 1), (1, 3, 31))
VECTORS = ((1,), (33,))
ALIGNED = ((64, 64), (2, 64, 96))
MEMORIES = ("dram", "l1")
SHARDED = ("height", "width", "block")


def turns(*values: str) -> cycle[str]:
    """Values one after another, again and again: not every case needs every memory."""
    return cycle(values)

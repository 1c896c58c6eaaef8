"""Axes as callers count them: from the front, or from the back with negative numbers."""

from __future__ import annotations

from tilesmith.ops.checks import fatal


def normal_axis(axis: int, rank: int) -> int:
    """The axis counted from the front.

    >>> normal_axis(-1, 3)
    2
    """
    normal = axis + rank if axis < 0 else axis
    fatal(
        0 <= normal < max(rank, 1),
        "Index is out of bounds for the rank, should be between 0 and"
        f" {max(rank, 1) - 1} however is {axis if axis >= 0 else normal}",
    )
    return normal

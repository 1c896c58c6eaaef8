"""Which element of which input goes to which place of the output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Segment:
    """A box of the output, and where its elements come from.

    The output's element start + i is the input's element offset + sum(i * strides), counted row by row.
    """

    source: int
    start: Sizes
    size: Sizes
    offset: int
    strides: Sizes


def row_strides(shape: Sequence[int]) -> Sizes:
    """How far apart neighbours are, counted in elements.

    >>> row_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def identity(shape: Sizes) -> Segment:
    return Segment(0, (0,) * len(shape), shape, 0, row_strides(shape))


def permuted(shape: Sizes, order: Sequence[int]) -> Segment:
    """Output axis i is input axis order[i].

    >>> permuted((2, 3), (1, 0)).strides
    (1, 3)
    """
    strides = row_strides(shape)
    size = tuple(shape[axis] for axis in order)
    return Segment(0, (0,) * len(size), size, 0, tuple(strides[axis] for axis in order))


def sliced(shape: Sizes, begins: Sequence[int], size: Sizes, steps: Sequence[int]) -> Segment:
    """From `begins` on, every `steps`-th element."""
    strides = row_strides(shape)
    offset = sum(begin * stride for begin, stride in zip(begins, strides, strict=True))
    stepped = tuple(stride * step for stride, step in zip(strides, steps, strict=True))
    return Segment(0, (0,) * len(size), size, offset, stepped)


def placed(shape: Sizes, start: Sizes, source: int = 0) -> Segment:
    """A whole input, from `start` of the output on."""
    return replace(identity(shape), start=start, source=source)


def repeated(shape: Sizes, times: Sequence[int]) -> Segment:
    """Each axis `times` over: as axes of times and size, where they are more than one.

    >>> repeated((3, 4), (1, 2)).size
    (3, 2, 4)
    """
    axes = [
        axis
        for count, size, stride in zip(times, shape, row_strides(shape), strict=True)
        for axis in ((count, 0), (size, stride))
    ]
    kept = [axis for axis in axes[:-1] if axis[0] != 1] + [axes[-1]]
    sizes, strides = zip(*kept, strict=True)
    return Segment(0, (0,) * len(sizes), sizes, 0, strides)


def widened(shape: Sizes, whole: Sizes) -> Segment:
    """Axes of size 1 repeated.

    >>> widened((1, 4), (3, 4)).strides
    (0, 1)
    """
    strides = tuple(
        0 if size == 1 else stride for size, stride in zip(shape, row_strides(shape), strict=True)
    )
    return Segment(0, (0,) * len(whole), whole, 0, strides)

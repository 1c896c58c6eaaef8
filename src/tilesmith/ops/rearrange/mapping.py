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


def repeated(shape: Sizes, times: Sequence[int]) -> tuple[Sizes, Segment]:
    """Each axis `times` over. Axes are split into (times, size), so the output shape has twice as many."""
    split = tuple(size for pair in zip(times, shape, strict=True) for size in pair)
    strides = tuple(stride for one in row_strides(shape) for stride in (0, one))
    return split, Segment(0, (0,) * len(split), split, 0, strides)


def merged(segment: Segment) -> Segment:
    """With axes joined that are contiguous in both, while they are whole: fewer axes, same meaning.

    >>> merged(identity((2, 3, 4))).size
    (24,)
    """
    axes: list[tuple[int, int]] = []
    for size, stride in zip(segment.size, segment.strides, strict=True):
        if size == 1:
            continue
        if axes and axes[-1][1] == stride * size:
            axes[-1] = (axes[-1][0] * size, stride)
        else:
            axes.append((size, stride))
    axes = axes or [(1, 1)]
    sizes, strides = zip(*axes, strict=True)
    return Segment(segment.source, (0,) * len(axes), sizes, segment.offset, strides)

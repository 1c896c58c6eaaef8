"""Strided convolutions of images with few channels, as ones that move by one pixel over folded images.

A fold of 2 puts each square of 2x2 pixels side by side as channels of one pixel: 3 channels become 12, of the
32 that a tile has, and 7x7 taps of stride 2 become 4x4 of stride 1. An image that comes from the host is
folded on its way to the device.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tilesmith.models.planning.views import TILE, Axis, View, new_storage
from tilesmith.runtime import Layout


def can_fold(
    shape: Sequence[int],
    out: Sequence[int],
    taps: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
) -> bool:
    """Whether windows of a stride cover an image so that a folded one has a pixel for each.

    >>> can_fold((1, 3, 224, 224), (1, 64, 112, 112), (7, 7), (2, 2), (3, 3))
    True
    >>> can_fold((1, 3, 224, 224), (1, 64, 109, 109), (7, 7), (2, 2), (0, 0))
    False
    """
    step = stride[0]
    alike = step > 1 and stride[1] == step and shape[1] * step * step <= TILE
    fits = all(size == step * made for size, made in zip(shape[2:], out[2:], strict=True))
    return alike and fits and min(taps) >= step and max(padding) < max(taps)


def folded_image(shape: Sequence[int], fold: int, dtype: str) -> View:
    """Room for images with squares of pixels side by side: (batch, channel, line, down, pixel, across).

    >>> folded_image((1, 3, 4, 4), 2, "bfloat16").shape
    (1, 3, 2, 2, 2, 2)
    """
    batch, channels, height, width = shape
    tall, wide = height // fold, width // fold
    storage = new_storage(batch * tall * wide, channels * fold * fold, Layout.ROW_MAJOR, dtype)
    axes = (
        Axis(batch, tall * wide, 0),
        Axis(channels, 0, fold * fold),
        Axis(tall, wide, 0),
        Axis(fold, 0, fold),
        Axis(wide, 1, 0),
        Axis(fold, 0, 1),
    )
    return View(storage, axes)


def as_image(folded: View) -> View:
    """The same as images with more channels.

    >>> as_image(folded_image((1, 3, 4, 4), 2, "bfloat16")).shape
    (1, 12, 2, 2)
    """
    batch, channels, tall, down, wide, across = folded.axes
    every = Axis(channels.size * down.size * across.size, 0, 1)
    return View(folded.storage, (batch, every, tall, wide))


def folded_padding(padding: Sequence[int], fold: int) -> tuple[int, int]:
    return -(-padding[0] // fold), -(-padding[1] // fold)


def folded_weight(weight: torch.Tensor, fold: int, padding: Sequence[int]) -> torch.Tensor:
    """The weight that does on folded images what this one does with a stride; zeros where it has no tap.

    >>> folded_weight(torch.ones(1, 1, 3, 3), 2, (1, 1)).shape
    torch.Size([1, 4, 2, 2])
    """
    filters, channels, *taps = weight.shape
    before = folded_padding(padding, fold)
    sizes = [
        (size - 1 - around) // fold + ahead + 1
        for size, around, ahead in zip(taps, padding, before, strict=True)
    ]
    whole = weight.new_zeros(filters, channels, *(size * fold for size in sizes))
    top, left = (fold * ahead - around for around, ahead in zip(padding, before, strict=True))
    whole[:, :, top : top + taps[0], left : left + taps[1]] = weight
    parts = whole.reshape(filters, channels, sizes[0], fold, sizes[1], fold)
    return parts.permute(0, 1, 3, 5, 2, 4).reshape(filters, channels * fold * fold, *sizes)

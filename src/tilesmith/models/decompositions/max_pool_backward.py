"""The gradient of a max pool: rows of pixels gathered by indices that are known when a model is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


@decomposition(aten.max_pool2d_with_indices_backward.default, stage="autograd")
def max_pool_backward(
    grad: Tensor,
    x: Tensor,
    window: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
    indices: Tensor,  # noqa: ARG001 - as ATen calls it: which pixel was largest is found again
) -> Any:
    """Each pixel gets the gradients of the windows in which it is the first of the largest."""
    if ceil or x.dim() != 4 or any(one != 1 for one in dilation):
        return NotImplemented
    steps = stride or window
    down, along = (
        _Line(x.shape[2 + dim], grad.shape[2 + dim], window[dim], steps[dim], padding[dim]) for dim in (0, 1)
    )
    batch, channels = x.shape[:2]
    patches, there = _patches(x, down, along)
    largest = torch.where(there, patches, -torch.inf).amax(1, keepdim=True)
    order = torch.arange(down.taps * along.taps)[:, None]
    first = torch.where((patches == largest) & there, order, len(order)).amin(1, keepdim=True)
    outer = grad.permute(0, 2, 3, 1).reshape(-1, 1, channels)
    given = torch.where(first == order, outer, 0.0).reshape(-1, channels)
    numbers, used = _windows_of_pixels(down, along)
    back, used = _for_all(given, numbers, used, batch, down.windows * along.windows * len(order))
    summed = torch.where(used, back, 0.0).sum(1)
    return summed.reshape(batch, down.size, along.size, channels).permute(0, 3, 1, 2)


@dataclass(frozen=True)
class _Line:
    """One of the two directions of an image, and the windows over it."""

    size: int
    windows: int
    taps: int
    step: int
    border: int

    def pixels(self) -> tuple[Tensor, Tensor]:
        """The place under each tap of each window, and whether there is a pixel.

        >>> _Line(4, 2, 3, 2, 1).pixels()[1].tolist()
        [[False, True, True], [True, True, True]]
        """
        places = torch.arange(self.windows)[:, None] * self.step + torch.arange(self.taps) - self.border
        return places.clamp(0, self.size - 1), (places >= 0) & (places < self.size)

    def windows_of(self) -> tuple[Tensor, Tensor, Tensor]:
        """For each pixel the windows that may cover it, the tap it is under, and whether it is covered."""
        most = -(-self.taps // self.step)
        at = torch.arange(self.size)[:, None] + self.border
        number = torch.div(at, self.step, rounding_mode="floor") - torch.arange(most)
        tap = at - number * self.step
        covered = (number >= 0) & (number < self.windows) & (tap < self.taps)
        return number.clamp(0, self.windows - 1), tap.clamp(0, self.taps - 1), covered


def _patches(x: Tensor, down: _Line, along: _Line) -> tuple[Tensor, Tensor]:
    """The pixels under each window, (windows, taps, channels), and which of them are there."""
    (rows, rows_there), (cols, cols_there) = down.pixels(), along.pixels()
    numbers = rows[:, None, :, None] * along.size + cols[None, :, None, :]
    there = rows_there[:, None, :, None] & cols_there[None, :, None, :]
    taps = down.taps * along.taps
    table = x.permute(0, 2, 3, 1).reshape(-1, x.shape[1])
    area = down.size * along.size
    return _for_all(table, numbers.reshape(-1, taps), there.reshape(-1, taps), x.shape[0], area)


def _windows_of_pixels(down: _Line, along: _Line) -> tuple[Tensor, Tensor]:
    """For each pixel, which rows of (window, tap) it gets its gradient from, and which of these count."""
    (row, row_tap, row_used), (col, col_tap, col_used) = down.windows_of(), along.windows_of()
    window = row[:, None, :, None] * along.windows + col[None, :, None, :]
    tap = row_tap[:, None, :, None] * along.taps + col_tap[None, :, None, :]
    used = row_used[:, None, :, None] & col_used[None, :, None, :]
    numbers = window * (down.taps * along.taps) + tap
    each = row.shape[1] * col.shape[1]
    return numbers.reshape(-1, each), used.reshape(-1, each)


def _for_all(table: Tensor, numbers: Tensor, used: Tensor, batch: int, size: int) -> tuple[Tensor, Tensor]:
    """Rows of a table, with the same numbers for every image of a batch, `size` rows apart."""
    places, each = numbers.shape
    everywhere = (torch.arange(batch)[:, None, None] * size + numbers).reshape(-1)
    rows: Tensor = aten.embedding(table, everywhere)
    shown = used.expand(batch, places, each).reshape(-1, each, 1)
    return rows.reshape(batch * places, each, table.shape[1]), shown

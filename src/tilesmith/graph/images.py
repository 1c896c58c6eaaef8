"""Images on the device: a row per pixel, its channels along columns, zeros in a gap behind each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tilesmith.graph.views import Axis, View, new_storage


@dataclass(frozen=True)
class Grid:
    """Where the pixels of a batch of images lie: lines are `pitch` rows apart, images `area`."""

    batch: int
    channels: int
    height: int
    width: int
    pitch: int
    area: int

    @property
    def rows(self) -> int:
        return self.batch * self.area

    @property
    def has_gaps(self) -> bool:
        return (self.pitch, self.area) != (self.width, self.height * self.width)

    @property
    def gap(self) -> int:
        """How many pixels beyond a border read zero."""
        return min(self.pitch - self.width, self.area // self.pitch - self.height)

    def view(self, dtype: str, zeroed: bool = False) -> View:
        """New room for these images, as a tensor of (batch, channel, height, width)."""
        storage = new_storage(self.rows, self.channels, "rows", dtype, zeroed, (self.pitch, self.area))
        axes = (Axis(self.batch, self.area, 0), Axis(self.channels, 0, 1))
        return View(storage, (*axes, Axis(self.height, self.pitch, 0), Axis(self.width, 1, 0)))

    def matrix(self, view: View) -> View:
        """The same storage as a matrix of pixels and channels, gaps and all."""
        return View(view.storage, (Axis(self.rows, 1, 0), Axis(self.channels, 0, 1)))

    def inside(self) -> torch.Tensor:
        """One for each pixel that is there, zero for those in gaps."""
        lines = torch.zeros(self.batch, self.area // self.pitch, self.pitch)
        lines[:, : self.height, : self.width] = 1
        return lines.reshape(1, -1)


def grid(shape: Sequence[int], gap: int) -> Grid:
    """Images with a gap.

    >>> grid((1, 8, 4, 4), 1).rows
    25
    """
    batch, channels, height, width = shape
    pitch = width + gap
    return Grid(batch, channels, height, width, pitch, pitch * (height + gap))


def grid_of(view: View) -> Grid | None:
    """How a tensor lies, if it lies as images do."""
    if len(view.axes) != 4 or view.storage.layout != "rows" or view.row or view.col:
        return None
    batch, channels, height, width = view.axes
    pitch = height.row if height.size > 1 else view.storage.pitch or width.size
    area = batch.row if batch.size > 1 else view.storage.rows
    straight = (
        (channels.size == 1 or (channels.row, channels.col) == (0, 1))
        and (width.size == 1 or (width.row, width.col) == (1, 0))
        and all(axis.size == 1 or axis.col == 0 for axis in (batch, height))
        and channels.size == view.storage.cols
        and batch.size * area == view.storage.rows
        and pitch > 0
        and area % pitch == 0
    )
    found = Grid(batch.size, channels.size, height.size, width.size, pitch, area)
    return found if straight and found.gap >= 0 else None

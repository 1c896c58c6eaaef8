"""Images on the device: a row per pixel, its channels along columns. As tokens they lie in the same way."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.models.planning.views import TILE, Axis, View, new_storage
from tilesmith.runtime import Layout

CHANNELS_LAST = (0, 2, 3, 1)


def fresh_image(shape: Sequence[int], dtype: str) -> View:
    """New room for images, as a tensor of (batch, channel, height, width).

    >>> view = fresh_image((2, 8, 4, 4), "bfloat16")
    >>> view.storage.rows, view.storage.cols
    (32, 8)
    """
    batch, channels, height, width = shape
    storage = new_storage(batch * height * width, channels, Layout.ROW_MAJOR, dtype)
    axes = (Axis(batch, height * width, 0), Axis(channels, 0, 1), Axis(height, width, 0), Axis(width, 1, 0))
    return View(storage, axes)


def pixels(view: View) -> View | None:
    """Images as (batch, pixel, channel); None if the pixels of one do not follow each other.

    >>> pixels(fresh_image((2, 8, 4, 4), "bfloat16")).shape
    (2, 16, 8)
    """
    batch, channels, height, width = view.shape
    return view.permute(CHANNELS_LAST).reshape((batch, height * width, channels))


def is_image(view: View) -> bool:
    """Whether a tensor lies as images do: the channels of a pixel side by side, at the start of a tile.

    >>> is_image(fresh_image((1, 8, 4, 4), "bfloat16"))
    True
    """
    if len(view.axes) != 4 or view.col % TILE:
        return False
    batch, channels, height, width = view.axes
    along = channels.size == 1 or (channels.row, channels.col) == (0, 1)
    return along and all(axis.size == 1 or axis.col == 0 for axis in (batch, height, width))

"""Coordinates turned into pixel numbers and shares on the host, once for many calls of grid_sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesmith.formats import DataFormat, to_row_major_bytes

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_INT16 = np.iinfo(np.int16)


@dataclass(frozen=True)
class HostAxis:
    """One axis of the image: where coordinates fall on it, in pixels. All arithmetic is float32, as ttnn's.

    >>> HostAxis(4, align_corners=False, padding="zeros").places(np.array([-1.0, 1.0], np.float32))
    array([-0.5,  3.5], dtype=float32)
    """

    size: int
    align_corners: bool
    padding: str

    @property
    def _span(self) -> np.float32:
        return np.float32(self.size - 1 if self.align_corners else self.size)

    @property
    def _first_edge(self) -> np.float32:
        return np.float32(0.0 if self.align_corners else -0.5)

    def places(self, coordinates: Floats) -> Floats:
        places: Floats = (coordinates + np.float32(1.0)) * (self._span / np.float32(2.0)) + self._first_edge
        if self.padding == "zeros":
            return places
        inside = self._reflected(places) if self.padding == "reflection" else places
        # NaN becomes the first pixel, as in torch.
        held: Floats = np.minimum(np.fmax(inside, np.float32(0.0)), np.float32(self.size - 1))
        return held

    def _reflected(self, places: Floats) -> Floats:
        period = np.float32(2.0) * self._span
        if period == 0.0:
            return np.zeros_like(places)
        distance = np.abs(places - self._first_edge)
        into = distance - np.trunc(distance / period) * period
        folded: Floats = np.minimum(into, period - into) + self._first_edge
        return folded

    def has(self, pixels: Ints) -> NDArray[np.bool_]:
        return (pixels >= 0) & (pixels < self.size)

    def nearest(self, coordinates: Floats) -> Ints:
        """ttnn's rounding: half-way goes up, or away from zero where corners are aligned."""
        places = self.places(coordinates)
        if self.align_corners:
            return _whole(np.copysign(np.floor(np.abs(places) + np.float32(0.5)), places))
        return _whole(np.floor(places + np.float32(0.5)))


def prepared_points(
    grid: Floats, size: tuple[int, int], mode: str, padding: str, align: bool
) -> NDArray[np.uint16]:
    """The prepared grid as 16-bit words: two numbers for each point, or two numbers and four bf16 shares."""
    vertical, horizontal = (HostAxis(one, align, padding) for one in size)
    x, y = grid[..., 0].astype(np.float32), grid[..., 1].astype(np.float32)
    words = _nearest_words if mode == "nearest" else _bilinear_words
    # Coordinates that are not finite, or too large, are outside; nothing to warn of.
    with np.errstate(over="ignore", invalid="ignore"):
        return words(vertical, horizontal, y, x)


def _nearest_words(vertical: HostAxis, horizontal: HostAxis, y: Floats, x: Floats) -> NDArray[np.uint16]:
    row, column = vertical.nearest(y), horizontal.nearest(x)
    inside = vertical.has(row) & horizontal.has(column)
    numbers = [np.where(inside, one, -1) for one in (row, column)]
    return np.stack([_word(one) for one in numbers], axis=-1)


def _bilinear_words(vertical: HostAxis, horizontal: HostAxis, y: Floats, x: Floats) -> NDArray[np.uint16]:
    down, across = vertical.places(y), horizontal.places(x)
    row, column = _whole(np.floor(down)), _whole(np.floor(across))
    lower, right = down - np.floor(down), across - np.floor(across)
    whole = np.float32(1.0)
    shares = []
    for step_down, share_down in ((0, whole - lower), (1, lower)):
        for step_across, share_across in ((0, whole - right), (1, right)):
            inside = vertical.has(row + step_down) & horizontal.has(column + step_across)
            shares.append(np.where(inside, share_down * share_across, np.float32(0.0)).astype(np.float32))
    return np.stack([_word(row), _word(column), *map(_bf16, shares)], axis=-1)


def _whole(values: Floats) -> Ints:
    """To integers; what no 16 bits hold, and NaN, lies outside every image."""
    held = np.nan_to_num(values, nan=_INT16.min)
    return np.clip(held, _INT16.min, _INT16.max).astype(np.int32)


def _word(numbers: Ints) -> NDArray[np.uint16]:
    return np.clip(numbers, _INT16.min, _INT16.max).astype(np.int16).view(np.uint16)


def _bf16(values: Floats) -> NDArray[np.uint16]:
    """Rounded to the nearest, ties to even."""
    rounded = to_row_major_bytes(np.ascontiguousarray(values), DataFormat.Float16_b)
    return rounded.reshape(-1).view(np.uint16).reshape(values.shape)

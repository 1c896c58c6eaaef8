"""Pixels between pixels: an image read at coordinates that a model computes, as in deformable attention.

A coordinate says which pixels are meant and how much of each. Nearness to every line and column makes a
matrix, and the result is its product with the pixels. Where that matrix would be large, the four pixels
around each coordinate are gathered by index instead. Coordinates are float64 here, which the plan keeps as
float32: bfloat16 has no bits left for what lies between the pixels of a wide image.
"""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten

LARGEST_PRODUCT = 1 << 24
"""How many elements the matrix of nearness may have."""


def is_bilinear(node: Node) -> bool:
    """bilinear, with zeros or the border's pixels outside"""
    return bool(node.args[2] == 0) and node.args[3] in (0, 1)


@decomposition(aten.grid_sampler_2d.default, when=is_bilinear)
def grid_sampler_2d(x: Tensor, grid: Tensor, _mode: int, border: int, corners: bool) -> Tensor:
    """A product with how near each pixel is to each coordinate.

    >>> image = torch.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
    >>> grid_sampler_2d(image, torch.zeros(1, 1, 1, 2), 0, 0, True).tolist()
    [[[[1.5]]]]
    """
    batch, channels, height, width = x.shape
    places = grid.to(torch.float64)
    down = _pixel(places[..., 1], height, border, corners)
    along = _pixel(places[..., 0], width, border, corners)
    read = _by_product if down.shape[1] * batch * height * width <= LARGEST_PRODUCT else _by_number
    result = read(x, down, along)
    return result.reshape(batch, *grid.shape[1:3], channels).permute(0, 3, 1, 2)


def _pixel(coordinate: Tensor, size: int, border: int, corners: bool) -> Tensor:
    """From -1 .. 1 to pixels, one to a row."""
    factor = (size - 1) / 2 if corners else size / 2
    place = coordinate.reshape(coordinate.shape[0], -1, 1) * factor + (size - 1) / 2
    return place.clamp(0, size - 1) if border else place


def _by_product(x: Tensor, down: Tensor, along: Tensor) -> Tensor:
    batch, channels, height, width = x.shape
    lines = torch.arange(height, dtype=torch.float64).repeat_interleave(width)
    columns = torch.arange(width, dtype=torch.float64).repeat(height)
    near = _nearness(down, lines) * _nearness(along, columns)
    return near.to(x.dtype) @ x.reshape(batch, channels, height * width).transpose(1, 2)


def _nearness(place: Tensor, pixel: Tensor) -> Tensor:
    """1 at a pixel, 0 at the next."""
    return (1 - (place - pixel).abs()).clamp(min=0)


def _by_number(x: Tensor, down: Tensor, along: Tensor) -> Tensor:
    batch, channels, height, width = x.shape
    table = x.permute(0, 2, 3, 1).reshape(-1, channels)
    first = torch.arange(batch).reshape(-1, 1) * (height * width)
    top, left = down.floor(), along.floor()
    result = torch.zeros(())
    for below, right in product((0, 1), repeat=2):
        line, column = top + below, left + right
        inside = (line >= 0) & (line < height) & (column >= 0) & (column < width)
        near = (_nearness(down, line) * _nearness(along, column) * inside).to(x.dtype)
        lines, columns = line.clamp(0, height - 1), column.clamp(0, width - 1)
        numbers = (lines * width + columns).squeeze(2).to(torch.int64) + first
        result = result + aten.embedding(table, numbers) * near
    return result

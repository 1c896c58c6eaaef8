"""Rows of logits as chunks that cores share: the largest and its place, and sums.

A reduction of a row is the work of the core that has its tiles. The row of a vocabulary in one piece is the
work of one core: of 4,096 logits 0.48 ms. In chunks all cores take part, and what they come to is short.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

_TILE, _CORES, _MOST_CHUNKS = 32, 64, 256
_FILLING = 1 / 16
"""What it costs to fill up a tile of a row, beside reducing it."""
_LEAST = -1e30
"""Stands behind a row that is filled up: less than any logit."""


def chunked(rows: Tensor) -> Tensor:
    """(row, column) as (row, chunk, column), filled up to whole tiles.

    >>> chunked(torch.zeros(2, 4096)).shape
    torch.Size([2, 64, 64])
    """
    width = rows.shape[-1]
    tiles = -(-width // _TILE)
    chunks = _chunks(tiles)
    whole = chunks * -(-tiles // chunks) * _TILE
    if whole != width:
        rows = functional.pad(rows, (0, whole - width), value=_LEAST)
    return rows.reshape(*rows.shape[:-1], chunks, -1)


def _chunks(tiles: int) -> int:
    """In how many chunks a row is done first: by the tiles of the busiest core, and of what they come to."""

    def cost(chunks: int) -> float:
        filled = _FILLING * tiles if tiles % chunks else 0.0
        return filled + -(-chunks // _CORES) * -(-tiles // chunks) + -(-chunks // _TILE)

    return min(range(1, min(tiles, _MOST_CHUNKS) + 1), key=cost)


def largest(x: Tensor) -> Tensor:
    """The largest of each row of chunks, as (row, 1, 1)."""
    return x.amax(-1, keepdim=True).amax(-2, keepdim=True)


def total(x: Tensor) -> Tensor:
    """The sum of each row of chunks, as (row, 1, 1)."""
    return x.sum(-1, keepdim=True).sum(-2, keepdim=True)


def place_of_largest(x: Tensor) -> tuple[Tensor, Tensor]:
    """The first place of the largest of each row of chunks, and that itself.

    >>> place_of_largest(torch.tensor([[[1.0, 5.0], [5.0, 2.0]]]))
    (tensor([1]), tensor([5.]))
    """
    best, (_, chunks, width) = largest(x), x.shape
    places = torch.arange(chunks * width).reshape(chunks, width)
    found = torch.where(x == best, places, chunks * width)
    return found.amin(-1).amin(-1), best.flatten()

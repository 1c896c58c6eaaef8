"""tt_lib.utils: small functions on torch tensors that the vendor's older tests take from there."""

from __future__ import annotations

import torch

TILE, FACE = 32, 16


def _nearest_32(size: int) -> int:
    """
    >>> _nearest_32(33)
    64
    """
    return _nearest_y(size, TILE)


def _nearest_y(size: int, step: int) -> int:
    return -(-size // step) * step


def tilize(values: torch.Tensor) -> torch.Tensor:
    """The elements in the order of tiles and their faces, in the shape they had.

    >>> tilize(torch.arange(1024).reshape(1, 1, 32, 32))[0, 0, 0, 16].item()
    32
    """
    *outer, height, width = values.shape
    split = values.reshape(-1, height // TILE, 2, FACE, width // TILE, 2, FACE)
    return split.permute(0, 1, 4, 2, 5, 3, 6).reshape(*outer, height, width)


def untilize(values: torch.Tensor) -> torch.Tensor:
    """The other way round.

    >>> x = torch.arange(2048).reshape(1, 1, 32, 64)
    >>> torch.equal(untilize(tilize(x)), x)
    True
    """
    *outer, height, width = values.shape
    split = values.reshape(-1, height // TILE, width // TILE, 2, 2, FACE, FACE)
    return split.permute(0, 1, 3, 5, 2, 4, 6).reshape(*outer, height, width)

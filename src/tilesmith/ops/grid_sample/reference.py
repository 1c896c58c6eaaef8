"""The golden functions: torch on NHWC tensors, K coordinate sets, and grids that were prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tilesmith.ops.grid_sample.prepare import prepared_points

if TYPE_CHECKING:
    import torch


def golden_grid_sample(
    input_tensor: torch.Tensor,
    grid: torch.Tensor,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    use_precomputed_grid: bool = False,
    batch_output_channels: bool = False,
    **_: Any,
) -> torch.Tensor:
    """What grid_sample computes, in float32, from an image (N, H, W, C) and a grid (N, Hg, Wg, values).

    >>> import torch
    >>> golden_grid_sample(torch.ones(1, 2, 2, 32), torch.zeros(1, 3, 5, 4)).shape
    torch.Size([1, 3, 10, 32])
    """
    image = input_tensor.float()
    if use_precomputed_grid:
        sampled = _prepared(image, grid, mode)
    else:
        sampled = _raw(image, grid.float(), mode, padding_mode, align_corners)
    count, height, width, sets, channels = sampled.shape
    if batch_output_channels:
        return sampled.reshape(count, height, width, sets * channels)
    return sampled.reshape(count, height, width * sets, channels)


def golden_prepare_grid_sample_grid(
    grid: torch.Tensor,
    input_shape: Sequence[int],
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
    **_: Any,
) -> torch.Tensor:
    """The prepared grid as a bfloat16 tensor whose first two values of each point are 16-bit integers."""
    import torch

    size = (input_shape[1], input_shape[2])
    words = prepared_points(grid.float().numpy(), size, mode, padding_mode, align_corners)
    return torch.from_numpy(words.view(np.int16).copy()).view(torch.bfloat16)


def _raw(
    image: torch.Tensor, grid: torch.Tensor, mode: str, padding_mode: str, align_corners: bool
) -> torch.Tensor:
    import torch

    count, height, width, values = grid.shape
    points = grid.reshape(count, height, width * values // 2, 2)
    sampled = torch.nn.functional.grid_sample(
        image.permute(0, 3, 1, 2), points, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    )
    return sampled.permute(0, 2, 3, 1).reshape(count, height, width, values // 2, -1)


def _prepared(image: torch.Tensor, grid: torch.Tensor, mode: str) -> torch.Tensor:
    import torch

    each = 6 if mode == "bilinear" else 2
    points = grid.to(torch.bfloat16).reshape(*grid.shape[:3], -1, each)
    numbers = points[..., :2].contiguous().view(torch.int16).long()
    row, column = numbers[..., 0], numbers[..., 1]
    if mode == "nearest":
        return _pixels(image, row, column)
    shares = points[..., 2:].float()
    corners = ((0, 0), (0, 1), (1, 0), (1, 1))
    parts = [
        _pixels(image, row + down, column + across) * shares[..., number, None]
        for number, (down, across) in enumerate(corners)
    ]
    return torch.stack(parts).sum(dim=0)


def _pixels(image: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
    """The channels of each pixel named; zeros for those outside."""
    import torch

    count, height, width, _ = image.shape
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    number = torch.arange(count).reshape(-1, 1, 1, 1).expand_as(row)
    found = image[number, row.clamp(0, height - 1), column.clamp(0, width - 1)]
    return torch.where(inside[..., None], found, torch.zeros(()))

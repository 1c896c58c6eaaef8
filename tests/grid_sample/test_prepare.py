"""Prepared grids are those of ttnn 0.81.1, bit by bit: prepared_by_ttnn.npz holds what it made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tilesmith.ops.grid_sample import golden_grid_sample, golden_prepare_grid_sample_grid
from tilesmith.ops.grid_sample.prepare import prepared_points

_RECORDED = np.load(Path(__file__).with_name("prepared_by_ttnn.npz"))
_NAMES = sorted({name.rpartition("-")[0] for name in _RECORDED})


@pytest.mark.parametrize("name", _NAMES)
def test_words_are_those_of_ttnn(name: str) -> None:
    size, mode, corners = name.split("-")
    height, width = map(int, size.split("x"))
    coordinates = _RECORDED[f"{name}-coordinates"]
    words = prepared_points(coordinates, (height, width), mode, "zeros", corners == "aligned")
    assert np.array_equal(words, _RECORDED[f"{name}-words"])


def test_all_modes_and_sizes_were_recorded() -> None:
    assert len(_NAMES) == 16


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_a_prepared_grid_samples_what_torch_samples(mode: str, padding: str) -> None:
    image, grid = torch.randn(2, 5, 7, 32), torch.randn(2, 6, 4, 2)
    points = golden_prepare_grid_sample_grid(grid, image.shape, mode=mode, padding_mode=padding)
    sampled = golden_grid_sample(image, points, mode=mode, use_precomputed_grid=True)
    wanted = golden_grid_sample(image, grid, mode=mode, padding_mode=padding)
    assert torch.allclose(
        sampled, wanted, atol=0.0 if mode == "nearest" else 2.0**-9 * float(image.abs().max())
    )


def test_numbers_that_no_image_has_do_not_wrap() -> None:
    far = np.array([[[[3e38, -3e38], [np.nan, 0.0]]]], np.float32)
    words = prepared_points(far, (4, 4), "bilinear", "zeros", align=False)
    assert words[0, 0, 0, :2].view(np.int16).tolist() == [-32768, 32767]
    assert words[..., 2:].max() == 0

"""Winograd's convolutions: exact transforms, six kernels, right at uneven sizes, and a choice by name."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tilesmith
from tilesmith.errors import SettingsError
from tilesmith.kernels.winograd_matrices import TRANSFORMS
from tilesmith.models.planning.winograd_choice import tile_size

FAST = {"checks": "off", "numbers": "fast", "optimization_level": "O1"}


@pytest.mark.parametrize("size", TRANSFORMS)
def test_the_transforms_are_a_convolution(size: int) -> None:
    transform = TRANSFORMS[size]
    image, weight = torch.randn(transform.places, transform.places).double(), torch.randn(1, 1, 3, 3).double()
    before, after = (torch.tensor(one).double() for one in (transform.image, transform.result))
    places = (before @ image @ before.T) * transform.weights(weight)[:, :, 0, 0].T
    wanted = nn.functional.conv2d(image[None, None], weight)[0, 0]
    assert torch.allclose(after @ places @ after.T, wanted)


def error(model: nn.Module, x: Tensor, **options: Any) -> tuple[float, Any]:
    compiled: Any = tilesmith.compile(model.eval(), **{**FAST, **options})
    made = compiled(x)
    with torch.no_grad():
        wanted = model(x)
    return float((made - wanted).norm() / wanted.norm()), compiled.report


@pytest.mark.parametrize(("form", "bound"), [("winograd2", 0.012), ("winograd4", 0.05)])
def test_uneven_sizes_with_work_after_them(form: str, bound: float) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(35, 40, 3, padding=1), nn.ReLU())
    found, report = error(model, torch.randn(2, 35, 9, 11), convolution=form)
    assert found < bound
    assert [line.kernel.startswith("winograd") for line in report.kernels] == [
        True,
        True,
        False,
        True,
        True,
        True,
    ]
    assert report.kernels[-1].ops == ("conv2d", "relu")
    assert report.host == ()


def test_other_windows_keep_their_form() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(8, 8, 3, stride=2), nn.Conv2d(8, 8, 1))
    found, report = error(model, torch.randn(1, 8, 9, 9), convolution="winograd4")
    assert found < 0.012
    assert not any("winograd" in line.kernel for line in report.kernels)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["winograd2", "winograd4"])
def test_checks_are_silent_with_the_numbers_of_the_chip(form: str) -> None:
    torch.manual_seed(0)
    model = nn.Conv2d(33, 12, 3, padding=1)
    found, _ = error(model, torch.randn(1, 33, 5, 7), convolution=form, checks="on", numbers="chip")
    assert found < 0.05


def test_the_form_is_chosen_by_name_or_by_the_estimate() -> None:
    assert tile_size("direct", 1, 56, 56, 64, 64) == 0
    assert tile_size("winograd2", 1, 56, 56, 64, 64) == 2
    assert tile_size("auto", 1, 32, 32, 640, 640) == 2
    assert tile_size("auto", 1, 32, 32, 640, 640, held=True) == 0
    with pytest.raises(SettingsError, match="convolution is 'fft'"):
        tilesmith.compile(nn.Conv2d(8, 8, 3), convolution="fft")


def test_auto_keeps_the_direct_form_where_it_holds_its_pixels() -> None:
    layers = (nn.Conv2d(32, 256, 1), nn.Conv2d(256, 256, 3, 1, 1), nn.Conv2d(256, 32, 1))
    compiled = tilesmith.compile(nn.Sequential(*layers).eval(), convolution="auto")
    compiled.prepare(torch.randn(1, 32, 16, 16))
    assert [line.kernel for line in compiled.report.kernels] == ["linear", "convolution", "linear"]

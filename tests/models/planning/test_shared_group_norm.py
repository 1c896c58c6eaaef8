"""Group norms that cores share: as torch has them, on images in tiles and in rows, and on many cores."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import tilesmith
from tilesmith.kernels.halo import HaloConvolution
from tilesmith.kernels.shared_group_norm import GroupSums, SharedGroupNorm
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch


def _launches(made: Any) -> list[Launch]:
    return [step for step in made.executable.plan.steps if isinstance(step, Launch)]


def _norm(channels: int, groups: int) -> nn.GroupNorm:
    torch.manual_seed(0)
    norm = nn.GroupNorm(groups, channels)
    with torch.no_grad():
        norm.weight.add_(torch.randn(channels) * 0.2)
        norm.bias.add_(torch.randn(channels) * 0.2)
    return norm


@pytest.mark.parametrize("mean", [0, 300])
@pytest.mark.parametrize(
    ("shape", "groups"),
    [((2, 64, 8, 8), 4), ((1, 96, 8, 28), 3), ((1, 480, 8, 8), 16), ((2, 64, 4, 8), 64), ((1, 64, 6, 7), 4)],
)
def test_norms_agree_with_torch(shape: tuple[int, ...], groups: int, mean: int) -> None:
    x = (torch.randn(shape) * 2 + mean).bfloat16()
    norm = _norm(shape[1], groups)
    made = tilesmith.compile(norm.bfloat16(), checks="on")
    found = made(x).float()
    wanted = functional.group_norm(x.float(), groups, norm.weight.float(), norm.bias.float())
    assert float((found - wanted).norm() / wanted.norm()) < 5e-3
    assert not made.report.host


def test_windows_between_norms_read_tiles() -> None:
    """Of images in rows each pixel under each tap would be read by itself."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(32, 64, 1),
        _norm(64, 4),
        nn.SiLU(),
        nn.Conv2d(64, 64, 3, padding=1),
        _norm(64, 4),
        nn.Conv2d(64, 32, 1),
    ).eval()
    x = torch.randn(2, 32, 8, 8)
    made = tilesmith.compile(model, checks="on")
    found = made(x)
    with torch.no_grad():
        wanted = model(x)
    assert float((found - wanted).norm() / wanted.norm()) < 0.01
    templates = [step.template for step in _launches(made)]
    norms = [one for one in templates if isinstance(one, GroupSums | SharedGroupNorm)]
    assert len(norms) == 4
    assert all(one.x_access == "block" for one in norms)
    assert any(isinstance(one, HaloConvolution) for one in templates)


def test_every_core_has_a_part_of_a_large_image() -> None:
    norm, x = _norm(160, 16), torch.randn(1, 160, 64, 64)
    made = tilesmith.compile(norm, checks="off", numbers="fast")
    made(x)
    assert [step.numbers["parts"] for step in _launches(made)] == [32, 32]
    assert isinstance(made.executable, TenstorrentExecutable)
    assert made.executable.arch.microseconds(made.executable.cycles) < 400

"""Products of many rows with few weights: each core holds all weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import tilesmith
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch
from tilesmith.schedules import Stationary
from tilesmith.testing import Tolerance, compare


class Residual(nn.Module):
    """Two products of pixels, the second with a bias, a residual and a ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(32, 64, 1), nn.Conv2d(64, 64, 1)

    def forward(self, x: Tensor) -> Tensor:
        held = self.first(x)
        return torch.relu(self.second(held) + held)


def test_pixels_are_multiplied_with_weights_that_stay() -> None:
    torch.manual_seed(0)
    model, x = Residual().eval(), torch.randn(1, 32, 46, 47)
    compiled = tilesmith.compile(model, backend="tenstorrent")
    with torch.no_grad():
        outcome = compare(compiled(x), model(x), Tolerance.of(tilesmith.bfloat16, roundings=4))
    assert outcome.pcc > 0.9999
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    templates = [step.template for step in executable.plan.steps if isinstance(step, Launch)]
    assert any(isinstance(one, Linear) and isinstance(one.mesh, Stationary) for one in templates)

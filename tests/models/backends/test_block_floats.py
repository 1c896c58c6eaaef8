"""Models whose weights and activations lie in block floats."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.errors import SettingsError
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch
from tilesmith.testing import Tolerance, compare


class Block(nn.Module):
    """What a transformer has: norms, products, a residual, an activation."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(64), nn.Linear(64, 128), nn.Linear(128, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.down(nn.functional.gelu(self.up(self.norm(x))))
        return x + out


@pytest.mark.parametrize(
    ("weights", "activations", "least"),
    [("bfloat8_b", "", 0.9995), ("", "bfloat8_b", 0.9995), ("bfloat4_b", "bfloat8_b", 0.97)],
)
def test_a_model_in_block_floats_correlates_with_torch(weights: str, activations: str, least: float) -> None:
    torch.manual_seed(0)
    model, x = Block().eval(), torch.randn(2, 64, 64)
    compiled = tilesmith.compile(model, weights=weights, activations=activations)
    made = compiled(x)
    assert compare(made, model(x), Tolerance(0, 0, 0)).pcc > least
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    launches = [step for step in executable.plan.steps if isinstance(step, Launch)]
    kinds = {name: one.dtype for step in launches for name, one in step.storages.items() if name == "w0"}
    assert set(kinds.values()) == {weights or "bfloat16"}
    assert {one.dtype for step in launches for one in step.outputs} == {activations or "bfloat16"}


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="bfloat8_b"):
        tilesmith.compile(Block(), weights="int4")

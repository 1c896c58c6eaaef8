"""Norms of bfloat16 on the matrix unit lose what rounding loses, whatever the mean of the rows."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.planning.steps import Launch


def identity() -> nn.Linear:
    """A product that keeps bfloat16 as it is: what an input may hold, infinities, no longer follows it."""
    made = nn.Linear(64, 64, bias=False)
    with torch.no_grad():
        made.weight.copy_(torch.eye(64))
    return made


def approximations(compiled: CompiledModel) -> dict[str, str]:
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    launches = (step for step in executable.plan.steps if isinstance(step, Launch))
    return {step.template.name: step.approximate for step in launches}


@pytest.mark.parametrize("kind", [nn.LayerNorm, nn.RMSNorm])
@pytest.mark.parametrize("far", [0.0, 300.0])
def test_a_norm_between_products_loses_little(kind: type[nn.Module], far: float) -> None:
    torch.manual_seed(0)
    norm = kind(64)
    with torch.no_grad():
        for one in norm.parameters():
            one.add_(torch.randn_like(one) / 4)
    model = nn.Sequential(identity(), norm, identity()).eval()
    x = (far + torch.randn(3, 37, 64)).bfloat16().float()
    compiled = tilesmith.compile(model, backend="tenstorrent", numbers="chip", approximate="safe")
    with torch.no_grad():
        found, wanted = compiled(x), model(x)
    assert float((found - wanted).norm() / wanted.norm()) < 0.006
    assert approximations(compiled)[norm._get_name().lower().replace("norm", "_norm")] == "bfloat16"


def test_a_norm_of_an_input_stays_exact() -> None:
    model = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64)).eval()
    compiled = tilesmith.compile(model, backend="tenstorrent", approximate="safe")
    compiled(torch.randn(32, 64))
    assert approximations(compiled)["layer_norm"] == "none"

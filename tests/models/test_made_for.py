"""Profiles and reports name the user's module and line, and not torch's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import tilesmith
from tilesmith.models.planning.source import module_path
from tilesmith.profiling import recording

HERE = Path(__file__)


class Attention(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = torch.nn.Linear(32, 32)
        self.norm = torch.nn.LayerNorm(32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        done: torch.Tensor = self.norm(torch.nn.functional.gelu(self.query(x)))  # the line of the user
        return done


class Encoder(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.ModuleList([Attention(), Attention()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layer:
            x = layer(x)
        return torch.cumprod(x, 0)


LINE = next(
    number
    for number, text in enumerate(HERE.read_text().splitlines(), 1)
    if "# the line of the user" in text and "LINE" not in text
)


@pytest.mark.parametrize(
    "compiled",
    [lambda model: tilesmith.compile(model), lambda model: torch.compile(model, backend="tilesmith")],
    ids=["compile", "torch.compile"],
)
def test_programs_are_made_for_modules(compiled: Callable[[Any], Any]) -> None:
    torch._dynamo.reset()
    model = compiled(Encoder().eval())
    with recording() as recorder, torch.no_grad():
        model(torch.randn(32, 32))
    profile = recorder.profile
    places = [program.made_for for program in profile.programs]
    wanted = [f"layer.{number}.{name} ({HERE}:{LINE})" for number in (0, 1) for name in ("query", "norm")]
    assert places[:4] == wanted
    assert "layer.1.norm (test_made_for.py:" in str(profile)
    lives = profile.memory.buffers
    assert any(life.declared_at == wanted[0] for life in lives if life.name.startswith("CB 0"))
    # Models of other tests may lie on the same chip.
    assert not [life for life in lives if "site-packages/torch/" in life.declared_at]


def test_weights_are_named_by_their_parameters() -> None:
    model = tilesmith.compile(Encoder().eval())
    model.prepare(torch.randn(32, 32))
    with recording() as recorder:
        model(torch.randn(32, 32))
    assert "layer.0.query.weight" in {life.declared_at for life in recorder.profile.memory.buffers}


def test_the_report_says_where_the_host_computes() -> None:
    report = tilesmith.compile(Encoder().eval()).prepare(torch.randn(32, 32))
    [line] = report.host
    assert line.source.startswith(f"{HERE}:")
    assert f"in {line.source}" in str(report)
    assert report.kernels[0].source.startswith("layer.0.query (")


def test_paths_of_captured_modules() -> None:
    assert module_path("L['model'].blocks[2]._modules['mlp'].up") == "blocks.2.mlp.up"
    assert module_path("layers.0.q") == "layers.0.q"

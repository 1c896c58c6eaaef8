"""Heads of widths that are not whole tiles: read in place, with the results that torch has."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import tilesmith
from tilesmith.kernels.attention import Attention
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch

KERNELS = [("linear",), ("scaled_dot_product_attention",), ("linear", "add")]
"""What a layer of attention takes where no head is copied."""


class Layer(nn.Module):
    """Attention between products, over its own rows or those of another input."""

    def __init__(self, heads: int, width: int, bias: bool, **options: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.heads, self.options = heads, options
        self.query, self.key, self.value = (nn.Linear(64, heads * width, bias=bias) for _ in range(3))
        self.out = nn.Linear(heads * width, 64)

    def forward(self, x: Tensor, other: Tensor | None = None) -> Tensor:
        batch, rows, _ = x.shape
        sources = (x, x if other is None else other, x if other is None else other)
        parts = zip((self.query, self.key, self.value), sources, strict=True)
        q, k, v = (
            layer(source).view(batch, source.shape[1], self.heads, -1).transpose(1, 2)
            for layer, source in parts
        )
        seen = functional.scaled_dot_product_attention(q, k, v, **self.options)
        made: Tensor = x + 4 * self.out(seen.transpose(1, 2).reshape(batch, rows, -1))
        return made


def _agrees(model: nn.Module, *inputs: Tensor) -> list[tuple[str, ...]]:
    """The kernels of a model whose results, with checks on, are those of torch."""
    made = tilesmith.compile(model.eval(), checks="on")
    found = made(*inputs)
    with torch.no_grad():
        wanted = model(*inputs)
    assert float((found - wanted).norm() / wanted.norm()) < 0.01
    assert not made.report.host
    return [line.ops for line in made.report.kernels]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.5}])
@pytest.mark.parametrize(("width", "bias"), [(40, True), (24, False)])
def test_ragged_heads_are_read_in_place(width: int, bias: bool, options: dict[str, Any]) -> None:
    kernels = _agrees(Layer(2, width, bias, **options), torch.randn(2, 64, 64))
    assert sum("copy" in ops for ops in kernels) == 0
    assert kernels[0] == ("linear",)
    assert len(kernels) <= 4


def test_scores_of_widened_heads_are_not_scaled() -> None:
    made = tilesmith.compile(Layer(2, 40, bias=True).eval(), checks="off", numbers="fast")
    made(torch.randn(2, 64, 64))
    assert isinstance(made.executable, TenstorrentExecutable)
    launches = [step for step in made.executable.plan.steps if isinstance(step, Launch)]
    (attention,) = [step.template for step in launches if isinstance(step.template, Attention)]
    assert attention.scale == 2.0**-3  # and 40**-0.5 / 2**-3 is in the weights
    assert attention.scales_queries


def test_heads_over_other_rows_are_read_in_place() -> None:
    kernels = _agrees(Layer(2, 40, bias=False), torch.randn(2, 64, 64), torch.randn(2, 96, 64))
    assert kernels == [KERNELS[0], *KERNELS] or len(kernels) <= 5
    assert not any("copy" in ops for ops in kernels)


def test_what_others_read_stays_as_it_is() -> None:
    class Shown(Layer):
        def forward(self, x: Tensor, _: Tensor | None = None) -> Any:
            q = self.query(x).view(2, 64, 2, 40).transpose(1, 2)
            seen = functional.scaled_dot_product_attention(q, q, q)
            return seen, self.out(seen.transpose(1, 2).reshape(2, 64, 80))

    model, x = Shown(2, 40, bias=True).eval(), torch.randn(2, 64, 64)
    for found, wanted in zip(tilesmith.compile(model, checks="on")(x), model(x), strict=True):
        assert found.shape == wanted.shape
        assert float((found - wanted).norm() / wanted.norm()) < 0.02

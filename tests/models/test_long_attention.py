"""Attention over more keys than a block has, where no block divides them: right, and nothing else touched."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import tilesmith
from tilesmith.kernels.attention import Attention
from tilesmith.models.planning.steps import Launch


class SelfAttention(nn.Module):
    def __init__(self, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(64, 3 * 32 * heads), nn.Linear(32 * heads, 64)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, 32).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        made: Tensor = self.out(seen.transpose(1, 2).reshape(batch, length, -1))
        return made


@pytest.mark.parametrize(
    ("batch", "heads", "length", "causal", "tail"),
    [
        (1, 8, 577, False, 0),
        (1, 4, 1060, False, 64),
        (2, 2, 600, True, 96),
        (1, 2, 1060, True, 64),
        (2, 1, 1060, False, 64),
    ],
)
def test_the_last_keys_may_be_fewer(batch: int, heads: int, length: int, causal: bool, tail: int) -> None:
    torch.manual_seed(0)
    model, x = SelfAttention(heads, causal).eval(), torch.randn(batch, length, 64)
    made = tilesmith.compile(model, checks="on", numbers="fast", target="n150")
    with torch.no_grad():
        wanted, found = model(x), made(x)
    assert float((found - wanted).norm() / wanted.norm()) < 0.006
    templates = [step.template for step in made.executable.plan.steps if isinstance(step, Launch)]  # type: ignore[attr-defined]
    assert [one.tail for one in templates if isinstance(one, Attention)] == [tail]

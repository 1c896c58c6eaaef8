"""Attention of few queries to many keys: cores share the keys, and parts are joined."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import tilesmith

KEYS = 1100


class Decode(torch.nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        made = functional.scaled_dot_product_attention(q * 1, k * 1, v * 1, mask, enable_gqa=True)
        return made * 2


def _mask(kind: str) -> Tensor | None:
    places = torch.arange(KEYS)
    if kind == "first":
        return torch.where(places < 37, 0.0, -torch.inf)[None, None, None]
    if kind == "of each text":
        return (places < torch.tensor([[700], [2]]))[:, None, None]
    return None


@pytest.mark.parametrize(
    ("batch", "heads", "shared", "kind"),
    [(1, 8, 2, ""), (1, 4, 4, "first"), (2, 4, 2, "of each text")],
)
def test_parts_are_joined(batch: int, heads: int, shared: int, kind: str) -> None:
    draw = torch.Generator().manual_seed(heads)
    q = torch.randn(batch, heads, 1, 40, generator=draw)
    k, v = (torch.randn(batch, shared, KEYS, 40, generator=draw) for _ in range(2))
    mask = _mask(kind)
    args: Any = (q, k, v) if mask is None else (q, k, v, mask)
    run = tilesmith.compile(Decode(), precision="float32", checks="on")
    wanted = Decode()(*args)
    assert (run(*args) - wanted).abs().max() < 5e-3 * wanted.abs().max()
    kernels = [line.kernel for line in run.report.kernels]
    assert {"split_attention", "joined_attention"} <= set(kernels)
    assert run.report.recomputed == 0


def test_few_keys_stay_with_one_core() -> None:
    q, k = torch.randn(1, 4, 1, 32), torch.randn(1, 4, 512, 32)
    run = tilesmith.compile(Decode(), precision="float32")
    torch.testing.assert_close(run(q, k, k), Decode()(q, k, k), atol=6e-3, rtol=6e-3)
    assert "split_attention" not in [line.kernel for line in run.report.kernels]

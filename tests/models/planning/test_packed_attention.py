"""Single queries of many heads: those of several heads are rows of one tile, and get torch's results."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import tilesmith


class Attend(torch.nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        # What a kernel made is packed; what comes from the host need not be.
        return torch.nn.functional.scaled_dot_product_attention(
            q * 1.0, k, v, attn_mask=mask, enable_gqa=True
        )


def operands(batch: int, heads: int, shared: int, keys: int) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    q = torch.randn(batch, heads, 1, 32)
    return q, torch.randn(batch, shared, keys, 32), torch.randn(batch, shared, keys, 32)


def compiled(module: Any) -> Any:
    return tilesmith.compile(module, precision="float32", checks="on", numbers="fast", target="n150")


@pytest.mark.parametrize(
    ("batch", "heads", "shared", "keys", "masked"),
    [(18, 12, 4, 64, True), (18, 8, 8, 70, True), (20, 8, 4, 40, False)],
)
def test_queries_of_several_heads_share_a_tile(
    batch: int, heads: int, shared: int, keys: int, masked: bool
) -> None:
    q, k, v = operands(batch, heads, shared, keys)
    mask = torch.rand(batch, 1, 1, keys) > 0.4 if masked else None
    if mask is not None:
        mask[..., 0] = True
    run = compiled(Attend())
    torch.testing.assert_close(run(q, k, v, mask), Attend()(q, k, v, mask), atol=5e-3, rtol=5e-3)
    assert "packed_attention" in {line.kernel for line in run.report.kernels}


def test_few_heads_have_a_core_each() -> None:
    q, k, v = operands(2, 4, 2, 32)
    run = compiled(Attend())
    torch.testing.assert_close(run(q, k, v), Attend()(q, k, v), atol=5e-3, rtol=5e-3)
    assert "packed_attention" not in {line.kernel for line in run.report.kernels}


def test_more_queries_than_a_tile_has_rows_are_not_packed() -> None:
    q, k, v = operands(2, 40, 1, 32)
    run = compiled(Attend())
    torch.testing.assert_close(run(q, k, v), Attend()(q, k, v), atol=5e-3, rtol=5e-3)
    assert "packed_attention" not in {line.kernel for line in run.report.kernels}

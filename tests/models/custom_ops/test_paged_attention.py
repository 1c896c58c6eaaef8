"""Attention over a cache in blocks: the table says whose they are."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

import tilesmith
from tilesmith.models.custom_ops import paged_attention


class Paged(torch.nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor, table: Tensor, lengths: Tensor) -> Tensor:
        result: Tensor = paged_attention(q, k, v, table, lengths)
        return result


def operands(dtype: torch.dtype = torch.float32) -> tuple[Tensor, ...]:
    draw = torch.Generator().manual_seed(0)
    q = torch.randn(3, 4, 1, 32, generator=draw, dtype=dtype)
    k, v = (torch.randn(8, 2, 16, 32, generator=draw, dtype=dtype) for _ in range(2))
    table = torch.tensor([[5, 2, 0], [1, 7, 3], [6, 4, 4]])
    return q, k, v, table, torch.tensor([40, 48, 9])


def wanted(q: Tensor, k: Tensor, v: Tensor, table: Tensor, lengths: Tensor) -> Tensor:
    """Each text by itself, with its own blocks one behind another."""
    texts = []
    for text, length in enumerate(lengths.tolist()):
        keys, values = (
            torch.cat([cache[block] for block in table[text].tolist()], 1)[None, :, :length]
            for cache in (k, v)
        )
        texts.append(
            torch.nn.functional.scaled_dot_product_attention(
                q[text : text + 1], keys, values, enable_gqa=True
            )
        )
    return torch.cat(texts)


def test_texts_see_their_own_blocks() -> None:
    args = operands(torch.float64)
    torch.testing.assert_close(paged_attention(*args), wanted(*args))


def test_a_plan_brings_blocks_by_their_numbers() -> None:
    args = operands()
    run = tilesmith.compile(Paged(), precision="float32", checks="on")
    torch.testing.assert_close(run(*args), wanted(*args), atol=5e-3, rtol=5e-3)
    kernels = {line.kernel for line in run.report.kernels}
    assert {"embedding", "attention"} <= kernels


def test_blocks_that_are_not_there_are_refused() -> None:
    q, k, v, table, lengths = operands()
    run = tilesmith.compile(Paged(), backend="cpu")
    with pytest.raises((IndexError, tilesmith.errors.TilesmithError)):
        run(q, k, v, table + 100, lengths)
    with pytest.raises(RuntimeError, match="for each text"):
        paged_attention(q, k, v, table[:2], lengths)

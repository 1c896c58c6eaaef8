"""Tied embeddings lie on the device once: tokens are looked up in the tiles that the last product reads."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import tilesmith

WORDS, WIDTH = 70, 96


class Tied(torch.nn.Module):
    """Looks tokens up, and gives logits of what it found; `same` says whether with one matrix."""

    def __init__(self, same: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table = torch.nn.Embedding(WORDS, WIDTH)
        self.head = torch.nn.Linear(WIDTH, WORDS, bias=False)
        if same:
            self.head.weight = self.table.weight

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.head(self.table(ids).tanh())
        return logits


def compiled(model: torch.nn.Module, **options: Any) -> Any:
    return tilesmith.compile(model.eval(), **{"checks": "on", "numbers": "fast", **options})


IDS = torch.tensor([[0, 31, 32, 69, 15, 16, 47, 31]])


@pytest.mark.parametrize("target", ["n150", "p150"])
@pytest.mark.parametrize(("precision", "size", "off"), [("float32", 4, 5e-3), ("bfloat16", 2, 0.2)])
def test_a_tied_table_is_kept_once(target: str, precision: str, size: int, off: float) -> None:
    run, model = compiled(Tied(), precision=precision, target=target), Tied()
    torch.testing.assert_close(run(IDS), model(IDS), atol=off, rtol=off)
    assert run.report.weights == 96 * WIDTH * size  # 70 rows in whole tiles
    assert run.report.host == ()


def test_rows_from_tiles_are_those_of_the_table() -> None:
    class Found(Tied):
        def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
            rows = self.table(ids)
            return rows, self.head(rows)

    run, model = compiled(Found(), precision="float32"), Found()
    assert torch.equal(run(IDS)[0], model(IDS)[0])


def test_a_table_of_its_own_or_in_another_format_lies_beside_the_weight() -> None:
    rows, tiles = WORDS * WIDTH * 2, 96 * WIDTH
    assert compiled(Tied(same=False))(IDS).shape == (1, 8, WORDS)
    apart = compiled(Tied(same=False))
    apart(IDS)
    assert apart.report.weights == rows + 2 * tiles
    narrow = compiled(Tied(), weights="bfloat8_b")
    torch.testing.assert_close(narrow(IDS), Tied()(IDS), atol=0.4, rtol=0.4)
    assert narrow.report.weights == rows + tiles * 17 // 16

"""Copies that move whole rows: neighbours go 32 at a time, and every element is where torch has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import tilesmith
from tilesmith.kernels.movement import Gather
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch


class Moved(torch.nn.Module):
    def __init__(self, move: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.move = move

    def forward(self, x: Tensor) -> Tensor:
        return self.move(x * 1.0) * 1.0


@pytest.mark.parametrize(
    ("move", "size", "runs"),
    [
        (lambda x: x.permute(1, 0, 2).reshape(40, -1), (6, 40, 64), True),
        (lambda x: x[:, 2:].permute(1, 2, 0, 3).reshape(-1, 6 * 64), (6, 5, 4, 64), True),
        (lambda x: x.flip(0).reshape(3, -1), (6, 64), True),
        (lambda x: x.permute(1, 0, 2).reshape(40, -1), (6, 40, 48), False),
    ],
)
def test_rows_are_moved_whole(
    move: Callable[[Tensor], Tensor], size: tuple[int, ...], runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Launch] = []
    program = TenstorrentExecutable.program

    def noted(executable: TenstorrentExecutable, step: Launch) -> Any:
        found.append(step)
        return program(executable, step)

    monkeypatch.setattr(TenstorrentExecutable, "program", noted)
    x = torch.randn(size, generator=torch.Generator().manual_seed(0))
    run = tilesmith.compile(Moved(move), precision="float32", checks="on", target="n150")
    torch.testing.assert_close(run(x), move(x), atol=0, rtol=0)
    gathers = [step.template for step in found if isinstance(step.template, Gather)]
    assert {one.runs for one in gathers} == {runs}

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


TURNED: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...], str]] = {
    "a matrix": (lambda x: x.transpose(1, 2), (1, 72, 100), "turned"),
    "a batch": (lambda x: x.transpose(1, 2), (2, 64, 40), "turned"),
    "what a softmax along rows reads": (lambda x: x.transpose(1, 2), (3, 33, 96), "turned"),
    "a slice that ends inside a tile": (lambda x: x[:, 32:50].transpose(1, 2), (1, 64, 64), "turned"),
    "images": (lambda x: x.permute(0, 2, 3, 1).reshape(2, -1, 40), (2, 40, 7, 64), "gather"),
    "lines that are out of order": (lambda x: x.permute(2, 1, 0).reshape(64, -1), (5, 6, 64), "gather"),
    "lines that end inside a tile": (
        lambda x: x[:, 1:].permute(2, 1, 0).reshape(72, -1),
        (5, 6, 72),
        "gather",
    ),
    "a batch of lines": (lambda x: x.permute(0, 3, 2, 1).reshape(2, 48, -1), (2, 5, 6, 48), "gather"),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", TURNED)
def test_rows_that_run_along_columns_are_turned_a_tile_at_a_time(name: str, dtype: str) -> None:
    move, size, how = TURNED[name]
    x = torch.randn(size, generator=torch.Generator().manual_seed(0)).bfloat16().float()
    run: Any = tilesmith.compile(Moved(move), precision=dtype, checks="on", target="n150")
    torch.testing.assert_close(run(x), move(x), atol=0, rtol=0)
    ways = [
        "gather" if step.template.turned else "elements"
        for step in run.executable.plan.steps
        if isinstance(step, Launch) and isinstance(step.template, Gather)
    ]
    ways += [
        one.access
        for step in run.executable.plan.steps
        if isinstance(step, Launch)
        for one in step.template.tensors
        if one.access == "turned"
    ]
    assert ways == [how]


def test_nothing_is_left_beyond_the_end_of_what_is_turned() -> None:
    x = torch.randn(1, 64, 64, generator=torch.Generator().manual_seed(0))
    model = Moved(lambda x: x[:, 32:50].transpose(1, 2).softmax(1).sum(1))
    run = tilesmith.compile(model, precision="float32", checks="on", target="n150")
    torch.testing.assert_close(run(x), model(x))

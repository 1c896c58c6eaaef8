"""Inputs with NaN: tests for it are made before the matrix unit takes it for infinity."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor

import tilesmith
from tilesmith.models.planning.steps import Download

GIVEN = torch.tensor([[1.0, nan, inf, -inf, 0.5, 2.0]])


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.isnan(),
        lambda x: x != x,
        lambda x: torch.nan_to_num(x, 0.25, 8.0, -8.0) * 2,
        lambda x: torch.where(x.isnan(), 0.0, x.clamp(-4, 4)).sum(-1),
    ],
)
def test_nan_is_seen_in_inputs(work: Callable[[Tensor], Tensor]) -> None:
    compiled: Any = tilesmith.compile(Applied(work), checks="off", numbers="chip")
    assert torch.equal(compiled(GIVEN), work(GIVEN))
    assert "inputs lose NaN" in str(compiled.report)


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.log().clamp(-1, 1),
        lambda x: x.sqrt().sigmoid(),
        lambda x: 3 / x.acos(),
        lambda x: (x / (x - x)).erf(),
    ],
    ids=["clamp", "sigmoid", "division", "erf"],
)
def test_nan_that_a_kernel_makes_is_not_bounded_away(work: Callable[[Tensor], Tensor]) -> None:
    x = torch.tensor([[-4.0, 0.5, 2.0, 0.0]])
    compiled: Any = tilesmith.compile(Applied(work), checks="off", numbers="chip")
    assert torch.allclose(compiled(x), work(x), rtol=1e-3, equal_nan=True)
    assert compiled.report.kernels


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.log().sum(1).clamp(-1, 1),
        lambda x: x.log().amin(1).clamp(-1, 1),
        lambda x: x.log().argmax(1),
        lambda x: (x.sqrt() - x.sqrt().mean(0)).relu().sum(1),
        lambda x: ((x / x.sum(1, keepdim=True)).T.contiguous() > -1).sum(0),
        lambda x: (x**0.5).softmax(-1) > 0.5,
    ],
    ids=["bounded sum", "bounded minimum", "argmax", "relu", "comparison", "softmax"],
)
def test_nan_that_the_next_kernel_would_hide_is_seen(work: Callable[[Tensor], Tensor]) -> None:
    x = torch.tensor([[-4.0, 0.5, 2.0, 0.25], [0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
    compiled: Any = tilesmith.compile(Applied(work), checks="off", numbers="chip")
    torch.testing.assert_close(compiled(x), work(x), rtol=1e-2, atol=1e-2, equal_nan=True)
    assert compiled.report.kernels
    assert compiled.report.recomputed == 1


def test_what_cannot_be_nan_is_not_brought_back() -> None:
    def work(x: Tensor) -> Tensor:
        return ((x - 1) / ((x * x).mean(1, keepdim=True) + 1e-5).sqrt()).relu().sum(1)

    compiled: Any = tilesmith.compile(Applied(work), checks="off")
    x = torch.randn(4, 32)
    torch.testing.assert_close(compiled(x), work(x), rtol=1e-2, atol=1e-2)
    downloads = [step for step in compiled.executable.plan.steps if isinstance(step, Download)]
    assert len(downloads) == 1


INFINITE = torch.tensor([[1.0, -inf, 0.0, 2.0], [-inf] * 4, [3.0, 1.0, 2.0, 0.5]])


@pytest.mark.parametrize(
    "work",
    [
        lambda x: (x - x.amax(1, keepdim=True)).clamp(-5, 5),
        lambda x: (x * 2 - x).clamp(-5, 5),
        lambda x: (x * 0).clamp(-5, 5),
        lambda x: (x @ torch.eye(4)).relu(),
    ],
    ids=["difference", "difference in a kernel", "times zero", "product"],
)
def test_infinity_that_becomes_nan_is_left_to_torch(work: Callable[[Tensor], Tensor]) -> None:
    compiled: Any = tilesmith.compile(Applied(work), checks="off", numbers="chip")
    torch.testing.assert_close(compiled(INFINITE), work(INFINITE), equal_nan=True)
    assert compiled.report.recomputed == 1


def test_masks_of_infinity_stay_on_the_device() -> None:
    def work(x: Tensor, mask: Tensor) -> Tensor:
        return (x @ x.T + mask).softmax(-1) @ x

    x, mask = torch.randn(4, 32), torch.zeros(4, 4).masked_fill(torch.ones(4, 4).triu(1) > 0, -inf)
    compiled: Any = tilesmith.compile(Applied(work), checks="off")
    torch.testing.assert_close(compiled(x, mask), work(x, mask), rtol=2e-2, atol=2e-2)
    assert compiled.report.recomputed == 0


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.masked_fill(x > 1, nan).argmax(-1),
        lambda x: x.masked_fill(x > 1, nan).amax(-1) > 0,
        lambda x: torch.where(x > 1, nan, x).clamp(-1, 1),
        lambda x: x.index_fill(-1, torch.tensor([1]), nan).relu(),
        lambda x: (x + torch.tensor([nan, 1.0, 2.0, 3.0])).clamp(max=1.0),
    ],
    ids=["largest", "compared", "bounded", "filled", "a tensor"],
)
def test_nan_that_the_model_puts_there(work: Callable[[Tensor], Tensor]) -> None:
    x = torch.tensor([[-4.0, 0.5, 2.0, 0.0], [3.0, 1.0, 4.0, 5.0]])
    compiled: Any = tilesmith.compile(Applied(work), checks="off", numbers="chip")
    assert torch.equal(compiled(x).nan_to_num(7.0), work(x).nan_to_num(7.0))


def test_weights_of_nan_are_left_to_torch() -> None:
    model = torch.nn.Linear(8, 4)
    with torch.no_grad():
        model.weight[1] = nan
        x = torch.ones(2, 8)
        compiled = tilesmith.compile(model, checks="off", numbers="chip")
        assert torch.equal(compiled(x).isnan(), model(x).isnan())
    assert compiled.report.recomputed == 1

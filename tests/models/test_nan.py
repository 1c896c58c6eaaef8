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

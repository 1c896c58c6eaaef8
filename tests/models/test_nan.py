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

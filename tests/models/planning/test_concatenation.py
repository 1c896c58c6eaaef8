"""Tensors that are put together: what is copied, what is brought to its place, and the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import tilesmith
from tilesmith.models.planning.steps import Launch, Upload
from tilesmith.zoo.running import pcc

Call = Callable[..., torch.Tensor]


class _Called(torch.nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, *args: torch.Tensor) -> torch.Tensor:
        return self.call(*args)


def _steps(call: Call, *args: torch.Tensor) -> list[Any]:
    """The plan of a call whose result is torch's."""
    compiled = tilesmith.compile(_Called(call))
    made = compiled(*args)
    assert made.isfinite().all()
    assert pcc(made, call(*args)) > 0.9999
    plan: Any = compiled.executable
    return list(plan.plan.steps)


def _names(steps: list[Any]) -> list[str]:
    return [step.template.name for step in steps if isinstance(step, Launch)]


def test_a_token_is_added_to_a_cache_that_is_not_copied() -> None:
    cache, x = torch.randn(3, 2, 64, 32), torch.randn(3, 2, 1, 32)
    steps = _steps(lambda cache, x: torch.cat((cache, x.exp()), 2) * 2, cache, x)
    assert _names(steps) == ["elementwise"] * 3  # exp, to its place, times two
    assert len([step for step in steps if isinstance(step, Upload)]) == 2


@pytest.mark.parametrize("rows", [31, 33])
def test_a_cache_that_ends_inside_a_tile_is_copied(rows: int) -> None:
    steps = _steps(
        lambda cache, x: torch.cat((cache, x.exp()), 2) * 2,
        torch.randn(3, 2, rows, 32),
        torch.randn(3, 2, 1, 32),
    )
    assert "gather" in _names(steps)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: torch.cat((x.exp(), y, y), 1),
        lambda x, y: torch.cat((y, x.exp(), y), 1),
        lambda x, y: torch.cat((x.exp(), y), 1) + torch.cat((y, x.exp()), 1),
        lambda x, y: torch.cat((x.exp(), y[:, :17]), 1),
        lambda x, y: torch.cat((x.exp(), y[:, :, :7]), 2),
        lambda x, y: torch.cat((x.exp(), y, torch.ones(2, 32, 64)), 0),
        lambda x, y: torch.cat((x.exp(), y[:, :, :7]), 2) @ torch.ones(71, 5),
        lambda x, y: torch.cat((x.exp(), y[:, :17]), 1).softmax(1),
    ],
)
def test_parts_from_the_host_and_the_device_are_where_torch_has_them(call: Call) -> None:
    torch.manual_seed(0)
    _steps(call, torch.randn(2, 32, 64), torch.randn(2, 32, 64))

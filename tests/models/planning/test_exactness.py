"""Which values keep float32 beside a product of matrices: those that decide something."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from conformance.random_decisions import case, wrong_of
from tests.models.planning.capturing import captured
from torch import Tensor
from torch.fx import GraphModule
from torch.nn import functional

from tilesmith.models.passes.decompose import decompose
from tilesmith.models.planning.exactness import exact_values

X, Y, W = torch.randn(16, 32), torch.randn(16, 32), torch.randn(32, 32)
BOUNDS = torch.linspace(-1, 1, 9)

DECISIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "a difference above zero": lambda x, y: (x - y) > 0,
    "a rectified difference above zero": lambda x, y: torch.relu(x - y) > 0,
    "its sign": lambda x, y: (x - y).sign(),
    "its truth": lambda x, y: (x - y).bool(),
    "any of it": lambda x, y: (x - y).any(0),
    "median": lambda x, y: (x * y).median(-1).values,
    "kthvalue": lambda x, y: (x * y).kthvalue(3).indices,
    "cummax": lambda x, y: (x * y).cummax(-1).indices,
    "argmax": lambda x, y: (x * y).argmax(-1),
    "bucketize": lambda x, y: torch.bucketize(x * y, BOUNDS),
    "fmod": lambda x, y: (x * y).fmod(0.5),
    "whole part": lambda x, y: (x * y) // 0.5,
    "a running sum against a bound": lambda x, y: (x * y).cumsum(-1) > 0.5,
    "places": lambda x, y: functional.grid_sample(
        x[None, None], (x * y)[None, :, :2, None].transpose(2, 3), "nearest", align_corners=False
    ),
}


def beside_a_product(function: Callable[[Tensor, Tensor], Tensor]) -> GraphModule:
    module = captured(lambda x, y, w: (x @ w, function(x, y)), X, Y, W)
    decompose(module)
    return module


def exact_inputs(module: GraphModule) -> set[str]:
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    exact = exact_values(module.graph)
    return {name for name, node in zip("xyw", inputs, strict=True) if node in exact}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_decides_keeps_float32(name: str) -> None:
    assert exact_inputs(beside_a_product(DECISIONS[name])) == {"x", "y"}


@pytest.mark.parametrize(
    "function", [lambda x, y: x * y, lambda x, y: torch.where(x * y > 0, x, y), lambda x, y: x.cumsum(1) * y]
)
def test_what_decides_nothing_does_not(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Rounding moves no product over zero."""
    assert exact_inputs(beside_a_product(function)) == set()


@pytest.mark.parametrize("seed", range(3))
def test_random_decisions_are_those_of_torch(seed: int) -> None:
    assert wrong_of(seed) == 0, case(seed)[0]

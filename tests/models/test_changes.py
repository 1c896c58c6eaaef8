"""Compiled models stay right when something changes: weights, buffers, inputs, modes, threads, copies."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.zoo.sample import noise, seeded


class Counting(nn.Module):
    """Adds up all that it is given."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total += x.sum(0)
        return x + self.total


class Increasing(nn.Module):
    def forward(self, kept: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * 2 + kept


def perceptron() -> nn.Module:
    return seeded(lambda: nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))).eval()


def _scale(model: Any) -> None:
    model[0].weight.mul_(3)


def _load(model: nn.Module) -> None:
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})


def _replace(model: Any) -> None:
    model[2] = nn.Linear(32, 4).eval()


def _point_elsewhere(model: Any) -> None:
    model[2].bias.data = torch.ones(4)


@pytest.mark.parametrize("change", [_scale, _load, _replace, _point_elsewhere])
def test_weights_that_change_are_noticed(change: Callable[[nn.Module], None]) -> None:
    model, x = perceptron(), noise(5, 16)
    compiled = tilesmith.compile(model, backend="cpu")
    with torch.no_grad():
        before = compiled(x)
        change(model)
        torch.testing.assert_close(compiled(x), model(x))
        assert not torch.allclose(before, model(x))
        assert compiled.graphs == 1


@pytest.mark.parametrize("backend", ["cpu", "tenstorrent"])
def test_a_buffer_that_calls_change_is_carried_on(backend: str) -> None:
    model = Counting()
    compiled = tilesmith.compile(model, backend=backend)
    compiled(torch.ones(3, 4))
    assert compiled(torch.ones(3, 4)).tolist() == [[7.0] * 4] * 3
    assert model.total.tolist() == [6.0] * 4
    assert compiled.graphs == 1


def test_an_input_that_a_call_changes_is_changed() -> None:
    compiled = tilesmith.compile(Increasing(), backend="cpu")
    x = torch.zeros(2, 2)
    assert compiled(torch.ones(2, 2), x).tolist() == [[3.0, 3.0]] * 2
    assert x.tolist() == [[1.0, 1.0]] * 2


def test_statistics_learned_in_training_count_in_evaluation() -> None:
    model = seeded(lambda: nn.Sequential(nn.Linear(8, 6), nn.BatchNorm1d(6)))
    reference = deepcopy(model)
    compiled = tilesmith.compile(model, backend="cpu")
    for step in range(2):
        x = noise(5, 8, seed=step)
        for one in (model, reference):
            one.train()
        torch.testing.assert_close(compiled(x), reference(x))
        for one in (model, reference):
            one.eval()
        torch.testing.assert_close(compiled(x), reference(x))
    assert compiled.graphs == 2


def test_threads_may_share_a_model() -> None:
    model = perceptron()
    compiled = tilesmith.compile(model)

    def error(number: int) -> float:
        x = noise(5, 16, seed=number)
        with torch.no_grad():
            return float((compiled(x) - model(x)).abs().max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(error, range(12))) < 0.02


def test_a_copy_has_weights_of_its_own() -> None:
    model, x = perceptron(), noise(5, 16)
    compiled = tilesmith.compile(model)
    with torch.no_grad():
        before = compiled(x)
        copy = deepcopy(compiled)
        _scale(model)
        assert torch.equal(copy(x), before)
        assert not torch.equal(compiled(x), before)

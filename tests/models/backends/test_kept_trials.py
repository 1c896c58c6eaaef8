"""Trials in lower precision that are kept: found again where all is the same, and only there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx import GraphModule

import tilesmith
from tilesmith import settings
from tilesmith.models.backends import kept_trials, precision
from tilesmith.models.backends.kept_trials import kept_trial, trial_key
from tilesmith.models.backends.resident import Resident
from tilesmith.models.capture.fx import export
from tilesmith.models.options import ModelOptions
from tilesmith.toolchain import Cache

X = torch.randn(32, 64, generator=torch.Generator().manual_seed(1))


def linear(seed: int = 0, *more: torch.nn.Module) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), *more).eval()


def graph(model: torch.nn.Module, x: torch.Tensor = X) -> GraphModule:
    return export(model, (x,), {}, None).module


class Calls(torch.nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The trials that were run, beside an empty folder of those that are kept."""
    seen: list[Any] = []
    usual = precision._run

    def counted(executable: Any, inputs: Sequence[Any]) -> list[Any]:
        seen.append(executable)
        return usual(executable, inputs)

    monkeypatch.setattr(precision, "_run", counted)
    monkeypatch.setattr(kept_trials, "Cache", lambda _: Cache(tmp_path))
    return seen


def tried(model: torch.nn.Module, x: torch.Tensor = X, accuracy: float = 0.9) -> Any:
    compiled = tilesmith.compile(model, optimization_level="O3", candidates=1, accuracy=accuracy)
    compiled.prepare(x)
    return compiled.report.precision


def test_a_model_that_was_tried_is_not_run_again(runs: list[Any]) -> None:
    first = tried(linear())
    assert len(runs) == 1
    assert tried(linear()) == first
    assert len(runs) == 1


def test_weights_inputs_and_accuracy_ask_for_another_trial(runs: list[Any]) -> None:
    tried(linear())
    tried(linear(1))
    assert len(runs) == 2
    tried(linear(), X + 1)
    assert len(runs) == 3
    tried(linear(), accuracy=0.91)
    assert len(runs) == 4


def test_a_model_that_none_suits_is_not_run_again_either(runs: list[Any]) -> None:
    first = tried(linear(), accuracy=0.99999999)
    assert len(runs) == len(precision.LOWERINGS)
    assert not any(line.lowered for line in first)
    assert tried(linear(), accuracy=0.99999999) == first
    assert len(runs) == len(precision.LOWERINGS)


def test_a_key_says_all_that_decides() -> None:
    key = trial_key(graph(linear()), [X])
    assert key
    assert key == trial_key(graph(linear()), [X.clone()])
    others = [
        trial_key(graph(linear(1)), [X]),
        trial_key(graph(linear()), [X + 1]),
        trial_key(graph(linear(0, torch.nn.ReLU())), [X]),
        trial_key(graph(linear(), X[:16]), [X[:16]]),
    ]
    assert len({key, *others}) == 5
    with settings.using(seed=1):
        assert trial_key(graph(linear()), [X]) != key


def test_arguments_of_operators_are_part_of_a_key() -> None:
    keys = [trial_key(graph(Calls(lambda x, by=by: x * by)), [X]) for by in (2.0, 3.0)]  # type: ignore[misc]
    assert all(keys)
    assert keys[0] != keys[1]


@torch.library.custom_op("tests_of_kept_trials::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


twice.register_fake(torch.empty_like)


@pytest.mark.parametrize("function", [torch.rand_like, twice, lambda x: torch.nn.functional.dropout(x, 0.5)])
def test_what_the_graph_does_not_tell_is_not_kept(function: Callable[..., torch.Tensor]) -> None:
    assert trial_key(graph(Calls(function)), [X]) == ""


def test_attention_is_random_only_with_dropout() -> None:
    attention = torch.nn.functional.scaled_dot_product_attention
    x = torch.randn(1, 2, 32, 32)
    plain, dropped = (Calls(lambda x, p=p: attention(x, x, x, None, p)) for p in (0.0, 0.5))  # type: ignore[misc]
    assert trial_key(graph(plain, x), [x])
    assert trial_key(graph(dropped, x), [x]) == ""


def test_without_a_key_every_trial_runs(runs: list[Any]) -> None:
    found = iter((0.5, 0.75))
    assert [kept_trial("", "way", lambda: next(found)) for _ in range(2)] == [0.5, 0.75]
    found = iter((0.5, 0.75))
    assert [kept_trial("key", "way", lambda: next(found)) for _ in range(2)] == [0.5, 0.5]
    assert not runs


def test_a_model_that_keeps_state_on_the_device_is_not_tried() -> None:
    """A plan in lower precision would put the state in another form before the one that stays finds it."""

    def never(_: object) -> Any:
        raise AssertionError("planned in lower precision")

    exact: Any = object()
    options = ModelOptions(optimization_level="O3")
    assert precision.lowered(lambda: exact, never, options, [X, Resident(torch.ones(1))], "") is exact

"""A few of the random models; conformance/random_models.py runs as many as one likes."""

from __future__ import annotations

import pytest
import torch
from conformance.random_models import Outcome, case, try_case, try_gradients


@pytest.mark.parametrize("seed", [2, 9, 28])
def test_a_random_model_gives_what_torch_gives(seed: int) -> None:
    assert try_case(seed).ok


def test_gradients_of_a_random_model_are_those_of_torch() -> None:
    assert try_gradients(3).ok


def test_a_seed_always_gives_the_same_case() -> None:
    (model, inputs), (other, again) = case(7), case(7)
    assert all(map(torch.equal, inputs, again))
    assert all(map(torch.equal, model(*inputs), other(*inputs)))
    assert not Outcome(7, 0.02, ()).ok

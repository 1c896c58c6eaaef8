"""A few of the random models; conformance/random_models.py runs as many as one likes."""

from __future__ import annotations

import pytest
import torch
from conformance.random_models import OPTIONS, Outcome, case, try_case, try_gradients
from torch import Tensor

from tilesmith.zoo.sample import noise


@pytest.mark.parametrize("seed", [2, 9, 28, 51])
def test_a_random_model_gives_what_torch_gives(seed: int) -> None:
    assert try_case(seed).ok


def test_more_tensors_than_a_kernel_can_read_meet_in_one_result() -> None:
    tensors = [noise(5, 5, seed=number) for number in range(50)]

    def summed(first: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
        weighted = first.softmax(-1)
        for one in others:
            weighted = weighted * 0.5 + one
        return weighted, weighted.amax(0)

    compiled = torch.compile(summed, backend="tilesmith", options=OPTIONS)
    for made, wanted in zip(compiled(*tensors), summed(*tensors), strict=True):
        torch.testing.assert_close(made, wanted, atol=1e-5, rtol=1e-5)


def test_gradients_of_a_random_model_are_those_of_torch() -> None:
    assert try_gradients(3).ok


def test_a_seed_always_gives_the_same_case() -> None:
    (model, inputs), (other, again) = case(7), case(7)
    assert all(map(torch.equal, inputs, again))
    assert all(map(torch.equal, model(*inputs), other(*inputs)))
    assert not Outcome(7, 0.02, ()).ok

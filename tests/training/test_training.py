"""Training through torch.compile: gradients and the curve of the loss are those of torch."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn

from tilesmith.frontend.torch_backend import tilesmith_backend
from tilesmith.frontend.torch_convolution import convolution_backward
from tilesmith.zoo.sample import noise, seeded
from tilesmith.zoo.training import TRAINED, Gradient, train_step

pytest.importorskip("transformers", reason="the models to train are built with transformers")

FAST: dict[str, Any] = {"checks": "off", "numbers": "fast"}


def test_every_gradient_of_a_perceptron_agrees() -> None:
    made = train_step(TRAINED["mlp"](), **FAST)
    assert made.ok
    assert made.worst > 0.999
    assert len(made.gradients) == 6
    forward, backward = made.reports
    assert forward.host == backward.host == ()


def test_a_model_learns_as_with_torch() -> None:
    """A circle inside a ring: the loss falls, and step by step as torch's does."""
    points = noise(64, 2)
    labels = (points.norm(dim=1) > 1.1).long()
    inputs = torch.nn.functional.pad(points, (0, 30))
    model = seeded(lambda: nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 32)))
    ours = _losses(deepcopy(model), inputs, labels, compiled=True)
    theirs = _losses(model, inputs, labels, compiled=False)
    assert theirs[-1] < 0.6 * theirs[0]
    assert all(abs(one - other) < 0.02 * theirs[0] for one, other in zip(ours, theirs, strict=True))


def _losses(model: nn.Module, inputs: torch.Tensor, labels: torch.Tensor, compiled: bool) -> list[float]:
    model.train()
    called: Any = torch.compile(model, backend=tilesmith_backend, options=FAST) if compiled else model
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(12):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(called(inputs), labels)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


@pytest.mark.parametrize(
    ("size", "window", "stride", "padding", "dilation"),
    [(9, 3, 1, 1, 1), (8, 3, 2, 1, 1), (9, 7, 2, 3, 1), (8, 1, 2, 0, 1), (10, 3, 1, 2, 2), (11, 3, 3, 0, 1)],
)
def test_gradients_of_convolutions_are_convolutions(
    size: int, window: int, stride: int, padding: int, dilation: int
) -> None:
    image, weight = noise(2, 3, size, size).double(), noise(4, 3, window, window).double()
    result = nn.functional.conv2d(image, weight, None, stride, padding, dilation)
    geometry = ([stride] * 2, [padding] * 2, [dilation] * 2, False, [0, 0], 1, [True] * 3)
    grad = noise(*result.shape).double()
    made = convolution_backward(grad, image, weight, [4], *geometry)
    wanted = torch.ops.aten.convolution_backward(grad, image, weight, [4], *geometry)
    for one, other in zip(made, wanted, strict=True):
        assert torch.allclose(one, other)


def test_a_gradient_of_zero_must_stay_small() -> None:
    assert Gradient("key.bias", 0.1, 900.0, vanishes=True, of_largest=1e-3).ok
    assert not Gradient("key.bias", 0.1, 900.0, vanishes=True, of_largest=0.5).ok
    assert not Gradient("weight", 0.98, 0.2, vanishes=False, of_largest=0.5).ok

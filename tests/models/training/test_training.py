"""Training through torch.compile: gradients and the curve of the loss are those of torch."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn

from tilesmith.models.decompositions.batch_norm_training import batch_norm_training
from tilesmith.models.decompositions.convolution_backward import convolution_backward
from tilesmith.models.decompositions.max_pool_backward import max_pool_backward
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.running import relative_l2
from tilesmith.zoo.sample import Sample, noise, seeded
from tilesmith.zoo.training import TRAINED, Gradient, train_step
from tilesmith.zoo.weights import RANDOM

pytest.importorskip("transformers", reason="the models to train are built with transformers")

FAST: dict[str, Any] = {"checks": "off", "numbers": "fast"}


@pytest.fixture(autouse=True)
def forget_earlier_sizes() -> None:
    """PyTorch leaves sizes open where it has seen the same code with others."""
    torch._dynamo.reset()


def test_every_gradient_of_a_perceptron_agrees() -> None:
    made = train_step(TRAINED["mlp"](), **FAST)
    assert made.ok
    assert made.worst > 0.999
    assert len(made.gradients) == 6
    forward, backward = made.reports
    assert forward.host == backward.host == ()


def test_a_convolutional_network_learns_on_the_device_alone() -> None:
    """A batch norm by the batch's own statistics, a max pool and a convolution, in both directions."""
    layers = (nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8, track_running_stats=False), nn.ReLU())
    model = seeded(lambda: nn.Sequential(*layers, nn.MaxPool2d(3, 2, 1), nn.Flatten(), nn.Linear(200, 4)))
    made = train_step(Sample(model, (noise(2, 3, 10, 10),), RANDOM), **FAST)
    assert [line for report in made.reports for line in report.host] == []
    assert made.ok
    assert made.worst > 0.9999


def test_a_loss_inside_the_compiled_step_has_the_gradients_of_torch() -> None:
    scores, labels = noise(5, 7).requires_grad_(), torch.tensor([3, 0, 6, 2, -100])
    step = torch.compile(nn.functional.cross_entropy, backend=tilesmith_backend, options=FAST)
    (made,) = torch.autograd.grad(step(scores, labels), scores)
    (wanted,) = torch.autograd.grad(nn.functional.cross_entropy(scores, labels), scores)
    assert relative_l2(made, wanted) < 0.01


@pytest.mark.parametrize(
    ("size", "window", "stride", "padding"), [(8, 3, 2, 1), (9, 2, 2, 0), (6, 3, 1, 1), (10, 3, 3, 0)]
)
def test_the_gradient_of_a_max_pool_goes_to_the_first_of_the_largest(
    size: int, window: int, stride: int, padding: int
) -> None:
    x = noise(2, 3, size, size + 1).relu()  # zeros, so that pixels are equal
    geometry = ([window] * 2, [stride] * 2, [padding] * 2, [1, 1], False)
    made, where = torch.ops.aten.max_pool2d_with_indices(x, *geometry)
    grad = noise(*made.shape)
    wanted = torch.ops.aten.max_pool2d_with_indices_backward(grad, x, *geometry, where)
    assert torch.allclose(max_pool_backward(grad, x, *geometry, where), wanted, atol=1e-6)


@pytest.mark.parametrize("training", [True, False])
def test_a_batch_norm_carries_its_statistics_on(training: bool) -> None:
    x = noise(4, 5, 6, 6)
    weight, bias, mean, variance = (noise(5, seed=one).abs() for one in range(4))
    args: tuple[Any, ...] = (x, weight, bias, mean, variance, training, 0.1, 1e-5)
    made: Any = batch_norm_training(*args)
    wanted = torch.ops.aten._native_batch_norm_legit_functional(*args)
    chosen = range(5) if training else (0, 3, 4)
    assert all(torch.allclose(made[one], wanted[one], atol=1e-5) for one in chosen)


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


@pytest.mark.parametrize("training", [True, False])
def test_a_batch_norm_gives_what_torch_gives(training: bool) -> None:
    x, weight, bias = noise(3, 2, 4), noise(2), noise(2)
    statistics = [noise(2), noise(2).abs() + 0.5]
    call: Any = (x, weight, bias, *statistics, training, 0.1, 1e-5)
    made = batch_norm_training(*call)
    wanted = torch.ops.aten._native_batch_norm_legit_functional(*call)
    for one, other in zip(made, wanted, strict=True):
        assert one is not None
        assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_the_gradient_of_a_layer_of_attention_is_that_of_torch(level: str) -> None:
    layer = seeded(lambda: nn.MultiheadAttention(32, 4, batch_first=True))
    grads = []
    for call in (
        layer,
        torch.compile(layer, backend=tilesmith_backend, options={**FAST, "optimization_level": level}),
    ):
        x = noise(3, 7, 32).requires_grad_()
        (result, _) = call(x, x, x, need_weights=False)
        grads.append(torch.autograd.grad((result * noise(3, 7, 32, seed=1)).sum(), x)[0])
    assert relative_l2(grads[1], grads[0]) < 0.02

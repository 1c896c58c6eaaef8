"""Norms of values far from zero beside a product of matrices, where values are stored as bfloat16."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import tilesmith

STEP = 2.0**-8


class Beside(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm, self.linear = norm, nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.norm(x), self.linear(x * 0.01)


class ByHand(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x - x.mean((2, 3), keepdim=True)) * x.std((2, 3), keepdim=True).reciprocal()


class Pictures(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean = nn.Buffer(torch.linspace(300.3, 302.7, 32).reshape(32, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) * 0.125


def known_batch_norm() -> nn.Module:
    norm = nn.BatchNorm2d(32)
    norm.running_mean = torch.linspace(297.0, 303.0, 32)
    norm.running_var = torch.full((32,), 64.0)
    return norm


NORMS: dict[str, tuple[int, Callable[[], nn.Module]]] = {
    "a wide group": (352, lambda: nn.GroupNorm(1, 352)),
    "wide groups": (352, lambda: nn.GroupNorm(32, 352)),
    "groups": (32, lambda: nn.GroupNorm(4, 32)),
    "images": (32, lambda: nn.InstanceNorm2d(32, affine=True)),
    "known statistics": (32, known_batch_norm),
    "layers": (32, lambda: nn.LayerNorm([32, 2, 4])),
    "by hand": (32, ByHand),
    "pictures": (32, Pictures),
}


def images(channels: int) -> Tensor:
    noise = torch.randn(1, channels, 2, 4, generator=torch.Generator().manual_seed(channels))
    return (noise * 8 + 300).bfloat16().float()


def off(made: Tensor, wanted: Tensor) -> float:
    return float(torch.norm(made - wanted) / torch.norm(wanted))


@pytest.mark.parametrize("name", NORMS)
def test_a_mean_is_not_rounded_before_it_is_taken_away(name: str) -> None:
    torch.manual_seed(0)
    channels, make = NORMS[name]
    model, x = Beside(make()).eval(), images(channels)
    compiled = tilesmith.compile(model, optimization_level="O1", checks="on", numbers="chip")
    with torch.no_grad():
        assert off(compiled(x)[0], model(x)[0]) <= STEP
    assert not compiled.report.host


@pytest.mark.parametrize("name", ["wide groups", "groups", "images"])
def test_gradients_are_of_distances_from_the_mean(name: str) -> None:
    torch.manual_seed(0)
    channels, make = NORMS[name]
    model = Beside(make())
    twin = copy.deepcopy(model)
    torch._dynamo.reset()
    compiled = torch.compile(twin, backend="tilesmith", options={"optimization_level": "O1"})
    grads = []
    for call, norm in ((compiled, twin.norm), (model, model.norm)):
        x = images(channels).requires_grad_()
        result = call(x)[0]
        away = torch.randn(result.shape, generator=torch.Generator().manual_seed(1))
        grads.append(torch.autograd.grad((result * away).sum(), [x, *norm.parameters()]))
    for made, wanted in zip(*grads, strict=True):
        assert off(made, wanted) <= 2 * STEP


CONVOLUTIONS: dict[str, Callable[[], nn.Module]] = {
    "3x3": lambda: nn.Conv2d(8, 16, 3),
    "1x1": lambda: nn.Conv2d(8, 16, 1),
    "strided": lambda: nn.Conv2d(8, 16, 1, stride=2, bias=False),
    "depthwise": lambda: nn.Conv2d(8, 8, 3, groups=8),
    "groups": lambda: nn.Conv2d(8, 8, 3, groups=2),
    "transposed": lambda: nn.ConvTranspose2d(8, 16, 2, stride=2),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_mean_that_becomes_part_of_a_bias_is_not_rounded(name: str) -> None:
    torch.manual_seed(0)
    conv, x = CONVOLUTIONS[name](), (torch.randn(2, 8, 12, 12) + 3).bfloat16().float()
    assert isinstance(conv.weight, Tensor)
    with torch.no_grad():
        conv.weight.add_(100 / conv.weight[0].numel()).copy_(conv.weight.bfloat16())
        norm = nn.BatchNorm2d(conv(x).shape[1], eps=0)
        mean = conv(x).mean((0, 2, 3))
        norm.running_mean, norm.running_var = mean, torch.full_like(mean, 0.25)
        model = nn.Sequential(conv, norm).eval()
        made = tilesmith.compile(model, checks="on", numbers="chip")(x)
        moved = (made - model(x)).mean((0, 2, 3)).abs().max()
    largest = 2 * mean.abs().max()
    assert moved <= largest * 2**-12, f"a channel lies {float(moved):.4f} away of {float(largest):.1f}"

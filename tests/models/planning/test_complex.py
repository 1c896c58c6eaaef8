"""Complex numbers of every dtype that they are made from, and given as they are, against torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor, nn

import tilesmith

WORKS: dict[str, Callable[[Tensor], Tensor]] = {
    "hfft": lambda x: torch.fft.hfft(x, norm="ortho"),
    "hfft2": torch.fft.hfft2,
    "irfft": lambda x: torch.fft.irfft(x, 7),
    "ifftn": lambda x: torch.fft.ifftn(x).abs(),
    "rfft": lambda x: torch.fft.rfft(x, dim=0).abs(),
    "no dimension": lambda x: torch.fft.fftn(x, dim=()).real,
    "cast": lambda x: torch.view_as_real(x.to(torch.complex64) * x),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.bool])
@pytest.mark.parametrize("name", WORKS)
def test_integers_become_real_parts(name: str, dtype: torch.dtype) -> None:
    x = torch.arange(30).reshape(5, 6).remainder(7).to(dtype)
    compiled: Any = tilesmith.compile(Applied(WORKS[name]), backend="cpu")
    torch.testing.assert_close(compiled(x), WORKS[name](x), atol=1e-4, rtol=1e-4)


class Mixer(nn.Module):
    """Frequencies times weights that are complex parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 5, dtype=torch.complex64))

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = torch.fft.irfft(torch.fft.rfft(x) * self.weight, n=8)
        return made


def _turned(x: Tensor) -> Tensor:
    """Rotary positions in complex numbers, as a model with gradients saves them."""
    angles = torch.outer(torch.arange(6.0), torch.tensor([1.0, 0.1]))
    pairs = torch.view_as_complex(x.reshape(6, 2, 2)) * torch.polar(torch.ones(6, 2), angles)
    return torch.view_as_real(pairs).flatten(1)


GIVEN: dict[str, tuple[Callable[..., Tensor], Tensor]] = {
    "input": (lambda z: z * z.conj() + 1, torch.randn(3, 4, dtype=torch.complex64)),
    "conjugate": (lambda z: z * z, torch.randn(3, 4, dtype=torch.complex64).conj()),
    "saved": (_turned, torch.randn(6, 4)),
    "parameter": (Mixer(), torch.randn(4, 8)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_complex_tensors_may_be_given_and_have_gradients(name: str) -> None:
    work, given = GIVEN[name]
    weights = list(work.parameters()) if isinstance(work, nn.Module) else []

    def run(function: Callable[..., Tensor]) -> list[Tensor]:
        x = given.detach().requires_grad_()
        made = function(x)
        return [made.detach(), *torch.autograd.grad(made.abs().square().sum(), [x, *weights])]

    torch._dynamo.reset()
    options: Any = {"checks": "off", "numbers": "fast", "precision": "float32"}
    have = run(torch.compile(work, backend="tilesmith", options=options))
    for made, wanted in zip(have, run(work), strict=True):
        torch.testing.assert_close(made, wanted, atol=1e-4, rtol=1e-4)

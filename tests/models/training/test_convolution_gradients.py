"""Gradients of convolutions of every form: as torch has them, and on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tilesmith.models.decompositions.convolution import convolution
from tilesmith.models.decompositions.convolution_backward import convolution_backward
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.sample import noise


@dataclass(frozen=True)
class Form:
    """A convolution: of how many dimensions, its channels, and its geometry."""

    size: tuple[int, ...]
    taps: int = 3
    channels: tuple[int, int] = (4, 6)
    stride: int = 1
    padding: int = 1
    dilation: int = 1
    groups: int = 1
    transposed: bool = False
    further: int = 0

    @property
    def geometry(self) -> tuple[Any, ...]:
        dims = len(self.size)
        sizes = [[one] * dims for one in (self.stride, self.padding, self.dilation)]
        return (*sizes, self.transposed, [self.further] * dims, self.groups)

    def tensors(self) -> tuple[Tensor, Tensor]:
        first, second = self.channels if not self.transposed else self.channels[::-1]
        shape = (second, first // self.groups, *[self.taps] * len(self.size))
        return noise(2, self.channels[0], *self.size), noise(*shape) * 0.2


FORMS = {
    "plain": Form((7, 6)),
    "stride 2": Form((8, 9), stride=2),
    "more padding than taps": Form((6, 6), taps=1, padding=2),
    "dilated": Form((9, 8), dilation=2, padding=2),
    "grouped": Form((6, 7), groups=2),
    "grouped, stride 3": Form((9, 11), groups=2, stride=3),
    "depthwise": Form((7, 6), channels=(4, 4), groups=4),
    "depthwise, stride 2, dilated": Form((9, 8), channels=(4, 4), groups=4, stride=2, dilation=2),
    "two filters for each channel": Form((6, 6), channels=(3, 6), groups=3),
    "1-D": Form((12,), stride=2),
    "1-D depthwise": Form((10,), channels=(4, 4), groups=4),
    "3-D": Form((4, 5, 5)),
    "3-D grouped, stride 2": Form((5, 6, 4), groups=2, stride=2),
    "transposed": Form((5, 4), transposed=True, stride=2, further=1),
    "transposed, grouped": Form((5, 4), transposed=True, stride=2, groups=2),
    "transposed, dilated": Form((5, 4), transposed=True, dilation=2),
    "transposed 1-D": Form((6,), transposed=True, stride=2),
    "transposed 3-D": Form((3, 4, 3), transposed=True, stride=2, further=1),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_gradients_are_as_torch_has_them(form: Form) -> None:
    x, weight = (one.double() for one in form.tensors())
    result = torch.ops.aten.convolution(x, weight, None, *form.geometry)
    grad = noise(*result.shape).double()
    call = ([form.channels[1]], *form.geometry, [True] * 3)
    made = convolution_backward(grad, x, weight, *call)
    wanted = torch.ops.aten.convolution_backward(grad, x, weight, *call)
    for have, want in zip(made, wanted, strict=True):
        assert have.shape == want.shape
        assert torch.allclose(have, want)


@pytest.mark.parametrize("form", [one for one in FORMS.values() if one.padding < one.taps])
def test_every_form_is_one_of_images(form: Form) -> None:
    x, weight = (one.double() for one in form.tensors())
    bias = noise(form.channels[1]).double()
    wanted = torch.ops.aten.convolution(x, weight, bias, *form.geometry)
    assert torch.allclose(convolution(x, weight, bias, *form.geometry), wanted)


@pytest.mark.parametrize("one_for_all", ["stride", "padding", "dilation"])
def test_one_number_serves_all_dimensions(one_for_all: str) -> None:
    numbers: dict[str, Any] = {"stride": 1, "padding": 0, "dilation": 1, one_for_all: [2]}
    x, weight = noise(1, 3, 9, 9), noise(4, 3, 3, 3)
    compiled = torch.compile(lambda a, b: nn.functional.conv2d(a, b, **numbers), backend=tilesmith_backend)
    wanted = nn.functional.conv2d(x, weight, **numbers)
    assert torch.allclose(compiled(x, weight), wanted, atol=0.1)


QUICK = ("grouped", "1-D")
LONG = ("depthwise, stride 2, dilated", "3-D", "transposed", "transposed 3-D")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in LONG)])
def test_gradients_are_computed_on_the_device(name: str) -> None:
    x, weight = (one.requires_grad_() for one in FORMS[name].tensors())
    geometry = FORMS[name].geometry
    compiled = torch.compile(
        lambda a, b: torch.ops.aten.convolution(a, b, None, *geometry).square().sum(),
        backend=tilesmith_backend,
        options={"checks": "off", "numbers": "fast"},
    )
    with collect_reports() as reports:
        compiled(x, weight).backward()
    assert not [line.op for line in reports[-1].host if "conv" in line.op]
    have = [one.grad for one in (x, weight)]
    wanted = torch.autograd.grad(
        torch.ops.aten.convolution(x, weight, None, *geometry).square().sum(), (x, weight)
    )
    for one, other in zip(have, wanted, strict=True):
        assert one is not None
        assert float((one - other).norm() / other.norm()) < 0.02

"""Outputs lie in memory as PyTorch's do, and share it, whatever the order of their dimensions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.errors import TilesmithWarning
from tilesmith.models.capture.output_strides import copy_with

PICTURES = torch.arange(120.0).reshape(2, 3, 4, 5).div(60).to(memory_format=torch.channels_last)

Made = Tensor | tuple[Tensor, ...]
CASES: dict[str, Callable[[Tensor], Made]] = {
    "follows its input": lambda x: (x * 2, x.abs(), x.clone()),
    "a pool": lambda x: functional.max_pool2d(x, 2),
    "asked for": lambda x: functional.relu(x.contiguous()).contiguous(memory_format=torch.channels_last),
    "turned": lambda x: (x.permute(1, 0, 3, 2) + 1, (x[0, 0] @ x[0, 1].t()).t()),
    "expanded": lambda x: x.sum(0, keepdim=True).expand(3, -1, -1, -1),
    "views of one": lambda x: (lambda y: (y.permute(0, 2, 3, 1), y.permute(0, 2, 3, 1).view(2, 20, 3), y))(
        x * 2
    ),
    "the input itself": lambda x: (x, x.permute(0, 2, 3, 1), x + 1),
}


def _flat(made: Made) -> list[Tensor]:
    return [made] if isinstance(made, Tensor) else list(made)


def _shared(tensors: list[Tensor]) -> list[list[bool]]:
    places = [one.untyped_storage().data_ptr() for one in tensors]
    return [[a == b for b in places] for a in places]


@pytest.mark.parametrize("name", CASES)
def test_strides_and_sharing(name: str) -> None:
    wanted = _flat(CASES[name](PICTURES))
    with torch.no_grad():
        made = _flat(torch.compile(CASES[name], backend="tilesmith")(PICTURES))
    assert [one.stride() for one in made] == [one.stride() for one in wanted]
    assert _shared([PICTURES, *made]) == _shared([PICTURES, *wanted])
    for a, b in zip(made, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-2)


def test_a_compiled_model_keeps_channels_last() -> None:
    model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.MaxPool2d(2))
    assert tilesmith.compile(model)(PICTURES).stride() == model(PICTURES).stride()


def test_a_result_computed_on_the_host_lies_the_same() -> None:
    with pytest.warns(TilesmithWarning, match="computed on the host"):
        made = torch.compile(lambda x: x.t().log() * 2, backend="tilesmith")(torch.full((3, 4), -1.0))
    assert made.stride() == (1, 4)


def test_overlapping_elements_are_left_as_they_are() -> None:
    value = torch.arange(6.0).reshape(2, 3)
    assert copy_with(value, (1, 1)) is value

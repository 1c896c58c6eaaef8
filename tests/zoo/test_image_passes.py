"""Passes for images and for operators without a kernel: the same result, and nothing on the host."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tilesmith.models.capture.fx import export
from tilesmith.models.compiled_model import compile_model
from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.pipeline import optimise
from tilesmith.zoo.planning import planned
from tilesmith.zoo.running import relative_l2
from tilesmith.zoo.sample import noise, seeded


class Called(nn.Module):
    """A function of an image or of rows, after a layer that puts it on the device."""

    def __init__(self, first: nn.Module, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.first = first
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.first(x))


def _image(function: Callable[[Tensor], Tensor]) -> nn.Module:
    return seeded(lambda: Called(nn.Conv2d(4, 32, 3, padding=1), function))


def _rows(function: Callable[[Tensor], Tensor]) -> nn.Module:
    return seeded(lambda: Called(nn.Linear(32, 32), function))


functional = torch.nn.functional
_WEIGHT = noise(32, 32, 3, 3)
CASES: dict[str, tuple[nn.Module, Tensor]] = {
    "padding on one side": (
        _image(lambda x: functional.conv2d(functional.pad(x, (0, 1, 0, 1)), _WEIGHT, stride=2)),
        noise(1, 4, 8, 8),
    ),
    "group norm": (_image(lambda x: functional.silu(functional.group_norm(x, 8))), noise(1, 4, 8, 8)),
    "group norm of pixels in a row": (
        _image(lambda x: functional.group_norm(x.flatten(2), 8)),
        noise(1, 4, 8, 8),
    ),
    "constants around": (_rows(lambda x: functional.pad(x, (1, 2, 3, 0), value=5.0)), noise(32, 32)),
    "repetition": (_rows(lambda x: x.repeat(2, 1, 3)), noise(1, 32, 32)),
    "vectors of length one": (_rows(lambda x: functional.normalize(x, dim=-1)), noise(32, 32)),
    "rows picked": (_rows(lambda x: x[torch.tensor([3, -1, 0])]), noise(32, 32)),
    "a convolution along a line": (
        _rows(lambda x: functional.conv1d(x, _WEIGHT[..., 0], padding=1)),
        noise(1, 32, 32),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_graph_computes_the_same_and_has_kernels_for_all(name: str) -> None:
    model, x = CASES[name]
    captured = export(model, (x,)).module
    optimise(captured, ModelOptions())
    with torch.no_grad():
        (made,) = captured(x)
        assert relative_l2(made, model(x)) < 1e-5
    assert planned(model, (x,)).host_compute == ()


def test_group_norm_runs_as_sums_and_a_norm() -> None:
    model, x = CASES["group norm"]
    compiled = compile_model(model, checks="off", numbers="fast")
    made = compiled(x)
    with torch.no_grad():
        assert relative_l2(made, model(x)) < 0.01
    assert [line.kernel for line in compiled.report.kernels] == ["convolution", "group_sums", "group_norm"]

"""The CUDA backend: every kernel of a model lowers without a GPU, and running without one is refused."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.errors import DeviceError
from tilesmith.models.backends.cuda import CudaExecutable


def images() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(4, 8, 3, stride=2, padding=1), nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(3)
    )


def tokens() -> nn.Module:
    return nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)


def prepared(model: nn.Module, x: torch.Tensor) -> CudaExecutable:
    compiled = tilesmith.compile(model.eval(), backend="cuda")
    compiled.prepare(x)
    assert isinstance(compiled.executable, CudaExecutable)
    return compiled.executable


@pytest.mark.parametrize(
    ("model", "shape", "kernels"),
    [
        (images, (2, 4, 11, 11), {"convolution", "group_norm", "sum_window"}),
        (tokens, (2, 9, 32), {"attention", "linear", "layer_norm"}),
    ],
)
def test_every_kernel_lowers_without_a_gpu(model: object, shape: tuple[int, ...], kernels: set[str]) -> None:
    assert callable(model)
    executable = prepared(model(), torch.randn(shape))
    assert not executable.report.host
    sources = executable.sources()
    assert all("__global__" in source for source in sources.values())
    assert kernels <= {name.split("_", 1)[1] for name in sources}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_running_needs_a_gpu() -> None:
    compiled = tilesmith.compile(nn.Linear(8, 4), backend="cuda")
    with pytest.raises(DeviceError, match="no CUDA device"):
        compiled(torch.randn(2, 8))


def test_bounds_keep_nan_and_whole_vectors() -> None:
    """A GPU's max drops NaN; a condition in its place would load single elements."""

    class Bounded(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return (x + y).relu()

    compiled = tilesmith.compile(Bounded(), backend="cuda")
    compiled.prepare(*(torch.randn(256, 128).bfloat16() for _ in range(2)))
    assert isinstance(compiled.executable, CudaExecutable)
    (source,) = compiled.executable.sources().values()
    assert "exp2" in source
    assert "uint4" in source


def test_what_orders_or_adds_by_index_is_torchs() -> None:
    class Largest(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x.relu().argmax(-1), x.cumsum(-1)

    executable = prepared(Largest(), torch.randn(4, 32))
    assert [line.op for line in executable.report.host] == ["argmax", "cumsum"]
    assert [line.kernel for line in executable.report.kernels] == ["elementwise"]

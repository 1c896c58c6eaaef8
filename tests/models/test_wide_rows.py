"""Rows too long for L1: norms and softmaxes take them a block of columns at a time, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.models.report import Report
from tilesmith.zoo.sample import noise

OPTIONS: dict[str, Any] = {"checks": "off", "numbers": "fast"}
WORK: dict[str, Callable[..., Tensor]] = {
    "layer_norm": lambda x, w: functional.layer_norm(x, x.shape[-1:], w, w),
    "rms_norm": lambda x, w: functional.rms_norm(x, x.shape[-1:], w, 1e-6),
    "softmax": lambda x, w: (x * 3).softmax(-1) * w,
    "log_softmax": lambda x, w: (x * 3).log_softmax(-1) + w,
}


@pytest.mark.parametrize("columns", [4096, 5001])
@pytest.mark.parametrize("name", WORK)
def test_a_long_row_is_streamed(name: str, columns: int) -> None:
    args = noise(3, columns) + 2, noise(columns, seed=2)
    model: Any = tilesmith.compile(Applied(WORK[name]), checks="off")
    made, wanted = model(*args), WORK[name](*args)
    assert f"{name}_streamed" in str(model.report)
    assert (made - wanted).norm() < 1e-4 * wanted.norm()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [8192, 32000, 50257, 128256])
@pytest.mark.parametrize("name", WORK)
def test_rows_as_long_as_vocabularies(name: str, columns: int) -> None:
    args = noise(2, columns), noise(columns, seed=2)
    made, wanted = tilesmith.compile(Applied(WORK[name]), checks="off")(*args), WORK[name](*args)
    assert (made - wanted).norm() < 1e-4 * wanted.norm()


@pytest.mark.parametrize("name", ["layer_norm", "softmax", "log_softmax"])
def test_gradients_of_a_long_row(name: str, reports: list[Report]) -> None:
    columns = 4100
    given = noise(3, columns) + 2, noise(columns, seed=2)
    mine, other = ([one.clone().requires_grad_() for one in given] for _ in range(2))
    weight = noise(3, columns, seed=3)
    loss = lambda x, w: (WORK[name](x, w) * weight).sum()  # noqa: E731
    torch._dynamo.reset()
    torch.compile(loss, backend="tilesmith", options=OPTIONS)(*mine).backward()
    loss(*other).backward()  # type: ignore[no-untyped-call]
    assert all("too" not in str(report) for report in reports)
    assert f"{name}_backward_streamed" in str(reports[-1])
    for one, wanted in zip(mine, other, strict=True):
        assert one.grad is not None
        assert wanted.grad is not None
        assert (one.grad - wanted.grad).norm() < 1e-3 * wanted.grad.norm()


@pytest.mark.parametrize("kind", ["layer_norm", "rms_norm", "softmax"])
def test_the_kernels_of_gradients_take_long_rows(kind: str) -> None:
    """As operators by themselves: graphs of autograd take some of them apart."""
    torch.manual_seed(0)
    g, x = torch.randn(2, 4100), torch.randn(2, 4100)
    if kind == "softmax":
        x = x.softmax(-1) * torch.tensor([[1.0], [0.0]])  # a row that is masked whole is all zeros
    ops = torch.ops.tilesmith
    work: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "layer_norm": lambda g, x: ops.layer_norm_backward(g, x, None, 1e-5),
        "rms_norm": lambda g, x: ops.rms_norm_backward(g, x, None, 1e-5),
        "softmax": ops.softmax_backward,
    }
    wanted = work[kind](g.double(), x.double())
    model: Any = tilesmith.compile(Applied(work[kind]), **OPTIONS)
    made = model(g, x)
    assert f"{kind}_backward_streamed" in str(model.report)
    assert "instead: 1 so far" not in str(model.report)
    assert (made - wanted).norm() < 1e-4 * wanted.norm()


@pytest.mark.parametrize("columns", [1024, 4096])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_variances_far_from_zero_are_taken_around_the_mean(dtype: torch.dtype, columns: int) -> None:
    """A few steps in a row of 300: the mean of squares less the square of the mean would be noise."""
    torch.manual_seed(0)
    x = (300 + 2.0 * (torch.rand(3, columns) < 0.01)).to(dtype)
    made = tilesmith.compile(Applied(lambda x: functional.layer_norm(x, x.shape[-1:])), checks="off")(x)
    wanted = functional.layer_norm(x.double(), (columns,))
    assert (made - wanted).norm() < (3e-3 if dtype == torch.bfloat16 else 1e-3) * wanted.norm()

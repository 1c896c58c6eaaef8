"""Complex numbers of every dtype that they are made from, through the passes, by torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor

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

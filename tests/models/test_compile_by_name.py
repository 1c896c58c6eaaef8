"""`torch.compile(model, backend="tilesmith")`: found by name, with options, compiled once for many sizes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tilesmith.errors import SettingsError
from tilesmith.models import torch_backend
from tilesmith.models.report import Report

_BY_NAME = """
import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).eval()
assert "tilesmith" in torch._dynamo.list_backends()
assert "tilesmith" not in sys.modules
x = torch.randn(3, 8)
compiled = torch.compile(model, backend="tilesmith", options={"device": "cpu", "optimization_level": "O1"})
with torch.no_grad():
    assert torch.allclose(compiled(x), model(x), atol=1e-6)
assert "tilesmith" in sys.modules
print("found")
"""


def test_torch_finds_the_backend_of_an_installed_package_by_its_name() -> None:
    done = subprocess.run([sys.executable, "-c", _BY_NAME], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "found\n"


def _compiled(model: Any, **options: Any) -> Any:
    torch._dynamo.reset()
    return torch.compile(model, backend="tilesmith", options={"device": "cpu", **options}, dynamic=None)


def test_options_reach_the_backend() -> None:
    with pytest.raises(Exception, match="optimization_level is 'O9'") as refused:
        _compiled(nn.Linear(4, 4), optimization_level="O9")(torch.ones(1, 4))
    assert isinstance(refused.value, SettingsError) or "SettingsError" in str(refused.value)


def test_a_dynamic_batch_is_captured_once() -> None:
    captured = []

    def counting(module: Any, inputs: Any, **rest: Any) -> Any:
        captured.append(module)
        return torch_backend.tilesmith_backend(module, inputs, **rest)

    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(16, 16), nn.GELU()).eval()
    compiled = torch.compile(model, backend=counting, options={"device": "cpu"}, dynamic=True)
    with torch.no_grad():
        for batch in (2, 5, 9, 33):
            x = torch.randn(batch, 16)
            assert torch.allclose(compiled(x), model(x), atol=1e-5)
    assert len(captured) == 1


def test_kernels_of_a_dynamic_batch_are_compiled_once() -> None:
    from tilesmith.models.backends import kernels

    torch._dynamo.reset()
    kernels.forget()
    model = nn.Linear(32, 32).eval()
    options: Any = {"checks": "off", "numbers": "fast"}
    compiled = torch.compile(model, backend="tilesmith", options=options, dynamic=True)
    counts = []
    with torch.no_grad():
        for batch in (40, 70, 100):
            x = torch.randn(batch, 32)
            assert torch.allclose(compiled(x), model(x), atol=0.05)
            counts.append(len(kernels._compiled))
    assert counts == [1, 1, 1]


def test_a_break_in_the_graph_makes_two_graphs(reports: list[Report]) -> None:
    class Broken(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            x = x * 2
            if x.sum() > 0:
                return x + 1
            return x - 1

    compiled = _compiled(Broken())
    with torch.no_grad():
        assert compiled(torch.ones(4)).tolist() == [3, 3, 3, 3]
        assert compiled(-torch.ones(4)).tolist() == [-3, -3, -3, -3]
    assert len(reports) >= 3

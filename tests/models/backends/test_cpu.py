"""The CPU backend computes what torch does, one capture serves many shapes, and options mean something."""

from __future__ import annotations

import doctest

import pytest
import torch

import tilesmith
from tilesmith.errors import SettingsError
from tilesmith.models import compiled_model as model_module
from tilesmith.models import options
from tilesmith.models.backends import Backend, base


@pytest.mark.parametrize("module", [model_module, base, options])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


def mlp() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4)).eval()


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_every_level_computes_the_same(level: str) -> None:
    model, x = mlp(), torch.randn(3, 16)
    compiled = tilesmith.compile(model, backend="cpu", optimization_level=level)
    torch.testing.assert_close(compiled(x), model(x))


def test_one_capture_serves_every_batch() -> None:
    model = mlp()
    batch = torch.export.Dim("batch", min=2, max=64)
    compiled = tilesmith.compile(model, backend="cpu", dynamic_shapes=({0: batch},))
    for size in (2, 5, 9):
        x = torch.randn(size, 16)
        torch.testing.assert_close(compiled(x), model(x))
    assert len(compiled._graphs) == 1


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"no backend 'gpu'[\s\S]*tenstorrent, cpu, cuda"):
        Backend.create("gpu")
    with pytest.raises(SettingsError, match=r"'O9'[\s\S]*O0, O1, O2, O3"):
        tilesmith.compile(mlp(), backend="cpu", optimization_level="O9")
    with pytest.raises(SettingsError, match="colour is not an option"):
        tilesmith.compile(mlp(), backend="cpu", colour="red")


def test_gradients_come_through_torch_compile() -> None:
    from tilesmith.models.torch_backend import tilesmith_backend

    model, x = mlp(), torch.randn(3, 16)
    model(x).square().sum().backward()
    wanted = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()
    torch._dynamo.reset()
    torch.compile(model, backend=tilesmith_backend, options={"device": "cpu"})(x).square().sum().backward()
    found = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    assert len(found) == len(wanted) == 4
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)

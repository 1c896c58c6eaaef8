"""Models and inputs that cannot work: one clear sentence each, and the process goes on."""

from __future__ import annotations

import traceback

import pytest
import torch
from torch import Tensor, nn

from tilesmith import open_device
from tilesmith.compiler.launch import lent_device
from tilesmith.errors import BadCallError, CaptureError, DeviceClosedError, OutOfDeviceMemoryError
from tilesmith.models.capture.fx import export
from tilesmith.models.compiled_model import compile_model

FAST = {"checks": "off", "numbers": "fast"}


class Deciding(nn.Module):
    """Goes one way or the other by the values of its input."""

    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x * 2
        return x


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Widened(nn.Module):
    """Makes 16 GiB of a row."""

    def forward(self, x: Tensor) -> Tensor:
        return x.expand(65536, x.shape[1]) * 2.0


def test_control_flow_by_values_is_refused_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CaptureError, match="decides by the values of its tensors") as refused:
        compile_model(Deciding(), **FAST)(torch.ones(32, 32))
    assert "test_bad_models.py:" in refused.value.where
    assert "torch.where" in refused.value.remedy
    assert capsys.readouterr().err == ""


class Selecting(nn.Module):
    """Returns as many values as are above zero."""

    def forward(self, x: Tensor) -> Tensor:
        return x[x > 0]


def test_sizes_made_of_values_are_refused() -> None:
    with pytest.raises(CaptureError, match="computes sizes from the values of its inputs"):
        compile_model(Selecting(), **FAST)(torch.ones(4))


def test_a_model_that_fails_by_itself_is_refused_with_its_reason() -> None:
    with pytest.raises(CaptureError, match="cannot capture the model"):
        compile_model(nn.Linear(8, 8), **FAST)(torch.ones(2, 9))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_types_the_chip_does_not_have_are_refused(dtype: torch.dtype) -> None:
    name = str(dtype).removeprefix("torch.")
    with pytest.raises(BadCallError, match=f"input 0 is of type {name}, which the chip does not have"):
        compile_model(Doubled(), **FAST)(torch.ones(32, 32, dtype=dtype))


def test_a_tensor_that_does_not_fit_is_refused_and_the_next_model_runs() -> None:
    with pytest.raises(OutOfDeviceMemoryError, match="no room for tensor"):
        compile_model(Widened(), **FAST)(torch.ones(1, 1 << 17))
    assert compile_model(Doubled(), **FAST)(torch.ones(32, 32)).sum() == 2048


def test_a_device_that_went_away_is_named_and_the_next_model_runs() -> None:
    device = open_device()
    with lent_device(device):
        model = compile_model(Doubled(), **FAST)
        assert model(torch.ones(32, 32)).sum() == 2048
        device.close()
        with pytest.raises(DeviceClosedError, match="was closed"):
            model(torch.ones(32, 32))
    assert compile_model(Doubled(), **FAST)(torch.ones(32, 32)).sum() == 2048


def test_the_sentence_is_not_buried(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's own traceback, two hundred lines of it, is told to those who ask."""
    for verbosity, told in (("normal", False), ("verbose", True)):
        monkeypatch.setenv("TILESMITH_VERBOSITY", verbosity)
        with pytest.raises(CaptureError) as refused:
            export(Deciding(), [torch.ones(2, 2)])
        lines = "".join(traceback.format_exception(refused.value)).splitlines()
        assert ("GuardOnDataDependentSymNode" in "".join(lines)) == told
        assert told or len(lines) < 30

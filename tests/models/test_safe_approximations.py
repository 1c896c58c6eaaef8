"""approximate="safe", which O3 tries too: right for inputs that have nothing in common with any sample."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch.nn import functional

import tilesmith
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.planning.steps import Launch

INF = float("inf")


def _safe(function: Callable[..., torch.Tensor], **weights: torch.Tensor) -> CompiledModel:
    return tilesmith.compile(
        Applied(function, **weights), backend="tenstorrent", numbers="chip", approximate="safe"
    )


def _approximated(model: CompiledModel) -> list[str]:
    executable = model.executable
    assert isinstance(executable, TenstorrentExecutable)
    return [step.approximate for step in executable.plan.steps if isinstance(step, Launch)]


def _is_close(made: torch.Tensor, wanted: torch.Tensor, most: float = 0.02) -> bool:
    return bool(torch.norm(made - wanted) <= most * torch.norm(wanted))


def _masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(x, x, x, mask)


def _causal(x: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(x, x, x, is_causal=True)


def _hiding(x: torch.Tensor, w: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    return functional.linear(x, w) + hidden


def _unit(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return functional.gelu(functional.linear(x, w, b))


@pytest.mark.parametrize("constant", [False, True])
def test_masks_of_infinity(constant: bool) -> None:
    torch.manual_seed(0)
    x, mask = torch.randn(1, 2, 64, 64), torch.zeros(64, 64)
    mask[:, 40:] = -INF
    model = _safe(_masked, mask=mask) if constant else _safe(_masked)
    assert _is_close(model(x) if constant else model(x, mask), _masked(x, mask))
    assert "fast" not in _approximated(model)


@pytest.mark.parametrize("size", [96, 600])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_causal_attention_of_small_and_large_scores(size: int, scale: float) -> None:
    torch.manual_seed(0)
    x = (scale * torch.randn(1, 1, size, 64)).bfloat16().float()
    model = _safe(_causal)
    assert _is_close(model(x), _causal(x), 0.04)
    assert _approximated(model) == ["fast"]


@pytest.mark.parametrize("offset", [0.0, 300.0])
def test_norms_far_from_zero(offset: float) -> None:
    torch.manual_seed(0)
    x = (offset + torch.randn(64, 96)).bfloat16().float()
    model = _safe(lambda x: functional.layer_norm(x, (96,)))
    assert _is_close(model(x), functional.layer_norm(x, (96,)))


def test_angles_of_far_positions() -> None:
    positions, rates = torch.arange(4000.0, 4064).reshape(64, 1), 10000.0 ** -(torch.arange(32) / 32)
    model = _safe(lambda at, rates: torch.cos(at * rates), rates=rates)
    with tilesmith.settings.using(checks="off"):
        made = model(positions.bfloat16().float())
    assert torch.allclose(made, torch.cos(positions.bfloat16().float() * rates), atol=0.05)


def test_infinity_in_what_is_added_to_a_product() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(64, 64), torch.randn(64, 64) / 8
    hidden = torch.zeros(64)
    hidden[5] = -INF
    model = _safe(_hiding, w=w, hidden=hidden)
    made, wanted = model(x), _hiding(x, w, hidden)
    assert torch.equal(torch.isinf(made), torch.isinf(wanted))
    assert "fast" not in _approximated(model)


def test_a_product_with_a_finite_bias_is_approximate() -> None:
    torch.manual_seed(0)
    x, w, b = torch.randn(64, 64), torch.randn(64, 64) / 8, torch.randn(64)
    model = _safe(_unit, w=w, b=b)
    assert _is_close(model(x), _unit(x, w, b), 0.03)
    assert _approximated(model) == ["fast"]

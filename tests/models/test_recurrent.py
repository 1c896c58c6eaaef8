"""Recurrent layers through torch.compile, and operators that look at how their inputs lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from tilesmith.models.decompositions.recurrent import lstm_layer
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.sample import noise

FAST: Any = {"checks": "off", "numbers": "fast"}


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.head(self.lstm(x)[0])
        return made


def test_a_model_with_an_lstm_is_captured_and_runs_on_the_device() -> None:
    torch.manual_seed(0)
    model, x = Tagger().eval(), noise(2, 3, 8)
    with torch.no_grad(), collect_reports() as reports:
        have = torch.compile(model, backend="tilesmith", options=FAST)(x)
        wanted = model(x)
    assert len(reports) == 1
    assert reports[0].kernels
    assert not reports[0].host
    assert torch.allclose(have, wanted, atol=0.01)


@pytest.mark.parametrize("layers", [1, 2])
def test_an_lstm_learns(layers: int) -> None:
    torch.manual_seed(0)
    model, x = nn.LSTM(8, 5, layers, batch_first=True, bidirectional=layers == 2), noise(4, 3, 8)

    def gradients(run: Callable[..., Any]) -> list[Tensor]:
        loss = run(x)[0].square().mean()
        return list(torch.autograd.grad(loss, list(model.parameters())))

    torch._dynamo.reset()
    have = gradients(torch.compile(model, backend="tilesmith", options=FAST | {"precision": "float32"}))
    for made, wanted in zip(have, gradients(model), strict=True):
        assert torch.allclose(made, wanted, atol=1e-6)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_layer_of_an_lstm_is_as_torch_has_it(reverse: bool) -> None:
    layer = nn.LSTM(5, 7, bidirectional=reverse).double().eval()
    x = noise(4, 3, 5).double()
    state = [noise(2 if reverse else 1, 3, 7).double() for _ in range(2)]
    suffix = "l0_reverse" if reverse else "l0"
    weights = [
        getattr(layer, f"{name}_{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    made = lstm_layer(x, *weights, state[0][-1:], state[1][-1:], reverse)
    wanted, (hidden, cell) = layer(x, tuple(state))
    assert torch.allclose(made[0], wanted[..., -7:])
    assert torch.allclose(made[1], hidden[-1:])
    assert torch.allclose(made[2], cell[-1:])


@torch.library.custom_op("tilesmith_tests::memory", mutates_args=())
def memory(x: Tensor) -> Tensor:
    """The elements of a tensor as they lie in memory."""
    return torch.as_strided(x, (x.numel(),), (1,)).clone()


@memory.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.numel())


@pytest.mark.parametrize(
    "model",
    [
        lambda x: memory(x.t().contiguous()),
        lambda x: torch.as_strided(x.t().contiguous(), (6,), (2,)),
        lambda x: x.t().contiguous().view(torch.int32),
        lambda x: torch.view_as_complex(x.reshape(3, 2, 2).transpose(1, 2).contiguous()).real,
    ],
    ids=["an operator of one's own", "as_strided", "other dtype", "complex"],
)
def test_a_copy_is_kept_for_what_reads_memory(model: Callable[[Tensor], Tensor]) -> None:
    x = noise(3, 4)
    have = torch.compile(model, backend=tilesmith_backend, options=FAST)(x)
    pairs = zip(pytree.tree_leaves(have), pytree.tree_leaves(model(x)), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)

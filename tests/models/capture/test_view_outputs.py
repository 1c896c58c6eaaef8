"""Outputs that share memory in PyTorch share it here, and only those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor


def several_views(x: Tensor) -> tuple[Tensor, ...]:
    y = x * 2
    return y, y.view(-1), y, y.t(), y[1], y.unsqueeze(0)[..., 2:4], x + 1


def views_without_their_base(x: Tensor) -> tuple[Tensor, ...]:
    y = x.exp()
    y[1].fill_(7)
    return y.t(), y[1], y + 1, y.clone()


def one_view(x: Tensor) -> tuple[Tensor, ...]:
    return (x * 2).t(), x - 1


def of_an_input(x: Tensor) -> tuple[Tensor, ...]:
    return x.t(), x[0], x * 2


def parts(x: Tensor) -> tuple[Tensor, ...]:
    y = x * 2
    return (*y.split(3, 0), *y.chunk(2, 1), *y.unbind(0), y[0].split([1, 7])[1])


def storages(tensors: tuple[Tensor, ...], x: Tensor) -> list[list[bool]]:
    places = [one.untyped_storage().data_ptr() for one in (x, *tensors)]
    return [[a == b for b in places] for a in places]


@pytest.mark.parametrize("function", [several_views, views_without_their_base, one_view, of_an_input, parts])
def test_what_shares_memory(function: Callable[[Tensor], tuple[Tensor, ...]]) -> None:
    x = torch.arange(32.0).reshape(4, 8) / 16
    wanted, made = function(x), torch.compile(function, backend="tilesmith")(x)
    assert storages(made, x) == storages(wanted, x)
    wanted[1].zero_()
    made[1].zero_()
    for a, b in zip(made, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-2)


def test_gradients_of_views() -> None:
    def function(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        y = x * w
        return y.view(-1), y.t(), y

    grads = []
    compiled: Callable[..., Any] = torch.compile(function, backend="tilesmith")
    for call in (function, compiled):
        w = torch.linspace(-1, 1, 32).reshape(4, 8).requires_grad_()
        flat, turned, whole = call(torch.full((4, 8), 1.5), w)
        (flat.square().sum() + (turned * 2).sum() + whole.mean()).backward()
        grads.append(w.grad)
    torch.testing.assert_close(grads[1], grads[0], rtol=1e-2, atol=1e-2)

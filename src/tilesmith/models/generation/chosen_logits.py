"""Logits of which only the token is known that was chosen by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_SAME = {Tensor.__getitem__, Tensor.to, functional.softmax, torch.softmax, Tensor.softmax}


class ChosenLogits(Tensor):
    """A loop that takes the largest, or draws one, gets that token; nothing as wide as a vocabulary is made.

    To all else it is a tensor in which that token has 0 and every other minus infinity.

    >>> logits = ChosenLogits.of(torch.tensor([2, 0]), 3)
    >>> torch.argmax(logits[:, -1], dim=-1)
    tensor([2, 0])
    >>> (logits + 1).shape
    torch.Size([2, 1, 3])
    """

    ids: Tensor

    @staticmethod
    def of(ids: Tensor, width: int) -> ChosenLogits:
        logits = torch.zeros(()).expand(len(ids), 1, width).as_subclass(ChosenLogits)
        logits.ids = ids
        return logits

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Sequence[Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given, named = args[0], dict(kwargs or {})
        if isinstance(given, ChosenLogits):
            if func in _SAME:
                return given
            if func is torch.argmax and named == {"dim": -1}:
                return given.ids
            if func is torch.multinomial and named == {"num_samples": 1}:
                return given.ids[:, None]
        with torch._C.DisableTorchFunctionSubclass():
            return func(*(_dense(one) for one in args), **{name: _dense(one) for name, one in named.items()})


def _dense(value: Any) -> Any:
    if not isinstance(value, ChosenLogits):
        return value
    infinite = torch.full(value.size(), -float("inf"))
    return infinite.scatter_(2, value.ids[:, None, None], 0.0)

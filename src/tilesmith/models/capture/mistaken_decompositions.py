"""Decompositions of PyTorch that give something else than their operators do, and what is taken instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any
from unittest.mock import patch

import torch
from torch._C import DispatchKey
from torch._decomp import decompositions

aten = torch.ops.aten

MISTAKEN = (
    *(aten.linspace, aten.logspace),  # whole numbers are rounded otherwise
    *(aten.multilabel_margin_loss, aten.multilabel_margin_loss_forward),  # what follows the labels counts
)
_ALWAYS_TAKEN = (aten.multilabel_margin_loss_forward.default,)


@contextmanager
def kept_whole() -> Iterator[None]:
    """Trace without those that PyTorch takes even where no table of decompositions asks for them."""
    taken = {op: op.py_kernels.pop(DispatchKey.Autograd, None) for op in _ALWAYS_TAKEN}
    _forget_dispatch()
    try:
        with patch.object(decompositions, "select_one_layer_lstm_function", _lstm_layer):
            yield
    finally:
        for op, kernel in taken.items():
            if kernel is not None:
                op.py_kernels[DispatchKey.Autograd] = kernel
        _forget_dispatch()


_chosen_layer: Any = decompositions.select_one_layer_lstm_function


def _lstm_layer(x: Any, state: Any, weights: Any) -> Any:
    """PyTorch takes oneDNN's layer, which no graph has the gradient of, unless the input itself learns."""
    learns = any(tensor.requires_grad for tensor in (*state, *chain.from_iterable(weights)))
    if learns and torch.is_grad_enabled():
        return decompositions.one_layer_lstm
    return _chosen_layer(x, state, weights)


def _forget_dispatch() -> None:
    for op in _ALWAYS_TAKEN:
        op._dispatch_cache.clear()

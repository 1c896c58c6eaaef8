"""Decompositions of PyTorch that give something else than their operators do: these are kept whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._C import DispatchKey

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
        yield
    finally:
        for op, kernel in taken.items():
            if kernel is not None:
                op.py_kernels[DispatchKey.Autograd] = kernel
        _forget_dispatch()


def _forget_dispatch() -> None:
    for op in _ALWAYS_TAKEN:
        op._dispatch_cache.clear()

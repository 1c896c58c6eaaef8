"""Running an operator of tilesmith by itself, as a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

from tilesmith.models.single_op import run_single

_on_host: ContextVar[bool] = ContextVar("operators of tilesmith run on the host", default=False)


@contextmanager
def on_host() -> Iterator[None]:
    """In this block operators of tilesmith are computed with torch."""
    token = _on_host.set(True)
    try:
        yield
    finally:
        _on_host.reset(token)


def launched(name: str, reference: Callable[..., Any], *args: Any) -> Any:
    """What an operator of tilesmith gives for these arguments; `reference` computes it with torch."""
    if _on_host.get() or any(isinstance(arg, torch.Tensor) and arg.dtype == torch.float64 for arg in args):
        return reference(*args)
    return run_single(getattr(torch.ops.tilesmith, name).default, args, {})[0]

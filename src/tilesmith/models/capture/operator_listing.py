"""PyTorch lists all operators for every library of them, fifteen times in one capture: once is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import torch._export.utils as export_utils

_NAME = "_materialize_cpp_cia_ops"
# A third of the time to capture a small model. A release of PyTorch without it lists them in its own way.
_list_operators: Callable[[], Any] | None = getattr(export_utils, _NAME, None)


@contextmanager
def operators_listed_once() -> Iterator[None]:
    """Inside the block the operators that PyTorch knows are listed at most once: nobody adds any there."""
    if _list_operators is None:
        yield
        return
    with patch.object(export_utils, _NAME, cache(_list_operators)):
        yield

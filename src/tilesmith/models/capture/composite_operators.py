"""PyTorch registers composite operators anew for each capture: those it decomposes as ever need not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
import torch.export.exported_program as exported_program

Table = dict[Any, Callable[..., Any]]

# Half of the time to capture a small model. A release of PyTorch without it has its own way.
_SPLIT = "_split_decomp_table_to_cia_and_python_decomp"
_split: Callable[[Table], tuple[Table, Table]] | None = getattr(exported_program, _SPLIT, None)

_latest: tuple[int, Table, tuple[Table, Table]] | None = None


@contextmanager
def composites_left_alone() -> Iterator[None]:
    """Inside the block operators are overridden only where they are not to be decomposed as ever."""
    if _split is None:
        yield
        return
    with patch.object(exported_program, _SPLIT, _others):
        yield


def _others(table: Table) -> tuple[Table, Table]:
    """The rules for composite operators that are not their own, and those for all others.

    Which operator is composite changes only with the operators that PyTorch knows.
    """
    global _latest
    assert _split is not None
    known = len(torch._C._dispatch_get_all_op_names())
    if _latest is None or _latest[:2] != (known, table):
        composite, others = _split(dict(table))
        composite = {operator: rule for operator, rule in composite.items() if not _is_own(operator, rule)}
        _latest = known, dict(table), (composite, others)
    composite, others = _latest[2]
    return dict(composite), dict(others)


def _is_own(operator: Any, rule: Callable[..., Any]) -> bool:
    """Whether a rule is what `_get_decomp_for_cia` of PyTorch gives for an operator without one in Python."""
    if not isinstance(rule, partial) or rule.keywords != {"kernel": operator}:
        return False
    return getattr(rule.func, "__qualname__", "").startswith("_get_decomp_for_cia.")

"""Outputs lie in memory as PyTorch's do: who views, flattens or writes them may rely on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

Strides = tuple[int, ...] | None


def strides_of(output: Any) -> Strides:
    """How an output of a captured graph lies in memory; None where that is not known in numbers."""
    value = output.meta.get("val") if isinstance(output, Node) else None
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return None
    strides = value.stride()
    return strides if all(isinstance(step, int) for step in strides) else None


def laid_out(results: list[Any], strides: Sequence[Strides], inputs: Sequence[Any]) -> list[Any]:
    """The results, those copied that lie otherwise: each once, and none that shares memory with an input."""
    if all(_lies(one, wanted) for one, wanted in zip(results, strides, strict=True)):
        return results
    given = {one.untyped_storage().data_ptr() for one in inputs if isinstance(one, Tensor)}
    copies: dict[tuple[int, Strides], Any] = {}
    for result, wanted in zip(results, strides, strict=True):
        lies = _lies(result, wanted) or result.untyped_storage().data_ptr() in given
        if (id(result), wanted) not in copies:
            copies[id(result), wanted] = result if lies else copy_with(result, wanted)
    return [copies[id(one), wanted] for one, wanted in zip(results, strides, strict=True)]


def copy_with(value: Tensor, strides: Strides) -> Tensor:
    """
    >>> copy_with(torch.ones(2, 3), (1, 2)).stride()
    (1, 2)
    >>> copy_with(torch.ones(2, 3), (0, 1)).stride()
    (0, 1)
    """
    assert strides is not None
    kept = [size if step else min(size, 1) for size, step in zip(value.shape, strides, strict=True)]
    if _overlaps(kept, strides):
        return value
    first = value[tuple(slice(size) for size in kept)]
    copy = value.new_empty_strided(kept, strides).copy_(first)
    return copy.as_strided(value.shape, strides)


def _lies(value: Any, wanted: Strides) -> bool:
    if wanted is None or not isinstance(value, Tensor) or value.layout != torch.strided:
        return True
    have = value.stride()
    if have == wanted or len(have) != len(wanted) or not value.numel():
        return True
    return all(one == other or size == 1 for one, other, size in zip(have, wanted, value.shape, strict=True))


def _overlaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements may lie on top of each other, as `as_strided` can have it."""
    reach = 0
    for step, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and step <= reach:
            return True
        reach += step * (size - 1)
    return False

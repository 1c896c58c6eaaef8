"""sort, topk, and the places of the largest and the smallest: elements compared with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten

LONGEST_RANKED = 1024
"""The longest row whose elements are compared with each other to sort it."""


def has_dims(node: Node) -> bool:
    """a tensor with dimensions"""
    return bool(value_of(node.args[0]).dim())


def is_short(node: Node) -> bool:
    """rows of at most 1024 elements"""
    args: Any = node.args
    return _is_short_along(node, args[1] if len(args) > 1 else -1)


def topk_is_short(node: Node) -> bool:
    """rows of at most 1024 elements"""
    args: Any = node.args
    return _is_short_along(node, args[2] if len(args) > 2 else -1)


def _is_short_along(node: Node, dim: int) -> bool:
    x = value_of(node.args[0])
    return bool(x.dim() > 0 and 0 < x.shape[dim] <= LONGEST_RANKED)


def ranks(x: Tensor, largest: bool) -> Tensor:
    """The place of each element of the last dimension when it is sorted; equal ones stay in order.

    >>> ranks(torch.tensor([3.0, 9.0, 5.0]), True).tolist()
    [2, 0, 1]
    """
    size = x.shape[-1]
    mine, other = x.unsqueeze(-1), x.unsqueeze(-2)
    before = other > mine if largest else other < mine
    earlier = torch.ones(size, size, dtype=torch.bool).tril(-1)
    return (before | ((other == mine) & earlier)).sum(-1)


@decomposition(aten.topk.default, when=topk_is_short)
def topk(
    x: Tensor, count: int, dim: int = -1, largest: bool = True, *_: Any, **__: Any
) -> tuple[Tensor, Tensor]:
    """Place r is taken by the element whose rank is r.

    >>> [part.tolist() for part in topk(torch.tensor([3.0, 9.0, 5.0]), 2)]
    [[9.0, 5.0], [1, 2]]
    """
    last = x.movedim(dim, -1)
    taken = ranks(last, largest).unsqueeze(-2) == torch.arange(count).unsqueeze(-1)
    places = torch.where(taken, torch.arange(x.shape[dim]), 0).sum(-1)
    places = places.clamp(max=x.shape[dim] - 1)  # elements of a row with a NaN may share a rank
    found = torch.where(taken, last.unsqueeze(-2), torch.zeros((), dtype=x.dtype)).sum(-1)
    return found.movedim(-1, dim), places.movedim(-1, dim)


@decomposition(aten.sort.default, when=is_short)
def sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """All of the ranks."""
    return topk(x, x.shape[dim], dim, descending)


def extreme(largest: bool) -> Callable[..., tuple[Tensor, Tensor]]:
    """max and min along a dimension."""

    def make(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        """amax or amin, and the first place that equals it."""
        found = x.amax(dim, keepdim=True) if largest else x.amin(dim, keepdim=True)
        size = x.shape[dim]
        along = [size if axis == dim % x.dim() else 1 for axis in range(x.dim())]
        places = torch.where(x == found, torch.arange(size).reshape(along), size).amin(dim, keepdim)
        return found if keepdim else found.squeeze(dim), places

    return make


def arg_extreme(largest: bool) -> Callable[..., Tensor]:
    """argmax and argmin."""

    def make(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """The first place that equals amax or amin."""
        line, along = (x.reshape(1, -1), 1) if dim is None else (x, dim)
        places = extreme(largest)(line, along, keepdim and dim is not None)[1]
        return places.reshape([1] * x.dim() if keepdim else []) if dim is None else places

    return make


decomposition(aten.max.dim, when=is_short)(extreme(True))
decomposition(aten.min.dim, when=is_short)(extreme(False))
decomposition(aten.argmax.default, when=has_dims)(arg_extreme(True))
decomposition(aten.argmin.default, when=has_dims)(arg_extreme(False))

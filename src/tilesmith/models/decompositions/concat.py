"""Tensors put together from parts of others, and tensors of one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten


def has_dims(node: Node) -> bool:
    """a tensor with dimensions"""
    return bool(value_of(node.args[0]).dim())


def has_rows(node: Node) -> bool:
    """a tensor with dimensions, and rows to add"""
    return has_dims(node) and bool(value_of(node.args[2]).numel())


@decomposition(aten.slice_scatter.default, when=has_dims)
def slice_scatter(
    x: Tensor, part: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """What comes before, the part, what comes after.

    >>> slice_scatter(torch.zeros(4), torch.ones(2), 0, 1, 3).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    size = x.shape[dim]
    begin, stop, _ = slice(start, end, step).indices(size)
    if step != 1:
        chosen = torch.arange(size)[begin:stop:step]
        spread = part.new_zeros(x.shape).index_add(dim, chosen, part)
        along = [size if axis == dim % x.dim() else 1 for axis in range(x.dim())]
        inside = torch.zeros(size, dtype=torch.bool).index_fill(0, chosen, True)
        return torch.where(inside.reshape(along), spread, x)
    pieces = [x.narrow(dim, 0, begin), part, x.narrow(dim, max(stop, begin), size - max(stop, begin))]
    kept = [piece for piece in pieces if piece.shape[dim]]
    return torch.cat(kept, dim) if len(kept) > 1 else kept[0].clone()


@decomposition(aten.select_scatter.default, when=has_dims)
def select_scatter(x: Tensor, part: Tensor, dim: int, index: int) -> Tensor:
    """A slice of one."""
    at = index % x.shape[dim]
    return slice_scatter(x, part.unsqueeze(dim), dim, at, at + 1)


@decomposition(aten.copy.default)
def copy(x: Tensor, source: Tensor, *_: Any) -> Tensor:
    """A cast, and a repetition."""
    return source.to(x.dtype).expand(x.shape).clone()


@decomposition(aten.roll.default, when=has_dims)
def roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """The end, joined with what was before it.

    >>> roll(torch.arange(4.0), [1], [0]).tolist()
    [3.0, 0.0, 1.0, 2.0]
    """
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        first = size - shift % size
        if first != size:
            x = torch.cat([x.narrow(dim, first, size - first), x.narrow(dim, 0, first)], dim)
    return x


@decomposition(aten.constant_pad_nd.default)
def constant_pad_nd(x: Tensor, sizes: Sequence[int], value: float = 0.0) -> Tensor:
    """Constants before and after, dimension by dimension from the last on; less than none cuts off."""
    for number in range(len(sizes) // 2):
        dim = x.dim() - 1 - number
        cut = [max(0, -size) for size in sizes[2 * number : 2 * number + 2]]
        x = x.narrow(dim, cut[0], x.shape[dim] - sum(cut)) if any(cut) else x
        pieces = [x]
        for count, place in ((sizes[2 * number], 0), (sizes[2 * number + 1], 2)):
            if count > 0:
                shape = list(x.shape)
                shape[dim] = count
                pieces.insert(place, torch.full(shape, value, dtype=x.dtype, device=x.device))
        x = torch.cat(pieces, dim) if len(pieces) > 1 else x
    return x.clone()


@decomposition(aten.repeat.default)
def repeat(x: Tensor, times: Sequence[int]) -> Tensor:
    """A dimension more for each that is repeated, expanded."""
    shape = [1] * (len(times) - x.dim()) + list(x.shape)
    unit = [size for pair in zip([1] * len(shape), shape, strict=True) for size in pair]
    wide = [size for pair in zip(times, shape, strict=True) for size in pair]
    whole = [count * size for count, size in zip(times, shape, strict=True)]
    return x.reshape(unit).expand(wide).reshape(whole)


def triangle(lower: bool) -> Callable[..., Tensor]:
    """tril and triu."""

    def make(x: Tensor, diagonal: int = 0) -> Tensor:
        """Zeros on one side of a diagonal, chosen by a mask."""
        ones = torch.ones(x.shape[-2:], dtype=torch.bool)
        kept = ones.tril(diagonal) if lower else ones.triu(diagonal)
        return torch.where(kept, x, 0.0)

    return make


@decomposition(aten.index_add.default, when=has_rows)
def index_add(x: Tensor, dim: int, index: Tensor, part: Tensor, *, alpha: float = 1) -> Tensor:
    """A product of ones and zeros with what is added.

    >>> index_add(torch.zeros(3, 1), 0, torch.tensor([2, 2]), torch.ones(2, 1)).tolist()
    [[0.0], [0.0], [2.0]]
    """
    size = x.shape[dim]
    rows = torch.ops.tilesmith.in_bounds(index, size, False).reshape(1, -1)
    hits: Tensor = torch.ops.tilesmith.equality(torch.arange(size)[:, None], rows)
    first = part.movedim(dim, 0)
    spread = (
        (hits.to(x.dtype) @ first.reshape(first.shape[0], -1))
        .reshape([size, *first.shape[1:]])
        .movedim(0, dim)
    )
    return x + (spread if alpha == 1 else spread * alpha)


def _filled(value: float | None = None) -> Callable[..., Tensor]:
    """Tensors of one value in the shape of another."""

    def make(x: Tensor, *given: Any, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
        """A constant."""
        wanted = x.dtype if dtype is None else dtype
        return torch.full(x.shape, given[0] if value is None else value, dtype=wanted)

    return make


def _new(value: float | None = None) -> Callable[..., Tensor]:
    """Tensors of one value in a shape."""

    def make(
        x: Tensor, size: Sequence[int], *given: Any, dtype: torch.dtype | None = None, **_: Any
    ) -> Tensor:
        """A constant."""
        wanted = x.dtype if dtype is None else dtype
        return torch.full(size, given[0] if value is None else value, dtype=wanted)

    return make


for _op, _value in ((aten.full_like, None), (aten.zeros_like, 0), (aten.ones_like, 1)):
    decomposition(_op.default)(_filled(_value))
for _op, _value in ((aten.new_full, None), (aten.new_zeros, 0), (aten.new_ones, 1)):
    decomposition(_op.default)(_new(_value))
decomposition(aten.tril.default)(triangle(True))
decomposition(aten.triu.default)(triangle(False))

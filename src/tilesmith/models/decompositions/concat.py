"""Tensors put together from parts of others, and tensors of one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def with_slice(
    x: Tensor, part: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """slice_scatter: what comes before, the part, what comes after.

    >>> with_slice(torch.zeros(4), torch.ones(2), 0, 1, 3).tolist()
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


def with_selected(x: Tensor, part: Tensor, dim: int, index: int) -> Tensor:
    """select_scatter."""
    at = index % x.shape[dim]
    return with_slice(x, part.unsqueeze(dim), dim, at, at + 1)


def rolled(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """torch.roll: the end comes first.

    >>> rolled(torch.arange(4.0), [1], [0]).tolist()
    [3.0, 0.0, 1.0, 2.0]
    """
    if not dims:
        return rolled(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        first = size - shift % size
        if first != size:
            x = torch.cat([x.narrow(dim, first, size - first), x.narrow(dim, 0, first)], dim)
    return x


def triangle(lower: bool) -> Callable[..., Tensor]:
    """tril and triu: zeros on one side of a diagonal."""

    def make(x: Tensor, diagonal: int = 0) -> Tensor:
        ones = torch.ones(x.shape[-2:], dtype=torch.bool)
        kept = ones.tril(diagonal) if lower else ones.triu(diagonal)
        return torch.where(kept, x, 0.0)

    return make


def rows_added(x: Tensor, dim: int, numbers: Tensor, part: Tensor, *, alpha: float = 1) -> Tensor:
    """index_add: a product of ones and zeros with what is added.

    >>> rows_added(torch.zeros(3, 1), 0, torch.tensor([2, 2]), torch.ones(2, 1)).tolist()
    [[0.0], [0.0], [2.0]]
    """
    size = x.shape[dim]
    rows = torch.ops.tilesmith.in_bounds(numbers, size, False).reshape(1, -1)
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
        wanted = x.dtype if dtype is None else dtype
        return torch.full(x.shape, given[0] if value is None else value, dtype=wanted)

    return make


def _new(value: float | None = None) -> Callable[..., Tensor]:
    def make(
        x: Tensor, size: Sequence[int], *given: Any, dtype: torch.dtype | None = None, **_: Any
    ) -> Tensor:
        wanted = x.dtype if dtype is None else dtype
        return torch.full(size, given[0] if value is None else value, dtype=wanted)

    return make


JOINS: dict[Any, Callable[..., Any]] = {
    aten.slice_scatter.default: with_slice,
    aten.select_scatter.default: with_selected,
    aten.copy.default: lambda x, source, *_: source.to(x.dtype).expand(x.shape).clone(),
    aten.roll.default: rolled,
    aten.tril.default: triangle(True),
    aten.triu.default: triangle(False),
    aten.index_add.default: rows_added,
    aten.full_like.default: _filled(),
    aten.zeros_like.default: _filled(0),
    aten.ones_like.default: _filled(1),
    aten.new_full.default: _new(),
    aten.new_zeros.default: _new(0),
    aten.new_ones.default: _new(1),
}
"""What each is made of."""


def can_join(target: Any, args: Sequence[Any]) -> bool:
    """Whether a tensor has dimensions to join along; tensors are nodes here."""
    along = (
        aten.slice_scatter.default,
        aten.select_scatter.default,
        aten.roll.default,
        aten.index_add.default,
    )
    if target is aten.index_add.default and not args[2].meta["val"].numel():
        return False
    return target not in along or bool(args[0].meta["val"].dim())

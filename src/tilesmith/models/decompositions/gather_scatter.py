"""Picking elements by number, and putting them back: rows of a table, and products with ones and zeros.

Numbers that say which elements are meant are computed on the host if they come from there. Kernels pick rows
of a matrix; so every operator here becomes rows picked from a tensor that is laid out as such a matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

LONGEST_RANKED = 1024
"""The longest row whose elements are compared with each other to sort it."""


def rows_of(table: Tensor, numbers: Tensor) -> Tensor:
    """Rows of a matrix; numbers below zero count from its end."""
    found = torch.where(numbers < 0, numbers + table.shape[0], numbers)
    return aten.embedding(table, found)  # type: ignore[no-any-return]


def indexed(x: Tensor, picks: Sequence[Tensor | None]) -> Tensor:
    """x[picks]: the dimensions that are picked from go to the front and become one.

    >>> indexed(torch.arange(6).reshape(2, 3), [None, torch.tensor([2, 0])]).tolist()
    [[2, 0], [5, 3]]
    """
    dims = [dim for dim, pick in enumerate(picks) if pick is not None]
    rest = [dim for dim in range(x.dim()) if dim not in dims]
    numbers = _row_numbers([x.shape[dim] for dim in dims], [pick for pick in picks if pick is not None])
    shape = numbers.shape
    table = x.permute([*dims, *rest]).reshape(prod(x.shape[dim] for dim in dims), -1)
    kept = [x.shape[dim] for dim in rest]
    made = rows_of(table, numbers).reshape([*shape, *kept])
    if dims != list(range(dims[0], dims[-1] + 1)):
        return made
    before = dims[0]
    order = [
        *range(len(shape), len(shape) + before),
        *range(len(shape)),
        *range(len(shape) + before, made.dim()),
    ]
    return made.permute(order)


def gathered(x: Tensor, dim: int, numbers: Tensor, **_: Any) -> Tensor:
    """torch.gather: each element by its place in the whole tensor.

    >>> gathered(torch.tensor([[1.0, 2], [3, 4]]), 1, torch.tensor([[1], [0]])).tolist()
    [[2.0], [3.0]]
    """
    dim %= x.dim()
    place = torch.zeros((), dtype=torch.int64)
    for axis, size in enumerate(x.shape):
        along = [1] * x.dim()
        along[axis] = numbers.shape[axis]
        own = numbers if axis == dim else torch.arange(numbers.shape[axis]).reshape(along)
        place = place * size + own
    return rows_of(x.reshape(-1, 1), place.reshape(-1)).reshape(numbers.shape)


def chosen(dim: int, numbers: Tensor, size: int) -> Tensor:
    """1.0 where a place along `dim` is the one a number names; the numbers lie along a new last dimension."""
    places = torch.arange(size).reshape([size if axis == dim else 1 for axis in range(numbers.dim())] + [1])
    wanted = numbers.movedim(dim, -1).unsqueeze(dim)
    return torch.ops.tilesmith.equality(places, wanted)  # type: ignore[no-any-return]


def scattered(x: Tensor, dim: int, numbers: Tensor, source: Any, *, reduce: str = "") -> Tensor:
    """torch.scatter and scatter_add: every place looks for the numbers that name it.

    >>> one = torch.ones(1, 2)
    >>> scattered(torch.zeros(1, 4), 1, torch.tensor([[3, 1]]), one).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    dim %= x.dim()
    x_part = x[tuple(slice(0, x.shape[a] if a == dim else numbers.shape[a]) for a in range(x.dim()))]
    hits = chosen(dim, numbers, x.shape[dim]).to(x.dtype)
    values = (
        source
        if isinstance(source, Tensor)
        else torch.full((1,) * numbers.dim(), float(source), dtype=x.dtype)
    )
    if isinstance(source, Tensor):
        values = values[tuple(slice(0, size) for size in numbers.shape)]
    summed = (hits * values.movedim(dim, -1).unsqueeze(dim)).sum(-1)
    if reduce == "add":
        return x_part + summed
    hit = hits.amax(-1)
    return torch.where(hit > 0, summed, x_part)


def put(x: Tensor, picks: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """index_put: a product of ones and zeros with what is put, the dimensions that are picked from in front.

    >>> put(torch.zeros(3, 2), [torch.tensor([2])], torch.ones(1, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    """
    first = picks[0]
    if first is not None and first.dtype == torch.bool:  # one value, or one row, wherever a mask says so
        return torch.where(first.reshape([*first.shape, *[1] * (x.dim() - first.dim())]), values, x)
    dims = [dim for dim, pick in enumerate(picks) if pick is not None]
    rest = [dim for dim in range(x.dim()) if dim not in dims]
    order = [*dims, *rest]
    numbers = _row_numbers([x.shape[dim] for dim in dims], [pick for pick in picks if pick is not None])
    rows = prod(x.shape[dim] for dim in dims)
    wide = x.permute(order).reshape(rows, -1)
    given = _values_in_front(values, dims, rest, numbers.dim())
    hits = torch.ops.tilesmith.equality(torch.arange(rows)[:, None], numbers.reshape(1, -1)).to(x.dtype)
    summed = hits @ given.expand([*numbers.shape, *(x.shape[dim] for dim in rest)]).reshape(
        numbers.numel(), -1
    )
    made = wide + summed if accumulate else torch.where(hits.amax(1, keepdim=True) > 0, summed, wide)
    back = sorted(range(x.dim()), key=order.__getitem__)
    return made.reshape([x.shape[dim] for dim in order]).permute(back)


def _row_numbers(sizes: Sequence[int], picks: Sequence[Tensor]) -> Tensor:
    """The places that numbers along several dimensions name, if those were one; below zero from the end."""
    numbers = torch.zeros((), dtype=torch.int64)
    for size, pick in zip(sizes, picks, strict=True):
        numbers = numbers * size + torch.where(pick < 0, pick + size, pick)
    return numbers.expand(torch.broadcast_shapes(*(pick.shape for pick in picks)))


def _values_in_front(values: Tensor, dims: list[int], rest: list[int], picked: int) -> Tensor:
    """What is put, with the picked dimensions before the others: between them they may have stood."""
    before = sum(dim < dims[0] for dim in rest)
    if dims != list(range(dims[0], dims[-1] + 1)) or before == 0 or values.dim() <= picked:
        return values
    full = values.reshape([1] * (picked + len(rest) - values.dim()) + list(values.shape))
    order = [*range(before, before + picked), *range(before), *range(before + picked, full.dim())]
    return full.permute(order)


def put_in_turn(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter: where a mask is true, the next element of a source; whole rows if the mask is of rows.

    >>> put_in_turn(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([5.0, 7.0])).tolist()
    [5.0, 0.0, 7.0]
    """
    width = x.shape[-1] if mask.dim() and mask.shape[-1] == 1 else 1
    table = source.reshape(-1, width)
    wide = mask.expand([*x.shape[:-1], 1] if width > 1 else x.shape)
    turn = (wide.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(0, table.shape[0] - 1)
    return torch.where(wide, rows_of(table, turn).reshape(x.shape), x)


# ---- order ----


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


def first_of(
    x: Tensor, count: int, dim: int = -1, largest: bool = True, *_: Any, **__: Any
) -> tuple[Tensor, Tensor]:
    """torch.topk: place r is taken by the element whose rank is r.

    >>> [part.tolist() for part in first_of(torch.tensor([3.0, 9.0, 5.0]), 2)]
    [[9.0, 5.0], [1, 2]]
    """
    last = x.movedim(dim, -1)
    taken = ranks(last, largest).unsqueeze(-2) == torch.arange(count).unsqueeze(-1)
    values = torch.where(taken, last.unsqueeze(-2), 0.0).sum(-1)
    places = torch.where(taken, torch.arange(x.shape[dim]), 0).sum(-1)
    return values.to(x.dtype).movedim(-1, dim), places.movedim(-1, dim)


def in_order(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """torch.sort."""
    return first_of(x, x.shape[dim], dim, descending)


def extreme(largest: bool) -> Callable[..., tuple[Tensor, Tensor]]:
    """max and min along a dimension, with the place of the first such element."""

    def make(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        found = x.amax(dim, keepdim=True) if largest else x.amin(dim, keepdim=True)
        size = x.shape[dim]
        along = [size if axis == dim % x.dim() else 1 for axis in range(x.dim())]
        places = torch.where(x == found, torch.arange(size).reshape(along), size).amin(dim, keepdim)
        return found if keepdim else found.squeeze(dim), places

    return make


def place_of(largest: bool) -> Callable[..., Tensor]:
    """argmax and argmin."""

    def make(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        line, along = (x.reshape(1, -1), 1) if dim is None else (x, dim)
        places = extreme(largest)(line, along, keepdim and dim is not None)[1]
        return places.reshape([1] * x.dim() if keepdim else []) if dim is None else places

    return make


PICKS: dict[Any, Callable[..., Any]] = {
    aten.index.Tensor: indexed,
    aten.gather.default: gathered,
    aten.index_select.default: lambda x, dim, numbers: indexed(x, [*[None] * (dim % x.dim()), numbers]),
    aten.scatter.src: scattered,
    aten.scatter.value: scattered,
    aten.scatter_add.default: lambda x, dim, numbers, source: scattered(
        x, dim, numbers, source, reduce="add"
    ),
    aten.index_put.default: put,
    aten._unsafe_index.Tensor: indexed,
    aten._unsafe_index_put.default: put,
    aten.masked_scatter.default: put_in_turn,
    aten.topk.default: first_of,
    aten.sort.default: in_order,
    aten.max.dim: extreme(True),
    aten.min.dim: extreme(False),
    aten.argmax.default: place_of(True),
    aten.argmin.default: place_of(False),
}
"""What each is made of."""


def can_pick(target: Any, args: Sequence[Any]) -> bool:
    """Whether the arguments of a call are among those that can be done so; tensors are nodes here."""
    if target in (aten.index.Tensor, aten._unsafe_index.Tensor):
        return all(pick is None or _is_number(pick) for pick in args[1])
    if target is aten.masked_scatter.default:
        x, mask, source = (one.meta["val"] for one in args)
        return bool(mask.shape[-1:] != (1,) or source.numel() % x.shape[-1] == 0)
    if target in (aten.index_put.default, aten._unsafe_index_put.default):
        if _fills(args):
            return True
        return any(pick is not None for pick in args[1]) and all(
            pick is None or _is_number(pick) for pick in args[1]
        )
    if target in (aten.scatter.src, aten.scatter.value, aten.scatter_add.default):
        x, dim, numbers = (args[0].meta["val"], args[1], args[2].meta["val"])
        same = [
            a == b
            for axis, (a, b) in enumerate(zip(x.shape, numbers.shape, strict=True))
            if axis != dim % x.dim()
        ]
        return all(same)
    if target in (aten.topk.default, aten.sort.default, aten.max.dim, aten.min.dim):
        x = args[0].meta["val"]
        dim = {aten.topk.default: args[2] if len(args) > 2 else -1}.get(
            target, args[1] if len(args) > 1 else -1
        )
        return bool(x.dim() > 0 and 0 < x.shape[dim] <= LONGEST_RANKED)
    return True


def _fills(args: Sequence[Any]) -> bool:
    """Whether the same is put wherever a mask is true."""
    x, picks, values = (args[0].meta["val"], args[1], args[2].meta["val"])
    mask = picks[0].meta["val"] if len(picks) == 1 and picks[0] is not None else None
    accumulates = len(args) > 3 and args[3]
    if mask is None or mask.dtype != torch.bool or accumulates:
        return False
    return bool(values.numel() > 0 and values.dim() <= x.dim() - mask.dim())


def _is_number(pick: Any) -> bool:
    kind = pick.meta["val"].dtype
    return not kind.is_floating_point and kind != torch.bool

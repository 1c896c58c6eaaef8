"""gather, scatter and index, as rows of a table and sums of what ones and zeros choose.

Indices are computed on the host if they come from there. Kernels gather rows of a matrix; so every operator
here becomes rows gathered from a tensor that is laid out as such a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten

# ---- which calls ----


def has_index_along_dim(node: Node) -> bool:
    """a tensor with dimensions, and indices that are no masks"""
    return bool(value_of(node.args[0]).dim()) and _is_index(node.args[2])


def has_indices(node: Node) -> bool:
    """indices that are no masks"""
    args: Any = node.args
    return all(entry is None or _is_index(entry) for entry in args[1])


def writes_by_index(node: Node) -> bool:
    """indices that are no masks, or one value wherever a mask is true"""
    args: Any = node.args
    if _fills(args):
        return True
    return any(entry is not None for entry in args[1]) and has_indices(node)


def writes_along_dim(node: Node) -> bool:
    """indices of the tensor's own sizes in the other dimensions"""
    args: Any = node.args
    x, dim, index = value_of(args[0]), args[1], value_of(args[2])
    if not x.dim() or not _is_index(args[2]):
        return False
    sizes = enumerate(zip(x.shape, index.shape, strict=True))
    return all(own == given for axis, (own, given) in sizes if axis != dim % x.dim())


def has_whole_rows(node: Node) -> bool:
    """a mask that fits, of elements or of whole rows"""
    x, mask, source = (value_of(one) for one in node.args)
    if torch.broadcast_shapes(mask.shape, x.shape) != x.shape:
        return False
    return bool(mask.shape[-1:] != (1,) or source.numel() % x.shape[-1] == 0)


def _fills(args: Sequence[Any]) -> bool:
    """Whether the same is written wherever a mask is true."""
    x, indices, values = value_of(args[0]), args[1], value_of(args[2])
    mask = value_of(indices[0]) if len(indices) == 1 and indices[0] is not None else None
    accumulates = len(args) > 3 and args[3]
    if mask is None or mask.dtype != torch.bool or accumulates:
        return False
    return bool(values.numel() > 0 and values.dim() <= x.dim() - mask.dim())


def _is_index(entry: Any) -> bool:
    value = value_of(entry)
    is_mask = value.dtype in (torch.bool, torch.uint8)
    return value.numel() > 0 and not value.dtype.is_floating_point and not is_mask


# ---- gather and scatter ----


def checked(index: Tensor, size: int, wraps: bool = False) -> Tensor:
    """Numbers that name elements of a dimension, or count from its end. Others are an error, as in torch."""
    return torch.ops.tilesmith.in_bounds(index, size, wraps)  # type: ignore[no-any-return]


def rows_of(table: Tensor, index: Tensor) -> Tensor:
    result: Tensor = aten.embedding(table, index.reshape(-1) if index.dim() == 0 else index)
    return result if index.dim() else result.squeeze(0)


@decomposition(aten.index.Tensor, aten._unsafe_index.Tensor, when=has_indices)
def index_by(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """Rows of a table: the indexed dimensions go to the front and become one.

    >>> index_by(torch.arange(6).reshape(2, 3), [None, torch.tensor([2, 0])]).tolist()
    [[2, 0], [5, 3]]
    """
    dims = [dim for dim, entry in enumerate(indices) if entry is not None]
    rest = [dim for dim in range(x.dim()) if dim not in dims]
    index = _flat_index([x.shape[dim] for dim in dims], [entry for entry in indices if entry is not None])
    shape = index.shape
    table = x.permute([*dims, *rest]).reshape(prod(x.shape[dim] for dim in dims), -1)
    kept = [x.shape[dim] for dim in rest]
    result = rows_of(table, index).reshape([*shape, *kept])
    if dims != list(range(dims[0], dims[-1] + 1)):
        return result
    before = dims[0]
    order = [
        *range(len(shape), len(shape) + before),
        *range(len(shape)),
        *range(len(shape) + before, result.dim()),
    ]
    return result.permute(order)


@decomposition(aten.index_select.default, when=has_index_along_dim)
def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Rows of a table: the indexed dimension goes to the front."""
    return index_by(x, [*[None] * (dim % x.dim()), index])


@decomposition(aten.gather.default, when=has_index_along_dim)
def gather(x: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    """Rows of one element, each by its place in the whole tensor.

    >>> gather(torch.tensor([[1.0, 2], [3, 4]]), 1, torch.tensor([[1], [0]])).tolist()
    [[2.0], [3.0]]
    """
    dim %= x.dim()
    index = checked(index, x.shape[dim])
    place = torch.zeros((), dtype=torch.int64)
    for axis, size in enumerate(x.shape):
        along = [1] * x.dim()
        along[axis] = index.shape[axis]
        own = index if axis == dim else torch.arange(index.shape[axis]).reshape(along)
        place = place * size + own
    return rows_of(x.reshape(-1, 1), place.reshape(-1)).reshape(index.shape)


def one_hot(dim: int, index: Tensor, size: int) -> Tensor:
    """1.0 where a place along `dim` is the one an index names; the index lies along a new last dimension."""
    places = torch.arange(size).reshape([size if axis == dim else 1 for axis in range(index.dim())] + [1])
    wanted = index.movedim(dim, -1).unsqueeze(dim)
    return torch.ops.tilesmith.equality(places, wanted)  # type: ignore[no-any-return]


@decomposition(aten.scatter.src, aten.scatter.value, when=writes_along_dim)
def scatter(x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    """Every place gathers the last element written there.

    >>> scatter(torch.zeros(1, 4), 1, torch.tensor([[3, 1, 3]]), torch.tensor([[1.0, 2.0, 5.0]])).tolist()
    [[0.0, 2.0, 0.0, 5.0]]
    """
    dim %= x.dim()
    along = [size if axis == dim else 1 for axis, size in enumerate(index.shape)]
    turn = torch.arange(index.shape[dim]).reshape(along).expand(index.shape)
    last = last_writer(x.shape, dim, checked(index, x.shape[dim]), turn)
    if not isinstance(source, Tensor):
        return torch.where(last >= 0, source, x)
    part = source[tuple(slice(0, size) for size in index.shape)]
    return torch.where(last >= 0, gather(part, dim, last.clamp(min=0)), x)


def last_writer(shape: Sequence[int], dim: int, index: Tensor, turn: Tensor) -> Tensor:
    """For each place the last of those written there, by its turn; -1 where nothing is.

    >>> last_writer([3], 0, torch.tensor([2, 0, 2]), torch.arange(3)).tolist()
    [1, -1, 2]
    """
    nothing = torch.full(list(shape), -1, dtype=torch.int64)
    return nothing.scatter_reduce(dim, index.to(torch.int64), turn, "amax")


@decomposition(aten.scatter_add.default, when=writes_along_dim)
def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Every place sums the elements whose index names it.

    >>> scatter_add(torch.zeros(1, 4), 1, torch.tensor([[3, 3]]), torch.ones(1, 2)).tolist()
    [[0.0, 0.0, 0.0, 2.0]]
    """
    dim %= x.dim()
    hits = one_hot(dim, checked(index, x.shape[dim]), x.shape[dim])
    values = source[tuple(slice(0, size) for size in index.shape)]
    return x + torch.where(hits > 0, values.movedim(dim, -1).unsqueeze(dim), 0.0).sum(-1)


@decomposition(aten.index_put.default, aten._unsafe_index_put.default, when=writes_by_index)
def index_put(
    x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Every row gathers the last one written there, the indexed dimensions in front.

    What accumulates is a product of ones and zeros with the values.

    >>> index_put(torch.zeros(3, 2), [torch.tensor([2])], torch.ones(1, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    """
    first = indices[0]
    if first is not None and first.dtype == torch.bool:  # one value, or one row, wherever a mask says so
        return torch.where(first.reshape([*first.shape, *[1] * (x.dim() - first.dim())]), values, x)
    dims = [dim for dim, entry in enumerate(indices) if entry is not None]
    rest = [dim for dim in range(x.dim()) if dim not in dims]
    order = [*dims, *rest]
    index = _flat_index([x.shape[dim] for dim in dims], [entry for entry in indices if entry is not None])
    rows = prod(x.shape[dim] for dim in dims)
    wide = x.permute(order).reshape(rows, -1)
    given = _values_in_front(values, dims, rest, index.dim())
    table = given.expand([*index.shape, *(x.shape[dim] for dim in rest)]).reshape(index.numel(), -1)
    if accumulate:
        hits: Tensor = torch.ops.tilesmith.equality(torch.arange(rows)[:, None], index.reshape(1, -1))
        result = wide + hits.to(x.dtype) @ table
    else:
        last = last_writer([rows], 0, index.reshape(-1), torch.arange(index.numel()))
        result = torch.where(last[:, None] >= 0, rows_of(table, last.clamp(min=0)), wide)
    back = sorted(range(x.dim()), key=order.__getitem__)
    return result.reshape([x.shape[dim] for dim in order]).permute(back)


def _flat_index(sizes: Sequence[int], indices: Sequence[Tensor]) -> Tensor:
    """One index into several dimensions taken as one; below zero counts from the end."""
    index, *rest = (checked(entry, size, wraps=True) for size, entry in zip(sizes, indices, strict=True))
    for size, entry in zip(sizes[1:], rest, strict=True):
        index = index * size + entry
    return index.expand(torch.broadcast_shapes(*(entry.shape for entry in indices)))


def _values_in_front(values: Tensor, dims: list[int], rest: list[int], front: int) -> Tensor:
    """The values, with the indexed dimensions before the others: they may have stood between them."""
    before = sum(dim < dims[0] for dim in rest)
    if dims != list(range(dims[0], dims[-1] + 1)) or before == 0 or values.dim() <= front:
        return values
    full = values.reshape([1] * (front + len(rest) - values.dim()) + list(values.shape))
    order = [*range(before, before + front), *range(before), *range(before + front, full.dim())]
    return full.permute(order)


@decomposition(aten.masked_scatter.default, when=has_whole_rows)
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Where a mask is true, the next element of a source; whole rows if the mask is of rows.

    >>> masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([5.0, 7.0])).tolist()
    [5.0, 0.0, 7.0]
    """
    width = x.shape[-1] if mask.dim() and mask.shape[-1] == 1 else 1
    table = source.reshape(-1, width)
    wide = mask.expand([*x.shape[:-1], 1] if width > 1 else x.shape)
    turn = wide.reshape(-1).to(torch.int64).cumsum(0) - 1
    found = checked(torch.where(wide.reshape(-1), turn, 0), table.shape[0])
    return torch.where(wide, rows_of(table, found).reshape(x.shape), x)
